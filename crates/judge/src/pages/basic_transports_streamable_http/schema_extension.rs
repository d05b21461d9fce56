//! `basic/transports/streamable-http`: `#schema-extension`, `#value-encoding`.

use super::shared::{
    NO_ODD_NAME, NOT_MARKED, decoded, is_plain, is_sentinel, marked as marked_headers, passes,
    rejected, sentinel,
};
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{hosted_at, mutated, posts},
        mirrored_headers::{Below, UNMARKED, all_marks, collect, marked, marks, schema},
        shape::show,
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{
    hosted::HostedScenario,
    mutation::{Context, Mutation},
};
use proofmark_core::revision::Revision::V2026_07_28;
use proofmark_record::{
    event::header,
    evidence::{Evidence, PeerRequest},
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) const M198: Requirement = Requirement {
    id: "M198",
    name: "x-mcp-header-value-not-empty",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "An x-mcp-header value is not empty.",
    section: "docs/specification/2026-07-28/server/tools.mdx#x-mcp-header ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#schema-extension",
    observed: Observed::By(&M198_CHECK),
};

const M198_CHECK: Check = Check {
    how: "looks at x-mcp-header in the schemas of tools",
    seen: seen_everywhere(),
    fix: "name the header",
    judge: |evidence| {
        marks(evidence, |place, _, mark| {
            (mark == "").then(|| Finding::new("a name", "an empty one", place))
        })
    },
    mutants: &[marked("has a mark without a name", |property| {
        property["x-mcp-header"] = json!("");
    })],
};

pub(super) const M199: Requirement = Requirement {
    id: "M199",
    name: "x-mcp-header-value-http-token",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "An x-mcp-header value is an HTTP token.",
    section: "docs/specification/2026-07-28/server/tools.mdx#x-mcp-header ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#schema-extension",
    observed: Observed::By(&M199_CHECK),
};

const M199_CHECK: Check = Check {
    how: "looks at x-mcp-header in the schemas of tools",
    seen: seen_everywhere(),
    fix: "use characters of an HTTP token",
    judge: |evidence| {
        marks(evidence, |place, _, mark| {
            let token =
                |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            let right = mark.as_str().is_some_and(|mark| mark.bytes().all(token));
            (!right).then(|| Finding::new("an HTTP token", show(mark), place))
        })
    },
    mutants: &[marked("has a mark that is no token", |property| {
        property["x-mcp-header"] = json!("My Region");
    })],
};

pub(super) const M200: Requirement = Requirement {
    id: "M200",
    name: "x-mcp-header-value-no-control-characters",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "An x-mcp-header value has no control characters.",
    section: "docs/specification/2026-07-28/server/tools.mdx#x-mcp-header ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#schema-extension",
    observed: Observed::By(&M200_CHECK),
};

const M200_CHECK: Check = Check {
    how: "looks at x-mcp-header in the schemas of tools",
    seen: seen_everywhere(),
    fix: "use no control characters",
    judge: |evidence| {
        marks(evidence, |place, _, mark| {
            let odd = mark.as_str().is_some_and(|mark| mark.chars().any(char::is_control));
            odd.then(|| Finding::new("no control characters", show(mark), place))
        })
    },
    mutants: &[marked("has a mark with a newline", |property| {
        property["x-mcp-header"] = json!("My\nRegion");
    })
    .also(&["M199"])],
};

pub(super) const M201: Requirement = Requirement {
    id: "M201",
    name: "x-mcp-header-values-unique-schema-ignoring",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "x-mcp-header values are unique in a schema, ignoring case.",
    section: "docs/specification/2026-07-28/server/tools.mdx#x-mcp-header ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#schema-extension",
    observed: Observed::By(&M201_CHECK),
};

const M201_CHECK: Check = Check {
    how: "compares the marks of each schema",
    seen: seen_everywhere(),
    fix: "use a name for one argument only, whatever the case",
    judge: |evidence| {
        let schemas = evidence.listed("tools/list").filter_map(|tool| {
            let schema = tool.message.get("inputSchema")?;
            let mut marks = Vec::new();
            collect(schema, Below::Root, &mut marks);
            (!marks.is_empty()).then_some((tool.place, marks))
        });
        none_applies(
            each(schemas, "", |(place, marks)| {
                let mut seen = BTreeSet::new();
                let names = marks.iter().filter_map(|(_, _, mark)| mark.as_str());
                let twice =
                    names.map(str::to_ascii_lowercase).find(|it| !seen.insert(it.clone()))?;
                Some(Finding::new(
                    "each name once",
                    format!("{} twice", show(&json!(twice))),
                    place,
                ))
            }),
            UNMARKED,
        )
    },
    mutants: &[of_schema("marks two arguments alike", |schema| {
        schema["properties"]["other"] = json!({ "type": "string", "x-mcp-header": "REGION" });
    })],
};

