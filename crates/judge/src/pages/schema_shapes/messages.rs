//! What every message has, what a side says of itself, and the params and answers of both.

use crate::requirement::seen_everywhere;
use crate::{
    mutant::Mutant,
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
    shapes::judge,
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::Revision::V2024_11_05;
use serde_json::json;

pub(super) const M601: Requirement = Requirement {
    id: "M601",
    name: "params-results-meta-objects",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The params and the result of a message are objects, and so is _meta wherever it stands; a cursor is a string.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#Request ; schema/{2024-11-05..2026-07-28}/schema.ts#Result",
    observed: Observed::Each {
        server: &Observed::By(&M601_SERVER),
        client: &Observed::By(&M601_CLIENT),
    },
};

const M601_SERVER: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give params, results and _meta as objects",
    judge: |evidence| judge(evidence, M601.id),
    mutants: &[
        Mutant::new(
            "gives its tools with a text for _meta",
            Mutation::Says(|context, message| {
                if context.method == Some("tools/list") && message.get("result").is_some() {
                    message["result"]["_meta"] = json!("a");
                }
            }),
        ),
        Mutant::new(
            "names the next page by a number",
            Mutation::Says(|context, message| {
                if context.method == Some("tools/list") && message.get("result").is_some() {
                    message["result"]["nextCursor"] = json!(7);
                }
            }),
        ),
    ],
};

const M601_CLIENT: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give params, results and _meta as objects",
    judge: |evidence| judge(evidence, M601.id),
    mutants: &[Mutant::new(
        "says in a list that it is initialized",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/initialized" {
                message["params"] = json!([1]);
            }
        }),
    )],
};

pub(super) const M602: Requirement = Requirement {
    id: "M602",
    name: "said-of-itself-members-types",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "What a side says of itself, its implementation, its capabilities and its instructions, has members of the types that the schema gives them.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#Implementation ; schema/{2024-11-05..2026-07-28}/schema.ts#ServerCapabilities ; schema/{2024-11-05..2026-07-28}/schema.ts#ClientCapabilities",
    observed: Observed::Each {
        server: &Observed::By(&M602_SERVER),
        client: &Observed::By(&M602_CLIENT),
    },
};

const M602_SERVER: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give names and instructions as strings, capabilities as objects, and their flags as true or false",
    judge: |evidence| judge(evidence, M602.id),
    mutants: &[
        Mutant::new(
            "gives a number for its instructions",
            Mutation::Says(|context, message| {
                if context.method == Some("initialize") && message.get("result").is_some() {
                    message["result"]["instructions"] = json!(7);
                }
            }),
        ),
        Mutant::new(
            "says in a word that its tools change",
            Mutation::Says(|context, message| {
                if context.method == Some("initialize") && message.get("result").is_some() {
                    message["result"]["capabilities"]["tools"]["listChanged"] = json!("yes");
                }
            }),
        ),
        Mutant::new(
            "calls itself by a list of titles",
            Mutation::Says(|context, message| {
                if context.method == Some("initialize") && message.get("result").is_some() {
                    message["result"]["serverInfo"]["title"] = json!(["a"]);
                }
            }),
        ),
    ],
};

const M602_CLIENT: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give names and instructions as strings, capabilities as objects, and their flags as true or false",
    judge: |evidence| judge(evidence, M602.id),
    mutants: &[
        Mutant::new(
            "says in a word that its roots change",
            Mutation::Says(|_, message| {
                if message["method"] == "initialize" {
                    message["params"]["capabilities"]["roots"]["listChanged"] = json!("yes");
                }
            }),
        ),
        Mutant::new(
            "calls itself by a list of titles",
            Mutation::Says(|_, message| {
                if message["method"] == "initialize" {
                    message["params"]["clientInfo"]["title"] = json!(["a"]);
                }
            }),
        ),
    ],
};

