//! Tools: their list and their calls.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    Check,
    shape::{each_item, each_result, lacks, lacks_text, show, undeclared},
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_record::{evidence::Heard, topic::Topic};

pub(crate) const M066: Check = Check {
    how: "asks for the tools",
    fix: "answer tools/list with an array in tools",
    judge: |evidence| {
        each_result(evidence, "tools", "tools/list", |answer, result| {
            lacks(answer.place, result, "tools", "an array", Value::is_array)
        })
    },
    mutants: &[in_list("lists tools as an object", |result| result["tools"] = json!({}))],
};

pub(crate) const M067: Check = Check {
    how: "looks at every listed tool",
    fix: "give each tool a name, an inputSchema and, for the sake of the model, a description",
    judge: |evidence| {
        let must = each_item(evidence, "tools", "tools/list", |Heard { place, message }| {
            lacks_text(place, message, "name")
                .or_else(|| lacks(place, message, "inputSchema", "an object", Value::is_object))
        });
        if must != Outcome::Kept {
            return must;
        }
        // Every official schema leaves the description optional.
        let undescribed =
            evidence.listed("tools/list").find(|tool| tool.message.get("description").is_none());
        undescribed.map_or(Outcome::Kept, |tool| {
            Outcome::Doubtful(Finding::new("a description", show(tool.message), tool.place))
        })
    },
    mutants: &[
        of_first_tool("has a tool without a schema", |tool| drop(take(tool, "inputSchema"))),
        of_first_tool("has a tool without a name", |tool| drop(take(tool, "name"))),
        of_first_tool("has a tool that nobody describes", |tool| drop(take(tool, "description"))),
    ],
};

pub(crate) const M068: Check = Check {
    how: "calls tools",
    fix: "answer tools/call with an array in content; isError, if there, is a boolean",
    judge: |evidence| {
        each_result(evidence, "tools", "tools/call", |answer, result| {
            lacks(answer.place, result, "content", "an array", Value::is_array).or_else(|| {
                let flag = result.get("isError")?;
                (!flag.is_boolean())
                    .then(|| Finding::new("isError is a boolean", show(flag), answer.place))
            })
        })
    },
    mutants: &[
        of_call("answers a call without content", |result| drop(take(result, "content"))),
        of_call("says in words whether a call failed", |result| result["isError"] = json!("no")),
    ],
};

pub(crate) const M469: Check = Check {
    how: "looks at the inputSchema of every tool",
    fix: "write \"type\": \"object\" at the root of each inputSchema",
    judge: |evidence| {
        each_item(evidence, "tools", "tools/list", |tool| {
            let schema = tool.message.get("inputSchema")?;
            (schema.get("type") != Some(&json!("object")))
                .then(|| Finding::new("a schema of type object", show(schema), tool.place))
        })
    },
    mutants: &[of_first_tool("takes a string as arguments", |tool| {
        tool["inputSchema"] = json!({ "type": "string" });
    })],
};

pub(crate) const M470: Check = Check {
    how: "looks at the outputSchema of every tool",
    fix: "write \"type\": \"object\" at the root of each outputSchema",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "tools") {
            return outcome;
        }
        let schemas = evidence
            .listed("tools/list")
            .filter_map(|tool| Some((tool.place, tool.message.get("outputSchema")?)));
        none_applies(
            each(schemas, "", |(place, schema)| {
                (schema.get("type") != Some(&json!("object")))
                    .then(|| Finding::new("a schema of type object", show(schema), place))
            }),
            "no tool has an outputSchema",
        )
    },
    mutants: &[of_first_tool("promises a string", |tool| {
        tool["outputSchema"] = json!({ "type": "string" });
    })
    .also(&["M474"])],
};

pub(crate) const M471: Check = Check {
    how: "looks at the structuredContent of every call",
    fix: "put an object into structuredContent",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "tools") {
            return outcome;
        }
        let structured = evidence
            .results("tools/call")
            .filter_map(|(answer, result)| Some((answer.place, result.get("structuredContent")?)));
        none_applies(
            each(structured, "", |(place, content)| {
                (!content.is_object()).then(|| Finding::new("an object", show(content), place))
            }),
            "no call gave structuredContent",
        )
    },
    mutants: &[of_call("structures its answer as a list", |result| {
        result["structuredContent"] = json!([1]);
    })
    .also(&["S243"])],
};

pub(crate) const M475: Check = Check {
    how: "calls a tool that does not exist",
    fix: "answer an unknown tool with the error -32602",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "tools") {
            return outcome;
        }
        let Some(asked) = evidence.asked(Topic::UnknownTool).next() else {
            return Outcome::Unobserved("no unknown tool was called".to_owned());
        };
        let expected = "the error -32602";
        let Some(answer) = asked.answer else {
            return Outcome::Broken(Finding::new(expected, "no answer", asked.place));
        };
        let finding = Finding::new(expected, show(answer.message), answer.place);
        let is_tool_error =
            answer.result().is_some_and(|result| result.get("isError") == Some(&json!(true)));
        match answer.code() {
            Some(-32602) => Outcome::Kept,
            // The code stands in an example only, and deployed SDKs report a tool error.
            Some(_) => Outcome::Doubtful(finding),
            None if is_tool_error => Outcome::Doubtful(finding),
            None => Outcome::Broken(finding),
        }
    },
    mutants: &[
        unknown_tool("runs a tool that does not exist", |message| {
            replace(message, json!({ "result": { "content": [] } }));
        }),
        unknown_tool("calls an unknown tool a failed one", |message| {
            replace(message, json!({ "result": { "content": [], "isError": true } }));
        }),
    ],
};