pub(super) const M202: Requirement = Requirement {
    id: "M202",
    name: "x-mcp-header-sits-only-on-integer-string-or",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "x-mcp-header sits only on integer, string or boolean properties, not on number.",
    section: "docs/specification/2026-07-28/server/tools.mdx#x-mcp-header ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#schema-extension",
    observed: Observed::By(&M202_CHECK),
};

const M202_CHECK: Check = Check {
    how: "looks at the type of every marked argument",
    seen: seen_everywhere(),
    fix: "mark strings, integers and booleans only",
    judge: |evidence| {
        marks(evidence, |place, property, _| {
            let kind = property.get("type").and_then(Value::as_str).unwrap_or_default();
            let right = ["boolean", "integer", "string"].contains(&kind);
            (!right)
                .then(|| Finding::new("a string, an integer or a boolean", show(property), place))
        })
    },
    mutants: &[marked("marks a fraction", |property| property["type"] = json!("number"))],
};

pub(super) const M203: Requirement = Requirement {
    id: "M203",
    name: "mirrored-integers-stay-within-plus-or-minus",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Mirrored integers stay within plus or minus 2^53-1.",
    section: "docs/specification/2026-07-28/server/tools.mdx#x-mcp-header ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#schema-extension",
    observed: Observed::Each {
        server: &Observed::By(&M203_SERVER),
        client: &Observed::By(&M203_CLIENT),
    },
};

const M203_SERVER: Check = Check {
    how: "looks at the numbers in the schema of every marked integer",
    seen: seen_everywhere(),
    fix: "keep marked integers between -(2^53-1) and 2^53-1",
    judge: |evidence| {
        let integers = all_marks(evidence).into_iter().filter(|(_, (_, property, _))| {
            property.get("type").and_then(Value::as_str) == Some("integer")
        });
        let outcome = each(integers, "", |(place, (_, property, _))| {
            let named = ["const", "default", "maximum", "minimum"].map(|it| property.get(it));
            let listed = ["enum", "examples"].map(|it| property.get(it).and_then(Value::as_array));
            let listed = listed.into_iter().flatten().flatten();
            let odd = named.into_iter().flatten().chain(listed).find(|it| is_unsafe(it))?;
            Some(Finding::new("a number that every reader has exactly", show(odd), place))
        });
        none_applies(outcome, "no tool has a marked integer")
    },
    mutants: &[marked("has a marked number that not every reader has", |property| {
        *property = json!({ "type": "integer", "x-mcp-header": "Region",
            "maximum": 9_007_199_254_740_992_u64 });
    })],
};

const M203_CLIENT: Check = Check {
    how: "looks at the integers in Mcp-Param headers",
    seen: seen_in(&["hosted marks"]),
    fix: "mark no argument whose integers are beyond 2^53-1",
    judge: |evidence| {
        let numbers = marked_headers(evidence).filter(|(_, _, value)| value.is_number());
        each(numbers, NOT_MARKED, |(exchange, marked_headers, value)| {
            let safe = value.as_i64().is_some_and(|it| it.unsigned_abs() < 1 << 53);
            let told = header(exchange.asked, &marked_headers.header())?;
            (!safe).then(|| Finding::new("an integer within 2^53-1", told, exchange.place))
        })
    },
    mutants: &[Mutant::new(
        "counts higher than headers can",
        Mutation::Head(|request| {
            let Ok(mut message) = serde_json::from_slice::<Value>(&request.body) else { return };
            if let Some(count) = message.pointer_mut("/params/arguments/count") {
                *count = json!(HUGE);
                request.body = message.to_string().into_bytes();
                request.set("mcp-param-count", &HUGE.to_string());
            }
        }),
    )],
};

pub(super) const M204: Requirement = Requirement {
    id: "M204",
    name: "x-mcp-header-sits-only-on-properties-reached",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "x-mcp-header sits only on properties reached from the root through properties keys alone.",
    section: "docs/specification/2026-07-28/server/tools.mdx#x-mcp-header ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#schema-extension",
    observed: Observed::By(&M204_CHECK),
};

