//! `basic/lifecycle`: `#version-negotiation`, `#operation`, `#error-handling`.

use super::shared::{NO_HANDSHAKE, USES_RESOURCES};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        capabilities::{ASKS_FOR_ROOTS, is_uninvited},
        client::{
            GOES_ON, S017_CHECK, countered, handshakes, hosted_at, initialize, legacy,
            stops_at_nonsense, went_on,
        },
        envelope::server_requests,
        lifecycle::handshakes as handshakes_lifecycle,
        shape::show,
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between},
};
use proofmark_converse::{
    mutation::{Context, Mutation},
    scenario::NONSENSE_VERSION,
};
use proofmark_core::revision::{
    Era, NotificationMethod, RequestMethod, Revision,
    Revision::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25},
};
use proofmark_record::{
    evidence::{Evidence, Place},
    topic::Topic,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) const M044: Requirement = Requirement {
    id: "M044",
    name: "version-initialize-one-client-supports",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "The version in initialize is one the client supports.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#version-negotiation",
    observed: Observed::By(&M044_CHECK),
};

const M044_CHECK: Check = Check {
    how: "looks at the version in every initialize, and at what the client does when the server agrees to it",
    seen: seen_in(&["hosted behave"]),
    fix: "offer a version that you speak",
    judge: |evidence| {
        each(handshakes(evidence), NO_HANDSHAKE, |request| {
            let offered = request.text("/protocolVersion")?;
            let newest = Revision::newest(Era::Modern).as_str();
            if offered.parse::<Revision>().is_err() && offered < newest {
                let expected = "the version of a revision";
                return Some(Finding::new(expected, offered, request.place));
            }
            let agreed = countered(&request) == Some(offered);
            let given_up =
                agreed && !went_on(evidence, &request) && is_version_run(evidence, request.place);
            let actual = format!("the client gave up when the server agreed to {offered}");
            given_up
                .then(|| Finding::new("a version that the client speaks", actual, request.place))
        })
    },
    mutants: &[initialize("offers a version that does not exist", |params| {
        params["protocolVersion"] = json!(NONSENSE_VERSION);
    })
    .also(&["S015"])],
};

pub(super) const M045: Requirement = Requirement {
    id: "M045",
    name: "supported-requested-version-echoed-back",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "A supported requested version is echoed back.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#version-negotiation",
    observed: Observed::By(&M045_CHECK),
};

const M045_CHECK: Check = Check {
    how: "offers each version of the handshake era, and compares the answers with the versions that the server is known to speak by now",
    seen: seen_everywhere(),
    fix: "answer a version that you speak with that same version",
    judge: |evidence| {
        let spoken = spoken(evidence);
        let supported =
            handshakes_lifecycle(evidence).filter(|(_, asked, _)| spoken.contains(*asked));
        each(supported, "no version was agreed upon", |(request, asked, answered)| {
            let place = request.answer.map(|answer| answer.place);
            (asked != answered).then(|| {
                Finding::new(
                    format!("the version {asked}, which the server speaks"),
                    answered,
                    place,
                )
            })
        })
    },
    mutants: &[Mutant::new(
        "answers a version that it speaks with another one",
        Mutation::Says(|context, message| {
            if context.params["protocolVersion"] == "2025-03-26" {
                message["result"]["protocolVersion"] = json!("2024-11-05");
            }
            if context.params["protocolVersion"] == "2024-11-05" {
                message["result"]["protocolVersion"] = json!("2025-03-26");
            }
        }),
    )],
};

pub(super) const M046: Requirement = Requirement {
    id: "M046",
    name: "unsupported-version-server-answers-another",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "For an unsupported version the server answers with another version it supports.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#version-negotiation",
    observed: Observed::By(&M046_CHECK),
};

