//! The requirements of `server/discover`, how each is judged, and the mutants that prove it.

use crate::requirement::seen_in;
use crate::{
    common::{
        client::{is_dual, probes},
        request_metadata::error,
        results::{NO_RESULT, result, results},
        shape::show,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::{meta::SERVER_INFO, topic::Topic};
use serde_json::{Value, json};

pub(super) const PAGE: Page = Page {
    name: "server/discover",
    why: "Discovery is how a client finds out what a server speaks before it says anything else.",
    requirements: &[&M149, &S045, &S046, &S059],
};

const M149: Requirement = Requirement {
    id: "M149",
    name: "server-implements-server-discover",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The server implements server/discover.",
    section: "docs/specification/2026-07-28/basic/versioning.mdx#protocol-version-negotiation ; docs/specification/2026-07-28/server/discover.mdx",
    observed: Observed::By(&M149_CHECK),
};

const M149_CHECK: Check = Check {
    how: "asks for server/discover, again and again",
    seen: seen_in(&["tour"]),
    fix: "answer server/discover",
    judge: |evidence| {
        let asked = evidence.asked_by_method("server/discover").filter(|asked| {
            let topic = asked.topic;
            matches!(
                topic,
                Topic::Initialize
                    | Topic::Handshake
                    | Topic::Ping
                    | Topic::PingById
                    | Topic::StillThere
            )
        });
        each(asked, "server/discover was not asked for", |asked| {
            let answer = asked.answer?;
            answer
                .result()
                .is_none()
                .then(|| Finding::new("a result", show(answer.message), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "can be discovered only once",
        Mutation::Says(|_, message| {
            if message["id"] == "last-ping" {
                *message = error(&message["id"], -32601);
            }
        }),
    )],
};

const S045: Requirement = Requirement {
    id: "S045",
    name: "each-result",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Each result has io.modelcontextprotocol/serverInfo in _meta.",
    section: "docs/specification/2026-07-28/server/discover.mdx#discoverresult",
    observed: Observed::By(&S045_CHECK),
};

const S045_CHECK: Check = Check {
    how: "looks at _meta of every result",
    seen: seen_in(&["tour"]),
    fix: "put io.modelcontextprotocol/serverInfo into _meta of every result",
    judge: |evidence| {
        each(results(evidence), NO_RESULT, |(heard, result)| {
            let named = result["_meta"].get(SERVER_INFO).is_some_and(Value::is_object);
            (!named).then(|| Finding::new(SERVER_INFO, show(result), heard.place))
        })
    },
    mutants: &[result("does not say who gives a result", |context, result| {
        if context.method == Some("completion/complete") {
            result.as_object_mut().map(|result| result.remove("_meta"));
        }
    })],
};

const S046: Requirement = Requirement {
    id: "S046",
    name: "clientinfo-serverinfo-change-no-behaviour",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "clientInfo and serverInfo change no behaviour and decide nothing about security.",
    section: "docs/specification/2026-07-28/basic/index.mdx#meta ; docs/specification/2026-07-28/server/discover.mdx#discoverresult",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

const S059: Requirement = Requirement {
    id: "S059",
    name: "dual-era-client-probes-stdio-server",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2026_07_28),
    text: "A dual-era client probes a stdio server with server/discover before anything else.",
    section: "docs/specification/2026-07-28/basic/transports/stdio.mdx#backward-compatibility ; docs/specification/2026-07-28/server/discover.mdx#when-to-call",
    observed: Observed::By(&S059_CHECK),
};

const S059_CHECK: Check = Check {
    how: "looks at the first request of a client that speaks both eras and is left to find out",
    seen: seen_in(&["hosted version 2025-11-25"]),
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
