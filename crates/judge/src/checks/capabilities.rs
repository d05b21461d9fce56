//! What a server does must be what it declared.

use serde_json::Value;

use super::{Check, envelope::server_requests, shape::show};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::{
    evidence::{Evidence, Heard, list_key},
    topic::Topic,
};

pub(crate) const M048: Check = Check {
    how: "asks for resources although none are declared",
    fix: "declare the resources capability, or answer resources/list with -32601",
    judge: |evidence| lists_only_if_declared(evidence, "resources", "resources/list"),
    mutants: &[hides("has resources that it does not declare", |context, message| {
        remove(context, message, "/resources", None);
    })
    .also(&["M057", "S242"])],
};

pub(crate) const M058: Check = Check {
    how: "asks for prompts although none are declared",
    fix: "declare the prompts capability, or answer prompts/list with -32601",
    judge: |evidence| lists_only_if_declared(evidence, "prompts", "prompts/list"),
    mutants: &[hides("has prompts that it does not declare", |context, message| {
        remove(context, message, "/prompts", None);
    })
    .also(&["M064", "S235"])],
};

pub(crate) const S235: Check = Check {
    how: "asks for prompts although none are declared",
    fix: "offer prompts only if you declare them",
    judge: M058.judge,
    mutants: &[hides("offers prompts without declaring them", |context, message| {
        remove(context, message, "/prompts", None);
    })
    .also(&["M058", "M064"])],
};

pub(crate) const M065: Check = Check {
    how: "asks for tools although none are declared",
    fix: "declare the tools capability, or answer tools/list with -32601",
    judge: |evidence| lists_only_if_declared(evidence, "tools", "tools/list"),
    mutants: &[hides("has tools that it does not declare", |context, message| {
        remove(context, message, "/tools", None);
    })],
};

pub(crate) const M107: Check = Check {
    how: "asks for what belongs to a capability that is not declared",
    fix: "answer methods of capabilities that you do not declare with -32601",
    judge: |evidence| {
        let outcome = crate::outcome::each(evidence.asked(Topic::Undeclared), "", |asked| {
            let answer = asked.answer?;
            (answer.code() != Some(-32601))
                .then(|| Finding::new("the error -32601", show(answer.message), answer.place))
        });
        super::tools::none_applies(outcome, "the server declares all that was asked for")
    },
    mutants: &[hides("serves what it does not declare", |context, message| {
        remove(context, message, "/prompts", None);
    })
    .also(&["M058", "M064", "M453", "S235"])],
};

pub(crate) const M088: Check = Check {
    how: "asks for a completion although none are declared",
    fix: "declare the completions capability",
    judge: |evidence| answers_only_if_declared(evidence, "/completions", "completion/complete"),
    mutants: &[hides("completes without declaring it", |context, message| {
        remove(context, message, "/completions", None);
    })
    .also(&["S262"])],
};

pub(crate) const S262: Check = Check {
    how: "asks for a completion although none are declared",
    fix: "answer completion/complete with -32601 where completions are not declared",
    judge: |evidence| {
        if evidence.capability("/completions") {
            return Outcome::NotApplicable("the server declares completions".to_owned());
        }
        let asked =
            evidence.asked(Topic::Undeclared).filter(|asked| asked.method == "completion/complete");
        crate::outcome::each(asked, "there was no prompt or template to complete", |asked| {
            let answer = asked.answer?;
            (answer.code() != Some(-32601))
                .then(|| Finding::new("the error -32601", show(answer.message), answer.place))
        })
    },
    mutants: &[hides("completes without the capability", |context, message| {
        remove(context, message, "/completions", None);
    })
    .also(&["M088"])],
};

pub(crate) const M056: Check = Check {
    how: "subscribes to a resource although subscriptions are not declared",
    fix: "declare resources.subscribe",
    judge: |evidence| {
        answers_only_if_declared(evidence, "/resources/subscribe", "resources/subscribe")
    },
    mutants: &[hides("takes subscriptions without declaring it", |context, message| {
        remove(context, message, "/resources", Some("subscribe"));
    })],
};