const M204_CHECK: Check = Check {
    how: "looks where the marked arguments are",
    seen: seen_everywhere(),
    fix: "mark only what is reached from the root through properties",
    judge: |evidence| {
        let found = all_marks(evidence);
        none_applies(
            each(found, "", |(place, (below, property, _))| {
                (below == Below::Elsewhere)
                    .then(|| Finding::new("a mark below properties only", show(property), place))
            }),
            UNMARKED,
        )
    },
    mutants: &[of_schema("marks what is in a list", |schema| {
        schema["properties"]["list"] = json!({ "type": "array",
            "items": { "type": "string", "x-mcp-header": "Listed" } });
    })],
};

pub(super) const M205: Requirement = Requirement {
    id: "M205",
    name: "tool-bad-x-mcp-header-dropped-from-tool-list",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A tool with a bad x-mcp-header is dropped from the tool list, others stay.",
    section: "docs/specification/2026-07-28/server/tools.mdx#x-mcp-header ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#schema-extension",
    observed: Observed::By(&M205_CHECK),
};

const M205_CHECK: Check = Check {
    how: "offers tools whose marks are wrong beside others, to a client that calls whatever it lists",
    seen: seen_in(&["hosted unfit"]).momentary(),
    fix: "leave tools with a bad x-mcp-header out of the list, and keep the others",
    judge: |evidence| {
        let calls: Vec<_> = evidence
            .requests_for("tools/call")
            .filter(|it| hosted_at(evidence, it.place) == Some(HostedScenario::UNFIT))
            .collect();
        let bad =
            |it: &&PeerRequest<'_>| it.text("/name").is_some_and(|it| it.starts_with("unfit_"));
        if let Some(call) = calls.iter().find(bad) {
            let expected = "no call of a tool whose marks are wrong";
            let actual = call.text("/name").unwrap_or_default();
            return Outcome::Broken(Finding::new(expected, actual, call.place));
        }
        if !calls.is_empty() {
            return Outcome::Kept;
        }
        let listed = evidence
            .requests_for("tools/list")
            .find(|it| hosted_at(evidence, it.place) == Some(HostedScenario::UNFIT));
        let called = evidence.requests_for("tools/call").next().is_some();
        match listed {
            Some(listed) if called => {
                let expected = "a call of a tool whose marks are right";
                Outcome::Doubtful(Finding::new(expected, "no call at all", listed.place))
            }
            _ => Outcome::Unobserved("the client called no tool".to_owned()),
        }
    },
    mutants: &[Mutant::new(
        "calls tools whose marks are wrong",
        Mutation::Head(|request| {
            let Ok(mut message) = serde_json::from_slice::<Value>(&request.body) else { return };
            if message["params"]["name"] == "fit" {
                message["params"]["name"] = json!("unfit_number");
                request.body = message.to_string().into_bytes();
                request.set("mcp-name", "unfit_number");
            }
        }),
    )],
};

pub(super) const S088: Requirement = Requirement {
    id: "S088",
    name: "dropping-tool-over-bad-x-mcp-header-logged",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Dropping a tool over a bad x-mcp-header is logged with tool name and reason.",
    section: "docs/specification/2026-07-28/server/tools.mdx#x-mcp-header ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#schema-extension",
    observed: Observed::Unobservable("log files of the peer cannot be seen from outside"),
};

pub(super) const A062: Requirement = Requirement {
    id: "A062",
    name: "clients-on-other-transports-may-ignore",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2026_07_28),
    text: "Clients on other transports may ignore x-mcp-header.",
    section: "docs/specification/2026-07-28/server/tools.mdx#x-mcp-header ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#schema-extension",
    observed: Observed::Unobservable("what a peer does not look at leaves no trace on the wire"),
};

pub(super) const M207: Requirement = Requirement {
    id: "M207",
    name: "value-not-header-safe-sent-base64-utf-8",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A value that is not header-safe is sent as =?base64?...?= of its UTF-8 bytes.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#value-encoding",
    observed: Observed::By(&M207_CHECK),
};

