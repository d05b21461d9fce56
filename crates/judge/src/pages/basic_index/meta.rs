//! `basic/index`: `#meta`.

use super::shared::ASKS_NOTHING;
use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{NO_REQUEST, call, meta, modern, remove},
        input_rounds::M275_CHECK,
        names::{found, is_label, keys},
        optional_features::ALLOWED,
        request_metadata::{status, status_is, to, wrong_status},
        shape::{doubtful, lacks, show},
        subscriptions::{ACKNOWLEDGED, NOTHING, of_change, tag, wanted_by},
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, only, since},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_core::revision::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use proofmark_record::{
    evidence::{CheckerRequest, Evidence, Place},
    meta::{CLIENT_INFO, SUBSCRIPTION},
    topic::Topic,
};
use serde_json::{Value, json};

pub(super) const M118: Requirement = Requirement {
    id: "M118",
    name: "nothing-assumed-about-values-under-meta",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "Nothing is assumed about values under _meta keys reserved by MCP.",
    section: "docs/specification/{2025-06-18..2026-07-28}/basic/index.mdx#meta ; schema/2026-07-28/schema.ts#MetaObject",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const M119: Requirement = Requirement {
    id: "M119",
    name: "meta-prefix-dot-separated-labels-followed",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "A _meta prefix is dot-separated labels followed by a slash.",
    section: "docs/specification/{2025-06-18..2026-07-28}/basic/index.mdx#meta",
    observed: Observed::Each {
        server: &Observed::By(&M119_CHECK),
        client: &Observed::By(&M119_CHECK),
    },
};

const M119_CHECK: Check = Check {
    how: "looks at the keys of _meta in every message",
    seen: seen_everywhere(),
    fix: "write prefixes as labels with dots between them, and a slash",
    judge: |evidence| {
        keys(evidence, |place, prefix, _| {
            let prefix = prefix?;
            let right = !prefix.is_empty() && prefix.split('.').all(|label| !label.is_empty());
            (!right)
                .then(|| Finding::new("labels with dots between them", show(&json!(prefix)), place))
        })
    },
    mutants: &[with_key("has a prefix without a label", "a..b/c").also(&["M120"])],
};

pub(super) const M120: Requirement = Requirement {
    id: "M120",
    name: "meta-prefix-label-begins-letter-ends-letter",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "A _meta prefix label begins with a letter and ends with a letter or digit, hyphens allowed inside.",
    section: "docs/specification/{2025-06-18..2026-07-28}/basic/index.mdx#meta",
    observed: Observed::Each {
        server: &Observed::By(&M120_CHECK),
        client: &Observed::By(&M120_CHECK),
    },
};

const M120_CHECK: Check = Check {
    how: "looks at the keys of _meta in every message",
    seen: seen_everywhere(),
    fix: "begin labels with a letter, and end them with a letter or a digit",
    judge: |evidence| {
        keys(evidence, |place, prefix, _| {
            let odd = prefix?.split('.').find(|label| !is_label(label))?;
            Some(Finding::new("a letter first, a letter or digit last", show(&json!(odd)), place))
        })
    },
    mutants: &[with_key("has a label that begins with a digit", "com.1a/b")],
};

pub(super) const M121: Requirement = Requirement {
    id: "M121",
    name: "meta-prefix-which-label",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_06_18),
    text: "A _meta prefix in which the label modelcontextprotocol or mcp is followed by another label is reserved for MCP (2025-06-18 rule; no keyword in the text).",
    section: "docs/specification/2025-06-18/basic/index.mdx#meta",
    observed: Observed::Each {
        server: &Observed::By(&M121_CHECK),
        client: &Observed::By(&M121_CHECK),
    },
};

const M121_CHECK: Check = Check {
    how: "looks at the keys of _meta in every message",
    seen: seen_everywhere(),
    fix: "use a prefix of your own: mcp and modelcontextprotocol before another label belong to MCP",
    judge: |evidence| {
        keys(evidence, |place, prefix, name| {
            let labels: Vec<&str> = prefix?.split('.').collect();
            let (_, but_last) = labels.split_last()?;
            let taken = but_last.iter().any(|label| is_of_mcp(label));
            taken.then(|| of_mcp(place, prefix, name))
        })
    },
    mutants: &[with_key("has a key in the name of MCP", "mcp.example/a")],
};

