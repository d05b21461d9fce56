//! `schema/base`: `#CreateMessageRequest`, `#ElicitRequest`, `#GetPromptRequest`, `#UnsubscribeRequest`, `#CompleteRequest`,
//! `#SubscriptionsListenRequest`, `#CallToolRequest`, `#ReadResourceRequest`, `#ToolAnnotations`, `#Annotations`.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::remove,
        client_inputs::{M383_CHECK, SAMPLES_WITH_TOOLS, with_tools},
        content::{blocks, not_applicable, of_call},
        optional_features::{ALLOWED, of_resource, resources},
        server_requests::{SAMPLING, asked as asked_questions, elicitation, fields, sampling},
        shape::{lacks, lacks_text, show, undeclared},
        tools::{none_applies, of_second_tool},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, between, since},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{
    V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28,
};
use proofmark_record::{
    evidence::{Evidence, PeerRequest},
    topic::Topic,
};
use serde_json::{Value, json};

pub(super) const M381: Requirement = Requirement {
    id: "M381",
    name: "sampling-request-messages-maxtokens",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A sampling request has messages and maxTokens.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#CreateMessageRequest",
    observed: Observed::By(&M381_CHECK),
};

const M381_CHECK: Check = Check {
    how: "looks at every sampling request",
    seen: seen_everywhere(),
    fix: "give messages and maxTokens",
    judge: |evidence| {
        asked_questions(evidence, SAMPLING, |place, params| {
            lacks(place, params, "messages", "an array", Value::is_array)
                .or_else(|| lacks(place, params, "maxTokens", "a number", Value::is_number))
        })
    },
    mutants: &[sampling("asks a model without a limit", |params| {
        params.as_object_mut().map(|params| params.remove("maxTokens"));
    })],
};

pub(super) const M385: Requirement = Requirement {
    id: "M385",
    name: "tools-or-toolchoice-without-sampling-tools",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_11_25),
    text: "tools or toolChoice without sampling.tools is answered with an error (schema comment).",
    section: "schema/{2025-11-25..2026-07-28}/schema.ts#CreateMessageRequest",
    observed: Observed::By(&M385_CHECK),
};

const M385_CHECK: Check = Check {
    how: M383_CHECK.how,
    seen: seen_in(&["hosted ask"]),
    fix: "answer sampling with tools with an error if you did not declare sampling.tools",
    judge: with_tools,
    mutants: &[SAMPLES_WITH_TOOLS.also(&["M383"])],
};

pub(super) const A107: Requirement = Requirement {
    id: "A107",
    name: "client-may-sample-fewer-tokens-than",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The client may sample fewer tokens than maxTokens (schema comment).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#CreateMessageRequest",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const M397: Requirement = Requirement {
    id: "M397",
    name: "requestedschema-flat-object-schema-whose",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "requestedSchema is a flat object schema whose properties are primitives (since 2025-11-25 enum arrays too).",
    section: "schema/{2025-06-18..2026-07-28}/schema.ts#ElicitRequest",
    observed: Observed::By(&M397_CHECK),
};

const M397_CHECK: Check = Check {
    how: "looks at the fields of every form",
    seen: seen_everywhere(),
    fix: "ask for a flat object of strings, numbers, booleans and choices",
    judge: |evidence| {
        fields(evidence, |place, field| {
            let kind = field.get("type").and_then(Value::as_str).unwrap_or_default();
            let choice = kind == "array" && field.get("items").is_some();
            let right = ["string", "number", "integer", "boolean"].contains(&kind) || choice;
            (!right).then(|| Finding::new("a primitive field", show(field), place))
        })
    },
    mutants: &[elicitation("asks for an object in a form", |params| {
        for field in params
            .pointer_mut("/requestedSchema/properties")
            .and_then(Value::as_object_mut)
            .into_iter()
            .flat_map(|fields| fields.values_mut())
        {
            *field = json!({ "type": "object", "properties": {} });
        }
    })
    .also(&["S228"])],
};

pub(super) const M455: Requirement = Requirement {
    id: "M455",
    name: "prompt-argument-values-strings",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Prompt argument values are strings.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#GetPromptRequest",
    observed: Observed::By(&M455_CHECK),
};

const M455_CHECK: Check = Check {
    how: "looks at the arguments of every prompts/get",
    seen: seen_everywhere(),
    fix: "give arguments as strings",
    judge: |evidence| {
        asked(evidence, "prompts/get", |request, params| {
            lacks(request.place, params, "name", "a string", Value::is_string).or_else(|| {
                let arguments = params.get("arguments")?;
                let odd = match arguments.as_object() {
                    Some(arguments) => arguments.values().find(|value| !value.is_string())?,
                    None => arguments,
                };
                Some(Finding::new("strings", show(odd), request.place))
            })
        })
    },
    mutants: &[params("gives numbers to prompts", "prompts/get", |params| {
        params["arguments"] = json!({ "name": 5 });
    })],
};