const M207_CHECK: Check = Check {
    how: "has arguments repeated that no header can hold",
    seen: seen_in(&["hosted marks"]),
    fix: "send such a value as =?base64?…?= of its UTF-8",
    judge: |evidence| encodes(evidence, |text| !is_plain(text) && !is_sentinel(text)),
    mutants: &[mutated("writes what headers cannot hold", |request| {
        let told = request.header("mcp-param-text").and_then(decoded);
        if let Some(text) = told.filter(|text| !is_sentinel(text)) {
            request.set("mcp-param-text", &text);
        }
    })],
};

pub(super) const M208: Requirement = Requirement {
    id: "M208",
    name: "sentinel-markers-lower-case-exact",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "The sentinel markers are lower case and exact.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#value-encoding",
    observed: Observed::Each {
        server: &Observed::By(&M208_SERVER),
        client: &Observed::By(&M208_CLIENT),
    },
};

const M208_SERVER: Check = Check {
    how: "encodes a name between markers in upper case",
    seen: seen_in(&["mirroring"]),
    fix: "take =?base64? in lower case only for a marker",
    judge: |evidence| rejected(evidence, &["loud-sentinel"]),
    mutants: &[passes("is not exact about markers", "loud-sentinel")],
};

const M208_CLIENT: Check = Check {
    how: "looks at the markers of every header that is encoded",
    seen: seen_in(&["hosted marks"]),
    fix: "write =?base64? and ?= exactly so, in lower case",
    judge: |evidence| {
        let told = posts(evidence).flat_map(|exchange| {
            let named = |(name, _): &&(String, String)| {
                name == "mcp-name" || name.starts_with("mcp-param-")
            };
            exchange.asked.iter().filter(named).map(move |(_, value)| (exchange, value))
        });
        let marked_headers = told.filter(|(_, value)| {
            let lower = value.to_ascii_lowercase();
            lower.starts_with("=?base64") || (lower.starts_with("=?") && lower.contains("?b?"))
        });
        each(marked_headers, NO_ODD_NAME, |(exchange, value)| {
            let right = is_sentinel(value);
            (!right).then(|| Finding::new("=?base64?…?=", value.as_str(), exchange.place))
        })
    },
    mutants: &[mutated("shouts its markers", |request| {
        let told = request.header("mcp-name").filter(|it| it.starts_with("=?base64?"));
        if let Some(told) = told.map(|it| it.replace("base64", "BASE64")) {
            request.set("mcp-name", &told);
        }
    })
    .also(&["M195", "M196"])],
};

pub(super) const M210: Requirement = Requirement {
    id: "M210",
    name: "plain-value-looks-like-sentinel-itself",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A plain value that looks like the sentinel is itself base64 encoded.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#value-encoding",
    observed: Observed::By(&M210_CHECK),
};

const M210_CHECK: Check = Check {
    how: "has an argument repeated that looks as if it were encoded",
    seen: seen_in(&["hosted marks"]),
    fix: "encode a value that begins with =?base64? and ends with ?=",
    judge: |evidence| encodes(evidence, is_sentinel),
    mutants: &[mutated("takes a value for an encoded one", |request| {
        let told = request.header("mcp-param-region").and_then(decoded);
        if let Some(text) = told.filter(|text| is_sentinel(text)) {
            request.set("mcp-param-region", &text);
        }
    })],
};

const fn of_schema(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        schema(context, message)
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Whether readers that have fractions only cannot have it exactly.
fn is_unsafe(value: &Value) -> bool {
    match (value.as_i64(), value.as_u64()) {
        (Some(number), _) => number.unsigned_abs() > LARGEST,
        (None, Some(number)) => number > LARGEST,
        (None, None) => value.as_f64().is_some_and(|number| number.abs() > 9_007_199_254_740_991.0),
    }
}

/// Judges that certain values come between the markers.
fn encodes(evidence: &Evidence, which: fn(&str) -> bool) -> Outcome {
    let texts = marked_headers(evidence).filter_map(|(exchange, marked_headers, value)| {
        Some((exchange, marked_headers, value.as_str().filter(|text| which(text))?))
    });
    each(texts, NOT_MARKED, |(exchange, marked_headers, text)| {
        let told = header(exchange.asked, &marked_headers.header()).unwrap_or("no such header");
        let right = decoded(told).as_deref() == Some(text);
        (!right).then(|| Finding::new(sentinel(text), told, exchange.place))
    })
}

const LARGEST: u64 = 9_007_199_254_740_991;

const HUGE: i64 = 1 << 53;
