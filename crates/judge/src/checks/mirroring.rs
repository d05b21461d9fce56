//! Headers that repeat the body.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Check, claims::wrong_status, shape::show, tools::none_applies};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::{
    evidence::{Asked, Evidence, Place},
    topic::Topic,
};

pub(crate) const M191: Check = Check {
    how: "names one version in the header and another one in the body",
    fix: "answer 400 and -32020 where MCP-Protocol-Version and _meta differ",
    judge: |evidence| rejected(evidence, &["other-version"]),
    mutants: &[passes("does not compare versions", "other-version").also(&["M217", "M219"])],
};

pub(crate) const M217: Check = Check {
    how: "sends headers that contradict the body",
    fix: "answer 400 and -32020 to a header that is not what the body says",
    judge: |evidence| rejected(evidence, &["wrong-method", "wrong-name", "wrong-param"]),
    mutants: &[
        passes("does not look at the name in the header", "wrong-name").also(&["M219"]),
        passes("does not look at the method in the header", "wrong-method").also(&["M219"]),
        passes("does not look at arguments in headers", "wrong-param").also(&["M219"]),
    ],
};

pub(crate) const M219: Check = Check {
    how: "sends headers that are missing or contradict the body",
    fix: "answer 400 and -32020 to headers that are missing or wrong",
    judge: |evidence| {
        rejected(evidence, &["other-version", "no-method", "no-name", "wrong-method", "wrong-name"])
    },
    mutants: &[
        passes("does without a method in the header", "no-method"),
        passes("does without a name in the header", "no-name"),
    ],
};

pub(crate) const M214: Check = Check {
    how: "leaves out the header of a marked argument",
    fix: "reject a call whose marked argument has no header",
    judge: |evidence| {
        none_applies(
            rejected(evidence, &["no-param"]),
            "no tool that was called has a marked argument",
        )
    },
    mutants: &[passes("does without arguments in headers", "no-param")],
};

pub(crate) const M208: Check = Check {
    how: "encodes a name between markers in upper case",
    fix: "take =?base64? in lower case only for a marker",
    judge: |evidence| rejected(evidence, &["loud-sentinel"]),
    mutants: &[passes("is not exact about markers", "loud-sentinel")],
};

pub(crate) const M209: Check = Check {
    how: "encodes a name that needs no encoding",
    fix: "decode what is between the markers before you compare it",
    judge: |evidence| accepted(evidence, &["encoded-name", "encoded-param"]),
    mutants: &[refuses("does not decode names", "encoded-name")],
};

pub(crate) const M218: Check = Check {
    how: "writes the names of all headers in upper case",
    fix: "compare the names of headers without regard to case",
    judge: |evidence| accepted(evidence, &["loud-names"]),
    mutants: &[refuses("is particular about the case of names", "loud-names")],
};

pub(crate) const M192: Check = Check {
    how: "asks for a method that does not exist",
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
    )],
};

