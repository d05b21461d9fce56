//! How a client finds out whether a server knows handshakes, or nothing else.

use serde_json::{Value, json};

use super::{hosted_at, stateless::modern};
use crate::{
    checks::{Check, shape::show},
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation, scenario::NONSENSE_VERSION};
use proofmark_record::evidence::{Answer, Evidence, PeerRequest};

pub(crate) const M153: Check = Check {
    how: "refuses server/discover with several codes, as servers of the handshake era do",
    fix: "try initialize after any error that no server of the newer era would give",
    judge: |evidence| {
        let refused = modern(evidence).filter(|it| {
            let older = hosted_at(evidence, it.place)
                .is_some_and(|it| it.name == HostedScenario::OLDER.name);
            older && it.answer.is_some()
        });
        let refused: Vec<_> = refused.collect();
        if !refused.iter().any(|it| falls_back(evidence, it)) {
            return Outcome::NotApplicable("the client never falls back to initialize".to_owned());
        }
        each(refused.iter(), "", |request| {
            let code = request.answer.and_then(Answer::code)?;
            let expected = format!("initialize after the error {code}, as after others");
            (!falls_back(evidence, request))
                .then(|| Finding::new(expected, "no initialize", request.place))
        })
    },
    mutants: &[Mutant::new(
        "falls back after one code only",
        Mutation::Hears(|message| {
            let odd = [-32602, -32000].iter().any(|code| message["error"]["code"] == *code);
            let probing = message["error"]["message"] != "this cursor has expired";
            (odd && probing).then(Vec::new)
        }),
    )],
};

pub(crate) const S058: Check = Check {
    how: "looks at the first request of a client that never sends initialize",
    fix: "ask server/discover first, so that an old server fails in a way that can be told",
    judge: |evidence| {
        if is_dual(evidence) {
            return Outcome::NotApplicable("the client knows handshakes too".to_owned());
        }
        probes(evidence, |_| true)
    },
    mutants: &[Mutant::new(
        "knows nothing older, and does not ask first",
        Mutation::Writes(|_, message| match message["method"].as_str() {
            Some("initialize") => Vec::new(),
            Some("server/discover") => {
                let mut message = message.clone();
                message["method"] = json!("tools/list");
                vec![message.to_string()]
            }
            _ => vec![message.to_string()],
        }),
    )
    .also(&["M497", "S234", "S284"])],
};

pub(crate) const S059: Check = Check {
    how: "looks at the first request of a client that speaks both eras and is left to find out",
    fix: "ask server/discover before anything else",
    judge: |evidence| {
        if !is_dual(evidence) {
            return Outcome::NotApplicable("the client was not seen to speak both eras".to_owned());
        }
        probes(evidence, |it| it.hides_revision)
    },
    mutants: &[Mutant::new(
        "lists before it asks",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["method"] == "server/discover" {
                let mut early = message.clone();
                early["id"] = json!("early");
                early["method"] = json!("tools/list");
                texts.insert(0, early.to_string());
            }
            texts
        }),
    )],
};

pub(crate) const S092: Check = Check {
    how: "refuses every request with 400 and -32022, as only servers of the newer era do",
    fix: "read the body of a 400 before you fall back",
    judge: |evidence| {
        unsupported(evidence, |request| {
            let fallen = falls_back(evidence, request);
            let expected = "no initialize, for only a server without handshakes answers so";
            fallen.then(|| Finding::new(expected, "initialize", request.place))
        })
    },
    mutants: &[Mutant::new(
        "falls back on any 400",
        Mutation::Hears(|message| {
            (message["error"]["code"] == -32022).then(|| {
                let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
                    "clientInfo": { "name": "a", "version": "1" } });
                let request = json!({ "jsonrpc": "2.0", "id": "back", "method": "initialize",
                    "params": params });
                vec![request.to_string()]
            })
        }),
    )
    .also(&["M185", "M189", "M194", "S054"])],
};

pub(crate) const S054: Check = Check {
    how: "supports only a version that the client cannot know, and looks at whether it asks on",
    fix: "choose a version of data.supported, or say that there is none to choose",
    judge: |evidence| {
        unsupported(evidence, |request| {
            let on = evidence.requests().find(|it| {
                let answered = request.answer.map_or(usize::MAX, |answer| answer.place.event);
                it.place.conversation == request.place.conversation && it.place.event > answered
            })?;
            let expected = "nothing more, for no version fits";
            Some(Finding::new(expected, show(&json!(on.method)), on.place))
        })
    },
    mutants: &[Mutant::new(
        "asks on in a version that is not supported",
        Mutation::Hears(|message| {
            let first = message["error"]["code"] == -32022 && message["id"] != "on";
            first.then(|| {
                let meta = json!({
                    "io.modelcontextprotocol/protocolVersion": message["error"]["data"]["requested"],
                    "io.modelcontextprotocol/clientInfo": { "name": "a", "version": "1" },
                    "io.modelcontextprotocol/clientCapabilities": {} });
                let request = json!({ "jsonrpc": "2.0", "id": "on", "method": "tools/list",
                    "params": { "_meta": meta } });
                vec![request.to_string()]
            })
        }),
    )],
};

/// Requests that only a server without handshakes could have refused so, the first of each run.
fn unsupported(
    evidence: &Evidence,
    judge: impl Fn(&PeerRequest<'_>) -> Option<Finding>,
) -> Outcome {
    let refused = modern(evidence).filter(|it| {
        hosted_at(evidence, it.place) == Some(HostedScenario::version(NONSENSE_VERSION))
            && it.answer.and_then(Answer::code) == Some(-32022)
    });
    each(refused.take(1), "the client asked nothing that could be refused", |it| judge(&it))
}

fn falls_back(evidence: &Evidence, request: &PeerRequest<'_>) -> bool {
    evidence.requests_for("initialize").any(|it| {
        it.place.conversation == request.place.conversation && it.place.event > request.place.event
    })
}

/// Whether the client was seen to speak both eras.
fn is_dual(evidence: &Evidence) -> bool {
    evidence.requests_for("initialize").next().is_some()
        && evidence.requests().any(|it| it.is_modern())
}

/// Judges the first request of each run.
fn probes(evidence: &Evidence, which: impl Fn(HostedScenario) -> bool) -> Outcome {
    let firsts = (0..evidence.conversations.len()).filter_map(|conversation| {
        let first = evidence.requests().find(|it| it.place.conversation == conversation)?;
        hosted_at(evidence, first.place).is_none_or(&which).then_some(first)
    });
    each(firsts, "the client sent no request", |first| {
        let right = first.method == "server/discover";
        (!right)
            .then(|| Finding::new("server/discover", show(&Value::from(first.method)), first.place))
    })
}
