//! The requirements of `schema/prompts`, how each is judged, and the mutants that prove it.

use crate::requirement::seen_everywhere;
use crate::{
    common::{
        content::{kinds, prompt_blocks},
        shape::{each_item, each_result, lacks, lacks_text, show, undeclared},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, offered},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, only, since},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_03_26, V2025_06_18};
use proofmark_record::evidence::{Evidence, PeerMessage, Place};
use serde_json::{Value, json};

pub(super) const PAGE: Page = Page {
    name: "schema/prompts",
    why: "Clients list and fill in prompts by these members alone.",
    requirements: &[&M059, &M060, &M061, &M062, &M063, &M446, &M447, &M448, &M525, &A019],
};

const M059: Requirement = Requirement {
    id: "M059",
    name: "prompts-list-returns-prompts-array",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "prompts/list returns a prompts array.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#ListPromptsResult",
    observed: Observed::By(&M059_CHECK),
};

const M059_CHECK: Check = Check {
    how: "asks for the prompts",
    seen: seen_everywhere(),
    fix: "answer prompts/list with an array in prompts",
    judge: |evidence| {
        each_result(evidence, "prompts", "prompts/list", |answer, result| {
            lacks(answer.place, result, "prompts", "an array", Value::is_array)
        })
    },
    mutants: &[listed("lists prompts as an object", |result| result["prompts"] = json!({}))],
};

const M060: Requirement = Requirement {
    id: "M060",
    name: "every-prompt-name",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Every prompt has a name.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#Prompt",
    observed: Observed::By(&M060_CHECK),
};

const M060_CHECK: Check = Check {
    how: "looks at every listed prompt",
    seen: seen_everywhere(),
    fix: "give each prompt a name",
    judge: |evidence| {
        each_item(evidence, "prompts", "prompts/list", |PeerMessage { place, message }| {
            lacks_text(place, message, "name")
        })
    },
    mutants: &[listed("has a prompt without a name", |result| {
        if let Some(prompt) = result["prompts"][0].as_object_mut() {
            prompt.remove("name");
        }
    })],
};

const M061: Requirement = Requirement {
    id: "M061",
    name: "prompts-get-returns-messages-array",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "prompts/get returns a messages array (2026-07-28: unless input_required).",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#GetPromptResult",
    observed: Observed::By(&M061_CHECK),
};

const M061_CHECK: Check = Check {
    how: "gets prompts with made-up arguments",
    seen: seen_everywhere(),
    fix: "answer prompts/get with an array in messages",
    judge: |evidence| {
        each_result(evidence, "prompts", "prompts/get", |answer, result| {
            lacks(answer.place, result, "messages", "an array", Value::is_array)
        })
    },
    mutants: &[got("gives messages as an object", |result| result["messages"] = json!({}))],
};

const M062: Requirement = Requirement {
    id: "M062",
    name: "every-prompt-message-role-content",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Every prompt message has role and content.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#PromptMessage",
    observed: Observed::By(&M062_CHECK),
};

const M062_CHECK: Check = Check {
    how: "looks at every message of the prompts",
    seen: seen_everywhere(),
    fix: "give each message role and content",
    judge: |evidence| {
        of_messages(evidence, |place, message| {
            lacks_text(place, message, "role")
                .or_else(|| lacks(place, message, "content", "an object", Value::is_object))
        })
    },
    mutants: &[got("has a message that nobody speaks", |result| {
        if let Some(message) = result["messages"][0].as_object_mut() {
            message.remove("role");
        }
    })],
};

const M063: Requirement = Requirement {
    id: "M063",
    name: "prompt-content-text-image-audio-or-embedded",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2025_03_26),
    text: "Prompt content is text, image, audio or embedded resource (exactly this set in 2025-03-26; other sets have their own rows).",
    section: "schema/2025-03-26/schema.ts#PromptMessage",
    observed: Observed::By(&M063_CHECK),
};

const M063_CHECK: Check = PROMPT_KINDS;

const M446: Requirement = Requirement {
    id: "M446",
    name: "prompt-content-text-image-or-embedded",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: only(V2024_11_05),
    text: "Prompt content is text, image or embedded resource (2024-11-05 set).",
    section: "schema/2024-11-05/schema.ts#PromptMessage",
    observed: Observed::By(&M446_CHECK),
};