const M046_CHECK: Check = Check {
    how: "offers the version 1999-01-01",
    seen: seen_in(&["version 1999-01-01"]),
    fix: "answer a version that you do not speak with one that you do, never with the one that was asked for",
    judge: |evidence| {
        let Some(asked) = evidence.asked(Topic::UnknownVersion).next() else {
            return Outcome::Unobserved(
                "the handshake with an unknown version did not take place".to_owned(),
            );
        };
        let expected = "another version, which the server speaks";
        let Some(answer) = asked.answer else {
            // A server that is slow to start looks the same.
            return Outcome::Unobserved(
                "the handshake with an unknown version was not answered in time".to_owned(),
            );
        };
        let finding = Finding::new(expected, show(answer.message), answer.place);
        match answer.result().and_then(|result| result.get("protocolVersion")) {
            Some(version) if version == NONSENSE_VERSION => Outcome::Broken(finding),
            Some(Value::String(version)) if is_version(version) => Outcome::Kept,
            Some(Value::String(_)) => Outcome::Broken(finding),
            // The page shows an error in an example, beside the text that demands an answer.
            None if answer.result().is_none() => Outcome::Doubtful(finding),
            _ => Outcome::Unobserved(
                "the answer to an unknown version names none, which is for M042".to_owned(),
            ),
        }
    },
    mutants: &[
        Mutant::new(
            "agrees to any version",
            Mutation::Says(|context, message| {
                if context.params["protocolVersion"] == NONSENSE_VERSION {
                    message["result"]["protocolVersion"] = json!(NONSENSE_VERSION);
                }
            }),
        ),
        Mutant::new(
            "answers with a version that is no version of MCP",
            Mutation::Says(|context, message| {
                if context.params["protocolVersion"] == NONSENSE_VERSION {
                    message["result"]["protocolVersion"] = json!("1.0");
                }
            }),
        ),
        Mutant::new(
            "refuses an unknown version",
            Mutation::Says(|context, message| {
                if context.params["protocolVersion"] == NONSENSE_VERSION {
                    *message = json!({ "jsonrpc": "2.0", "id": message["id"],
                    "error": { "code": -32602, "message": "unsupported protocol version" } });
                }
            }),
        ),
    ],
};

/// Whether it looks like the version of a revision, if only of one to come, or of a draft.
fn is_version(text: &str) -> bool {
    let is_date = || {
        let parts: Vec<&str> = text.split('-').collect();
        let digits = |part: &str, length| {
            part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        matches!(parts[..], [year, month, day]
            if digits(year, 4) && digits(month, 2) && digits(day, 2))
    };
    text.starts_with("DRAFT") || is_date()
}

pub(super) const S015: Requirement = Requirement {
    id: "S015",
    name: "version-offered-initialize-client-newest",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "The version offered in initialize is the client's newest.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#version-negotiation",
    observed: Observed::By(&S015_CHECK),
};

const S015_CHECK: Check = Check {
    how: "counters with every version, and compares what the client goes on with to what it offered by itself",
    seen: seen_in(&["hosted version 2025-03-26"]),
    fix: "offer your newest version",
    judge: |evidence| {
        let free = handshakes(evidence).filter(|request| is_version_run(evidence, request.place));
        each(free, "the client never met a server of another version", |request| {
            let (offered, countered) = (request.text("/protocolVersion")?, countered(&request)?);
            let newer = went_on(evidence, &request) && countered > offered;
            let expected = format!("{countered}, which the client speaks too");
            newer.then(|| Finding::new(expected, offered, request.place))
        })
    },
    mutants: &[initialize("offers its oldest version", |params| {
        params["protocolVersion"] = json!(Revision::ALL[0].as_str());
    })],
};

pub(super) const S016: Requirement = Requirement {
    id: "S016",
    name: "counter-offered-version-server-newest",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "The counter-offered version is the server's newest.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#version-negotiation",
    observed: Observed::By(&S016_CHECK),
};

const S016_CHECK: Check = Check {
    how: "compares the answer to an unknown version with the newest version that the server agreed to",
    seen: seen_everywhere(),
    fix: "counter an unknown version with your newest",
    judge: |evidence| {
        let spoken = spoken(evidence);
        let unknown =
            handshakes_lifecycle(evidence).filter(|(_, asked, _)| *asked == NONSENSE_VERSION);
        each(unknown, "an unknown version was not countered", |(request, _, answered)| {
            let newest = spoken.iter().filter(|version| **version != NONSENSE_VERSION).max()?;
            let place = request.answer.map(|answer| answer.place);
            (answered != NONSENSE_VERSION && is_version(answered) && answered < *newest)
                .then(|| Finding::new(format!("the newest version, {newest}"), answered, place))
        })
    },
    mutants: &[Mutant::new(
        "counters with its oldest version",
        Mutation::Says(|context, message| {
            if context.params["protocolVersion"] == NONSENSE_VERSION {
                message["result"]["protocolVersion"] = json!("2024-11-05");
            }
        }),
    )],
};

pub(super) const S017: Requirement = Requirement {
    id: "S017",
    name: "client-cannot-speak-server-version",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "A client that cannot speak the server's version disconnects (the schema comment says MUST).",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#version-negotiation",
    observed: Observed::By(&S017_CHECK),
};

pub(super) const M143: Requirement = Requirement {
    id: "M143",
    name: "both-sides-stick-negotiated-protocol-version",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2025_06_18, V2025_11_25),
    text: "Both sides stick to the negotiated protocol version.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/lifecycle.mdx#operation",
    observed: Observed::Each {
        server: &Observed::By(&M143_SERVER),
        client: &Observed::By(&M143_CLIENT),
    },
};

