//! How a client begins.

use serde_json::{Value, json};

use super::{NO_HANDSHAKE, handshakes, legacy, remove};
use crate::{
    checks::{
        Check,
        shape::{lacks, lacks_text, show},
    },
    mutant::Mutant,
    outcome::{Finding, each, offered},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_record::{event::What, evidence::is_modern, meta::CLIENT_INFO};

pub(crate) const M039: Check = Check {
    how: "looks at the first message of every conversation; questions of the era without handshakes may come before",
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

pub(crate) const M040: Check = Check {
    how: "looks at every initialize",
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

pub(crate) const M041: Check = Check {
    how: "looks for initialize inside arrays",
    fix: "send initialize alone",
    judge: |evidence| {
        each(handshakes(evidence), NO_HANDSHAKE, |request| {
            let event =
                &evidence.conversations[request.place.conversation].events[request.place.event];
            let What::Received { frame, .. } = &event.what else { return None };
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

pub(crate) const M043: Check = Check {
    how: "looks for notifications/initialized after every handshake that the client could agree to",
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

pub(crate) const M047: Check = Check {
    how: "looks at every initialize",
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

pub(crate) const M146: Check = Check {
    how: "looks at clientInfo in every initialize, or in _meta of every request",
    fix: "give clientInfo a name and a version",
    judge: |evidence| {
        let infos = evidence.requests().filter_map(|request| {
            let params = request.params?;
            let info = match request.method {
                "initialize" => params.get("clientInfo"),
                _ => params.get("_meta")?.get(CLIENT_INFO),
            };
            Some((request.place, info?))
        });
        each(infos, "the client never said who it is", |(place, info)| {
            lacks_text(place, info, "name").or_else(|| lacks_text(place, info, "version"))
        })
    },
    mutants: &[
        initialize("keeps its version to itself", |params| {
            remove(&mut params["clientInfo"], "version");
        }),
        super::stateless::call("keeps its version to itself in _meta", |meta| {
            remove(&mut meta[CLIENT_INFO], "version");
        })
        .modern(),
    ],
};

pub(crate) const S013: Check = Check {
    how: "looks for requests between initialize and its answer",
    fix: "wait for the answer to initialize; pings are allowed",
    judge: |evidence| {
        each(handshakes(evidence), NO_HANDSHAKE, |handshake| {
            // Whoever was refused may try another way, and then that handshake counts.
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

pub(crate) const A041: Check = Check {
    how: "looks at clientInfo",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(handshakes(evidence), "a title", |request| {
            request.text("/clientInfo/title").is_some()
        })
    },
    mutants: &[initialize("has no title", |params| remove(&mut params["clientInfo"], "title"))],
};

pub(super) const fn initialize(name: &'static str, change: fn(&mut Value)) -> Mutant {
    Mutant::new(
        name,
        Mutation::Part {
            of: |_, message| {
                (message["method"] == "initialize").then_some(())?;
                message.get_mut("params")
            },
            change,
        },
    )
}
