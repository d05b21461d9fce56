//! `basic/transports/streamable-http`: `#protocol-version-header`, `#cancellation`, `#security-endpoint`.

use super::shared::{each_request, passes, rejected, says};
use crate::requirement::seen_in;
use crate::{
    common::{
        client::mutated,
        endpoint::{mutated as mutated_endpoint, versions},
        http::{is_nameless, is_not_there, mutated as mutated_http, origin_is_validated, told},
        request_metadata::{error, status, status_is, wrong_status},
        shape::show,
        subscriptions::tag,
        utilities::was_in_time,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::mutation::{HttpContext, Mutation};
use proofmark_core::revision::{
    Revision,
    Revision::{V2025_03_26, V2025_11_25, V2026_07_28},
    VersionHeader,
};
use proofmark_record::{
    event::{EventKind, header},
    evidence::{CheckerRequest, Evidence, HttpExchange},
    meta::VERSION,
    topic::Topic,
};
use serde_json::json;

pub(super) const M148: Requirement = Requirement {
    id: "M148",
    name: "over-http-32022-error-comes-status-400",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Over HTTP a -32022 error comes with status 400.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#protocol-version-header",
    observed: Observed::By(&M148_CHECK),
};

const M148_CHECK: Check = Check {
    how: "claims to speak the version 1999-01-01",
    seen: seen_in(&["claims"]),
    fix: "send the error -32022 with status 400",
    judge: |evidence| status_is(evidence, Topic::UnknownVersion, 400),
    mutants: &[status("is friendly about an unknown version", "unknown-version")],
};

pub(super) const M189: Requirement = Requirement {
    id: "M189",
    name: "each-post-mcp-protocol-version",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Each POST has MCP-Protocol-Version.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#protocol-version-header",
    observed: Observed::By(&M189_CHECK),
};

const M189_CHECK: Check = Check {
    how: "looks for MCP-Protocol-Version in every POST that carries a request",
    seen: seen_in(&["hosted behave"]),
    fix: "send MCP-Protocol-Version with every request",
    judge: |evidence| {
        each_request(evidence, |exchange, _| {
            let known = header(exchange.asked, "mcp-protocol-version").is_some();
            let expected = "MCP-Protocol-Version";
            (!known).then(|| Finding::new(expected, "no such header", exchange.place))
        })
    },
    mutants: &[mutated("does not say what it speaks in a header", |request| {
        if says(request, "tools/list") {
            request.remove("mcp-protocol-version");
        }
    })
    .also(&["M185"])],
};

pub(super) const M190: Requirement = Requirement {
    id: "M190",
    name: "mcp-protocol-version-equals-version-meta",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "MCP-Protocol-Version equals the version in _meta.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#protocol-version-header",
    observed: Observed::By(&M190_CHECK),
};

const M190_CHECK: Check = Check {
    how: "compares MCP-Protocol-Version with the version in _meta",
    seen: seen_in(&["hosted behave"]),
    fix: "send the same version in the header and in _meta",
    judge: |evidence| {
        each_request(evidence, |exchange, message| {
            let told = exchange.asked_header("mcp-protocol-version")?;
            let version = message["params"]["_meta"].get(VERSION)?.as_str()?;
            (told != version).then(|| Finding::new(version, told, exchange.place))
        })
    },
    mutants: &[mutated("says one version in the header and another in the body", |request| {
        if says(request, "tools/list") {
            request.set("mcp-protocol-version", proofmark_converse::scenario::NONSENSE_VERSION);
        }
    })],
};

pub(super) const M191: Requirement = Requirement {
    id: "M191",
    name: "version-header-differs-from-meta-answered",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A version header that differs from _meta is answered 400 with -32020.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#protocol-version-header ; schema/2026-07-28/schema.ts#RequestMetaObject",
    observed: Observed::By(&M191_CHECK),
};

const M191_CHECK: Check = Check {
    how: "names one version in the header and another one in the body",
    seen: seen_in(&["mirroring"]),
    fix: "answer 400 and -32020 where MCP-Protocol-Version and _meta differ",
    judge: |evidence| rejected(evidence, &["other-version"]),
    mutants: &[passes("does not compare versions", "other-version").also(&["M217", "M219"])],
};

pub(super) const M192: Requirement = Requirement {
    id: "M192",
    name: "unimplemented-method-answered-404-32601",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "An unimplemented method is answered 404 with -32601 in the body.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#protocol-version-header",
    observed: Observed::By(&M192_CHECK),
};

const M192_CHECK: Check = Check {
    how: "asks for a method that does not exist",
    seen: seen_in(&["tour"]),
    fix: "send the error -32601 with status 404",
    judge: |evidence| {
        each(evidence.asked(Topic::UnknownMethod), "it was not tried", |asked| {
            wrong_status(evidence, &asked, 404)
        })
    },
    mutants: &[Mutant::new(
        "is friendly about unknown methods",
        Mutation::Http(|context, reply| {
            if context.says("proofmark/no-such-method") {
                reply.status = 200;
            }
        }),
    )
    .also(&["M022"])],
};

pub(super) const M193: Requirement = Requirement {
    id: "M193",
    name: "server-serves-no-clients-older-than",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A server that serves no clients older than 2025-06-18 rejects a POST without MCP-Protocol-Version as a header failure.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#protocol-version-header",
    observed: Observed::By(&M193_CHECK),
};

const M193_CHECK: Check = Check {
    how: "leaves out MCP-Protocol-Version",
    seen: seen_in(&["mirroring"]),
    fix: "answer 400 and -32020 to a POST without MCP-Protocol-Version, unless you serve clients that do not know it",
    judge: |evidence| {
        let asked: Vec<CheckerRequest<'_>> =
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

pub(super) const A060: Requirement = Requirement {
    id: "A060",
    name: "missing-version-header-may-read-2025-03-26",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A missing version header may be read as 2025-03-26 by a server that serves such clients.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#protocol-version-header",
    observed: Observed::Unobservable(
        "a permission for servers of several eras: whether a request without the header is answered is not held against any",
    ),
};

pub(super) const M162: Requirement = Requirement {
    id: "M162",
    name: "nothing-more-sent-request-after-was",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Nothing more is sent for a request after it was cancelled.",
    section: "docs/specification/2026-07-28/basic/transports/stdio.mdx#cancellation ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#cancellation",
    observed: Observed::By(&M162_CHECK),
};

const M162_CHECK: Check = Check {
    how: "cancels a call and a subscription, and listens",
    seen: seen_in(&["listening"]),
    fix: "say nothing more about what was cancelled",
    judge: |evidence| {
        let unsubscribed = evidence.asked(Topic::AfterUnsubscribe).map(|call| call.place);
        let mut observed = false;
        for place in unsubscribed {
            observed = true;
            let late = evidence.after(place).find_map(|(at, what)| {
                let EventKind::Received { frame, .. } = what else { return None };
                let tagged = frame.messages().iter().find(|message| tag(message).is_some())?;
                Some(Finding::new("nothing after the cancellation", show(tagged), at))
            });
            if let Some(late) = late {
                return Outcome::Broken(late);
            }
        }
        let slow = evidence.asked(Topic::Slow).filter(|asked| was_in_time(evidence, asked.place));
        let nothing = "nothing could be cancelled while it ran";
        match each(slow, nothing, |asked| {
            let answer = asked.answer?;
            let expected = "nothing after the cancellation";
            Some(Finding::new(expected, show(answer.message), answer.place))
        }) {
            Outcome::Unobserved(_) if observed => Outcome::Kept,
            other => other,
        }
    },
    mutants: &[Mutant::new(
        "goes on about what was cancelled",
        Mutation::Hears(|message| (message["method"] == "notifications/cancelled").then(Vec::new)),
    )
    .also(&["S027", "S098"])],
};

pub(super) const S065: Requirement = Requirement {
    id: "S065",
    name: "work-on-cancelled-request-stops-soon",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Work on a cancelled request stops as soon as practical.",
    section: "docs/specification/2026-07-28/basic/transports/stdio.mdx#cancellation ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#cancellation",
    observed: Observed::Unobservable(
        "when work stops inside a server is not on the wire; that it says nothing more has a row of its own",
    ),
};

pub(super) const M165: Requirement = Requirement {
    id: "M165",
    name: "origin-header-each-connection-validated",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "The Origin header of each connection is validated.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#security-warning ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#security-endpoint",
    observed: Observed::By(&M165_CHECK),
};

const M165_CHECK: Check = Check {
    how: "initializes, listens and ends its session with Origins of pages from elsewhere, some of which look familiar",
    seen: seen_in(&["headers", "mirroring"]),
    fix: "compare Origin, where it is given, with the whole of each origin that you trust, for every method of HTTP",
    judge: origin_is_validated,
    mutants: &[
        trusts("trusts Origins that begin like its own", |context, origin| {
            let host = context.header("host").and_then(|it| it.split(':').next());
            host.is_some_and(|host| origin.starts_with(&format!("http://{host}")))
        }),
        trusts("trusts Origins that begin with localhost", |_, origin| {
            origin.starts_with("http://localhost")
        }),
        trusts("trusts Origins that begin with localhost", |_, origin| {
            origin.starts_with("http://localhost")
        })
        .modern(),
        trusts("trusts Origins that begin with an address of this machine", |_, origin| {
            origin.starts_with("http://127.0.0.1")
        }),
        trusts("trusts Origins that have localhost in them", |_, origin| {
            origin.contains("evil-localhost")
        }),
        trusts("trusts every Origin on its own port", |context, origin| {
            let port = context.header("host").and_then(|it| it.rsplit_once(':'));
            port.is_some_and(|(_, port)| origin == format!("http://evil.example:{port}"))
        }),
        Mutant::new(
            "trusts pages without an origin",
            Mutation::Trusts(|_, origin| origin == "null"),
        ),
        trusts("looks at Origin in POST only", |context, _| context.method == "GET"),
        trusts("lets every page end a session", |context, _| context.method == "DELETE"),
        mutated_http("lets every page in", |context, reply| {
            if context.message["id"] == "foreign" {
                let result = json!({ "jsonrpc": "2.0", "id": "foreign", "result": {
                "protocolVersion": context.message["params"]["protocolVersion"],
                "capabilities": {}, "serverInfo": { "name": "spoiled", "version": "0" } } });
                reply.replace(200, "application/json", &result.to_string());
            }
        })
        .also(&["M167"]),
    ],
};

/// A server that answers where it should not have looked further than at Origin.
const fn trusts(name: &'static str, is_it: fn(&HttpContext<'_>, &str) -> bool) -> Mutant {
    Mutant::new(name, Mutation::Trusts(is_it)).also(&["M167"])
}

pub(super) const M167: Requirement = Requirement {
    id: "M167",
    name: "invalid-origin-answered-403",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_11_25),
    text: "An invalid Origin is answered 403.",
    section: "docs/specification/2025-11-25/basic/transports.mdx#security-warning ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#security-endpoint",
    observed: Observed::By(&M167_CHECK),
};

const M167_CHECK: Check = Check {
    how: "initializes with the Origin of a page from elsewhere",
    seen: seen_in(&["headers"]),
    fix: "answer 403 to an Origin that you do not trust",
    judge: |evidence| {
        each(evidence.exchanges_about(Topic::ForeignOrigin), "it was not tried", |exchange| {
            (exchange.status != Some(403) && !is_not_there(&exchange) && !is_nameless(&exchange))
                .then(|| Finding::new("status 403", told(&exchange), exchange.answered))
        })
    },
    mutants: &[mutated_http("calls a foreign page a bad request", |context, reply| {
        if context.header("origin").is_some() {
            reply.replace(400, "text/plain", "bad origin");
        }
    })],
};

pub(super) const S068: Requirement = Requirement {
    id: "S068",
    name: "local-server-listens-on-localhost-only",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "A local server listens on localhost only.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#security-warning ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#security-endpoint",
    observed: Observed::Unobservable(
        "on which other addresses a server listens cannot be seen from the one that was given",
    ),
};

pub(super) const S070: Requirement = Requirement {
    id: "S070",
    name: "all-connections-authenticated",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "All connections are authenticated.",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#security-warning ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#security-endpoint",
    observed: Observed::Unobservable(
        "whether a server has to know its clients depends on where it is deployed",
    ),
};

pub(super) const M184: Requirement = Requirement {
    id: "M184",
    name: "one-endpoint-path-serves-post",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "One endpoint path serves POST (2026-07-28; GET is gone).",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx",
    observed: Observed::By(&M184_CHECK),
};

const M184_CHECK: Check = Check {
    how: "posts every message to the same path",
    seen: seen_in(&["tour"]),
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
    mutants: &[mutated_endpoint("does not take POST at its own path", |context, reply| {
        if context.message["id"] == "last-ping" {
            reply.replace(405, "text/plain", "no such method");
        }
    })
    .also(&["M149", "M221", "S101"])],
};

fn speaks_json(evidence: &Evidence, exchange: HttpExchange<'_>) -> bool {
    evidence
        .frames_of(exchange.place, exchange.exchange)
        .any(|(_, frame)| frame.messages().iter().any(|it| it.get("jsonrpc").is_some()))
}
