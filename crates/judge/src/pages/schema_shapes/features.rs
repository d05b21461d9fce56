//! Tools, resources, prompts, completions, content, tasks and subscriptions.

use crate::requirement::seen_everywhere;
use crate::{
    mutant::Mutant,
    requirement::{Check, Level, Observed, Party, Requirement, Transports, only, since},
    shapes::judge,
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::{V2024_11_05, V2025_11_25, V2026_07_28};
use serde_json::json;

pub(super) const M603: Requirement = Requirement {
    id: "M603",
    name: "tools-members-types",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The members of a tool, of its annotations and schemas, and of what a call gives have the types that the schema gives them.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#Tool ; schema/{2024-11-05..2026-07-28}/schema.ts#CallToolResult",
    observed: Observed::By(&M603_SERVER),
};

const M603_SERVER: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give each member of a tool and of a result the type that the schema has for it",
    judge: |evidence| judge(evidence, M603.id),
    mutants: &[
        Mutant::new(
            "describes a tool by a list",
            Mutation::Says(|context, message| {
                if context.method == Some("tools/list") && message.get("result").is_some() {
                    message["result"]["tools"][1]["description"] = json!(["a"]);
                }
            }),
        ),
        Mutant::new(
            "titles a tool by a number",
            Mutation::Says(|context, message| {
                if context.method == Some("tools/list") && message.get("result").is_some() {
                    message["result"]["tools"][1]["title"] = json!(7);
                }
            }),
        ),
        Mutant::new(
            "says how a tool is run in a word",
            Mutation::Says(|context, message| {
                if context.method == Some("tools/list") && message.get("result").is_some() {
                    message["result"]["tools"][1]["execution"] = json!("slowly");
                }
            }),
        ),
    ],
};

pub(super) const M604: Requirement = Requirement {
    id: "M604",
    name: "resources-members-types",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The members of a resource, of a template and of contents have the types and formats that the schema gives them.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#Resource ; schema/{2024-11-05..2026-07-28}/schema.ts#ResourceTemplate ; schema/{2024-11-05..2026-07-28}/schema.ts#ResourceContents",
    observed: Observed::By(&M604_SERVER),
};

const M604_SERVER: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give each member of a resource, a template and contents the type that the schema has for it, and blobs in base64",
    judge: |evidence| judge(evidence, M604.id),
    mutants: &[
        Mutant::new(
            "gives the size of a resource in words",
            Mutation::Says(|context, message| {
                if context.method == Some("resources/list") && message.get("result").is_some() {
                    message["result"]["resources"][1]["size"] = json!("big");
                }
            }),
        ),
        Mutant::new(
            "has templates without names",
            Mutation::Says(|context, message| {
                if context.method == Some("resources/templates/list")
                    && message.get("result").is_some()
                {
                    for template in
                        message["result"]["resourceTemplates"].as_array_mut().into_iter().flatten()
                    {
                        let _gone = template.as_object_mut().and_then(|it| it.remove("name"));
                    }
                }
            }),
        ),
        Mutant::new(
            "gives contents of a type that is a number",
            Mutation::Says(|context, message| {
                if context.method == Some("resources/read") && message.get("result").is_some() {
                    message["result"]["contents"][0]["mimeType"] = json!(7);
                }
            }),
        )
        .also(&["S022"]),
    ],
};

pub(super) const M605: Requirement = Requirement {
    id: "M605",
    name: "prompts-members-types",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The members of a prompt, of its arguments and of what it gives have the types that the schema gives them.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#Prompt ; schema/{2024-11-05..2026-07-28}/schema.ts#GetPromptResult",
    observed: Observed::By(&M605_SERVER),
};

const M605_SERVER: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give each member of a prompt and of its arguments the type that the schema has for it",
    judge: |evidence| judge(evidence, M605.id),
    mutants: &[
        Mutant::new(
            "describes a prompt by a number",
            Mutation::Says(|context, message| {
                if context.method == Some("prompts/list") && message.get("result").is_some() {
                    message["result"]["prompts"][0]["description"] = json!(7);
                }
            }),
        ),
        Mutant::new(
            "says in a word that an argument is required",
            Mutation::Says(|context, message| {
                if context.method == Some("prompts/list") && message.get("result").is_some() {
                    for prompt in message["result"]["prompts"].as_array_mut().into_iter().flatten()
                    {
                        for argument in prompt["arguments"].as_array_mut().into_iter().flatten() {
                            argument["required"] = json!("yes");
                        }
                    }
                }
            }),
        ),
    ],
};

pub(super) const M606: Requirement = Requirement {
    id: "M606",
    name: "completions-members-types",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Completion values are strings, their total is an integer, and whether there are more is true or false.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#CompleteResult",
    observed: Observed::By(&M606_SERVER),
};