pub(crate) const S243: Check = Check {
    how: "compares structuredContent with the text blocks beside it",
    fix: "repeat structuredContent as JSON in a text block, for older clients",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "tools") {
            return outcome;
        }
        let structured = evidence.results("tools/call").filter_map(|(answer, result)| {
            Some((answer, result, result.get("structuredContent")?))
        });
        none_applies(
            each(structured, "", |(answer, result, content)| {
                let blocks = result.get("content").and_then(Value::as_array).into_iter().flatten();
                let repeated = blocks.filter_map(|block| block.get("text")?.as_str()).any(|text| {
                    serde_json::from_str::<Value>(text).is_ok_and(|value| value == *content)
                });
                (!repeated).then(|| {
                    Finding::new(
                        "a text block with the same as JSON",
                        show(&result["content"]),
                        answer.place,
                    )
                })
            }),
            "no call gave structuredContent",
        )
    },
    mutants: &[of_call("does not repeat structured content", |result| {
        result["structuredContent"] = json!({ "unrepeated": true });
    })],
};

pub(crate) const S245: Check = Check {
    how: "looks at the name of every tool",
    fix: "keep names between 1 and 128 characters",
    judge: |evidence| {
        each_item(evidence, "tools", "tools/list", |tool| {
            let name = tool.message.get("name")?.as_str()?;
            let length = name.chars().count();
            (!(1..=128).contains(&length))
                .then(|| Finding::new("1 to 128 characters", format!("{length}"), tool.place))
        })
    },
    mutants: &[of_second_tool("has a tool with a name that never ends", |tool| {
        tool["name"] = json!("x".repeat(129));
    })],
};

pub(crate) const S247: Check = Check {
    how: "looks at the name of every tool",
    fix: "use ASCII letters, digits, underscore, hyphen and dot",
    judge: |evidence| {
        each_item(evidence, "tools", "tools/list", |tool| {
            let name = tool.message.get("name")?.as_str()?;
            let right = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
            (!name.chars().all(right)).then(|| {
                Finding::new(
                    "ASCII letters, digits, underscore, hyphen and dot",
                    show(&json!(name)),
                    tool.place,
                )
            })
        })
    },
    mutants: &[of_second_tool("has a tool with spaces in its name", |tool| {
        tool["name"] = json!("a tool");
    })],
};

pub(crate) const S248: Check = Check {
    how: "compares the names of all tools of one list",
    fix: "give each tool a name of its own",
    judge: |evidence| {
        each_result(evidence, "tools", "tools/list", |answer, result| {
            let mut seen = BTreeSet::new();
            let names = result
                .get("tools")?
                .as_array()?
                .iter()
                .filter_map(|tool| tool.get("name")?.as_str());
            let twice = names.into_iter().find(|name| !seen.insert(*name))?;
            Some(Finding::new(
                "a name once",
                format!("{} twice", show(&json!(twice))),
                answer.place,
            ))
        })
    },
    mutants: &[in_list("lists a tool twice", |result| {
        let first = result["tools"][0].clone();
        if let Some(tools) = result["tools"].as_array_mut() {
            tools.push(first);
        }
    })],
};

pub(crate) const M526: Check = Check {
    how: "looks at the annotations of every tool",
    fix: "write hints as booleans and the title as a string",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "tools") {
            return outcome;
        }
        let annotated = evidence
            .listed("tools/list")
            .filter_map(|tool| Some((tool.place, tool.message.get("annotations")?)));
        none_applies(
            each(annotated, "", |(place, annotations)| {
                let hints =
                    annotations.as_object()?.iter().filter(|(name, _)| name.ends_with("Hint"));
                let odd = hints.into_iter().find(|(_, hint)| !hint.is_boolean());
                let title = annotations.get("title").filter(|title| !title.is_string());
                let odd = odd.map(|(_, hint)| hint).or(title)?;
                Some(Finding::new(
                    "hints that are booleans and a title that is a string",
                    show(odd),
                    place,
                ))
            }),
            "no tool has annotations",
        )
    },
    mutants: &[of_second_tool("hints in words", |tool| {
        tool["annotations"]["idempotentHint"] = json!("maybe");
    })],
};

pub(crate) const A020: Check = Check {
    how: "looks at every tool",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.listed("tools/list"), "annotations of tools", |tool| {
            tool.message.get("annotations").is_some()
        })
    },
    mutants: &[in_list("has no annotations", |result| {
        for tool in result["tools"].as_array_mut().into_iter().flatten() {
            take(tool, "annotations");
        }
    })],
};

/// What applies to nothing is not applicable.
pub(super) fn none_applies(outcome: Outcome, why: &str) -> Outcome {
    match outcome {
        Outcome::Unobserved(_) => Outcome::NotApplicable(why.to_owned()),
        other => other,
    }
}

fn take(object: &mut Value, member: &str) -> Option<Value> {
    object.as_object_mut()?.remove(member)
}

fn replace(message: &mut Value, mut with: Value) {
    with["jsonrpc"] = json!("2.0");
    with["id"] = message["id"].clone();
    *message = with;
}

/// Changes the list of tools.
const fn in_list(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "tools/list")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

const fn of_first_tool(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "tools/list")?.pointer_mut("/tools/0")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

const fn of_second_tool(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "tools/list")?.pointer_mut("/tools/1")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Changes the result of calling the tool that answers with a text.
const fn of_call(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (context.params["name"] == "test_simple_text").then_some(())?;
        result_of(context, message, "tools/call")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Changes the whole answer to a call of a tool that does not exist.
const fn unknown_tool(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (context.params["name"] == "proofmark-no-such-tool").then_some(message)
    }
    Mutant::new(name, Mutation::Part { of, change })
}
