//! `basic/transports`: `#protocol-version-header`.

use super::shared::is_beginning;
use crate::requirement::seen_in;
use crate::{
    common::{
        client::{NOTHING, handshakes, mutated, requests, says},
        endpoint::mutated as mutated_endpoint,
        http::{is_not_there, mutated as mutated_http, told},
    },
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between},
};
use proofmark_converse::scenario::NONSENSE_VERSION;
use proofmark_core::revision::{
    Revision,
    Revision::{V2024_11_05, V2025_06_18, V2025_11_25},
    VersionHeader,
};
use proofmark_record::{
    event::header,
    evidence::{Evidence, HttpExchange},
    topic::Topic,
};

pub(super) const M180: Requirement = Requirement {
    id: "M180",
    name: "after-initialization-every-http-request",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: between(V2025_06_18, V2025_11_25),
    text: "After initialization every HTTP request carries MCP-Protocol-Version.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/lifecycle.mdx#version-negotiation ; docs/specification/{2025-06-18..2025-11-25}/basic/transports.mdx#protocol-version-header",
    observed: Observed::By(&M180_CHECK),
};

const M180_CHECK: Check = Check {
    how: "looks for MCP-Protocol-Version in every request after the handshake",
    seen: seen_in(&["hosted behave"]),
    fix: "send MCP-Protocol-Version with every request after initialize",
    judge: |evidence| {
        let demanding = after_handshake(evidence).filter(|(_, agreed)| demands_version(agreed));
        each(demanding, NOTHING, |(exchange, _)| {
            let known = header(exchange.asked, "mcp-protocol-version").is_some();
            let expected = "MCP-Protocol-Version";
            (!known).then(|| Finding::new(expected, "no such header", exchange.place))
        })
    },
    mutants: &[mutated("forgets the version", |request| {
        if says(request, "tools/call") {
            request.remove("mcp-protocol-version");
        }
    })],
};

pub(super) const M181: Requirement = Requirement {
    id: "M181",
    name: "invalid-or-unsupported-mcp-protocol-version",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_06_18, V2025_11_25),
    text: "An invalid or unsupported MCP-Protocol-Version is answered 400.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/transports.mdx#protocol-version-header",
    observed: Observed::By(&M181_CHECK),
};

const M181_CHECK: Check = Check {
    how: "posts requests and opens a stream under a version of 1999 and one that is no date in MCP-Protocol-Version",
    seen: seen_in(&["headers"]),
    fix: "answer 400 to a version in the header that you do not speak",
    judge: |evidence| {
        each(
            evidence.exchanges_about(Topic::UnknownVersionHeader),
            "it was not tried",
            |exchange| {
                (exchange.status != Some(400) && !is_not_there(&exchange))
                    .then(|| Finding::new("status 400", told(&exchange), exchange.answered))
            },
        )
    },
    mutants: &[
        mutated_http("takes a version header that is no date", |context, reply| {
            if context.message["id"] == "no-date-version" {
                reply.replace(
                    200,
                    "application/json",
                    "{\"jsonrpc\":\"2.0\",\"id\":\"no-date-version\",\"result\":{}}",
                );
            }
        }),
        mutated_http("does not look at the version header of GET", |context, reply| {
            let odd = context.header("mcp-protocol-version") == Some(NONSENSE_VERSION);
            if context.method == "GET" && odd {
                reply.replace(200, "text/event-stream", ": nothing\n\n");
            }
        }),
        mutated_http("does not look at the version header", |context, reply| {
            if context.message["id"] == "odd-version" {
                reply.replace(
                    200,
                    "application/json",
                    "{\"jsonrpc\":\"2.0\",\"id\":\"odd-version\",\"result\":{}}",
                );
            }
        }),
    ],
};

pub(super) const S080: Requirement = Requirement {
    id: "S080",
    name: "mcp-protocol-version-header-sent-by-client",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: between(V2025_06_18, V2025_11_25),
    text: "The MCP-Protocol-Version header sent by the client holds the negotiated version.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/transports.mdx#protocol-version-header",
    observed: Observed::By(&S080_CHECK),
};

const S080_CHECK: Check = Check {
    how: "compares MCP-Protocol-Version with the version that was agreed upon",
    seen: seen_in(&["hosted behave"]),
    fix: "send the version that the server answered with",
    judge: |evidence| {
        each(after_handshake(evidence), NOTHING, |(exchange, agreed)| {
            let version = exchange.asked_header("mcp-protocol-version")?;
            (version != agreed).then(|| Finding::new(agreed, version, exchange.place))
        })
    },
    mutants: &[mutated("sends another version", |request| {
        if says(request, "tools/call") {
            request.set("mcp-protocol-version", Revision::ALL[0].as_str());
        }
    })],
};

pub(super) const S081: Requirement = Requirement {
    id: "S081",
    name: "without-header-no-other-knowledge-server",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: between(V2025_06_18, V2025_11_25),
    text: "Without the header, and with no other knowledge, the server assumes 2025-03-26.",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/transports.mdx#protocol-version-header",
    observed: Observed::By(&S081_CHECK),
};

const S081_CHECK: Check = Check {
    how: "sends a request of a running session without MCP-Protocol-Version",
    seen: seen_in(&["headers"]),
    fix: "take a request without MCP-Protocol-Version for one of 2025-03-26 where you know no better",
    judge: |evidence| {
        let speaks_it = evidence.asked(Topic::KnownVersion).any(|asked| {
            let agreed = asked.answer.and_then(|it| it.result()?.get("protocolVersion")?.as_str());
            agreed == Some(Revision::ASSUMED_OVER_HTTP.as_str())
        });
        if !speaks_it {
            let why = "the server does not speak the revision that is assumed";
            return Outcome::NotApplicable(why.to_owned());
        }
        each(evidence.exchanges_about(Topic::NoVersionHeader), "it was not tried", |exchange| {
            let refused = exchange.status.is_none_or(|status| status >= 400);
            refused.then(|| Finding::new("an answer", told(&exchange), exchange.answered))
        })
    },
    mutants: &[mutated_endpoint("insists on the header of a version", |context, reply| {
        if context.message["id"] == "no-version" {
            reply.replace(400, "text/plain", "which version?");
        }
    })],
};

pub(super) const S061: Requirement = Requirement {
    id: "S061",
    name: "clients-support-stdio-where-they-can",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Stdio,
    span: between(V2024_11_05, V2025_11_25),
    text: "Clients support stdio where they can.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/transports.mdx",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
};

/// Requests after a version was agreed upon, with that version.
fn after_handshake(evidence: &Evidence) -> impl Iterator<Item = (HttpExchange<'_>, &str)> {
    requests(evidence).filter_map(|exchange| {
        let begins = is_beginning(evidence, &exchange);
        let agreed = handshakes(evidence)
            .filter_map(|it| it.answer)
            .filter(|answer| {
                answer.place.conversation == exchange.place.conversation
                    && answer.place.event < exchange.place.event
            })
            .filter_map(|answer| answer.result()?.get("protocolVersion")?.as_str())
            .last();
        agreed.filter(|_| !begins).map(|agreed| (exchange, agreed))
    })
}

/// Whether requests under this version have to name it.
fn demands_version(agreed: &str) -> bool {
    agreed.parse().is_ok_and(|revision: Revision| {
        matches!(revision.rules().http.version_header, VersionHeader::AfterInitialize { .. })
    })
}