pub(super) const M122: Requirement = Requirement {
    id: "M122",
    name: "meta-prefix-whose-second-label",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "A _meta prefix whose second label is modelcontextprotocol or mcp is reserved for MCP (rule since 2025-11-25; no keyword in the text).",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#meta",
    observed: Observed::Each {
        server: &Observed::By(&M122_CHECK),
        client: &Observed::By(&M122_CHECK),
    },
};

const M122_CHECK: Check = Check {
    how: "looks at the keys of _meta in every message",
    seen: seen_everywhere(),
    fix: "use a prefix of your own: those whose second label is mcp or modelcontextprotocol belong to MCP",
    judge: |evidence| {
        let outcome = keys(evidence, |place, prefix, name| {
            let taken = prefix?.split('.').nth(1).is_some_and(is_of_mcp);
            let defined = prefix.is_some_and(is_home);
            (taken && !defined).then(|| of_mcp(place, prefix, name))
        });
        if !matches!(outcome, Outcome::Kept) {
            return outcome;
        }
        // Extensions that MCP itself defines have names there, too, and new ones may come.
        let unknown = keys(evidence, |place, prefix, name| {
            let here = prefix.is_some_and(is_home);
            (here && !DEFINED.contains(&name)).then(|| of_mcp(place, prefix, name))
        });
        doubtful(unknown)
    },
    mutants: &[
        with_key("has a key in the name of MCP's domain", "com.mcp.tools/a"),
        with_key("has a key that MCP never defined", "io.modelcontextprotocol/unheard-of"),
    ],
};

pub(super) const M123: Requirement = Requirement {
    id: "M123",
    name: "non-empty-meta-name-begins-ends",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "A non-empty _meta name begins and ends with an alphanumeric character.",
    section: "docs/specification/{2025-06-18..2026-07-28}/basic/index.mdx#meta",
    observed: Observed::Each {
        server: &Observed::By(&M123_CHECK),
        client: &Observed::By(&M123_CHECK),
    },
};

const M123_CHECK: Check = Check {
    how: "looks at the keys of _meta in every message",
    seen: seen_everywhere(),
    fix: "begin and end names with a letter or a digit",
    judge: |evidence| {
        keys(evidence, |place, _, name| {
            let edge = |c: char| c.is_ascii_alphanumeric();
            let right = name.is_empty() || (name.starts_with(edge) && name.ends_with(edge));
            (!right)
                .then(|| Finding::new("a letter or digit at both ends", show(&json!(name)), place))
        })
    },
    mutants: &[with_key("has a name that ends in a hyphen", "com.example/a-")],
};

pub(super) const M125: Requirement = Requirement {
    id: "M125",
    name: "request-missing-required-meta-field",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A request missing a required _meta field is answered -32602.",
    section: "docs/specification/2026-07-28/basic/index.mdx#meta",
    observed: Observed::By(&M125_CHECK),
};

