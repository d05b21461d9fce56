//! `client/elicitation`: `#elicitation-requests`, `#form-mode-elicitation-requests`, `#url-mode-elicitation-requests`, `#completion-
//! notifications-for-url-mode-elicitation`.

use super::shared::{page, sent, takes_forms};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::remove,
        client_inputs::NOT_ASKED,
        input_rounds::input_requests,
        optional_features::{ALLOWED, done_if, silent_about, told},
        server_requests::{ELICITATION, all, asked, elicitation},
        shape::{lacks, lacks_text, show},
        tools::none_applies,
        urls::{elicitations, required},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, only, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::{
    NotificationMethod,
    Revision::{V2025_11_25, V2026_07_28},
};
use proofmark_record::{
    event::EventKind,
    evidence::{Evidence, Place},
    topic::Topic,
};
use serde_json::{Value, json};

pub(super) const M412: Requirement = Requirement {
    id: "M412",
    name: "elicitation-message-mode-unless-form",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "An elicitation has message, and mode unless form.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#elicitation-requests",
    observed: Observed::By(&M412_CHECK),
};

const M412_CHECK: Check = Check {
    how: "looks at every elicitation",
    seen: seen_everywhere(),
    fix: "say in message what you ask for",
    judge: |evidence| {
        asked(evidence, ELICITATION, |place, params| {
            lacks_text(place, params, "message").or_else(|| {
                let mode = params.get("mode")?;
                let known = mode == "form" || mode == "url";
                (!known).then(|| Finding::new("form or url", show(mode), place))
            })
        })
    },
    mutants: &[elicitation("asks without a word", |params| {
        params.as_object_mut().map(|params| params.remove("message"));
    })
    .also(&["M415"])],
};

pub(super) const M413: Requirement = Requirement {
    id: "M413",
    name: "client-reads-elicitation-without-mode-form",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "The client reads an elicitation without mode as form.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#elicitation-requests",
    observed: Observed::By(&M413_CHECK),
};

const M413_CHECK: Check = Check {
    how: "asks for a form without naming the mode",
    seen: seen_in(&["hosted ask"]),
    fix: "take an elicitation without mode for a form",
    judge: |evidence| {
        if !takes_forms(evidence) {
            return Outcome::NotApplicable("the client does not declare forms".to_owned());
        }
        let plain = evidence
            .asked(Topic::AskElicitation)
            .filter(|it| it.params.is_some_and(|it| it.get("mode").is_none()));
        each(plain.filter(|it| it.answer.is_some()), NOT_ASKED, |asked| {
            let answer = asked.answer?;
            let action = answer.result().and_then(|it| it.get("action"));
            let expected = "what the user says to the form";
            action.is_none().then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "wants a mode",
        Mutation::Says(|context, message| {
            let plain = context.params.get("mode").is_none();
            if context.method == Some("elicitation/create") && plain {
                remove(message, "result");
                message["error"] = json!({ "code": -32602, "message": "which mode?" });
            }
        }),
    )],
};

pub(super) const A113: Requirement = Requirement {
    id: "A113",
    name: "form-elicitation-may-omit-mode",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "A form elicitation may omit mode.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#elicitation-requests",
    observed: Observed::By(&A113_CHECK),
};

const A113_CHECK: Check = Check {
    how: "looks at the mode of every form",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        let asked = all(evidence, ELICITATION).map(|(_, request)| &request["params"]);
        let asked = asked.filter(|params| params.get("requestedSchema").is_some());
        offered(asked, "forms without a mode", |params| params.get("mode").is_none())
    },
    mutants: &[elicitation("always says that a form is one", |params| {
        if params.get("requestedSchema").is_some() {
            params["mode"] = json!("form");
        }
    })],
};

pub(super) const A117: Requirement = Requirement {
    id: "A117",
    name: "elicitation-may-sent-input-request",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An elicitation may be sent as an input request.",
    section: "docs/specification/2026-07-28/client/elicitation.mdx#elicitation-requests",
    observed: Observed::By(&A117_CHECK),
};

const A117_CHECK: Check = Check {
    how: "looks for elicitations among the input requests",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(input_requests(evidence), "elicitations as input requests", |(_, _, request)| {
            request["method"] == ELICITATION
        })
    },
    mutants: &[done_if("never asks the user", |_, result| {
        result["inputRequests"].to_string().contains(ELICITATION)
    })
    .also(&["M541"])],
};

