//! `basic/transports/streamable-http`: `#receiving-messages`, `#client-behavior`, `#standard-request-headers`.

use super::shared::{
    M197_CHECK, NO_ODD_NAME, NOT_MARKED, carrying, decoded, each_request, is_plain, marked, named,
    says, sentinel, text,
};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::mutated,
        resumption::ENDING,
        shape::show,
        stream_routing::{REPORTS_OTHERS, on_streams},
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{
    hosted::NEW_MARK,
    mutation::{Mutation, Passing},
};
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::{
    event::header,
    evidence::{Evidence, HttpExchange, Place},
};
use serde_json::json;

pub(super) const M187: Requirement = Requirement {
    id: "M187",
    name: "notifications-on-response-stream-relate",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Notifications on a response stream relate to that request.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#receiving-messages",
    observed: Observed::By(&M187_CHECK),
};

const M187_CHECK: Check = Check {
    how: "looks at every notification on the stream of a request",
    seen: seen_in(&["tour"]),
    fix: "send on the stream of a request only what belongs to it",
    judge: |evidence| {
        let outcome = each(on_streams(evidence), "", |told| {
            let method = told.message["method"].as_str().unwrap_or_default();
            let listens = told.request.pointer("/method") == Some(&json!("subscriptions/listen"));
            let foreign = match method {
                "notifications/progress" => {
                    told.message.pointer("/params/progressToken")
                        != told.request.pointer("/params/_meta/progressToken")
                }
                "notifications/resources/updated" => !listens,
                _ if method.ends_with("/list_changed") => !listens,
                _ => false,
            };
            let expected = format!("what belongs to {}", show(told.request));
            foreign.then(|| Finding::new(expected, show(told.message), told.place))
        });
        none_applies(outcome, "no request was answered with notifications on its stream")
    },
    mutants: &[REPORTS_OTHERS],
};

pub(super) const S086: Requirement = Requirement {
    id: "S086",
    name: "final-response-ends-event-stream",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "The final response ends its event stream.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#receiving-messages",
    observed: Observed::By(&S086_CHECK),
};

const S086_CHECK: Check = ENDING;

pub(super) const S087: Requirement = Requirement {
    id: "S087",
    name: "event-stream-response-x-accel-buffering-no",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "An event stream response has X-Accel-Buffering: no.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#receiving-messages",
    observed: Observed::By(&S087_CHECK),
};

const S087_CHECK: Check = Check {
    how: "looks at the headers of every event stream",
    seen: seen_everywhere(),
    fix: "send X-Accel-Buffering: no with event streams",
    judge: |evidence| {
        let streams = evidence
            .exchanges()
            .filter(|it| it.content_type().as_deref() == Some("text/event-stream"));
        let outcome = each(streams, "", |exchange| {
            let told = exchange.header("x-accel-buffering").unwrap_or_default();
            let expected = "X-Accel-Buffering: no";
            (!told.eq_ignore_ascii_case("no")).then(|| {
                let actual = if told.is_empty() { "no such header" } else { "another value" };
                Finding::new(expected, actual, exchange.answered)
            })
        });
        none_applies(outcome, "the server sends no event stream")
    },
    mutants: &[Mutant::new(
        "lets proxies hold its events back",
        Mutation::Http(|_, reply| reply.headers.retain(|(name, _)| name != "x-accel-buffering")),
    )],
};

pub(super) const A059: Requirement = Requirement {
    id: "A059",
    name: "notifications-may-precede-response-on-stream",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Notifications may precede the response on its stream.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#receiving-messages",
    observed: Observed::Unobservable(
        "a permission: notifications on the stream of a response are judged by their own rows",
    ),
};

pub(super) const M194: Requirement = Requirement {
    id: "M194",
    name: "each-request-post-mcp-method-equal-body",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Each request POST has Mcp-Method equal to the body method.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#standard-request-headers ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#client-behavior",
    observed: Observed::By(&M194_CHECK),
};

const M194_CHECK: Check = Check {
    how: "compares Mcp-Method with the method of every request",
    seen: seen_in(&["hosted behave"]),
    fix: "send Mcp-Method with every request, with the method of the body",
    judge: |evidence| {
        each_request(evidence, |exchange, message| {
            let method = message.get("method")?.as_str()?;
            let told = header(exchange.asked, "mcp-method");
            let actual = told.unwrap_or("no such header");
            (told != Some(method))
                .then(|| Finding::new(format!("Mcp-Method: {method}"), actual, exchange.place))
        })
    },
    mutants: &[mutated("names another method", |request| {
        if says(request, "tools/list") {
            request.set("mcp-method", "prompts/list");
        }
    })],
};

pub(super) const M195: Requirement = Requirement {
    id: "M195",
    name: "tools-call-prompts-get-resources-read-posts",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "tools/call, prompts/get and resources/read POSTs have Mcp-Name with the name or uri.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#standard-request-headers ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#client-behavior",
    observed: Observed::By(&M195_CHECK),
};

const M195_CHECK: Check = Check {
    how: "compares Mcp-Name with what is called, read or got",
    seen: seen_in(&["hosted behave"]),
    fix: "send Mcp-Name with tools/call, prompts/get and resources/read",
    judge: |evidence| {
        each_name(evidence, |exchange, name| {
            let told = header(exchange.asked, "mcp-name");
            let actual = told.unwrap_or("no such header");
            let right =
                told.is_some_and(|told| decoded(told).as_deref() == Some(name) || told == name);
            (!right).then(|| Finding::new(format!("Mcp-Name: {name}"), actual, exchange.place))
        })
    },
    mutants: &[
        mutated("does not name what it calls", |request| {
            if says(request, "tools/call") {
                request.remove("mcp-name");
            }
        })
        .also(&["M196"]),
        mutated("names what it does not call", |request| {
            if says(request, "tools/call") {
                request.set("mcp-name", "something_else");
            }
        })
        .also(&["M196"]),
    ],
};