const M125_CHECK: Check = Check {
    how: "leaves out what _meta must have",
    seen: seen_in(&["claims"]),
    fix: "answer -32602 to requests without a version or capabilities in _meta",
    judge: |evidence| {
        each(evidence.asked(Topic::MetaMissing), "it was not tried", |asked| {
            let expected = "the error -32602";
            let Some(answer) = asked.answer else {
                return Some(Finding::new(expected, "no answer", asked.place));
            };
            // Where a header names a version and the body none, two rules fit.
            let contradicts = asked.id != "no-capabilities" && answer.code() == Some(-32020);
            let right = answer.code() == Some(-32602) || contradicts;
            (!right).then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[to("takes what _meta lacks for its own mistake", "no-capabilities", |message| {
        message["error"]["code"] = json!(-32603);
    })],
};

pub(super) const M126: Requirement = Requirement {
    id: "M126",
    name: "over-http-32602-missing-required-meta",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Over HTTP the -32602 for a missing required _meta field comes with status 400.",
    section: "docs/specification/2026-07-28/basic/index.mdx#meta",
    observed: Observed::By(&M126_CHECK),
};

const M126_CHECK: Check = Check {
    how: "leaves out what _meta must have",
    seen: seen_in(&["claims"]),
    fix: "send the error -32602 for _meta with status 400",
    judge: |evidence| status_is(evidence, Topic::MetaMissing, 400),
    mutants: &[status("is friendly about a poor _meta", "no-capabilities")],
};

pub(super) const M127: Requirement = Requirement {
    id: "M127",
    name: "server-does-not-count-on-client-capabilities",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The server does not count on client capabilities the request did not declare.",
    section: "docs/specification/2026-07-28/basic/index.mdx#meta",
    observed: Observed::By(&M127_CHECK),
};

const M127_CHECK: Check = Check {
    how: M275_CHECK.how,
    seen: seen_everywhere(),
    fix: M275_CHECK.fix,
    judge: M275_CHECK.judge,
    mutants: M275_CHECK.mutants,
};

pub(super) const M128: Requirement = Requirement {
    id: "M128",
    name: "request-needs-undeclared-client-capability",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A request that needs an undeclared client capability is answered -32021 with data.requiredCapabilities.",
    section: "docs/specification/2026-07-28/basic/index.mdx#meta",
    observed: Observed::By(&M128_CHECK),
};

const M128_CHECK: Check = Check {
    how: "calls, without any capability, what asks an able client something",
    seen: seen_in(&["bare"]),
    fix: "answer -32021 with what is missing in data.requiredCapabilities",
    judge: |evidence| {
        let refused = refused_for_capabilities(evidence);
        each(refused, ASKS_NOTHING, |asked| {
            let answer = asked.answer?;
            let needed = answer.error()?.pointer("/data/requiredCapabilities");
            let right = answer.code() == Some(-32021) && needed.is_some_and(Value::is_object);
            let expected = "the error -32021 with data.requiredCapabilities";
            (!right).then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[
        without_capability("takes missing capabilities for wrong params", |message| {
            message["error"]["code"] = json!(-32602);
        })
        .also(&["M533", "M554", "M559"]),
        without_capability("does not say which capability is missing", |message| {
            message["error"].as_object_mut().map(|error| error.remove("data"));
        })
        .also(&["M533", "M554", "M559"]),
    ],
};

pub(super) const M129: Requirement = Requirement {
    id: "M129",
    name: "over-http-32021-error-comes-status-400",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Over HTTP a -32021 error comes with status 400.",
    section: "docs/specification/2026-07-28/basic/index.mdx#meta",
    observed: Observed::By(&M129_CHECK),
};

const M129_CHECK: Check = Check {
    how: "calls, without any capability, what asks an able client something",
    seen: seen_in(&["rounds"]),
    fix: "send the error -32021 with status 400",
    judge: |evidence| {
        let refused = refused_for_capabilities(evidence).filter(|asked| {
            asked.answer.and_then(proofmark_record::evidence::Answer::code) == Some(-32021)
        });
        each(refused, ASKS_NOTHING, |asked| wrong_status(evidence, &asked, 400))
    },
    mutants: &[status("is friendly about missing capabilities", "bare-in-between")],
};

pub(super) const M130: Requirement = Requirement {
    id: "M130",
    name: "every-notification-on-listen-stream",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Every notification on a listen stream has io.modelcontextprotocol/subscriptionId in _meta.",
    section: "docs/specification/2026-07-28/basic/index.mdx#meta",
    observed: Observed::By(&M130_CHECK),
};

const M130_CHECK: Check = Check {
    how: "looks at every notification of a change",
    seen: seen_everywhere(),
    fix: "name the subscription in _meta of each of its notifications",
    judge: |evidence| {
        let changes = evidence.heard_methods().filter(|(_, method)| is_change(method));
        each(changes, NOTHING, |(heard, _)| {
            let named = tag(heard.message).is_some();
            (!named).then(|| Finding::new(SUBSCRIPTION, show(heard.message), heard.place))
        })
    },
    mutants: &[of_change("does not say whom a change is for", |message| {
        message["params"].as_object_mut().map(|params| params.remove("_meta"));
    })],
};

pub(super) const M131: Requirement = Requirement {
    id: "M131",
    name: "traceparent-tracestate-baggage-meta-follow",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "traceparent, tracestate and baggage in _meta follow the W3C formats.",
    section: "docs/specification/2026-07-28/basic/index.mdx#meta",
    observed: Observed::Each {
        server: &Observed::By(&M131_SERVER),
        client: &Observed::By(&M131_CLIENT),
    },
};

const M131_SERVER: Check = Check {
    how: "looks for traceparent, tracestate and baggage in every _meta",
    seen: seen_everywhere(),
    fix: "write them as W3C Trace Context and W3C Baggage have them",
    judge: |evidence| {
        let metas = found(evidence, "_meta");
        let traces = metas.iter().flat_map(|(place, meta)| {
            let members = meta.as_object().into_iter().flatten();
            let traced = members.filter(|(key, _)| TRACE.contains(&key.as_str()));
            traced.map(move |(key, value)| (*place, key.as_str(), value))
        });
        let outcome = each(traces, "", |(place, key, value)| {
            let right = value.as_str().is_some_and(|value| match key {
                "traceparent" => is_trace_parent(value),
                "tracestate" => is_list(value, |c| c.is_ascii_graphic() || c == ' '),
                _ => is_list(value, |c| c.is_ascii_graphic() || matches!(c, ' ' | '\t')),
            });
            (!right).then(|| Finding::new(format!("{key} as W3C has it"), show(value), place))
        });
        none_applies(outcome, "no trace is sent")
    },
    mutants: &[with_key("has a trace that nobody can follow", "traceparent")],
};

const M131_CLIENT: Check = Check {
    mutants: &[call("has a trace that nobody can follow", |meta| meta["traceparent"] = json!("1"))],
    ..M131_SERVER
};

pub(super) const S043: Requirement = Requirement {
    id: "S043",
    name: "meta-prefixes-use-reverse-dns-order",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "_meta prefixes use reverse DNS order.",
    section: "docs/specification/{2025-11-25..2026-07-28}/basic/index.mdx#meta",
    observed: Observed::Each {
        server: &Observed::By(&S043_CHECK),
        client: &Observed::By(&S043_CHECK),
    },
};

const S043_CHECK: Check = Check {
    how: "looks at the keys of _meta in every message",
    seen: seen_everywhere(),
    fix: "write the domain of a prefix backwards: com.example/, not example.com/",
    judge: |evidence| {
        keys(evidence, |place, prefix, _| {
            let (first, rest) = prefix?.split_once('.')?;
            let last = rest.rsplit('.').next()?;
            let forwards = DOMAINS.contains(&last) && !DOMAINS.contains(&first);
            let expected = "the reverse order of a domain";
            forwards.then(|| Finding::new(expected, show(&json!(prefix)), place))
        })
    },
    mutants: &[with_key("writes its domain forwards", "example.com/a")],
};

pub(super) const S044: Requirement = Requirement {
    id: "S044",
    name: "each-request",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Each request has io.modelcontextprotocol/clientInfo in _meta.",
    section: "docs/specification/2026-07-28/basic/index.mdx#meta",
    observed: Observed::By(&S044_CHECK),
};

const S044_CHECK: Check = Check {
    how: "looks at _meta of every request",
    seen: seen_in(&["hosted behave"]),
    fix: "put io.modelcontextprotocol/clientInfo into _meta of every request",
    judge: |evidence| {
        each(modern(evidence), NO_REQUEST, |request| {
            lacks(request.place, meta(&request), CLIENT_INFO, "an object", Value::is_object)
        })
    },
    mutants: &[call("does not say who it is", |meta| remove(meta, CLIENT_INFO))],
};

pub(super) const A034: Requirement = Requirement {
    id: "A034",
    name: "meta-name-may-have-hyphens-underscores-dots",
    level: Level::May,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "A _meta name may have hyphens, underscores and dots inside.",
    section: "docs/specification/{2025-06-18..2026-07-28}/basic/index.mdx#meta",
    observed: Observed::Each {
        server: &Observed::By(&A034_CHECK),
        client: &Observed::Unobservable(
            "a permission: a client that does not use it breaks nothing, and how it is used has rows of its own",
        ),
    },
};

const A034_CHECK: Check = Check {
    how: "looks at the keys of _meta in every message",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        // A finding would be one that shows it.
        let found = keys(evidence, |place, _, name| {
            let inside = name.contains(['-', '_', '.']);
            inside.then(|| Finding::new("", "", place))
        });
        let shown = matches!(found, Outcome::Broken(_));
        offered([shown].into_iter(), "names with hyphens, underscores or dots", |it| it)
    },
    // Elsewhere the key of tasks is one.
    mutants: &[with_key("has a key with a hyphen inside", "com.example/a-b").modern()],
};

fn of_mcp(place: Place, prefix: Option<&str>, name: &str) -> Finding {
    let key = format!("{}/{name}", prefix.unwrap_or_default());
    Finding::new("a prefix that does not belong to MCP", show(&json!(key)), place)
}

fn is_of_mcp(label: &str) -> bool {
    label == "mcp" || label == "modelcontextprotocol"
}

/// Where the keys are that the specification defines.
fn is_home(prefix: &str) -> bool {
    prefix == "io.modelcontextprotocol"
}

fn is_trace_parent(value: &str) -> bool {
    let hex = |text: &str, length: usize| {
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        text.len() == length && text.bytes().all(digit)
    };
    let parts: Vec<&str> = value.split('-').collect();
    let [version, trace, parent, flags, rest @ ..] = parts.as_slice() else { return false };
    let named = |text: &str| text.bytes().any(|byte| byte != b'0');
    hex(version, 2)
        && *version != "ff"
        && hex(trace, 32)
        && named(trace)
        && hex(parent, 16)
        && named(parent)
        && hex(flags, 2)
        && (rest.is_empty() || *version != "00")
}

/// Pairs of a key and a value with commas between them.
fn is_list(value: &str, may: fn(char) -> bool) -> bool {
    let pair = |entry: &str| {
        let entry = entry.trim();
        entry.is_empty() || entry.split_once('=').is_some_and(|(key, _)| !key.trim().is_empty())
    };
    value.chars().all(may) && value.split(',').all(pair)
}

/// Calls without capabilities that were refused.
fn refused_for_capabilities(evidence: &Evidence) -> impl Iterator<Item = CheckerRequest<'_>> {
    evidence
        .asked(Topic::BareCall)
        .filter(|asked| asked.answer.is_some_and(|answer| answer.error().is_some()))
}

const fn without_capability(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (message["error"]["code"] == -32021).then_some(message)
    }
    Mutant::new(name, Mutation::Part { of, change })
}

fn is_change(method: &str) -> bool {
    method == ACKNOWLEDGED || wanted_by(method).is_some()
}

/// Has this key in `_meta` of its last answer.
const fn with_key(name: &'static str, key: &'static str) -> Mutant {
    Mutant::new(name, Mutation::Key { id: "last-ping", key })
}

const TRACE: [&str; 3] = ["baggage", "traceparent", "tracestate"];

/// What a domain ends with where its order can be told.
const DOMAINS: [&str; 8] = ["ai", "app", "com", "dev", "io", "net", "org", "tools"];

/// The names that revisions and official extensions define.
const DEFINED: [&str; 9] = [
    "clientCapabilities",
    "clientInfo",
    "logLevel",
    "protocolVersion",
    "related-task",
    "model-immediate-response",
    "serverInfo",
    "subscriptionId",
    "skills",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_parent_has_four_parts_of_the_right_length() {
        assert!(is_trace_parent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
        assert!(!is_trace_parent("00-00000000000000000000000000000000-b7ad6b7169203331-01"));
        assert!(!is_trace_parent("00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
        assert!(!is_trace_parent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x"));
        assert!(!is_trace_parent("1"));
    }

    #[test]
    fn lists_of_pairs_are_told_from_other_texts() {
        assert!(is_list("a=1, b=2", |c| c.is_ascii_graphic() || c == ' '));
        assert!(!is_list("a", |c| c.is_ascii_graphic()));
    }
}
