//! What tools and prompts give beside plain text, what they are called, and how they fail.

use serde_json::{Value, json};

use super::{
    Check,
    content::{prompt_blocks, tool_blocks},
    shape::{lacks_text, show, undeclared},
    tools::none_applies,
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, each},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_record::{evidence::Place, topic::Topic};

pub(crate) const M451: Check = Check {
    how: "looks at every resource inside a message of a prompt",
    fix: "give an embedded resource a uri, a mimeType, and text or blob",
    judge: |evidence| {
        let embedded = prompt_blocks(evidence).filter_map(resource);
        let outcome = each(embedded, "", |(place, resource)| {
            lacks_text(place, resource, "uri")
                .or_else(|| lacks_text(place, resource, "mimeType"))
                .or_else(|| {
                    let has = |member: &str| resource.get(member).is_some_and(Value::is_string);
                    let empty = !has("text") && !has("blob");
                    empty.then(|| Finding::new("text or blob", show(resource), place))
                })
        });
        none_applies(outcome, "no prompt has a resource inside")
    },
    mutants: &[
        of_prompt("prompts with a resource that has nothing in it", |resource| {
            resource.as_object_mut().map(|resource| resource.remove("text"));
        }),
        of_prompt("prompts with a resource of no type", |resource| {
            resource.as_object_mut().map(|resource| resource.remove("mimeType"));
        }),
    ],
};

pub(crate) const S242: Check = Check {
    how: "looks for embedded resources in the results of tools",
    fix: "declare the resources capability if tools embed resources",
    judge: |evidence| {
        let embedded = tool_blocks(evidence).filter_map(resource);
        let declared = evidence.capability("/resources");
        let outcome = each(embedded, "", |(place, resource)| {
            let expected = "the resources capability";
            (!declared).then(|| Finding::new(expected, show(resource), place))
        });
        none_applies(outcome, "no tool embeds resources")
    },
    mutants: &[Mutant::new(
        "embeds resources that it does not declare",
        Mutation::Says(|context, message| {
            if matches!(context.method, Some("initialize" | "server/discover"))
                && let Some(it) = message.pointer_mut("/result/capabilities")
            {
                it.as_object_mut().map(|capabilities| capabilities.remove("resources"));
            }
        }),
    )
    .also(&["M048", "M057"])],
};

pub(crate) const S253: Check = Check {
    how: "calls tools, and among them the one that always fails if there is one",
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
                *message = super::claims::error(&message["id"], -32603);
            }
        }),
    )],
};

pub(crate) const S246: Check = Check {
    how: "calls a tool by its name in the other case",
    fix: "tell names of tools apart by case",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "tools") {
            return outcome;
        }
        let nothing = "no tool could be called whose name has letters";
        each(evidence.asked(Topic::OtherCase), nothing, |asked| {
            let answer = asked.answer?;
            let failed = answer.result()?.get("isError") == Some(&json!(true));
            let expected = "an unknown tool";
            (!failed).then(|| Finding::new(expected, show(answer.message), answer.place))
        })
    },
    mutants: &[super::claims::to("does not mind the case of a name", "other-case", |message| {
        *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {
            "resultType": "complete", "content": [], "_meta": {
                proofmark_record::meta::SERVER_INFO: {} } } });
    })],
};

/// The resource inside a block.
fn resource((place, block): (Place, &Value)) -> Option<(Place, &Value)> {
    (block.get("type")? == "resource").then_some(())?;
    Some((place, block.get("resource").unwrap_or(&Value::Null)))
}

/// Changes the resource in the first message of every prompt that has one.
const fn of_prompt(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "prompts/get")?.pointer_mut("/messages/0/content/resource")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// The fixture of conformance suites that always fails.
const FAILING: &str = "test_error_handling";