const M143_SERVER: Check = AGREED;

const M143_CLIENT: Check = AGREED_STICKING;

pub(super) const M144: Requirement = Requirement {
    id: "M144",
    name: "both-sides-only-use-capabilities-were",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2025_06_18, V2025_11_25),
    text: "Both sides only use capabilities that were negotiated.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/lifecycle.mdx#operation",
    observed: Observed::Each {
        server: &Observed::By(&M144_SERVER),
        client: &Observed::By(&M144_CLIENT),
    },
};

const M144_SERVER: Check = Check {
    how: "calls, as a client without capabilities and as clients with one, what asked an able client something",
    seen: seen_everywhere(),
    fix: "look at the client's capabilities before asking it for roots, sampling or elicitation",
    judge: asks_only_for_declared,
    mutants: &[
        ASKS_FOR_ROOTS.also(&["S193"]),
        Mutant::new(
            "asks for sampling where there are roots",
            Mutation::Writes(|context, message| {
                let params = json!({ "maxTokens": 1, "messages": [{ "role": "user",
                    "content": { "type": "text", "text": "Say something" } }] });
                asking_too(context, message, "roots", ("sampling/createMessage", params))
            }),
        )
        .also(&["S014"]),
        Mutant::new(
            "asks the user where there is a model",
            Mutation::Writes(|context, message| {
                let params = json!({ "message": "Who are you?",
                    "requestedSchema": { "type": "object", "properties": {} } });
                asking_too(context, message, "sampling", ("elicitation/create", params))
            }),
        )
        .also(&["S014"]),
        Mutant::new(
            "asks for roots where there is a user",
            Mutation::Writes(|context, message| {
                asking_too(context, message, "elicitation", ("roots/list", json!({})))
            }),
        )
        .also(&["S014", "S193"]),
    ],
};

const M144_CLIENT: Check = Check {
    how: "declares only tools in one run, and looks at the requests of the client in all of them",
    seen: seen_everywhere(),
    fix: "look at the server's capabilities before using them",
    judge: uses_only_declared,
    mutants: &[USES_RESOURCES],
};

pub(super) const S018: Requirement = Requirement {
    id: "S018",
    name: "both-sides-only-use-negotiated-capabilities",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_03_26),
    text: "Both sides only use negotiated capabilities (2024-11-05 and 2025-03-26 level; MUST afterwards).",
    section: "docs/specification/{2024-11-05..2025-03-26}/basic/lifecycle.mdx#operation",
    observed: Observed::Each {
        server: &Observed::By(&S018_SERVER),
        client: &Observed::By(&S018_CLIENT),
    },
};