pub(super) const M414: Requirement = Requirement {
    id: "M414",
    name: "form-elicitation-requestedschema",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "A form elicitation has requestedSchema.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#form-mode-elicitation-requests",
    observed: Observed::By(&M414_CHECK),
};

const M414_CHECK: Check = Check {
    how: "looks at every elicitation with a form",
    seen: seen_everywhere(),
    fix: "give requestedSchema",
    judge: |evidence| {
        asked(evidence, ELICITATION, |place, params| {
            let form = params.get("mode").is_none_or(|mode| mode == "form");
            let missing = || lacks(place, params, "requestedSchema", "an object", Value::is_object);
            form.then(missing).flatten()
        })
    },
    mutants: &[elicitation("has a form without fields", |params| {
        params.as_object_mut().map(|params| params.remove("requestedSchema"));
    })],
};

pub(super) const M415: Requirement = Requirement {
    id: "M415",
    name: "url-elicitation-mode-url-message-url",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "A URL elicitation has mode url, message and url (2025-11-25: elicitationId too).",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#url-mode-elicitation-requests",
    observed: Observed::By(&M415_CHECK),
};

const M415_CHECK: Check = Check {
    how: "declares that users can be sent to pages, and looks at every elicitation that does",
    seen: seen_everywhere(),
    fix: "give a URL elicitation mode, message and url, and where completions are told an elicitationId",
    judge: |evidence| {
        let told = tells_completion(evidence);
        sent(evidence, |place, params| {
            let identified = || lacks_text(place, params, "elicitationId");
            lacks_text(place, params, "message")
                .or_else(|| lacks_text(place, params, "url"))
                .or_else(|| told.then(identified).flatten())
        })
    },
    mutants: &[
        page("sends users nowhere", |params| {
            params.as_object_mut().map(|params| params.remove("url"));
        })
        .also(&["M416", "S223"]),
        page("does not say which page it means", |params| {
            params.as_object_mut().map(|params| params.remove("elicitationId"));
        })
        .also(&["M417"]),
    ],
};

pub(super) const M416: Requirement = Requirement {
    id: "M416",
    name: "url-url-elicitation-valid-url",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "The url of a URL elicitation is a valid URL.",
    section: "docs/specification/{2025-11-25..2026-07-28}/client/elicitation.mdx#url-mode-elicitation-requests",
    observed: Observed::By(&M416_CHECK),
};

const M416_CHECK: Check = Check {
    how: "reads the url of every URL elicitation",
    seen: seen_everywhere(),
    fix: "give an absolute URL",
    judge: |evidence| {
        sent(evidence, |place, params| {
            let url = params.get("url").unwrap_or(&Value::Null);
            let right = url.as_str().is_some_and(is_url);
            (!right).then(|| Finding::new("a URL", show(url), place))
        })
    },
    mutants: &[page("sends users to half an address", |params| params["url"] = json!("/connect"))
        .also(&["S223"])],
};

pub(super) const M417: Requirement = Requirement {
    id: "M417",
    name: "notifications-elicitation-complete-goes-only",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[2025-11-25] notifications/elicitation/complete goes only to the client that got the elicitation.",
    section: "docs/specification/2025-11-25/client/elicitation.mdx#completion-notifications-for-url-mode-elicitation",
    observed: Observed::By(&M417_CHECK),
};

const M417_CHECK: Check = Check {
    how: "compares every notifications/elicitation/complete with what the same client was asked",
    seen: seen_everywhere(),
    fix: "tell only the client that was asked that it is done",
    judge: |evidence| {
        let done = evidence
            .told(COMPLETE)
            .filter_map(|heard| Some((heard, heard.message.pointer("/params/elicitationId")?)));
        let outcome = each(done, "", |(heard, id)| {
            let mut known = identified(evidence);
            let asked =
                known.any(|(place, it)| place.conversation == heard.place.conversation && it == id);
            (!asked).then(|| {
                let expected = "an elicitation of the same client";
                Finding::new(expected, show(heard.message), heard.place)
            })
        });
        none_applies(outcome, NOTHING_DONE)
    },
    mutants: &[Mutant::new(
        "tells everybody that somebody is done",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["id"] == "last-ping" {
                let done = json!({ "jsonrpc": "2.0", "method": COMPLETE,
                    "params": { "elicitationId": "of-another-client" } });
                texts.push(done.to_string());
            }
            texts
        }),
    )],
};