pub(super) const M197: Requirement = Requirement {
    id: "M197",
    name: "client-mirrors-parameters-marked",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A client mirrors parameters marked x-mcp-header into Mcp-Param headers.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#custom-headers-from-tool-parameters ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#client-behavior",
    observed: Observed::By(&M197_CHECK),
};

pub(super) const M206: Requirement = Requirement {
    id: "M206",
    name: "parameter-values-encoded-before-they-go-into",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Parameter values are encoded before they go into headers: strings as they are, integers in decimal, booleans in lower case.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#value-encoding ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#client-behavior",
    observed: Observed::By(&M206_CHECK),
};

const M206_CHECK: Check = Check {
    how: "compares Mcp-Param headers with the arguments that they repeat",
    seen: seen_in(&["hosted marks"]),
    fix: "write strings as they are, integers in decimal and booleans in lower case",
    judge: |evidence| {
        let plain = marked(evidence).filter_map(|(exchange, marked, value)| {
            let text = text(value).filter(|text| is_plain(text))?;
            Some((exchange, marked, text))
        });
        each(plain, NOT_MARKED, |(exchange, marked, text)| {
            let told = header(exchange.asked, &marked.header());
            // A client that encodes what need not be has still encoded it.
            let right =
                told.is_some_and(|told| told == text || decoded(told).as_ref() == Some(&text));
            let actual = told.unwrap_or("no such header");
            (!right).then(|| {
                Finding::new(format!("{}: {text}", marked.header()), actual, exchange.place)
            })
        })
    },
    mutants: &[mutated("shouts its booleans", |request| {
        if let Some(flag) = request.header("mcp-param-flag").map(str::to_ascii_uppercase) {
            request.set("mcp-param-flag", &flag);
        }
    })],
};

pub(super) const S089: Requirement = Requirement {
    id: "S089",
    name: "on-32020-parameter-headers-client-refreshes",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "On -32020 for parameter headers the client refreshes tools/list and retries.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#client-behavior",
    observed: Observed::By(&S089_CHECK),
};

const S089_CHECK: Check = Check {
    how: "refuses a call with -32020, because the marks of its tool have changed since it was listed",
    seen: seen_in(&["hosted stale"]).momentary(),
    fix: "list the tools again when a call is refused with -32020, and make it again with the headers that they demand now",
    judge: |evidence| {
        let refused = evidence.requests_for("tools/call").filter_map(|call| {
            let answer = call.answer.filter(|answer| answer.code() == Some(-32020))?;
            Some((call, answer.place))
        });
        each(refused, NOT_STALE, |(call, refused)| {
            let later = |it: Place, than: Place| {
                it.conversation == than.conversation && it.event > than.event
            };
            let mut lists = evidence.requests_for("tools/list");
            let Some(listed) = lists.find(|it| later(it.place, refused)) else {
                return Some(Finding::new("tools/list after -32020", "none", call.place));
            };
            let again = carrying(evidence).find(|(exchange, message)| {
                later(exchange.place, listed.place)
                    && message["method"] == "tools/call"
                    && message["params"]["name"].as_str() == call.text("/name")
            });
            let Some((exchange, _)) = again else {
                return Some(Finding::new("the call once more", "none", call.place));
            };
            let wanted = format!("Mcp-Param-{NEW_MARK}");
            let told = header(exchange.asked, &wanted.to_ascii_lowercase()).is_some();
            (!told).then(|| Finding::new(wanted, "no such header", exchange.place))
        })
    },
    mutants: &[
        Mutant::new(
            "gives up a call whose headers are wrong",
            Mutation::Request(|request| {
                let again = request.header("mcp-param-addend").is_some();
                if again { Passing::No } else { Passing::Yes }
            }),
        ),
        mutated("makes a call again as it was", |request| request.remove("mcp-param-addend"))
            .also(&["M197", "M206", "M211"]),
    ],
};

pub(super) const M196: Requirement = Requirement {
    id: "M196",
    name: "mcp-name-not-plain-header-safe-ascii-sent",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "An Mcp-Name that is not plain header-safe ASCII is sent in the base64 sentinel form.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#standard-request-headers",
    observed: Observed::By(&M196_CHECK),
};

const M196_CHECK: Check = Check {
    how: "offers a tool whose name no header can hold",
    seen: seen_in(&["hosted marks"]),
    fix: "send such a name as =?base64?…?=",
    judge: |evidence| {
        let odd = named(evidence).filter(|(_, name)| !is_plain(name));
        each(odd, NO_ODD_NAME, |(exchange, name)| {
            let told = header(exchange.asked, "mcp-name").unwrap_or_default();
            let right = decoded(told).as_deref() == Some(name);
            (!right).then(|| Finding::new(sentinel(name), told, exchange.place))
        })
    },
    mutants: &[mutated("writes any name as it is", |request| {
        let name = request.header("mcp-name").and_then(decoded);
        if let Some(name) = name {
            request.set("mcp-name", &name);
        }
    })],
};

fn each_name(
    evidence: &Evidence,
    judge: impl Fn(HttpExchange<'_>, &str) -> Option<Finding>,
) -> Outcome {
    each(named(evidence), "the client called, read and got nothing", |(exchange, name)| {
        judge(exchange, name)
    })
}

const NOT_STALE: &str = "the client called nothing whose marks had changed";
