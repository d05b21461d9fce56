//! `basic/transports/streamable-http`: `#backward-compatibility`, `#earlier-streamable-http-revisions`.

use crate::requirement::seen_in;
use crate::{
    common::{
        client::{falls_back, unsupported},
        endpoint::{mutated, versions},
        http::told,
    },
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::{HttpContext, Mutation, Reply};
use proofmark_core::revision::{Era, Revision, Revision::V2026_07_28};
use proofmark_record::{evidence::Evidence, topic::Topic};
use serde_json::json;

pub(super) const S092: Requirement = Requirement {
    id: "S092",
    name: "on-400-client-reads-body-before-falls-back",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "On 400 the client reads the body before it falls back: a modern error means a modern server.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#backward-compatibility",
    observed: Observed::By(&S092_CHECK),
};

const S092_CHECK: Check = Check {
    how: "refuses every request with 400 and -32022, as only servers of the newer era do",
    seen: seen_in(&["hosted version 1999-01-01"]),
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

pub(super) const A063: Requirement = Requirement {
    id: "A063",
    name: "dual-era-client-may-begin-per-request-era",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A dual-era client may begin with a per-request-era request.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#backward-compatibility",
    observed: Observed::Unobservable(
        "a permission: which era a client begins with is its own choice, and both beginnings have rows of their own",
    ),
};

pub(super) const S093: Requirement = Requirement {
    id: "S093",
    name: "2026-only-server-answers-get-delete-405",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A 2026-only server answers GET and DELETE with 405.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#earlier-streamable-http-revisions",
    observed: Observed::By(&S093_CHECK),
};

const S093_CHECK: Check = Check {
    how: "sends GET and DELETE to the endpoint, as clients of earlier revisions do",
    seen: seen_in(&["older"]),
    fix: "answer 405 to GET and DELETE where nothing but this revision is served",
    judge: |evidence| {
        modern_only(evidence).unwrap_or_else(|| {
            each(evidence.exchanges_about(Topic::OlderMethod), "it was not tried", |exchange| {
                let expected = "status 405";
                (exchange.status != Some(405))
                    .then(|| Finding::new(expected, told(&exchange), exchange.answered))
            })
        })
    },
    mutants: &[only_modern("does not mind DELETE", |context, reply| {
        if context.method == "DELETE" {
            reply.replace(204, "text/plain", "");
        }
    })],
};

pub(super) const S094: Requirement = Requirement {
    id: "S094",
    name: "2026-only-server-ignores-mcp-session-id",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A 2026-only server ignores Mcp-Session-Id and mints none.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#earlier-streamable-http-revisions",
    observed: Observed::By(&S094_CHECK),
};

const S094_CHECK: Check = Check {
    how: "sends a request with Mcp-Session-Id, and looks for session ids on all responses",
    seen: seen_in(&["older"]),
    fix: "ignore Mcp-Session-Id, and give no session ids, where nothing but this revision is served",
    judge: |evidence| {
        modern_only(evidence).unwrap_or_else(|| {
            let minted = evidence.exchanges().find(|it| it.header("mcp-session-id").is_some());
            if let Some(exchange) = minted {
                let expected = "no session ids";
                return Outcome::Broken(Finding::new(expected, "one", exchange.answered));
            }
            ignored(evidence, "older-session")
        })
    },
    mutants: &[
        only_modern("gives sessions that nobody has any more", |context, reply| {
            if context.message["id"] == "older-session" {
                reply.set("mcp-session-id", "a");
            }
        }),
        only_modern("does not know a session that nobody needs", |context, reply| {
            if context.message["id"] == "older-session" {
                reply.replace(404, "text/plain", "no such session");
            }
        }),
    ],
};

pub(super) const S095: Requirement = Requirement {
    id: "S095",
    name: "2026-only-server-ignores-last-event-id",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A 2026-only server ignores Last-Event-ID.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#earlier-streamable-http-revisions",
    observed: Observed::By(&S095_CHECK),
};

const S095_CHECK: Check = Check {
    how: "sends a request with Last-Event-ID",
    seen: seen_in(&["older"]),
    fix: "ignore Last-Event-ID where nothing but this revision is served",
    judge: |evidence| modern_only(evidence).unwrap_or_else(|| ignored(evidence, "older-event")),
    mutants: &[only_modern("minds an event that it never sent", |context, reply| {
        if context.message["id"] == "older-event" {
            reply.replace(400, "text/plain", "no such event");
        }
    })],
};

/// That a request with what is no longer known was answered as any other.
fn ignored(evidence: &Evidence, id: &str) -> Outcome {
    let asked = evidence.asked(Topic::OlderHeader).filter(|asked| asked.id == id);
    each(asked.collect::<Vec<_>>(), "it was not tried", |asked| {
        let fine = asked.answer.is_some_and(|answer| answer.result().is_some());
        let exchange = evidence.exchange_of(&asked);
        let said = exchange.map_or_else(|| "no answer".to_owned(), |exchange| told(&exchange));
        (!fine).then(|| Finding::new("a result as without the header", said, asked.place))
    })
}

/// Does not apply where earlier revisions are served too.
fn modern_only(evidence: &Evidence) -> Option<Outcome> {
    let modern = |version: &str| {
        version.parse::<Revision>().is_ok_and(|revision| revision.era() == Era::Modern)
    };
    let mut spoken = versions(evidence);
    let initialized = evidence
        .asked(Topic::OlderInitialize)
        .any(|asked| asked.answer.is_some_and(|answer| answer.result().is_some()));
    (initialized || spoken.any(|version| !modern(version)))
        .then(|| Outcome::NotApplicable("the server speaks earlier revisions, too".to_owned()))
}

/// A server that speaks nothing but the modern revision.
const fn only_modern(name: &'static str, http: fn(&HttpContext<'_>, &mut Reply)) -> Mutant {
    mutated(name, http).of(Variant::ModernOnly)
}