const M446_CHECK: Check = PROMPT_KINDS;

const M447: Requirement = Requirement {
    id: "M447",
    name: "prompt-content-text-image-audio",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2025_06_18),
    text: "Prompt content is text, image, audio, resource_link or embedded resource (schema since 2025-06-18; the prose names links in prompts in 2026-07-28).",
    section: "schema/{2025-06-18..2026-07-28}/schema.ts#PromptMessage",
    observed: Observed::By(&M447_CHECK),
};

const M447_CHECK: Check = PROMPT_KINDS;

const M448: Requirement = Requirement {
    id: "M448",
    name: "prompt-message-role-user-or-assistant",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A prompt message role is user or assistant.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#PromptMessage",
    observed: Observed::By(&M448_CHECK),
};

const M448_CHECK: Check = Check {
    how: "looks at the role of every message of the prompts",
    seen: seen_everywhere(),
    fix: "use user or assistant as role",
    judge: |evidence| {
        of_messages(evidence, |place, message| {
            let role = message.get("role")?;
            (role != "user" && role != "assistant")
                .then(|| Finding::new("user or assistant", show(role), place))
        })
    },
    mutants: &[got("has a message of the system", |result| {
        result["messages"][0]["role"] = json!("system");
    })],
};

const M525: Requirement = Requirement {
    id: "M525",
    name: "prompt-argument-name",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A prompt argument has a name.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#PromptArgument",
    observed: Observed::By(&M525_CHECK),
};

const M525_CHECK: Check = Check {
    how: "looks at the arguments of every listed prompt",
    seen: seen_everywhere(),
    fix: "give each argument a name",
    judge: |evidence| {
        each_item(evidence, "prompts", "prompts/list", |PeerMessage { place, message }| {
            let arguments = message.get("arguments")?.as_array()?;
            arguments.iter().find_map(|argument| lacks_text(place, argument, "name"))
        })
    },
    mutants: &[listed("has an argument without a name", |result| {
        if let Some(prompt) = result["prompts"][0].as_object_mut() {
            prompt.insert("arguments".to_owned(), json!([{ "description": "nameless" }]));
        }
    })],
};

const A019: Requirement = Requirement {
    id: "A019",
    name: "prompt-may-have-description-arguments",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A prompt may have description and arguments.",
    section: "schema/{2024-11-05..2026-07-28}/schema.ts#Prompt",
    observed: Observed::By(&A019_CHECK),
};

const A019_CHECK: Check = Check {
    how: "looks at every listed prompt",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.listed("prompts/list"), "description or arguments of prompts", |prompt| {
            ["description", "arguments"].iter().any(|member| prompt.message.get(member).is_some())
        })
    },
    mutants: &[listed("says nothing more about its prompts", |result| {
        for prompt in result["prompts"].as_array_mut().into_iter().flatten() {
            if let Some(prompt) = prompt.as_object_mut() {
                prompt.retain(|member, _| member == "name");
            }
        }
    })
    .also(&["A127"])],
};

/// Changes the content of the first message of every prompt.
const fn of_prompt(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "prompts/get")?.pointer_mut("/messages/0/content")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

fn of_messages(evidence: &Evidence, judge: impl Fn(Place, &Value) -> Option<Finding>) -> Outcome {
    each_result(evidence, "prompts", "prompts/get", |answer, result| {
        let messages = result.get("messages")?.as_array()?;
        messages.iter().find_map(|message| judge(answer.place, message))
    })
}

const fn listed(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "prompts/list")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

const fn got(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "prompts/get")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

const PROMPT_KINDS: Check = Check {
    how: "looks at the content of every message of prompts",
    seen: seen_everywhere(),
    fix: "use only the kinds of content that the agreed revision knows",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "prompts") {
            return outcome;
        }
        kinds(prompt_blocks(evidence), evidence.revision.rules().prompts.content)
    },
    mutants: &[of_prompt("prompts with a hologram", |content| {
        *content = json!({ "type": "hologram", "text": "a" });
    })],
};
