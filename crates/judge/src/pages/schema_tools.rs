//! The requirements of `schema/tools`, how each is judged, and the mutants that prove it.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client_answers::{blocks, conversing, of_results},
        content::{kinds, of_call as of_call_content, tool_blocks},
        optional_features::{ALLOWED, in_list as in_list_offers},
        request_metadata::error,
        shape::{each_item, each_result, lacks, show, undeclared},
        tasks::{ALLOWED as ALLOWED_OFFERS, remove},
        tools::{in_list, none_applies, of_call, of_first_tool, take},
    },
    mutant::Mutant,
    outcome::{Finding, each, offered},
    requirement::{
        Check, Level, Observed, Page, Party, Requirement, Transports, between, only, since,
    },
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_core::revision::Revision::{
    V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28,
};
use proofmark_record::topic::Topic;
use serde_json::{Value, json};

pub(super) const PAGE: Page = Page {
    name: "schema/tools",
    why: "Clients and models know a tool by these members alone.",
    requirements: &[
        &M066, &M068, &M069, &M390, &M467, &M468, &M469, &M470, &M471, &S210, &S253, &A129, &A130,
        &A137,
    ],
};

const M066: Requirement = Requirement {
    id: "M066",
    name: "tools-list-returns-tools-array",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "tools/list returns a tools array.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ListToolsResult",
    observed: Observed::By(&M066_CHECK),
};

const M066_CHECK: Check = Check {
    how: "asks for the tools",
    seen: seen_everywhere(),
    fix: "answer tools/list with an array in tools",
    judge: |evidence| {
        each_result(evidence, "tools", "tools/list", |answer, result| {
            lacks(answer.place, result, "tools", "an array", Value::is_array)
        })
    },
    mutants: &[in_list("lists tools as an object", |result| result["tools"] = json!({}))],
};

const M068: Requirement = Requirement {
    id: "M068",
    name: "tools-call-result-content-array-iserror",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A tools/call result has a content array and isError (every official schema leaves isError optional, absent meaning false).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#CallToolResult",
    observed: Observed::By(&M068_CHECK),
};

const M068_CHECK: Check = Check {
    how: "calls tools",
    seen: seen_everywhere(),
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

const M069: Requirement = Requirement {
    id: "M069",
    name: "tool-content-text-image-audio-or-embedded",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_03_26),
    text: "Tool content is text, image, audio or embedded resource (exactly this set in 2025-03-26).",
    section: "schema/2025-03-26/schema.ts#CallToolResult",
    observed: Observed::By(&M069_CHECK),
};

const M069_CHECK: Check = TOOL_KINDS;

const M390: Requirement = Requirement {
    id: "M390",
    name: "tooluseid-matches-earlier-tool-use",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "toolUseId matches an earlier tool use (schema comment).",
    section: "schema/{2025-11-25..2026-07-28}/schema.ts#ToolResultContent",
    observed: Observed::By(&M390_CHECK),
};

const M390_CHECK: Check = Check {
    how: "compares the results of tools with the uses before them",
    seen: seen_everywhere(),
    fix: "name in toolUseId a use that came before",
    judge: |evidence| {
        conversing(evidence, |place, messages| {
            messages.iter().enumerate().find_map(|(at, message)| {
                let used =
                    |id: &Value| messages[..at].iter().flat_map(blocks).any(|it| it["id"] == *id);
                let mut results = blocks(message).filter(|it| it["type"] == "tool_result");
                let odd = results.find(|it| !used(&it["toolUseId"]))?;
                Some(Finding::new("the id of an earlier use", show(odd), place))
            })
        })
    },
    mutants: &[of_results("has a result of what nobody used", |content| {
        let mut other = content[0].clone();
        other["toolUseId"] = json!("never-used");
        content.as_array_mut().into_iter().for_each(|it| it.push(other.clone()));
    })],
};

const M467: Requirement = Requirement {
    id: "M467",
    name: "tool-content-text-image-or-embedded-resource",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2024_11_05),
    text: "Tool content is text, image or embedded resource (2024-11-05 set).",
    section: "schema/2024-11-05/schema.ts#CallToolResult",
    observed: Observed::By(&M467_CHECK),
};

const M467_CHECK: Check = TOOL_KINDS;

const M468: Requirement = Requirement {
    id: "M468",
    name: "tool-content-text-image-audio-resource-link",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "Tool content is text, image, audio, resource_link or embedded resource.",
    section: "schema/{2025-06-18..2026-07-28}/schema.ts#CallToolResult",
    observed: Observed::By(&M468_CHECK),
};

const M468_CHECK: Check = TOOL_KINDS;

const M469: Requirement = Requirement {
    id: "M469",
    name: "inputschema-object-whose-type-object",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "inputSchema is an object whose type is object.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#Tool",
    observed: Observed::By(&M469_CHECK),
};