pub(crate) const M057: Check = Check {
    how: "looks for notifications/resources/list_changed in every conversation",
    fix: "declare resources.listChanged, or do not send the notification",
    judge: |evidence| {
        notifies_only_if_declared(
            evidence,
            "/resources/listChanged",
            "notifications/resources/list_changed",
        )
    },
    mutants: &[hides("announces changes of resources without declaring it", |context, message| {
        remove(context, message, "/resources", Some("listChanged"));
    })],
};

pub(crate) const M064: Check = Check {
    how: "looks for notifications/prompts/list_changed in every conversation",
    fix: "declare prompts.listChanged, or do not send the notification",
    judge: |evidence| {
        notifies_only_if_declared(
            evidence,
            "/prompts/listChanged",
            "notifications/prompts/list_changed",
        )
    },
    mutants: &[hides("announces changes of prompts without declaring it", |context, message| {
        remove(context, message, "/prompts", Some("listChanged"));
    })],
};

pub(crate) const M070: Check = Check {
    how: "looks for notifications/tools/list_changed in every conversation",
    fix: "declare tools.listChanged, or do not send the notification",
    judge: |evidence| {
        notifies_only_if_declared(
            evidence,
            "/tools/listChanged",
            "notifications/tools/list_changed",
        )
    },
    mutants: &[hides("announces changes of tools without declaring it", |context, message| {
        remove(context, message, "/tools", Some("listChanged"));
    })],
};

pub(crate) const M087: Check = Check {
    how: "looks for log messages in every conversation",
    fix: "declare the logging capability, or do not send notifications/message",
    judge: |evidence| notifies_only_if_declared(evidence, "/logging", "notifications/message"),
    mutants: &[hides("logs without declaring it", |context, message| {
        remove(context, message, "/logging", None);
    })],
};

pub(crate) const S018: Check = Check {
    how: "calls, as a client without capabilities, what asked an able client something",
    fix: "look at the client's capabilities before asking it for roots, sampling or elicitation",
    judge: asks_only_for_declared,
    mutants: &[ASKS_FOR_ROOTS.also(&["S193"])],
};

pub(crate) const M144: Check = Check {
    how: "calls, as a client without capabilities, what asked an able client something",
    fix: "look at the client's capabilities before asking it for roots, sampling or elicitation",
    judge: asks_only_for_declared,
    mutants: &[ASKS_FOR_ROOTS.also(&["S193"])],
};

pub(crate) const S193: Check = Check {
    how: "calls, as a client without roots, what asked an able client something",
    fix: "look at the client's capabilities before asking it for roots",
    judge: |evidence| {
        if evidence.declared().is_none() {
            return Outcome::Unobserved("no handshake succeeded".to_owned());
        }
        let asked = evidence
            .heard_methods()
            .find(|(heard, method)| *method == "roots/list" && is_uninvited(evidence, *heard));
        asked.map_or(Outcome::Kept, |(heard, _)| {
            let expected = "no roots/list to a client without roots";
            Outcome::Broken(Finding::new(expected, show(heard.message), heard.place))
        })
    },
    mutants: &[ASKS_FOR_ROOTS.also(&["M144", "S018"])],
};

fn asks_only_for_declared(evidence: &Evidence) -> Outcome {
    if evidence.declared().is_none() {
        return Outcome::Unobserved("no handshake succeeded".to_owned());
    }
    let uninvited = server_requests(evidence).find(|heard| is_uninvited(evidence, *heard));
    match uninvited {
        Some(heard) => Outcome::Broken(Finding::new(
            "no request that needs a capability of the client",
            show(heard.message),
            heard.place,
        )),
        None => Outcome::Kept,
    }
}

