//! `schema/other`: `#METHOD_NOT_FOUND`, `#INVALID_PARAMS`, `#InitializeResult`, `#DiscoverResult`, `#InputResponses`,
//! `#LoggingMessageNotification`, `#CacheableResult`, `#ServerCapabilities`.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        caching::{hints, unhinted},
        client::{GOES_ON, S017_CHECK, each_retry, retry, stops_at_nonsense},
        client_inputs::malformed,
        optional_features::ALLOWED,
        shape::{doubtful, lacks, refused, show},
        utilities::{notifications, unless_seen},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2024_11_05, V2025_11_25, V2026_07_28};
use proofmark_record::topic::Topic;
use serde_json::{Value, json};

pub(super) const M110: Requirement = Requirement {
    id: "M110",
    name: "unknown-method-answered-32601",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "An unknown method is answered with -32601 (JSON-RPC rule; the code is listed in every schema).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#METHOD_NOT_FOUND",
    observed: Observed::Each {
        server: &Observed::By(&M110_CHECK),
        client: &Observed::By(&M110_CHECK),
    },
};

const M110_CHECK: Check = Check {
    how: "asks for a method that does not exist",
    seen: seen_in(&["hosted ask", "tour"]),
    fix: "answer an unknown method with the error -32601",
    judge: |evidence| {
        doubtful(refused(
            evidence,
            Topic::UnknownMethod,
            &[-32601],
            "no unknown method was asked for",
        ))
    },
    mutants: &[Mutant::new(
        "calls an unknown method an internal error",
        Mutation::Says(|context, message| {
            if context.method == Some("proofmark/no-such-method") {
                message["error"]["code"] = json!(-32603);
            }
        }),
    )],
};

pub(super) const M111: Requirement = Requirement {
    id: "M111",
    name: "params-wrong-shape-known-method-answered",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Params of the wrong shape for a known method are answered with -32602 (JSON-RPC rule; the code is listed in every schema).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#INVALID_PARAMS",
    observed: Observed::Each {
        server: &Observed::By(&M111_SERVER),
        client: &Observed::By(&M111_CLIENT),
    },
};

const M111_SERVER: Check = Check {
    how: "leaves out the parameter that a method cannot do without",
    seen: seen_in(&["garbage"]),
    fix: "answer params of the wrong shape with the error -32602",
    judge: |evidence| match refused(evidence, Topic::WrongParams, &[-32602], "") {
        Outcome::Unobserved(_) => Outcome::NotApplicable(
            "the server declares nothing that has a method with parameters".to_owned(),
        ),
        other => doubtful(other),
    },
    mutants: &[Mutant::new(
        "calls wrong params an internal error",
        Mutation::Says(|context, message| {
            if context.method == Some("prompts/get") && context.params == &json!({}) {
                message["error"]["code"] = json!(-32603);
            }
        }),
    )],
};

const M111_CLIENT: Check = Check {
    how: "asks for sampling with params of the wrong shape",
    seen: seen_in(&["hosted ask"]),
    fix: M111_SERVER.fix,
    judge: |evidence| {
        if !evidence.capability("/sampling") {
            return Outcome::NotApplicable("the client does not declare sampling".to_owned());
        }
        // No page says which code it is, only JSON-RPC does.
        doubtful(malformed(evidence, |answer| answer.code() == Some(-32602), "the error -32602"))
    },
    mutants: &[Mutant::new(
        "has another code for wrong params",
        Mutation::Says(|_, message| {
            if message["id"] == "wrong-params" {
                message["error"]["code"] = json!(-32603);
            }
        }),
    )],
};

pub(super) const M145: Requirement = Requirement {
    id: "M145",
    name: "client-cannot-support-version",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "A client that cannot support the version in InitializeResult disconnects (schema comment; the prose says SHOULD).",
    section: "schema/{2024-11-05..2025-11-25}/schema.ts#InitializeResult",
    observed: Observed::By(&M145_CHECK),
};

