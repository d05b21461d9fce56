//! `basic/lifecycle`: `#initialization`.

use super::shared::NO_HANDSHAKE;
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{handshakes, initialize, legacy, remove},
        lifecycle::NO_HANDSHAKE as NO_HANDSHAKE_LIFECYCLE,
        shape::{lacks, lacks_text, show},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, only},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation, scenario::NONSENSE_VERSION};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26, V2025_11_25};
use proofmark_record::{event::EventKind, evidence::is_modern, topic::Topic};
use serde_json::{Value, json};

pub(super) const M039: Requirement = Requirement {
    id: "M039",
    name: "initialize-first-thing-client-sends",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "initialize is the first thing the client sends.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#initialization",
    observed: Observed::By(&M039_CHECK),
};

const M039_CHECK: Check = Check {
    how: "looks at the first message of every conversation; questions of the era without handshakes may come before",
    seen: seen_everywhere(),
    fix: "send initialize before anything else",
    judge: |evidence| {
        let firsts = (0..evidence.conversations.len()).filter_map(|conversation| {
            evidence
                .heard()
                .find(|heard| heard.place.conversation == conversation && !is_modern(heard.message))
        });
        each(firsts, NO_HANDSHAKE, |heard| {
            let right = heard.message["method"] == "initialize";
            (!right).then(|| Finding::new("initialize", show(heard.message), heard.place))
        })
    },
    mutants: &[Mutant::new(
        "pings before the handshake",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["method"] == "initialize" {
                let ping = json!({ "jsonrpc": "2.0", "id": "early", "method": "ping" });
                texts.insert(0, ping.to_string());
            }
            texts
        }),
    )],
};

pub(super) const M040: Requirement = Requirement {
    id: "M040",
    name: "initialize-carries-protocolversion",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "initialize carries protocolVersion, capabilities and clientInfo.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#initialization",
    observed: Observed::By(&M040_CHECK),
};

const M040_CHECK: Check = Check {
    how: "looks at every initialize",
    seen: seen_everywhere(),
    fix: "send protocolVersion, capabilities and clientInfo in initialize",
    judge: |evidence| {
        each(handshakes(evidence), NO_HANDSHAKE, |request| {
            let params = request.params.unwrap_or(&Value::Null);
            lacks_text(request.place, params, "protocolVersion")
                .or_else(|| {
                    lacks(request.place, params, "capabilities", "an object", Value::is_object)
                })
                .or_else(|| {
                    lacks(request.place, params, "clientInfo", "an object", Value::is_object)
                })
        })
    },
    mutants: &[initialize("does not say who it is", |params| remove(params, "clientInfo"))],
};

pub(super) const M041: Requirement = Requirement {
    id: "M041",
    name: "initialize-never-inside-batch",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: only(V2025_03_26),
    text: "initialize is never inside a batch (2025-03-26 only).",
    section: "docs/specification/2025-03-26/basic/lifecycle.mdx#initialization",
    observed: Observed::By(&M041_CHECK),
};

const M041_CHECK: Check = Check {
    how: "looks for initialize inside arrays",
    seen: seen_everywhere(),
    fix: "send initialize alone",
    judge: |evidence| {
        each(handshakes(evidence), NO_HANDSHAKE, |request| {
            let event =
                &evidence.conversations[request.place.conversation].events[request.place.event];
            let EventKind::Received { frame, .. } = &event.kind else { return None };
            let inside = frame.json.as_ref().is_ok_and(Value::is_array);
            inside.then(|| Finding::new("initialize alone", "initialize in a batch", request.place))
        })
    },
    mutants: &[Mutant::new(
        "begins with a batch",
        Mutation::Writes(|_, message| {
            let begins = message["method"] == "initialize";
            vec![if begins { json!([message]).to_string() } else { message.to_string() }]
        }),
    )
    .also(&["M164"])],
};

pub(super) const M042: Requirement = Requirement {
    id: "M042",
    name: "initialize-result-carries-protocolversion",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "The initialize result carries protocolVersion, capabilities and serverInfo.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#initialization",
    observed: Observed::By(&M042_CHECK),
};

