//! Names that belong to somebody: keys of `_meta` with a prefix, the keys of tracing, identifiers of extensions.

use serde_json::{Value, json};

use super::{
    Check,
    names::{found, is_label, keys, with_key},
    shape::show,
    tools::none_applies,
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::evidence::Place;

pub(crate) const M121: Check = Check {
    how: "looks at the keys of _meta in every message",
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

pub(crate) const M122: Check = Check {
    how: "looks at the keys of _meta in every message",
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
        super::shape::doubtful(unknown)
    },
    mutants: &[
        with_key("has a key in the name of MCP's domain", "com.mcp.tools/a"),
        with_key("has a key that MCP never defined", "io.modelcontextprotocol/unheard-of"),
    ],
};

pub(crate) const S043: Check = Check {
    how: "looks at the keys of _meta in every message",
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

pub(crate) const M131: Check = Check {
    how: "looks for traceparent, tracestate and baggage in every _meta",
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

pub(crate) const M151: Check = Check {
    how: "looks at the extensions among the capabilities",
    fix: "name extensions with a prefix, as keys of _meta are named",
    judge: |evidence| {
        let named = evidence.results("server/discover").flat_map(|(answer, result)| {
            let extensions = result.pointer("/capabilities/extensions").and_then(Value::as_object);
            extensions.into_iter().flatten().map(move |(name, _)| (answer.place, name))
        });
        let outcome = each(named, "", |(place, identifier)| {
            let right = identifier.rsplit_once('/').is_some_and(|(prefix, name)| {
                let edge = |c: char| c.is_ascii_alphanumeric();
                let named = name.is_empty() || (name.starts_with(edge) && name.ends_with(edge));
                named && prefix.split('.').all(is_label)
            });
            (!right).then(|| {
                Finding::new("a prefix, a slash and a name", show(&json!(identifier)), place)
            })
        });
        none_applies(outcome, "the server has no extensions")
    },
    mutants: &[super::claims::to("has an extension of no home", "last-ping", |message| {
        message["result"]["capabilities"]["extensions"]["tasks"] = json!({});
    })],
};

pub(crate) const M269: Check = Check {
    how: "reads the keys of inputRequests as they were written",
    fix: "give each input request a key of its own",
    judge: |evidence| {
        let asking = evidence.frames().filter_map(|(place, frame)| {
            let asks = frame.json.as_ref().ok()?.pointer("/result/inputRequests")?.is_object();
            asks.then_some((place, frame))
        });
        let outcome = each(asking, "", |(place, frame)| {
            let written = serde_json::from_slice::<written::Message>(&frame.bytes).ok()?;
            let twice = written.twice()?;
            Some(Finding::new("each key once", format!("{} twice", show(&json!(twice))), place))
        });
        none_applies(outcome, "nothing that was asked for needs more than one round")
    },
    mutants: &[Mutant::new(
        "asks twice under one key",
        Mutation::Writes(|context, message| {
            let text = message.to_string();
            if context.params["name"] != "test_list_roots" {
                return vec![text];
            }
            let again = "\"inputRequests\":{\"a\":{\"method\":\"roots/list\"},\"a\":";
            vec![text.replacen(
                "\"inputRequests\":{\"",
                &format!("{again}{{\"method\":\"roots/list\"}},\""),
                1,
            )]
        }),
    )],
};

/// Messages with the keys that were written, also where one was written twice.
mod written {
    use std::{collections::BTreeSet, fmt};

    use serde::{
        Deserialize, Deserializer,
        de::{IgnoredAny, MapAccess, Visitor},
    };

    #[derive(Deserialize)]
    pub(super) struct Message {
        result: Body,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Body {
        input_requests: Keys,
    }

    struct Keys(Vec<String>);

    impl Message {
        pub(super) fn twice(&self) -> Option<&str> {
            let mut seen = BTreeSet::new();
            self.result.input_requests.0.iter().map(String::as_str).find(|key| !seen.insert(*key))
        }
    }

    impl<'de> Deserialize<'de> for Keys {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            struct Reader;
            impl<'de> Visitor<'de> for Reader {
                type Value = Keys;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("an object")
                }

                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
                    let mut keys = Vec::new();
                    while let Some((key, IgnoredAny)) = map.next_entry()? {
                        keys.push(key);
                    }
                    Ok(Keys(keys))
                }
            }
            from.deserialize_map(Reader)
        }
    }
}

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