const S018_SERVER: Check = Check {
    how: "calls, as a client without capabilities and as clients with one, what asked an able client something",
    seen: seen_everywhere(),
    fix: "look at the client's capabilities before asking it for roots, sampling or elicitation",
    judge: asks_only_for_declared,
    mutants: &[ASKS_FOR_ROOTS.also(&["S193"])],
};

const S018_CLIENT: Check = Check {
    how: M144_CLIENT.how,
    seen: seen_everywhere(),
    fix: M144_CLIENT.fix,
    judge: uses_only_declared,
    mutants: &[USES_RESOURCES],
};

pub(super) const S049: Requirement = Requirement {
    id: "S049",
    name: "both-sides-stick-negotiated-protocol-version-2",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_03_26),
    text: "Both sides stick to the negotiated protocol version (2024-11-05 and 2025-03-26 level).",
    section: "docs/specification/{2024-11-05..2025-03-26}/basic/lifecycle.mdx#operation",
    observed: Observed::Each {
        server: &Observed::By(&S049_SERVER),
        client: &Observed::By(&S049_CLIENT),
    },
};

const S049_SERVER: Check = AGREED;

const S049_CLIENT: Check = AGREED_STICKING;

pub(super) const S021: Requirement = Requirement {
    id: "S021",
    name: "version-mismatch-failed-capability",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "Version mismatch, failed capability negotiation and timeouts are handled.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#error-handling",
    observed: Observed::Each {
        server: &Observed::By(&S021_SERVER),
        client: &Observed::By(&S021_CLIENT),
    },
};

const S021_SERVER: Check = Check {
    how: "offers a version that does not exist, and waits for any answer",
    seen: seen_in(&["version 1999-01-01"]),
    fix: "answer every initialize, also one that you cannot agree to",
    judge: |evidence| {
        let offered = evidence.asked(Topic::UnknownVersion);
        each(offered, "the handshake with an unknown version did not take place", |asked| {
            asked
                .answer
                .is_none()
                .then(|| Finding::new("an answer to an unknown version", "none", asked.place))
        })
    },
    mutants: &[Mutant::new(
        "is speechless about an unknown version",
        Mutation::Hears(|message| {
            (message["params"]["protocolVersion"] == NONSENSE_VERSION).then(Vec::new)
        }),
    )
    .also(&["M013"])],
};

const S021_CLIENT: Check = Check {
    how: "counters with the version 1999-01-01, and looks at whether the client goes on as if nothing had happened",
    seen: seen_in(&["hosted version 1999-01-01"]),
    fix: S017_CHECK.fix,
    judge: stops_at_nonsense,
    mutants: &[GOES_ON.also(&["S017", "M145"])],
};

/// The message, and beside the answer to a client that has one capability alone a request that needs another.
fn asking_too(
    context: &Context<'_>,
    message: &Value,
    only: &str,
    (method, params): (&str, Value),
) -> Vec<String> {
    let declared = context.params["capabilities"].as_object();
    let alone = declared.is_some_and(|it| it.len() == 1 && it.contains_key(only));
    let mut texts = vec![message.to_string()];
    if alone && context.method == Some("initialize") {
        let ask = json!({ "jsonrpc": "2.0", "id": "too", "method": method, "params": params });
        texts.push(ask.to_string());
    }
    texts
}

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

/// Versions that the server named itself.
fn spoken(evidence: &Evidence) -> BTreeSet<&str> {
    let answered = handshakes_lifecycle(evidence).map(|(_, _, answered)| answered);
    answered.filter(|version| *version != NONSENSE_VERSION).collect()
}