const M042_CHECK: Check = Check {
    how: "looks at the result of initialize",
    seen: seen_everywhere(),
    fix: "answer initialize with protocolVersion, capabilities and serverInfo",
    judge: |evidence| {
        let outcome =
            each(evidence.results("initialize"), NO_HANDSHAKE_LIFECYCLE, |(answer, result)| {
                lacks_text(answer.place, result, "protocolVersion")
                    .or_else(|| {
                        lacks(answer.place, result, "capabilities", "an object", Value::is_object)
                    })
                    .or_else(|| {
                        lacks(answer.place, result, "serverInfo", "an object", Value::is_object)
                    })
            });
        let refusal = || {
            evidence.asked_by_method("initialize").find_map(|asked| {
                let answer = asked.answer.filter(|answer| answer.error().is_some())?;
                let expected = "a result with protocolVersion, capabilities and serverInfo";
                Some(Finding::new(expected, show(answer.message), answer.place))
            })
        };
        match outcome {
            Outcome::Unobserved(why) => refusal().map_or(Outcome::Unobserved(why), Outcome::Broken),
            other => other,
        }
    },
    mutants: &[
        Mutant::new(
            "does not say who it is",
            Mutation::Says(|context, message| {
                if context.method == Some("initialize") {
                    message["result"].as_object_mut().map(|result| result.remove("serverInfo"));
                }
            }),
        ),
        Mutant::new(
            "refuses every handshake",
            Mutation::Says(|context, message| {
                if context.method == Some("initialize") {
                    *message = json!({ "jsonrpc": "2.0", "id": message["id"],
                    "error": { "code": -32603, "message": "not today" } });
                }
            }),
        ),
    ],
};

pub(super) const M043: Requirement = Requirement {
    id: "M043",
    name: "after-successful-initialize-client-sends",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "After a successful initialize the client sends notifications/initialized.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#initialization",
    observed: Observed::By(&M043_CHECK),
};

const M043_CHECK: Check = Check {
    how: "looks for notifications/initialized after every handshake that the client could agree to",
    seen: seen_in(&["hosted behave"]),
    fix: "send notifications/initialized when the answer to initialize came",
    judge: |evidence| {
        let agreed = handshakes(evidence).filter(|request| {
            let behaved = HostedScenario::at(evidence, request.place)
                .is_none_or(|it| it.countered_version().is_none());
            behaved && request.answer.is_some_and(|answer| answer.result().is_some())
        });
        each(agreed, NO_HANDSHAKE, |request| {
            let answered = request.answer?.place;
            let told = evidence.told("notifications/initialized").any(|heard| {
                heard.place.conversation == answered.conversation
                    && heard.place.event > answered.event
            });
            let expected = "notifications/initialized";
            (!told).then(|| Finding::new(expected, "it never came", answered))
        })
    },
    mutants: &[Mutant::new(
        "does not say that the handshake is over",
        Mutation::Writes(|_, message| {
            let told = message["method"] == "notifications/initialized";
            if told { Vec::new() } else { vec![message.to_string()] }
        }),
    )
    .also(&["M044"])],
};

pub(super) const M047: Requirement = Requirement {
    id: "M047",
    name: "both-sides-declare-their-capabilities-during",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "Both sides declare their capabilities during initialization.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#initialization",
    observed: Observed::Each {
        server: &Observed::By(&M047_SERVER),
        client: &Observed::By(&M047_CLIENT),
    },
};

const M047_SERVER: Check = Check {
    how: "looks at the result of initialize",
    seen: seen_everywhere(),
    fix: "declare capabilities, if only as {}",
    judge: |evidence| {
        each(evidence.results("initialize"), NO_HANDSHAKE_LIFECYCLE, |(answer, result)| {
            lacks(answer.place, result, "capabilities", "an object", Value::is_object)
        })
    },
    mutants: &[Mutant::new(
        "declares nothing",
        Mutation::Says(|context, message| {
            if context.params["protocolVersion"] == NONSENSE_VERSION {
                message["result"].as_object_mut().map(|result| result.remove("capabilities"));
            }
        }),
    )
    .also(&["M042"])],
};