pub(super) const M465: Requirement = Requirement {
    id: "M465",
    name: "after-resources-unsubscribe-no-more-updates",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "After resources/unsubscribe no more updates for that uri are sent (schema description).",
    section: "schema/{2024-11-05..2025-11-25}/schema.ts#UnsubscribeRequest",
    observed: Observed::By(&M465_CHECK),
};

const M465_CHECK: Check = Check {
    how: "unsubscribes, and calls once more what announced the change of a resource",
    seen: seen_in(&["tour"]),
    fix: "send no updates of a resource that nobody is subscribed to",
    judge: |evidence| {
        let called = evidence.asked(Topic::AfterUnsubscribe);
        let outcome = each(called, "", |asked| {
            let unsubscribed: Vec<&Value> = evidence
                .asked(Topic::Unsubscribe)
                .filter(|it| it.place.conversation == asked.place.conversation)
                .filter_map(|it| it.params?.get("uri"))
                .collect();
            let late = evidence.told("notifications/resources/updated").find(|heard| {
                let here = heard.place.conversation == asked.place.conversation;
                let uri = heard.message.pointer("/params/uri");
                here && heard.place.event > asked.place.event
                    && uri.is_some_and(|uri| unsubscribed.contains(&uri))
            })?;
            Some(Finding::new("no update", show(late.message), late.place))
        });
        none_applies(outcome, "nothing that was called changes a resource")
    },
    mutants: &[Mutant::new(
        "goes on telling of changes",
        Mutation::Writes(|_, message| {
            let mut texts = vec![message.to_string()];
            if message["id"] == "after-unsubscribe" {
                let update = json!({ "jsonrpc": "2.0", "method": "notifications/resources/updated",
                    "params": { "uri": "test://watched-resource" } });
                texts.insert(0, update.to_string());
            }
            texts
        }),
    )],
};

pub(super) const M484: Requirement = Requirement {
    id: "M484",
    name: "completion-request-ref-type-ref-prompt-or",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A completion request has ref of type ref/prompt or ref/resource and an argument with name and value.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#CompleteRequest",
    observed: Observed::By(&M484_CHECK),
};

const M484_CHECK: Check = Check {
    how: "looks at every completion/complete",
    seen: seen_everywhere(),
    fix: "give ref, of type ref/prompt or ref/resource, and an argument with name and value",
    judge: |evidence| {
        let all = evidence.requests_for("completion/complete");
        each(all, "the client did not use completion/complete", |request| {
            let params = request.params.unwrap_or(&Value::Null);
            let kind = params.pointer("/ref/type");
            let known = kind.is_some_and(|it| it == "ref/prompt" || it == "ref/resource");
            if !known {
                let expected = "ref/prompt or ref/resource";
                return Some(Finding::new(expected, show(params), request.place));
            }
            lacks(request.place, params, "argument", "an object", Value::is_object)
                .or_else(|| lacks_text(request.place, &params["argument"], "name"))
                .or_else(|| lacks_text(request.place, &params["argument"], "value"))
        })
    },
    mutants: &[
        Mutant::new(
            "completes nobody knows what",
            Mutation::Says(|_, message| {
                if message["method"] == "completion/complete" {
                    message["params"]["ref"]["type"] = json!("ref/tool");
                }
            }),
        ),
        Mutant::new(
            "completes nothing",
            Mutation::Says(|_, message| {
                if message["method"] == "completion/complete" {
                    remove(&mut message["params"]["argument"], "value");
                }
            }),
        ),
    ],
};

pub(super) const A138: Requirement = Requirement {
    id: "A138",
    name: "context-arguments-may-carry-already-resolved",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "context.arguments may carry already resolved arguments.",
    section: "schema/{2025-06-18..2026-07-28}/schema.ts#CompleteRequest",
    observed: Observed::Unobservable(
        "a permission: completions with and without a context are both right, and the shape of a context has rows of its own",
    ),
};

pub(super) const M518: Requirement = Requirement {
    id: "M518",
    name: "subscriptions-listen-notifications-filter",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "subscriptions/listen has a notifications filter object.",
    section: "schema/2026-07-28/schema.ts#SubscriptionsListenRequest",
    observed: Observed::By(&M518_CHECK),
};

const M518_CHECK: Check = Check {
    how: "looks at every subscriptions/listen",
    seen: seen_everywhere(),
    fix: "say in notifications what you want to hear of",
    judge: |evidence| {
        let all = evidence.requests_for("subscriptions/listen");
        each(
            all,
            "the client did not listen; one that can be told what to do finds listen in PROOFMARK_SCENARIO",
            |request| {
                let params = request.params.unwrap_or(&Value::Null);
                lacks(request.place, params, "notifications", "an object", Value::is_object)
            },
        )
    },
    mutants: &[Mutant::new(
        "listens to nothing in particular",
        Mutation::Says(|_, message| {
            if message["method"] == "subscriptions/listen" {
                remove(&mut message["params"], "notifications");
            }
        }),
    )],
};