const M606_SERVER: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give values as strings, total as an integer and hasMore as true or false",
    judge: |evidence| judge(evidence, M606.id),
    mutants: &[
        Mutant::new(
            "counts completions in words",
            Mutation::Says(|context, message| {
                if context.method == Some("completion/complete") && message.get("result").is_some()
                {
                    message["result"]["completion"]["total"] = json!("many");
                }
            }),
        ),
        Mutant::new(
            "says in a word that there are more completions",
            Mutation::Says(|context, message| {
                if context.method == Some("completion/complete") && message.get("result").is_some()
                {
                    message["result"]["completion"]["hasMore"] = json!("no");
                }
            }),
        ),
    ],
};

pub(super) const M607: Requirement = Requirement {
    id: "M607",
    name: "content-members-types",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The members of a content block, of its annotations and of icons are there where the schema demands them, and have the types that it gives them.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#TextContent ; schema/{2024-11-05..2026-07-28}/schema.ts#EmbeddedResource ; schema/{2025-11-25..2026-07-28}/schema.ts#Icon",
    observed: Observed::Each {
        server: &Observed::By(&M607_SERVER),
        client: &Observed::By(&M607_CLIENT),
    },
};

const M607_SERVER: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give each member of a content block the type that the schema has for it",
    judge: |evidence| judge(evidence, M607.id),
    mutants: &[
        Mutant::new(
            "answers with a text that is a number",
            Mutation::Says(|context, message| {
                if context.method == Some("tools/call")
                    && message.get("result").is_some()
                    && context.params["name"] == "test_simple_text"
                {
                    message["result"]["content"][0]["text"] = json!(7);
                }
            }),
        ),
        Mutant::new(
            "annotates a text with a date that is a number",
            Mutation::Says(|context, message| {
                if context.method == Some("tools/call")
                    && message.get("result").is_some()
                    && context.params["name"] == "test_simple_text"
                {
                    message["result"]["content"][0]["annotations"] = json!({ "lastModified": 7 });
                }
            }),
        ),
    ],
};

const M607_CLIENT: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give each member of a content block the type that the schema has for it",
    judge: |evidence| judge(evidence, M607.id),
    mutants: &[Mutant::new(
        "samples a text that is a number",
        Mutation::Says(|context, message| {
            if context.method == Some("sampling/createMessage")
                && message.get("result").is_some()
                && message["result"]["content"]["type"] == "text"
            {
                message["result"]["content"]["text"] = json!(7);
            }
        }),
    )],
};

pub(super) const M611: Requirement = Requirement {
    id: "M611",
    name: "tasks-members-types",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: only(V2025_11_25),
    text: "[tasks exp] The members of a task and of requests about tasks have the types that the schema gives them, and its status is one of the five.",
    section: "schema/2025-11-25/schema.ts#Task",
    observed: Observed::Each {
        server: &Observed::By(&M611_SERVER),
        client: &Observed::By(&M611_CLIENT),
    },
};

const M611_SERVER: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give each member of a task the type that the schema has for it",
    judge: |evidence| judge(evidence, M611.id),
    mutants: &[Mutant::new(
        "says in words when to ask for a task again",
        Mutation::Says(|context, message| {
            if context.method == Some("tasks/get") && message.get("result").is_some() {
                message["result"]["pollInterval"] = json!("soon");
            }
        }),
    )],
};

const M611_CLIENT: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give each member of a task the type that the schema has for it",
    judge: |evidence| judge(evidence, M611.id),
    mutants: &[Mutant::new(
        "says in words when to ask for a task again",
        Mutation::Says(|context, message| {
            if context.method == Some("tasks/get") && message.get("result").is_some() {
                message["result"]["pollInterval"] = json!("soon");
            }
        }),
    )],
};

pub(super) const M612: Requirement = Requirement {
    id: "M612",
    name: "input-requests-members-types",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "The members of a result that asks for input, and its input requests, have the types that the schema gives them.",
    section: "schema/2026-07-28/schema.ts#InputRequiredResult ; schema/2026-07-28/schema.ts#InputRequests",
    observed: Observed::By(&M612_SERVER),
};

const M612_SERVER: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give inputRequests as an object of requests and requestState as a string",
    judge: |evidence| judge(evidence, M612.id),
    mutants: &[
        Mutant::new(
            "keeps its state in a list",
            Mutation::Says(|_, message| {
                if message["result"]["resultType"] == "input_required" {
                    message["result"]["requestState"] = json!([7]);
                }
            }),
        )
        .also(&["S141", "S142"]),
        Mutant::new(
            "gives what it needs as a list",
            Mutation::Says(|_, message| {
                if message["result"]["resultType"] == "input_required" {
                    message["result"]["inputRequests"] = json!([7]);
                }
            }),
        ),
    ],
};