const M047_CLIENT: Check = Check {
    how: "looks at every initialize",
    seen: seen_everywhere(),
    fix: "declare capabilities, if only as {}",
    judge: |evidence| {
        each(handshakes(evidence), NO_HANDSHAKE, |request| {
            let params = request.params.unwrap_or(&Value::Null);
            lacks(request.place, params, "capabilities", "an object", Value::is_object)
        })
    },
    mutants: &[initialize("declares nothing", |params| remove(params, "capabilities"))
        .also(&["M040", "M071", "M076", "M383", "M385", "M396", "M075", "S186"])],
};

pub(super) const S013: Requirement = Requirement {
    id: "S013",
    name: "before-initialize-response-client-sends-no",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "Before the initialize response the client sends no request except ping.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#initialization",
    observed: Observed::By(&S013_CHECK),
};

const S013_CHECK: Check = Check {
    how: "looks for requests between initialize and its answer",
    seen: seen_everywhere(),
    fix: "wait for the answer to initialize; pings are allowed",
    judge: |evidence| {
        each(handshakes(evidence), NO_HANDSHAKE, |handshake| {
            // A client that was refused may try another way, and then that handshake counts.
            let another = || {
                let later = handshakes(evidence).filter(|it| {
                    it.place.conversation == handshake.place.conversation
                        && it.place.event > handshake.place.event
                });
                later.map(|it| it.place.event).min().unwrap_or(usize::MAX)
            };
            let answered = handshake.answer.map_or_else(another, |answer| answer.place.event);
            let early = legacy(evidence).find(|request| {
                request.place.conversation == handshake.place.conversation
                    && (handshake.place.event + 1..answered).contains(&request.place.event)
                    && request.method != "ping"
                    && request.method != "initialize"
            })?;
            Some(Finding::new("no request yet", early.method, early.place))
        })
    },
    mutants: &[Mutant::new(
        "asks before the handshake is answered",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["method"] == "initialize" {
                let early = json!({ "jsonrpc": "2.0", "id": "early", "method": "tools/list" });
                texts.push(early.to_string());
            }
            texts
        }),
    )],
};

pub(super) const S014: Requirement = Requirement {
    id: "S014",
    name: "until-notifications-initialized-arrives",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "Until notifications/initialized arrives the server issues no request beyond ping and log messages.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/lifecycle.mdx#initialization",
    observed: Observed::By(&S014_CHECK),
};

const S014_CHECK: Check = Check {
    how: "waits between the answer to initialize and notifications/initialized",
    seen: seen_in(&["tour"]),
    fix: "hold requests back until notifications/initialized came; pings are allowed",
    judge: |evidence| {
        each(evidence.asked(Topic::Initialize), NO_HANDSHAKE_LIFECYCLE, |asked| {
            let early = evidence.after(asked.place).take_while(|(_, what)| {
                !matches!(what, EventKind::Sent { topic: Topic::Initialized, .. })
            });
            early.into_iter().find_map(|(place, what)| {
                let EventKind::Received { frame, .. } = what else { return None };
                let request = frame.messages().iter().find(|message| {
                    let method = message.get("method").and_then(Value::as_str);
                    message.get("id").is_some() && method.is_some_and(|method| method != "ping")
                })?;
                Some(Finding::new("no request yet", show(request), place))
            })
        })
    },
    mutants: &[Mutant::new(
        "asks before the handshake is over",
        Mutation::Writes(|context, message| {
            let mut texts = vec![message.to_string()];
            if context.method == Some("initialize") {
                let request = json!({ "jsonrpc": "2.0", "id": "early", "method": "roots/list" });
                texts.push(request.to_string());
            }
            texts
        }),
    )
    .also(&["S018", "M144", "S193", "M004"])],
};