fn uses_only_declared(evidence: &Evidence) -> Outcome {
    let needing = legacy(evidence).filter_map(|request| Some((request, needs(request.method)?)));
    let outcome = each(needing, "", |(request, capability)| {
        let handshake = handshakes(evidence)
            .filter(|it| it.place.conversation == request.place.conversation)
            .find_map(|it| it.answer?.result())?;
        let declared = handshake.pointer(capability).is_some_and(|value| *value != json!(false));
        let expected = "nothing that the server did not declare";
        (!declared).then(|| Finding::new(expected, request.method, request.place))
    });
    match outcome {
        Outcome::Unobserved(_) if handshakes(evidence).next().is_some() => {
            Outcome::Unobserved("the client used nothing that has to be declared".to_owned())
        }
        other => other,
    }
}

/// Where the server's result says that it has it.
fn needs(method: &str) -> Option<&'static str> {
    Some(match method {
        "tools/list" | "tools/call" => "/capabilities/tools",
        "resources/subscribe" | "resources/unsubscribe" => "/capabilities/resources/subscribe",
        "prompts/list" | "prompts/get" => "/capabilities/prompts",
        "logging/setLevel" => "/capabilities/logging",
        _ if method.starts_with("resources/") => "/capabilities/resources",
        _ => return None,
    })
}

/// Whether the client was not told what to offer.
fn is_version_run(evidence: &Evidence, place: Place) -> bool {
    let countered = hosted_at(evidence, place).and_then(|it| it.countered_version());
    countered.is_some_and(|version| version != NONSENSE_VERSION)
}

const AGREED: Check = Check {
    how: "looks whether the agreed revision has every method that the server uses",
    seen: seen_everywhere(),
    fix: "use only methods of the version that was agreed upon",
    judge: |evidence| {
        let rules = evidence.revision.rules();
        let outcome = each(evidence.heard_methods(), "", |(heard, method)| {
            let asks = RequestMethod::parse(method)
                .is_some_and(|method| !rules.server_requests.contains(method));
            let tells = NotificationMethod::parse(method)
                .is_some_and(|method| !rules.server_notifications.contains(method));
            let expected = format!("a method of {}", evidence.revision);
            (asks || tells).then(|| Finding::new(expected, show(heard.message), heard.place))
        });
        none_applies(outcome, "the server sends neither requests nor notifications")
    },
    mutants: &[Mutant::new(
        "speaks as in a later revision",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["id"] == "last-ping" {
                let news = json!({ "jsonrpc": "2.0",
                    "method": "notifications/subscriptions/acknowledged", "params": {} });
                texts.push(news.to_string());
            }
            texts
        }),
    )],
};

const AGREED_STICKING: Check = Check {
    how: "looks whether the agreed revision has every method that the client uses",
    seen: seen_everywhere(),
    fix: M143_SERVER.fix,
    judge: |evidence| {
        let rules = evidence.revision.rules();
        // Before that, a client may find out what the server speaks.
        let agreed: Vec<Place> = handshakes(evidence)
            .filter_map(|it| Some(it.answer.filter(|it| it.result().is_some())?.place))
            .filter(|at| hosted_at(evidence, *at).is_some_and(|scenario| !scenario.hides_revision))
            .collect();
        let said = evidence.heard_methods().filter(|(heard, _)| {
            agreed.iter().any(|at| {
                at.conversation == heard.place.conversation && at.event < heard.place.event
            })
        });
        each(said, "the client said nothing after its handshake", |(heard, method)| {
            let asks = RequestMethod::parse(method)
                .is_some_and(|method| !rules.client_requests.contains(method));
            let tells = NotificationMethod::parse(method)
                .is_some_and(|method| !rules.client_notifications.contains(method));
            let expected = format!("a method of {}", evidence.revision);
            (asks || tells).then(|| Finding::new(expected, show(heard.message), heard.place))
        })
    },
    mutants: &[Mutant::new(
        "speaks as in a later revision",
        Mutation::Twice {
            method: "tools/list",
            change: |message| {
                message["method"] = json!("subscriptions/listen");
                message["params"] = json!({ "notifications": {} });
            },
        },
    )],
};