pub(super) const M418: Requirement = Requirement {
    id: "M418",
    name: "notifications-elicitation-complete",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[2025-11-25] notifications/elicitation/complete has the elicitationId.",
    section: "docs/specification/2025-11-25/client/elicitation.mdx#completion-notifications-for-url-mode-elicitation",
    observed: Observed::By(&M418_CHECK),
};

const M418_CHECK: Check = Check {
    how: "looks at every notifications/elicitation/complete",
    seen: seen_everywhere(),
    fix: "say in elicitationId what is done",
    judge: |evidence| {
        let outcome = each(evidence.told(COMPLETE), "", |heard| {
            let params = heard.message.get("params").unwrap_or(&Value::Null);
            lacks_text(heard.place, params, "elicitationId")
        });
        none_applies(outcome, NOTHING_DONE)
    },
    mutants: &[Mutant::new(
        "does not say what is done",
        Mutation::Says(|_, message| {
            if message["method"] == COMPLETE {
                message["params"] = json!({});
            }
        }),
    )],
};

pub(super) const M419: Requirement = Requirement {
    id: "M419",
    name: "unknown-or-finished-elicitation-ids-ignored",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[2025-11-25] Unknown or finished elicitation ids are ignored.",
    section: "docs/specification/2025-11-25/client/elicitation.mdx#completion-notifications-for-url-mode-elicitation",
    observed: Observed::By(&M419_CHECK),
};

const M419_CHECK: Check = Check {
    how: "tells that a visit is over which nobody was asked for, and pings",
    seen: seen_in(&["hosted ask"]),
    fix: "ignore notifications/elicitation/complete for ids that you do not know",
    judge: |evidence| {
        let told = evidence.events().filter_map(|(place, event)| {
            let sent =
                matches!(event.kind, EventKind::Sent { topic: Topic::CompleteUnknownVisit, .. });
            sent.then_some(place)
        });
        each(told, NOT_ASKED, |place| {
            let pinged = evidence.asked(Topic::AfterVisit).find(|it| {
                it.place.conversation == place.conversation && it.place.event > place.event
            })?;
            let dead = pinged.answer.is_none();
            dead.then(|| Finding::new("an answer to the next ping", "silence", pinged.place))
        })
    },
    mutants: &[Mutant::new(
        "is lost when a visit is over that it does not know",
        Mutation::Writes(|_, message| {
            if message["id"] == "after-visit" { Vec::new() } else { vec![message.to_string()] }
        }),
    )],
};

pub(super) const A114: Requirement = Requirement {
    id: "A114",
    name: "notifications-elicitation-complete-may-sent",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[2025-11-25] notifications/elicitation/complete may be sent.",
    section: "docs/specification/2025-11-25/client/elicitation.mdx#completion-notifications-for-url-mode-elicitation",
    observed: Observed::By(&A114_CHECK),
};

const A114_CHECK: Check = Check {
    how: "agrees to visit pages, and looks for news of it",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| told(evidence, COMPLETE, "news of pages that were visited"),
    mutants: &[silent_about("does not say that a user is done", |method| method == COMPLETE)],
};

pub(super) const A115: Requirement = Requirement {
    id: "A115",
    name: "client-may-wait",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[2025-11-25] The client may wait for notifications/elicitation/complete and then retry.",
    section: "docs/specification/2025-11-25/client/elicitation.mdx#completion-notifications-for-url-mode-elicitation",
    observed: Observed::Unobservable(
        "a permission: what a client waits for before it tries again is its own choice",
    ),
};

/// The ids of all URL elicitations, asked for and required.
fn identified(evidence: &Evidence) -> impl Iterator<Item = (Place, &Value)> {
    let asked = all(evidence, ELICITATION)
        .filter_map(|(place, request)| Some((place, request.pointer("/params/elicitationId")?)));
    let listed = required(evidence).flat_map(|(answer, _)| {
        let listed = elicitations(answer).into_iter().flatten();
        listed.filter_map(move |it| Some((answer.place, it.get("elicitationId")?)))
    });
    asked.chain(listed)
}

fn tells_completion(evidence: &Evidence) -> bool {
    let known = evidence.revision.rules().server_notifications;
    known.contains(NotificationMethod::ElicitationComplete)
}

fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let named = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let whole = !rest.trim_start_matches('/').is_empty();
    named && whole && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

const COMPLETE: &str = "notifications/elicitation/complete";

const NOTHING_DONE: &str = "the server tells nobody that an elicitation is done";