/// Whether a request needs a capability that the checker did not declare in this conversation.
fn is_uninvited(evidence: &Evidence, heard: Heard<'_>) -> bool {
    let method = heard.message["method"].as_str().unwrap_or_default();
    let needed = NEEDED.iter().find(|(known, _)| *known == method).map(|(_, needed)| *needed);
    let declared = evidence.declared_to_peer(heard.place);
    needed.is_some_and(|needed| declared.is_none_or(|declared| declared.get(needed).is_none()))
}

fn lists_only_if_declared(evidence: &Evidence, capability: &str, method: &str) -> Outcome {
    if evidence.capability(&format!("/{capability}")) {
        return Outcome::Kept;
    }
    let listed = evidence.asked(Topic::Undeclared).filter(|asked| asked.method == method).find_map(
        |asked| {
            let answer = asked.answer?;
            let items = answer.result()?.get(list_key(method)?)?.as_array()?;
            (!items.is_empty()).then_some(answer)
        },
    );
    match listed {
        Some(answer) => Outcome::Broken(Finding::new(
            format!("the capability {capability} is declared, because the server has some"),
            show(answer.message),
            answer.place,
        )),
        None => Outcome::NotApplicable(format!("the server has and declares no {capability}")),
    }
}

fn answers_only_if_declared(evidence: &Evidence, path: &str, method: &str) -> Outcome {
    if evidence.capability(path) {
        return Outcome::Kept;
    }
    let answered = evidence
        .asked(Topic::Undeclared)
        .filter(|asked| asked.method == method)
        .find_map(|asked| asked.answer.filter(|answer| answer.result().is_some()));
    match answered {
        Some(answer) => Outcome::Broken(Finding::new(
            format!("the capability {} is declared, because the server has it", &path[1..]),
            show(answer.message),
            answer.place,
        )),
        None => Outcome::NotApplicable(format!("the server does not declare {}", &path[1..])),
    }
}

fn notifies_only_if_declared(evidence: &Evidence, path: &str, method: &str) -> Outcome {
    let mut heard = evidence.heard_methods().filter(|(_, it)| *it == method);
    match heard.next() {
        _ if evidence.declared().is_none() => Outcome::Unobserved(UNDECLARED.to_owned()),
        _ if evidence.capability(path) => Outcome::Kept,
        Some((heard, _)) => Outcome::Broken(Finding::new(
            format!("{} is declared before {method} is sent", &path[1..]),
            show(heard.message),
            heard.place,
        )),
        None => Outcome::NotApplicable(format!("the server neither declares nor sends {method}")),
    }
}

/// Whoever begins to listen in the middle has missed it.
pub(super) const UNDECLARED: &str = "the server was not heard declaring its capabilities";

const fn hides(name: &'static str, says: fn(&Context<'_>, &mut Value)) -> Mutant {
    Mutant::new(name, Mutation::Says(says))
}

/// Takes a capability, or a member of one, out of the result of initialize.
fn remove(context: &Context<'_>, message: &mut Value, path: &str, member: Option<&str>) {
    if !matches!(context.method, Some("initialize" | "server/discover")) {
        return;
    }
    let Some(capabilities) = message.pointer_mut("/result/capabilities") else { return };
    let (parent, member) = match member {
        Some(member) => (capabilities.pointer_mut(path), member),
        None => (Some(capabilities), &path[1..]),
    };
    if let Some(parent) = parent.and_then(Value::as_object_mut) {
        parent.remove(member);
    }
}

/// A server that asks for roots although the client has none.
const ASKS_FOR_ROOTS: Mutant = Mutant::new(
    "asks for roots that the client never declared",
    Mutation::Writes(|_, message| {
        let mut texts = vec![message.to_string()];
        if message["id"] == "bare-ping" {
            texts.push(
                "{\"jsonrpc\":\"2.0\",\"id\":\"roots\",\"method\":\"roots/list\"}".to_owned(),
            );
        }
        texts
    }),
);

/// Requests of servers, with the capability of the client that they need.
const NEEDED: [(&str, &str); 3] = [
    ("elicitation/create", "elicitation"),
    ("roots/list", "roots"),
    ("sampling/createMessage", "sampling"),
];
