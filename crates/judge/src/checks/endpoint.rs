//! Where a server is found, and what it has for those who speak as clients once did.

use proofmark_core::revision::{Era, Revision, VersionHeader};
use serde_json::{Value, json};

use super::{
    Check,
    claims::{error, to},
    http::told,
    shape::show,
};
use crate::{
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{HttpContext, Mutation, Reply};
use proofmark_record::{
    evidence::{Asked, Evidence, HttpExchange},
    topic::Topic,
};

pub(crate) const M168: Check = SSE_ENDPOINT;
pub(crate) const S074: Check = SSE_ENDPOINT;

const SSE_ENDPOINT: Check = Check {
    how: "opens a stream with GET in every conversation",
    fix: "answer GET on the SSE endpoint with status 200 and an event stream",
    judge: |evidence| {
        each(evidence.exchanges_about(Topic::OpenStream), "no stream was opened", |exchange| {
            let streams = exchange.content_type().as_deref() == Some("text/event-stream");
            let right = exchange.status == Some(200) && streams;
            let expected = "status 200 and an event stream";
            (!right).then(|| Finding::new(expected, told(&exchange), exchange.answered))
        })
    },
    mutants: &[mutated(
        "opens its stream with a status that browsers do not take",
        |context, reply| {
            if context.method == "GET" && reply.status == 200 {
                reply.status = 206;
            }
        },
    )],
};

pub(crate) const M184: Check = Check {
    how: "posts every message to the same path",
    fix: "accept POST at one path, whatever is posted",
    judge: |evidence| {
        let posts = evidence.exchanges().filter(|it| {
            let about = matches!(
                it.topic,
                Topic::Initialize | Topic::List | Topic::Call | Topic::Read | Topic::StillThere
            );
            about && it.line.starts_with("POST")
        });
        each(posts, "nothing was posted", |exchange| {
            let status = exchange.status?;
            let absent = matches!(status, 404 | 405) && !speaks_json(evidence, exchange);
            let expected = "an answer to what is posted to the endpoint";
            absent.then(|| Finding::new(expected, told(&exchange), exchange.answered))
        })
    },
    mutants: &[mutated("does not take POST at its own path", |context, reply| {
        if context.message["id"] == "last-ping" {
            reply.replace(405, "text/plain", "no such method");
        }
    })
    .also(&["M149", "M221", "S101"])],
};

pub(crate) const S081: Check = Check {
    how: "sends a request of a running session without MCP-Protocol-Version",
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
    mutants: &[mutated("insists on the header of a version", |context, reply| {
        if context.message["id"] == "no-version" {
            reply.replace(400, "text/plain", "which version?");
        }
    })],
};

pub(crate) const M193: Check = Check {
    how: "leaves out MCP-Protocol-Version",
    fix: "answer 400 and -32020 to a POST without MCP-Protocol-Version, unless you serve clients that do not know it",
    judge: |evidence| {
        let asked: Vec<Asked<'_>> =
            evidence.asked(Topic::BadHeader).filter(|asked| asked.id == "no-version").collect();
        let knows_no_header = |version: &str| {
            version.parse::<Revision>().is_ok_and(|revision| {
                let header = revision.rules().http.version_header;
                matches!(header, VersionHeader::MetadataDiscovery | VersionHeader::Unstated)
            })
        };
        let agreed = evidence
            .asked(Topic::OlderInitialize)
            .filter_map(|asked| asked.answer?.result()?.get("protocolVersion")?.as_str());
        let older = versions(evidence).chain(agreed).any(knows_no_header);
        each(asked, "it was not tried", |asked| {
            let code = asked.answer.and_then(proofmark_record::evidence::Answer::code);
            let status = evidence.exchange_of(&asked).and_then(|exchange| exchange.status);
            let rejected = code == Some(-32020) && status == Some(400);
            let said = asked.answer.map_or_else(|| "no answer".to_owned(), |it| show(it.message));
            let expected = "the error -32020 with status 400";
            (!rejected && !older).then(|| Finding::new(expected, said, asked.place))
        })
    },
    mutants: &[Mutant::new(
        "does without a version in the header",
        Mutation::Says(|context, message| {
            if context.method == Some("server/discover") && message.get("result").is_some() {
                message["result"]["supportedVersions"] = json!(["2025-11-25", "2026-07-28"]);
            }
            if message["id"] == "older-initialize" {
                message["result"]["protocolVersion"] = json!("2025-11-25");
            }
            if message["id"] == "no-version" {
                *message = error(&message["id"], -32602);
            }
        }),
    )],
};

pub(crate) const S093: Check = Check {
    how: "sends GET and DELETE to the endpoint, as clients of earlier revisions do",
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

pub(crate) const S094: Check = Check {
    how: "sends a request with Mcp-Session-Id, and looks for session ids on all responses",
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

pub(crate) const S095: Check = Check {
    how: "sends a request with Last-Event-ID",
    fix: "ignore Last-Event-ID where nothing but this revision is served",
    judge: |evidence| modern_only(evidence).unwrap_or_else(|| ignored(evidence, "older-event")),
    mutants: &[only_modern("minds an event that it never sent", |context, reply| {
        if context.message["id"] == "older-event" {
            reply.replace(400, "text/plain", "no such event");
        }
    })],
};

pub(crate) const S057: Check = Check {
    how: "initializes, as clients of earlier revisions do",
    fix: "name the versions that you speak in the error that answers initialize",
    judge: |evidence| {
        each(evidence.asked(Topic::OlderInitialize), "it was not tried", |asked| {
            let answer = asked.answer?;
            let error = answer.error()?;
            let text = error.to_string();
            let mut spoken = versions(evidence);
            let named = spoken.any(|version| text.contains(version));
            let expected = "the versions that it speaks";
            (!named).then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[to("turns older clients away without a word", "older-initialize", |message| {
        *message = error(&message["id"], -32601);
    })],
};

pub(crate) const S036: Check = Check {
    how: "calls on one connection what another one was told of",
    fix: "do not require that related requests come over the same connection",
    judge: |evidence| {
        let asked = evidence.asked(Topic::OtherConnection);
        each(asked, "no call of the tour could be repeated", |asked| {
            let fine = asked.answer.is_some_and(|answer| answer.result().is_some());
            let said = asked.answer.map_or_else(|| "no answer".to_owned(), |it| show(it.message));
            (!fine).then(|| Finding::new("a result", said, asked.place))
        })
    },
    mutants: &[to(
        "serves only whoever asked for its tools before",
        "on-another-connection",
        |message| {
            *message = error(&message["id"], -32600);
        },
    )],
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

/// The versions that the server names when it is discovered.
fn versions(evidence: &Evidence) -> impl Iterator<Item = &str> {
    let named = evidence
        .asked(Topic::Initialize)
        .filter_map(|asked| asked.answer?.result()?.get("supportedVersions")?.as_array());
    named.flatten().filter_map(Value::as_str)
}

fn speaks_json(evidence: &Evidence, exchange: HttpExchange<'_>) -> bool {
    evidence
        .frames_of(exchange.place, exchange.exchange)
        .any(|(_, frame)| frame.messages().iter().any(|it| it.get("jsonrpc").is_some()))
}

const fn mutated(name: &'static str, http: fn(&HttpContext<'_>, &mut Reply)) -> Mutant {
    Mutant::new(name, Mutation::Http(http))
}

/// A server that speaks nothing but the modern revision.
const fn only_modern(name: &'static str, http: fn(&HttpContext<'_>, &mut Reply)) -> Mutant {
    mutated(name, http).of(Variant::ModernOnly)
}
