//! `client/elicitation`: `#url-elicitation-required-error`, `#error-handling`, `#statefulness`, `#url-mode-elicitation-for-oauth-flows`,
//! `#understanding-the-distinction`.

use super::shared::takes_forms;
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{initialize, remove},
        client_inputs::NO_ELICITATION,
        optional_features::ALLOWED,
        request_metadata::{error, to},
        shape::show,
        tools::none_applies,
        urls::{NOTHING_REQUIRED, elicitations, of_error, required},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, only, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2025_11_25, V2026_07_28};
use proofmark_record::{evidence::CheckerRequest, topic::Topic};
use serde_json::{Value, json};

pub(super) const M421: Requirement = Requirement {
    id: "M421",
    name: "32042-used-nothing-else",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[2025-11-25] -32042 is used for nothing else.",
    section: "docs/specification/2025-11-25/client/elicitation.mdx#url-elicitation-required-error",
    observed: Observed::By(&M421_CHECK),
};

const M421_CHECK: Check = Check {
    how: "looks at every error -32042",
    seen: seen_everywhere(),
    fix: "use -32042 only where a URL elicitation is required",
    judge: |evidence| {
        let outcome = each(required(evidence), "", |(answer, _)| {
            let mut listed = elicitations(answer).into_iter().flatten();
            let page = listed.any(|it| it.get("url").is_some());
            let expected = "an error about pages that users must visit";
            (!page).then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        none_applies(outcome, NOTHING_REQUIRED)
    },
    mutants: &[Mutant::new(
        "calls an unknown method by the wrong number",
        Mutation::Says(|context, message| {
            if context.method == Some("proofmark/no-such-method") {
                *message = error(&message["id"], -32042);
            }
        }),
    )
    .also(&["M110", "M422", "M528"])],
};

pub(super) const M422: Requirement = Requirement {
    id: "M422",
    name: "32042-lists-needed-elicitations",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[2025-11-25] -32042 lists the needed elicitations in data.elicitations.",
    section: "docs/specification/2025-11-25/client/elicitation.mdx#url-elicitation-required-error",
    observed: Observed::By(&M422_CHECK),
};

const M422_CHECK: Check = Check {
    how: "looks at every error -32042",
    seen: seen_everywhere(),
    fix: "list in data.elicitations what users must do first",
    judge: |evidence| {
        let outcome = each(required(evidence), "", |(answer, _)| {
            let listed = elicitations(answer).is_some_and(|listed| !listed.is_empty());
            let expected = "data.elicitations";
            (!listed).then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        none_applies(outcome, NOTHING_REQUIRED)
    },
    mutants: &[of_error("does not say what is required", |error| error["data"] = json!({}))
        .also(&["M421", "M528"])],
};

pub(super) const M423: Requirement = Requirement {
    id: "M423",
    name: "elicitations-listed-by-32042-url-mode-have",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[2025-11-25] The elicitations listed by -32042 are URL mode and have an elicitationId.",
    section: "docs/specification/2025-11-25/client/elicitation.mdx#url-elicitation-required-error",
    observed: Observed::By(&M423_CHECK),
};

const M423_CHECK: Check = Check {
    how: "looks at everything that an error -32042 lists",
    seen: seen_everywhere(),
    fix: "list URL elicitations, each with mode url and an elicitationId",
    judge: |evidence| {
        let listed = required(evidence).flat_map(|(answer, _)| {
            let listed = elicitations(answer).into_iter().flatten();
            listed.map(move |it| (answer.place, it))
        });
        let outcome = each(listed, "", |(place, it)| {
            let expected = "mode url, a url and an elicitationId";
            let has = |member: &str| it.get(member).is_some_and(Value::is_string);
            let right = it["mode"] == "url" && has("url") && has("elicitationId");
            (!right).then(|| Finding::new(expected, show(it), place))
        });
        none_applies(outcome, NOTHING_REQUIRED)
    },
    mutants: &[of_error("requires a page that it does not name", |error| {
        for it in error["data"]["elicitations"].as_array_mut().into_iter().flatten() {
            it.as_object_mut().map(|it| it.remove("elicitationId"));
        }
    })
    .also(&["M415"])],
};

pub(super) const A116: Requirement = Requirement {
    id: "A116",
    name: "32042-may-returned-when-url-elicitation",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[2025-11-25] -32042 may be returned when a URL elicitation must come first.",
    section: "docs/specification/2025-11-25/client/elicitation.mdx#url-elicitation-required-error",
    observed: Observed::By(&A116_CHECK),
};

const A116_CHECK: Check = Check {
    how: "looks for the error -32042",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        let answers = evidence.asked_all().filter_map(|asked| asked.answer);
        offered(answers, "calls that require a page first", |it| it.code() == Some(-32042))
    },
    mutants: &[Mutant::new(
        "requires no page",
        Mutation::Says(|_, message| {
            if message["error"]["code"] == -32042 {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"],
                    "result": { "content": [] } });
            }
        }),
    )],
};

pub(super) const M424: Requirement = Requirement {
    id: "M424",
    name: "code-required-elicitation-32042",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[2025-11-25] The code for a required elicitation is -32042.",
    section: "docs/specification/2025-11-25/client/elicitation.mdx#error-handling",
    observed: Observed::By(&M424_CHECK),
};

const M424_CHECK: Check = Check {
    how: "looks at the code of every error that lists elicitations",
    seen: seen_everywhere(),
    fix: "use -32042 where a URL elicitation is required",
    judge: |evidence| {
        let answers = evidence.asked_all().filter_map(|asked| asked.answer);
        let listing = answers.filter(|answer| elicitations(*answer).is_some());
        let outcome = each(listing, "", |answer| {
            let right = answer.code() == Some(-32042);
            (!right).then(|| Finding::new("-32042", show(answer.message), answer.place))
        });
        none_applies(outcome, NOTHING_REQUIRED)
    },
    mutants: &[of_error("has a number of its own for what is required", |error| {
        error["code"] = json!(-32000);
    })],
};

pub(super) const M425: Requirement = Requirement {
    id: "M425",
    name: "elicitation-undeclared-mode-answered-32602",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[2025-11-25] An elicitation in an undeclared mode is answered -32602.",
    section: "docs/specification/2025-11-25/client/elicitation.mdx#error-handling",
    observed: Observed::By(&M425_CHECK),
};

const M425_CHECK: Check = Check {
    how: "asks for a visit of a URL, declared or not, and for a form where those are not declared",
    seen: seen_in(&["hosted ask"]),
    fix: "answer an elicitation in a mode that you did not declare with -32602",
    judge: |evidence| {
        let declared = |path: &str| evidence.capability(path);
        if !declared("/elicitation") {
            return Outcome::NotApplicable(NO_ELICITATION.to_owned());
        }
        let undeclared = |asked: &CheckerRequest<'_>| match asked.topic {
            Topic::AskUrl => !declared("/elicitation/url"),
            Topic::AskElicitation => !takes_forms(evidence),
            _ => false,
        };
        let odd = evidence.asked_all().filter(undeclared);
        let outcome = each(odd, "", |asked| {
            let answer = asked.answer?;
            let expected = "the error -32602, for this mode was not declared";
            (answer.code() != Some(-32602))
                .then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        match outcome {
            Outcome::Unobserved(_) => {
                Outcome::NotApplicable("the client declares every mode".to_owned())
            }
            other => other,
        }
    },
    mutants: &[initialize("visits URLs without saying that it does", |params| {
        remove(&mut params["capabilities"]["elicitation"], "url");
    })],
};

pub(super) const M445: Requirement = Requirement {
    id: "M445",
    name: "server-handles-decline-cancel-failure",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The server handles decline, cancel and failure of an elicitation.",
    section: "docs/specification/2026-07-28/client/elicitation.mdx#error-handling",
    observed: Observed::By(&M445_CHECK),
};

const M445_CHECK: Check = HANDLED;

pub(super) const S229: Requirement = Requirement {
    id: "S229",
    name: "elicitation-not-assumed-succeed",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Elicitation is not assumed to succeed.",
    section: "docs/specification/2026-07-28/client/elicitation.mdx#error-handling",
    observed: Observed::By(&S229_CHECK),
};

const S229_CHECK: Check = HANDLED;

pub(super) const M426: Requirement = Requirement {
    id: "M426",
    name: "elicitation-state-bound-securely-user",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Elicitation state is bound securely to the user.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#statefulness",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const M427: Requirement = Requirement {
    id: "M427",
    name: "elicitation-state-not-tied-session-id-alone",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[2025-11-25] Elicitation state is not tied to a session id alone.",
    section: "docs/specification/2025-11-25/client/elicitation.mdx#statefulness",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const M428: Requirement = Requirement {
    id: "M428",
    name: "stored-elicitation-state-protected",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Stored elicitation state is protected.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#statefulness",
    observed: Observed::Unobservable("how something is stored cannot be seen from outside"),
};

pub(super) const M429: Requirement = Requirement {
    id: "M429",
    name: "remote-server-takes-user-from-authorization",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "A remote server takes the user from the authorization credentials where possible.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#statefulness",
    observed: Observed::Unobservable("from where a server knows its user is not on the wire"),
};

pub(super) const M430: Requirement = Requirement {
    id: "M430",
    name: "url-elicitation-does-not-authorize-users",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "URL elicitation does not authorize users for the server itself.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#url-mode-elicitation-for-oauth-flows",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
};

pub(super) const M431: Requirement = Requirement {
    id: "M431",
    name: "third-party-credentials-never-reach-mcp",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "Third-party credentials never reach the MCP client.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#understanding-the-distinction",
    observed: Observed::Unobservable(
        "which credentials belong to third parties is known to the server alone",
    ),
};

pub(super) const M432: Requirement = Requirement {
    id: "M432",
    name: "client-credentials-not-used-at-third-parties",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "The client's credentials are not used at third parties.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#understanding-the-distinction",
    observed: Observed::Unobservable("it concerns what a peer sends to third parties"),
};

pub(super) const M433: Requirement = Requirement {
    id: "M433",
    name: "third-party-access-user-authorizes-mcp",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "For third-party access the user authorizes the MCP server directly.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#understanding-the-distinction",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

/// Whether this answers a form.
fn elicits(asked: &CheckerRequest<'_>) -> bool {
    let responses = asked.params.and_then(|it| it.get("inputResponses")?.as_object());
    responses.into_iter().flatten().any(|(_, response)| response.get("action").is_some())
}

const HANDLED: Check = Check {
    how: "declines some forms, and dismisses others",
    seen: seen_everywhere(),
    fix: "expect that users decline or go away, and answer the request all the same",
    judge: |evidence| {
        let refused = evidence
            .asked_all()
            .filter(|it| matches!(it.topic, Topic::Dismissed | Topic::Round) && elicits(it));
        let outcome = each(refused, "", |asked| {
            let expected = "an answer that is no internal error";
            let Some(answer) = asked.answer else {
                return Some(Finding::new(expected, "no answer", asked.place));
            };
            let broke = answer.code() == Some(-32603);
            broke.then(|| Finding::new(expected, show(answer.message), answer.place))
        });
        none_applies(outcome, "nothing that was called asks the user")
    },
    mutants: &[to("breaks when a user goes away", "dismissed", |message| {
        *message = error(&message["id"], -32603);
    })
    .also(&["M445", "S229"])],
};