const M469_CHECK: Check = Check {
    how: "looks at the inputSchema of every tool",
    seen: seen_everywhere(),
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

const M470: Requirement = Requirement {
    id: "M470",
    name: "outputschema-object-whose-type-object",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: between(V2025_06_18, V2025_11_25),
    text: "outputSchema is an object whose type is object.",
    section: "schema/{2025-06-18..2025-11-25}/schema.ts#Tool",
    observed: Observed::By(&M470_CHECK),
};

const M470_CHECK: Check = Check {
    how: "looks at the outputSchema of every tool",
    seen: seen_everywhere(),
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

const M471: Requirement = Requirement {
    id: "M471",
    name: "structuredcontent-json-object",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: between(V2025_06_18, V2025_11_25),
    text: "structuredContent is a JSON object.",
    section: "schema/{2025-06-18..2025-11-25}/schema.ts#CallToolResult",
    observed: Observed::By(&M471_CHECK),
};

const M471_CHECK: Check = Check {
    how: "looks at the structuredContent of every call",
    seen: seen_everywhere(),
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

const S210: Requirement = Requirement {
    id: "S210",
    name: "meta-tool-uses-results-preserved-later",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "_meta of tool uses and results is preserved in later requests (schema comment).",
    section: "schema/{2025-11-25..2026-07-28}/schema.ts#ToolUseContent",
    observed: Observed::Unobservable(
        "what a client gives to its model does not pass by the server",
    ),
};

const S253: Requirement = Requirement {
    id: "S253",
    name: "errors-tool-itself-come-back-result-iserror",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Errors of the tool itself come back in the result with isError true (schema comment).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#CallToolResult",
    observed: Observed::By(&S253_CHECK),
};

const S253_CHECK: Check = Check {
    how: "calls tools, and among them the one that always fails if there is one",
    seen: seen_in(&["tour"]),
    fix: "report what goes wrong in a tool in its result, with isError, so that the model can react",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "tools") {
            return outcome;
        }
        let calls = evidence.asked(Topic::Call).filter_map(|asked| {
            let answer = asked.answer?;
            let failed = answer.result().is_some_and(|it| it.get("isError") == Some(&json!(true)));
            let surely = asked.params?.get("name")? == FAILING;
            (failed || surely).then_some((answer, failed))
        });
        each(calls, "no tool failed in a way that is surely its own", |(answer, failed)| {
            let expected = "a result with isError";
            (!failed).then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[Mutant::new(
        "turns the failure of a tool into an error of the protocol",
        Mutation::Says(|context, message| {
            if context.method == Some("tools/call") && context.params["name"] == FAILING {
                *message = error(&message["id"], -32603);
            }
        }),
    )],
};

const A129: Requirement = Requirement {
    id: "A129",
    name: "outputschema-may-any-json-schema-not-only",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "outputSchema may be any JSON Schema, not only of type object.",
    section: "schema/2026-07-28/schema.ts#Tool",
    observed: Observed::By(&A129_CHECK),
};

const A129_CHECK: Check = Check {
    how: "looks at the outputSchema of every tool",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.listed("tools/list"), "results that are no objects", |tool| {
            let schema = tool.message.get("outputSchema");
            schema.is_some_and(|schema| schema["type"] != "object")
        })
    },
    mutants: &[in_list_offers("promises a string", |result| {
        // The tool that always fails need not keep it.
        result["tools"][1]["outputSchema"] = json!({ "type": "string" });
    })],
};

const A130: Requirement = Requirement {
    id: "A130",
    name: "structuredcontent-may-any-json-value",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "structuredContent may be any JSON value.",
    section: "schema/2026-07-28/schema.ts#CallToolResult",
    observed: Observed::By(&A130_CHECK),
};

const A130_CHECK: Check = Check {
    how: "looks at the structuredContent of every call",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(evidence.results("tools/call"), "structure that is no object", |(_, result)| {
            result.get("structuredContent").is_some_and(|content| !content.is_object())
        })
    },
    mutants: &[Mutant::new(
        "structures its text as a string",
        Mutation::Call {
            tool: "test_simple_text",
            part: "",
            change: |result| {
                result["content"][0]["text"] = json!("\"a\"");
                result["structuredContent"] = json!("a");
            },
        },
    )],
};

const A137: Requirement = Requirement {
    id: "A137",
    name: "execution-tasksupport-may-forbidden-optional",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] execution.taskSupport may be forbidden, optional or required.",
    section: "schema/2025-11-25/schema.ts#ToolExecution",
    observed: Observed::By(&A137_CHECK),
};

const A137_CHECK: Check = Check {
    how: "looks at what tools say about tasks",
    seen: seen_everywhere(),
    fix: ALLOWED_OFFERS,
    judge: |evidence| {
        offered(evidence.listed("tools/list"), "tools that say whether they are tasks", |tool| {
            tool.message.pointer("/execution/taskSupport").is_some()
        })
    },
    mutants: &[Mutant::new("does not say which tools are tasks", {
        fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
            result_of(context, message, "tools/list")
        }
        Mutation::Part {
            of,
            change: |result| {
                for tool in result["tools"].as_array_mut().into_iter().flatten() {
                    remove(tool, "execution");
                }
            },
        }
    })],
};

const TOOL_KINDS: Check = Check {
    how: "looks at every block of content that tools give",
    seen: seen_everywhere(),
    fix: "use only the kinds of content that the agreed revision knows",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "tools") {
            return outcome;
        }
        kinds(tool_blocks(evidence), evidence.revision.rules().tools.content)
    },
    mutants: &[of_call_content("answers with a hologram", "test_simple_text", |block| {
        *block = json!({ "type": "hologram", "text": "a" });
    })],
};

/// The fixture of conformance suites that always fails.
const FAILING: &str = "test_error_handling";