pub(crate) const S087: Check = Check {
    how: "looks at the headers of every event stream",
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

pub(crate) const M198: Check = Check {
    how: "looks at x-mcp-header in the schemas of tools",
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

pub(crate) const M199: Check = Check {
    how: "looks at x-mcp-header in the schemas of tools",
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

pub(crate) const M200: Check = Check {
    how: "looks at x-mcp-header in the schemas of tools",
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

pub(crate) const M201: Check = Check {
    how: "compares the marks of each schema",
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

pub(crate) const M202: Check = Check {
    how: "looks at the type of every marked argument",
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

pub(crate) const M204: Check = Check {
    how: "looks where the marked arguments are",
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

pub(crate) const A061: Check = Check {
    how: "looks at the schemas of tools",
    fix: "nothing: this is allowed",
    judge: |evidence| offered(all_marks(evidence).into_iter(), "marked arguments", |_| true),
    mutants: &[Mutant::new(
        "marks nothing",
        Mutation::Result(|context, result| {
            let tools = result.get_mut("tools").filter(|_| context.method == Some("tools/list"));
            let tools = tools.and_then(Value::as_array_mut);
            let properties = tools
                .into_iter()
                .flatten()
                .filter_map(|tool| tool.pointer_mut("/inputSchema/properties")?.as_object_mut());
            for (_, property) in properties.flatten() {
                property.as_object_mut().map(|property| property.remove("x-mcp-header"));
            }
        }),
    )],
};

/// Judges that these requests were rejected as the rule about headers has it.
fn rejected(evidence: &Evidence, ids: &[&str]) -> Outcome {
    each(of(evidence, Topic::BadHeader, ids), "it was not tried", |asked| {
        let expected = "the error -32020 with status 400";
        let code = asked.answer.and_then(proofmark_record::evidence::Answer::code);
        let status = evidence.exchange_of(&asked).and_then(|exchange| exchange.status);
        let right = code == Some(-32020) && status == Some(400);
        (!right).then(|| {
            let said = asked.answer.map_or_else(|| "no answer".to_owned(), |it| show(it.message));
            let status = status.map_or_else(String::new, |status| format!("status {status} and "));
            Finding::new(expected, format!("{status}{said}"), asked.place)
        })
    })
}

pub(super) fn accepted(evidence: &Evidence, ids: &[&str]) -> Outcome {
    each(of(evidence, Topic::GoodHeader, ids), "it was not tried", |asked| {
        let answer = asked.answer;
        let fine = answer.is_some_and(|answer| answer.result().is_some());
        let said = answer.map_or_else(|| "no answer".to_owned(), |answer| show(answer.message));
        (!fine).then(|| Finding::new("a result", said, asked.place))
    })
}

pub(super) fn of<'e>(
    evidence: &'e Evidence,
    topic: Topic,
    ids: &[&str],
) -> impl Iterator<Item = Asked<'e>> {
    evidence.asked(topic).filter(|asked| asked.id.as_str().is_some_and(|id| ids.contains(&id)))
}

/// Where in a schema something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Below {
    Root,
    /// Reached through `properties` alone.
    Properties,
    Elsewhere,
}

pub(super) type Mark<'s> = (Below, &'s Value, &'s Value);

fn marks(evidence: &Evidence, judge: impl Fn(Place, &Value, &Value) -> Option<Finding>) -> Outcome {
    let outcome =
        each(all_marks(evidence), "", |(place, (_, property, mark))| judge(place, property, mark));
    none_applies(outcome, UNMARKED)
}

pub(super) fn all_marks(evidence: &Evidence) -> Vec<(Place, Mark<'_>)> {
    let tools = evidence.listed("tools/list");
    let marks = tools.flat_map(|tool| {
        let mut found = Vec::new();
        if let Some(schema) = tool.message.get("inputSchema") {
            collect(schema, Below::Root, &mut found);
        }
        found.into_iter().map(move |mark| (tool.place, mark))
    });
    marks.collect()
}

fn collect<'s>(schema: &'s Value, below: Below, found: &mut Vec<Mark<'s>>) {
    match schema {
        Value::Object(members) => {
            if let Some(mark) = members.get("x-mcp-header") {
                found.push((below, schema, mark));
            }
            for (name, member) in members {
                match (name.as_str(), member) {
                    ("properties", Value::Object(properties)) => {
                        let below = match below {
                            Below::Elsewhere => Below::Elsewhere,
                            Below::Root | Below::Properties => Below::Properties,
                        };
                        properties.values().for_each(|it| collect(it, below, found));
                    }
                    _ => collect(member, Below::Elsewhere, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|it| collect(it, Below::Elsewhere, found)),
        _ => {}
    }
}

/// Answers a request that should be rejected.
pub(super) const fn passes(name: &'static str, id: &'static str) -> Mutant {
    Mutant::new(name, Mutation::Status { id, status: 200 })
}

/// Rejects a request that is right.
pub(super) const fn refuses(name: &'static str, id: &'static str) -> Mutant {
    super::claims::to(name, id, |message| *message = super::claims::error(&message["id"], -32020))
}

/// Changes the marked property of the Everything Server.
pub(super) const fn marked(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        schema(context, message)?.pointer_mut("/properties/region")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

const fn of_schema(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        schema(context, message)
    }
    Mutant::new(name, Mutation::Part { of, change })
}

fn schema<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
    let tools = proofmark_converse::mutation::result_of(context, message, "tools/list")?
        .get_mut("tools")?;
    let mut tools = tools.as_array_mut()?.iter_mut();
    tools.find(|tool| tool["name"] == "test_custom_header")?.get_mut("inputSchema")
}

pub(super) const UNMARKED: &str = "no tool has marked arguments";
