//! The handshake and the agreement on a version.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    Check,
    shape::{lacks, lacks_text, show},
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::{mutation::Mutation, scenario::NONSENSE_VERSION};
use proofmark_record::{
    event::What,
    evidence::{Asked, Evidence},
    meta::SERVER_INFO,
    topic::Topic,
};

pub(crate) const M042: Check = Check {
    how: "looks at the result of initialize",
    fix: "answer initialize with protocolVersion, capabilities and serverInfo",
    judge: |evidence| {
        each(evidence.results("initialize"), NO_HANDSHAKE, |(answer, result)| {
            lacks_text(answer.place, result, "protocolVersion")
                .or_else(|| {
                    lacks(answer.place, result, "capabilities", "an object", Value::is_object)
                })
                .or_else(|| {
                    lacks(answer.place, result, "serverInfo", "an object", Value::is_object)
                })
        })
    },
    mutants: &[Mutant::new(
        "does not say who it is",
        Mutation::Says(|context, message| {
            if context.method == Some("initialize") {
                message["result"].as_object_mut().map(|result| result.remove("serverInfo"));
            }
        }),
    )],
};

pub(crate) const M045: Check = Check {
    how: "offers each version of the handshake era, and compares the answers with the versions that the server is known to speak by now",
    fix: "answer a version that you speak with that same version",
    judge: |evidence| {
        let spoken = spoken(evidence);
        let supported = handshakes(evidence).filter(|(_, asked, _)| spoken.contains(*asked));
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

pub(crate) const M046: Check = Check {
    how: "offers the version 1999-01-01",
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
            Some(Value::String(_)) => Outcome::Kept,
            Some(_) => Outcome::Broken(finding),
            // The page shows an error in an example, beside the text that demands an answer.
            None => Outcome::Doubtful(finding),
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

pub(crate) const S016: Check = Check {
    how: "compares the answer to an unknown version with the newest version that the server agreed to",
    fix: "counter an unknown version with your newest",
    judge: |evidence| {
        let spoken = spoken(evidence);
        let unknown = handshakes(evidence).filter(|(_, asked, _)| *asked == NONSENSE_VERSION);
        each(unknown, "an unknown version was not countered", |(request, _, answered)| {
            let newest = spoken.iter().filter(|version| **version != NONSENSE_VERSION).max()?;
            let place = request.answer.map(|answer| answer.place);
            (answered != NONSENSE_VERSION && answered < *newest)
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

pub(crate) const M047: Check = Check {
    how: "looks at the result of initialize",
    fix: "declare capabilities, if only as {}",
    judge: |evidence| {
        each(evidence.results("initialize"), NO_HANDSHAKE, |(answer, result)| {
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

pub(crate) const M146: Check = Check {
    how: "looks at serverInfo in the result of initialize",
    fix: "give serverInfo a name and a version",
    judge: |evidence| {
        let handshakes = evidence
            .results("initialize")
            .filter_map(|(answer, result)| Some((answer, result.get("serverInfo")?)));
        let discovered = evidence
            .results("server/discover")
            .filter_map(|(answer, result)| Some((answer, result.get("_meta")?.get(SERVER_INFO)?)));
        let infos = handshakes.chain(discovered);
        each(infos, NO_HANDSHAKE, |(answer, info)| {
            lacks_text(answer.place, info, "name")
                .or_else(|| lacks_text(answer.place, info, "version"))
        })
    },
    mutants: &[Mutant::new(
        "keeps its version to itself",
        Mutation::Says(|context, message| {
            if context.method == Some("initialize") {
                message["result"]["serverInfo"].as_object_mut().map(|info| info.remove("version"));
            }
        }),
    )],
};

pub(crate) const S014: Check = Check {
    how: "waits between the answer to initialize and notifications/initialized",
    fix: "hold requests back until notifications/initialized came; pings are allowed",
    judge: |evidence| {
        each(evidence.asked(Topic::Initialize), NO_HANDSHAKE, |asked| {
            let early = evidence.after(asked.place).take_while(|(_, what)| {
                !matches!(what, What::Sent { topic: Topic::Initialized, .. })
            });
            early.into_iter().find_map(|(place, what)| {
                let What::Received { frame, .. } = what else { return None };
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

pub(crate) const S021: Check = Check {
    how: "offers a version that does not exist, and waits for any answer",
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

pub(crate) const A041: Check = Check {
    how: "looks at serverInfo",
    fix: "nothing: this is allowed",
    judge: |evidence| offers_info(evidence, "title"),
    mutants: &[Mutant::new(
        "has no title",
        Mutation::Says(|context, message| {
            if context.method == Some("initialize") {
                message["result"]["serverInfo"].as_object_mut().map(|info| info.remove("title"));
            }
        }),
    )],
};

pub(crate) const A044: Check = Check {
    how: "looks at the result of initialize",
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

fn offers_info(evidence: &Evidence, member: &str) -> Outcome {
    offered(evidence.results("initialize"), member, |(_, result)| {
        result["serverInfo"].get(member).is_some()
    })
}

/// Every handshake: the request, the version asked for, the version answered.
fn handshakes(evidence: &Evidence) -> impl Iterator<Item = (Asked<'_>, &str, &str)> {
    evidence.asked_by_method("initialize").filter_map(|asked| {
        let wanted = asked.params?.get("protocolVersion")?.as_str()?;
        let answered = asked.answer?.result()?.get("protocolVersion")?.as_str()?;
        Some((asked, wanted, answered))
    })
}

/// Versions that the server named itself.
fn spoken(evidence: &Evidence) -> BTreeSet<&str> {
    let answered = handshakes(evidence).map(|(_, _, answered)| answered);
    answered.filter(|version| *version != NONSENSE_VERSION).collect()
}

const NO_HANDSHAKE: &str = "no handshake succeeded";