const M145_CHECK: Check = Check {
    how: S017_CHECK.how,
    seen: seen_in(&["hosted version 1999-01-01"]),
    fix: S017_CHECK.fix,
    judge: stops_at_nonsense,
    mutants: &[GOES_ON.also(&["S017", "S021"])],
};

pub(super) const A040: Requirement = Requirement {
    id: "A040",
    name: "instructions-may-put-into-system-prompt",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "instructions may be put into the system prompt (schema comment).",
    section: "schema/{2024-11-05..2025-11-25}/schema.ts#InitializeResult",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const M150: Requirement = Requirement {
    id: "M150",
    name: "discover-result-supportedversions",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A discover result has supportedVersions, capabilities, resultType, ttlMs and cacheScope.",
    section: "schema/2026-07-28/schema.ts#DiscoverResult",
    observed: Observed::By(&M150_CHECK),
};

const M150_CHECK: Check = Check {
    how: "looks at every result of server/discover",
    seen: seen_everywhere(),
    fix: "give supportedVersions, capabilities, resultType, ttlMs and cacheScope",
    judge: |evidence| {
        each(evidence.results("server/discover"), "there was no result", |(answer, result)| {
            let place = answer.place;
            lacks(place, result, "supportedVersions", "an array of strings", |value| {
                value.as_array().is_some_and(|versions| versions.iter().all(Value::is_string))
            })
            .or_else(|| lacks(place, result, "capabilities", "an object", Value::is_object))
            .or_else(|| lacks(place, result, "resultType", "a string", Value::is_string))
            .or_else(|| lacks(place, result, "ttlMs", "a number", Value::is_number))
            .or_else(|| lacks(place, result, "cacheScope", "a string", Value::is_string))
        })
    },
    mutants: &[Mutant::new(
        "keeps its versions to itself",
        Mutation::Says(|_, message| {
            if message["id"] == "last-ping"
                && let Some(result) = message["result"].as_object_mut()
            {
                result.remove("supportedVersions");
            }
        }),
    )],
};

pub(super) const A044: Requirement = Requirement {
    id: "A044",
    name: "server-may-give-instructions",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The server may give instructions.",
    section: "schema/{2024-11-05..2025-11-25}/schema.ts#InitializeResult ; schema/2026-07-28/schema.ts#DiscoverResult",
    observed: Observed::By(&A044_CHECK),
};

const A044_CHECK: Check = Check {
    how: "looks at the result of initialize",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.results("initialize"), "instructions", |(_, result)| {
            result.get("instructions").is_some()
        })
    },
    mutants: &[Mutant::new(
        "gives no instructions",
        Mutation::Says(|context, message| {
            if context.method == Some("initialize") {
                message["result"].as_object_mut().map(|result| result.remove("instructions"));
            }
        }),
    )],
};

pub(super) const M278: Requirement = Requirement {
    id: "M278",
    name: "inputresponses-uses-keys-inputrequests-one",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "inputResponses uses the keys of inputRequests, one result object per key.",
    section: "schema/2026-07-28/schema.ts#InputResponses",
    observed: Observed::By(&M278_CHECK),
};

const M278_CHECK: Check = Check {
    how: "compares the keys of inputResponses with those of inputRequests",
    seen: seen_everywhere(),
    fix: "give one result for each key of inputRequests, under the same key",
    judge: |evidence| {
        each_retry(evidence, |round, retry| {
            let asked = round.result.get("inputRequests")?.as_object()?;
            let given = retry.params?.get("inputResponses")?;
            let Some(members) = given.as_object() else {
                return Some(Finding::new("an object", show(given), retry.place));
            };
            let (key, value) = members
                .iter()
                .find(|(key, value)| !asked.contains_key(*key) || !value.is_object())?;
            let expected = format!("an object for each of {:?}", asked.keys().collect::<Vec<_>>());
            Some(Finding::new(expected, format!("{key:?}: {}", show(value)), retry.place))
        })
    },
    mutants: &[
        retry("gives what was not asked for", |params| {
            if let Some(given) = params.get_mut("inputResponses") {
                given["unasked"] = json!({ "action": "accept" });
            }
        }),
        retry("gives text where a result belongs", |params| {
            let given = params.get_mut("inputResponses").and_then(Value::as_object_mut);
            for (_, value) in given.into_iter().flatten() {
                *value = json!("yes");
            }
        })
        .also(&["M072", "M077", "M392", "M393", "M401", "M413"]),
    ],
};