pub(super) const M520: Requirement = Requirement {
    id: "M520",
    name: "tools-call-name-arguments-object-when",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "tools/call has name, and arguments is an object when present.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#CallToolRequest",
    observed: Observed::By(&M520_CHECK),
};

const M520_CHECK: Check = Check {
    how: "looks at every tools/call",
    seen: seen_everywhere(),
    fix: "name the tool, and give arguments as an object",
    judge: |evidence| {
        asked(evidence, "tools/call", |request, params| {
            lacks_text(request.place, params, "name").or_else(|| {
                let arguments = params.get("arguments")?;
                (!arguments.is_object())
                    .then(|| Finding::new("an object", show(arguments), request.place))
            })
        })
    },
    mutants: &[params("gives arguments in a list", "add_numbers", |params| {
        params["arguments"] = json!([5, 3]);
    })],
};

pub(super) const M521: Requirement = Requirement {
    id: "M521",
    name: "resources-read-uri",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "resources/read has uri.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ReadResourceRequest",
    observed: Observed::By(&M521_CHECK),
};

const M521_CHECK: Check = Check {
    how: "looks at every resources/read",
    seen: seen_everywhere(),
    fix: "name the resource by its uri",
    judge: |evidence| {
        asked(evidence, "resources/read", |request, params| {
            lacks_text(request.place, params, "uri")
        })
    },
    mutants: &[params("reads nobody knows what", "resources/read", |params| remove(params, "uri"))],
};

pub(super) const M526: Requirement = Requirement {
    id: "M526",
    name: "tool-annotation-hints-booleans-annotation",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "Tool annotation hints are booleans and the annotation title is a string.",
    section: "schema/{2025-03-26..2026-07-28}/schema.ts#ToolAnnotations",
    observed: Observed::By(&M526_CHECK),
};

const M526_CHECK: Check = Check {
    how: "looks at the annotations of every tool",
    seen: seen_everywhere(),
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

pub(super) const M527: Requirement = Requirement {
    id: "M527",
    name: "annotation-priority-lies-between-0-1",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_03_26),
    text: "An annotation priority lies between 0 and 1 and its audience holds only user and assistant.",
    section: "schema/{2025-03-26..2026-07-28}/schema.ts#Annotations",
    observed: Observed::By(&M527_CHECK),
};

const M527_CHECK: Check = Check {
    how: "looks at the annotations of every block of content",
    seen: seen_everywhere(),
    fix: "keep priority between 0 and 1, and name only user and assistant as audience",
    judge: |evidence| {
        let annotated =
            blocks(evidence).filter_map(|(place, block)| Some((place, block.get("annotations")?)));
        let outcome = each(annotated, "", |(place, annotations)| {
            let priority = annotations.get("priority").is_none_or(|priority| {
                priority.as_f64().is_some_and(|priority| (0.0..=1.0).contains(&priority))
            });
            let audience = annotations.get("audience").is_none_or(|audience| {
                let roles = |role: &Value| role == "user" || role == "assistant";
                audience.as_array().is_some_and(|audience| audience.iter().all(roles))
            });
            let expected = "a priority between 0 and 1 and an audience of user and assistant";
            (!(priority && audience)).then(|| Finding::new(expected, show(annotations), place))
        });
        not_applicable(outcome, "no content has annotations")
    },
    mutants: &[of_call("finds its text twice as important", "test_simple_text", |block| {
        block["annotations"] = json!({ "priority": 2 });
    })],
};

pub(super) const A126: Requirement = Requirement {
    id: "A126",
    name: "annotations-may-have-lastmodified-iso-8601",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "Annotations may have lastModified in ISO 8601.",
    section: "schema/{2025-06-18..2026-07-28}/schema.ts#Annotations",
    observed: Observed::By(&A126_CHECK),
};

const A126_CHECK: Check = Check {
    how: "looks at the annotations of resources and templates",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| {
        offered(resources(evidence), "when resources changed", |item| {
            item.pointer("/annotations/lastModified").is_some()
        })
    },
    mutants: &[of_resource("says when a resource changed", |resource| {
        resource["annotations"] = json!({ "lastModified": "2025-01-12T15:00:58Z" });
    })],
};

fn asked(
    evidence: &Evidence,
    method: &str,
    judge: impl Fn(PeerRequest<'_>, &Value) -> Option<Finding>,
) -> Outcome {
    each(evidence.requests_for(method), &format!("the client did not use {method}"), |request| {
        judge(request, request.params.unwrap_or(&Value::Null))
    })
}

const fn params(name: &'static str, what: &'static str, change: fn(&mut Value)) -> Mutant {
    let of: proofmark_converse::mutation::Part = match what.as_bytes() {
        b"resources/read" => |_, message| params_of(message, "resources/read"),
        b"prompts/get" => |_, message| params_of(message, "prompts/get"),
        _ => |_, message| params_of(message, "tools/call"),
    };
    Mutant::new(name, Mutation::Part { of, change })
}

fn params_of<'m>(message: &'m mut Value, method: &str) -> Option<&'m mut Value> {
    (message["method"] == method).then_some(())?;
    message.get_mut("params")
}