pub(super) const M608: Requirement = Requirement {
    id: "M608",
    name: "params-of-requests-members-types",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The params of a request, of an input request too, have the members that the schema demands, of the types that it gives them.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ClientRequest ; schema/{2024-11-05..2025-11-25}/schema.ts#ServerRequest ; schema/2026-07-28/schema.ts#InputRequest",
    observed: Observed::Each {
        server: &Observed::By(&M608_SERVER),
        client: &Observed::By(&M608_CLIENT),
    },
};

const M608_SERVER: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give each member of params the type that the schema has for it",
    judge: |evidence| judge(evidence, M608.id),
    mutants: &[
        Mutant::new(
            "asks a model with a number for its instructions",
            Mutation::Says(|_, message| {
                if message["method"] == "sampling/createMessage" {
                    message["params"]["systemPrompt"] = json!(7);
                }
            }),
        ),
        Mutant::new(
            "asks a model with a temperature in words",
            Mutation::Says(|_, message| {
                if message["method"] == "sampling/createMessage" {
                    message["params"]["temperature"] = json!("hot");
                }
            }),
        ),
        Mutant::new(
            "asks a model to stop at a word that is in no list",
            Mutation::Says(|_, message| {
                if message["method"] == "sampling/createMessage" {
                    message["params"]["stopSequences"] = json!("a");
                }
            }),
        ),
    ],
};

const M608_CLIENT: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give each member of params the type that the schema has for it",
    judge: |evidence| judge(evidence, M608.id),
    mutants: &[Mutant::new(
        "wishes for a level that is none",
        Mutation::Says(|_, message| {
            if message["method"] == "logging/setLevel" {
                message["params"]["level"] = json!("loud");
            }
        }),
    )],
};

pub(super) const M609: Requirement = Requirement {
    id: "M609",
    name: "params-of-notifications-members-types",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "The params of a notification have the members that the schema demands, of the types that it gives them.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ClientNotification ; schema/{2024-11-05..2026-07-28}/schema.ts#ServerNotification",
    observed: Observed::Each {
        server: &Observed::By(&M609_SERVER),
        client: &Observed::By(&M609_CLIENT),
    },
};

const M609_SERVER: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give each member of params the type that the schema has for it",
    judge: |evidence| judge(evidence, M609.id),
    mutants: &[
        Mutant::new(
            "logs under a number",
            Mutation::Says(|_, message| {
                if message["method"] == "notifications/message" {
                    message["params"]["logger"] = json!(7);
                }
            }),
        ),
        Mutant::new(
            "tells of progress with a total in words",
            Mutation::Says(|_, message| {
                if message["method"] == "notifications/progress" {
                    message["params"]["total"] = json!("all");
                }
            }),
        ),
    ],
};

const M609_CLIENT: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give each member of params the type that the schema has for it",
    judge: |evidence| judge(evidence, M609.id),
    mutants: &[Mutant::new(
        "cancels for a reason that is a number",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/cancelled" {
                message["params"]["reason"] = json!(7);
            }
        }),
    )],
};

pub(super) const M610: Requirement = Requirement {
    id: "M610",
    name: "answers-of-clients-members-types",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "What a client answers to sampling, elicitation and roots has members of the types that the schema gives them.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ListRootsResult ; schema/{2024-11-05..2026-07-28}/schema.ts#CreateMessageResult ; schema/{2025-06-18..2026-07-28}/schema.ts#ElicitResult",
    observed: Observed::By(&M610_CLIENT),
};

const M610_CLIENT: Check = Check {
    how: "compares every message with the table of its revision",
    seen: seen_everywhere(),
    fix: "give each member of an answer the type that the schema has for it",
    judge: |evidence| judge(evidence, M610.id),
    mutants: &[Mutant::new(
        "names its roots by numbers",
        Mutation::Says(|context, message| {
            if context.method == Some("roots/list") && message.get("result").is_some() {
                message["result"]["roots"][0]["name"] = json!(7);
            }
        }),
    )],
};