pub(super) const M488: Requirement = Requirement {
    id: "M488",
    name: "log-notification-level-data-level-one-eight",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A log notification has level and data, the level one of the eight syslog names.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#LoggingMessageNotification",
    observed: Observed::By(&M488_CHECK),
};

const M488_CHECK: Check = Check {
    how: "looks at every log message",
    seen: seen_everywhere(),
    fix: "give each log message data and one of the eight levels",
    judge: |evidence| {
        let outcome = each(notifications(evidence, "notifications/message"), "", |heard| {
            let params = &heard.message["params"];
            let level = params.get("level").and_then(Value::as_str).unwrap_or_default();
            if !LEVELS.contains(&level) {
                let expected = format!("a level: {}", LEVELS.join(", "));
                return Some(Finding::new(expected, show(heard.message), heard.place));
            }
            params
                .get("data")
                .is_none()
                .then(|| Finding::new("data", show(heard.message), heard.place))
        });
        unless_seen(outcome, "no log message was seen")
    },
    mutants: &[
        Mutant::new(
            "logs at a level of its own",
            Mutation::Says(|_, message| {
                if message["method"] == "notifications/message" {
                    message["params"]["level"] = json!("chatty");
                }
            }),
        ),
        Mutant::new(
            "logs nothing at all",
            Mutation::Says(|_, message| {
                if message["method"] == "notifications/message"
                    && let Some(params) = message["params"].as_object_mut()
                {
                    params.remove("data");
                }
            }),
        ),
    ],
};

pub(super) const A140: Requirement = Requirement {
    id: "A140",
    name: "without-setlevel-server-may-choose-what",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "Without setLevel the server may choose what it sends (schema comment).",
    section: "schema/{2024-11-05..2025-11-25}/schema.ts#LoggingMessageNotification",
    observed: Observed::Unobservable(
        "a permission: what is sent before a level is set is the server's choice",
    ),
};

pub(super) const M506: Requirement = Requirement {
    id: "M506",
    name: "cachescope-public-or-private",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "cacheScope is public or private.",
    section: "schema/2026-07-28/schema.ts#CacheableResult",
    observed: Observed::By(&M506_CHECK),
};

const M506_CHECK: Check = Check {
    how: "looks at cacheScope of every result",
    seen: seen_everywhere(),
    fix: "say public or private in cacheScope",
    judge: |evidence| {
        each(hints(evidence, "cacheScope"), "no result has cacheScope", |(place, scope)| {
            let right = scope == "public" || scope == "private";
            (!right).then(|| Finding::new("public or private", show(scope), place))
        })
    },
    mutants: &[unhinted("has a scope of its own", |context, result| {
        if context.method == Some("prompts/list") {
            result["cacheScope"] = json!("everyone");
        }
    })],
};

pub(super) const A043: Requirement = Requirement {
    id: "A043",
    name: "non-standard-capabilities-may-declared-under",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Non-standard capabilities may be declared under experimental.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ClientCapabilities ; schema/{2024-11-05..2026-07-28}/schema.ts#ServerCapabilities",
    observed: Observed::Each {
        server: &Observed::By(&A043_CHECK),
        client: &Observed::Unobservable(
            "a permission: a client that does not use it breaks nothing, and how it is used has rows of its own",
        ),
    },
};

const A043_CHECK: Check = Check {
    how: "looks at the capabilities",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        let capable = evidence.capability("/experimental");
        offered([capable].into_iter(), "experimental capabilities", |it| it)
    },
    mutants: &[Mutant::new(
        "experiments",
        Mutation::Says(|context, message| {
            if context.method == Some("initialize") && message.get("result").is_some() {
                message["result"]["capabilities"]["experimental"] = json!({ "a": {} });
            }
        }),
    )],
};

const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
