//! Content blocks, in the results of tools and in the messages of prompts.

use base64::{Engine, prelude::BASE64_STANDARD};
use proofmark_core::revision::{ContentKind, ContentKinds};
use serde_json::{Value, json};

use super::{
    Check,
    shape::{lacks_text, show, undeclared},
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_record::evidence::{Evidence, Place};

pub(crate) const M069: Check = TOOL_KINDS;
pub(crate) const M467: Check = TOOL_KINDS;
pub(crate) const M468: Check = TOOL_KINDS;

const TOOL_KINDS: Check = Check {
    how: "looks at every block of content that tools give",
    fix: "use only the kinds of content that the agreed revision knows",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "tools") {
            return outcome;
        }
        kinds(tool_blocks(evidence), evidence.revision.rules().tools.content)
    },
    mutants: &[of_call("answers with a hologram", "test_simple_text", |block| {
        *block = json!({ "type": "hologram", "text": "a" });
    })],
};

pub(crate) const M063: Check = PROMPT_KINDS;
pub(crate) const M446: Check = PROMPT_KINDS;
pub(crate) const M447: Check = PROMPT_KINDS;

const PROMPT_KINDS: Check = Check {
    how: "looks at the content of every message of prompts",
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

pub(crate) const M449: Check = Check {
    how: "decodes the data of every image",
    fix: "write image data as base64 and name its MIME type",
    judge: |evidence| media(evidence, "image"),
    mutants: &[of_call("shows an image that is no base64", "test_image_content", |block| {
        block["data"] = json!("not base64!");
    })],
};

pub(crate) const M523: Check = Check {
    how: "looks at every image",
    fix: "give each image data and mimeType",
    judge: |evidence| fields(evidence, "image", ["data", "mimeType"]),
    mutants: &[of_call("shows an image of no type", "test_image_content", |block| {
        block.as_object_mut().map(|block| block.remove("mimeType")).unwrap_or_default();
    })
    .also(&["M449"])],
};

pub(crate) const M450: Check = Check {
    how: "decodes the data of every sound",
    fix: "write audio data as base64 and name its MIME type",
    judge: |evidence| media(evidence, "audio"),
    mutants: &[of_call("plays a sound that is no base64", "test_audio_content", |block| {
        block["data"] = json!("not base64!");
    })],
};

pub(crate) const M524: Check = Check {
    how: "looks at every sound",
    fix: "give each sound data and mimeType",
    judge: |evidence| fields(evidence, "audio", ["data", "mimeType"]),
    mutants: &[of_call("plays a sound of no type", "test_audio_content", |block| {
        block.as_object_mut().map(|block| block.remove("mimeType")).unwrap_or_default();
    })
    .also(&["M450"])],
};

pub(crate) const M522: Check = Check {
    how: "looks at every link to a resource",
    fix: "give each resource_link uri and name",
    judge: |evidence| fields(evidence, "resource_link", ["uri", "name"]),
    mutants: &[of_call("links to a resource without a name", "test_resource_link", |block| {
        block.as_object_mut().map(|block| block.remove("name")).unwrap_or_default();
    })],
};

pub(crate) const M527: Check = Check {
    how: "looks at the annotations of every block of content",
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

pub(crate) const A131: Check = Check {
    how: "looks at every block of content that tools give",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(tool_blocks(evidence), "links to resources", |(_, block)| {
            block["type"] == "resource_link"
        })
    },
    mutants: &[of_call("never links", "test_resource_link", |block| {
        *block = json!({ "type": "text", "text": "no link" });
    })],
};

pub(crate) const A132: Check = Check {
    how: "looks at every block of content that tools give",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(tool_blocks(evidence), "embedded resources", |(_, block)| {
            block["type"] == "resource"
        })
    },
    mutants: &[Mutant::new(
        "never embeds",
        Mutation::Says(|context, message| {
            let Some(result) = result_of(context, message, "tools/call") else { return };
            for block in result["content"].as_array_mut().into_iter().flatten() {
                if block["type"] == "resource" {
                    *block = json!({ "type": "text", "text": "no resource" });
                }
            }
        }),
    )],
};

pub(super) fn tool_blocks(evidence: &Evidence) -> impl Iterator<Item = (Place, &Value)> {
    evidence.results("tools/call").flat_map(|(answer, result)| {
        let blocks = result.get("content").and_then(Value::as_array).into_iter().flatten();
        blocks.map(move |block| (answer.place, block))
    })
}

pub(super) fn prompt_blocks(evidence: &Evidence) -> impl Iterator<Item = (Place, &Value)> {
    evidence.results("prompts/get").flat_map(|(answer, result)| {
        let messages = result.get("messages").and_then(Value::as_array).into_iter().flatten();
        messages.filter_map(move |message| Some((answer.place, message.get("content")?)))
    })
}

fn blocks(evidence: &Evidence) -> impl Iterator<Item = (Place, &Value)> {
    tool_blocks(evidence).chain(prompt_blocks(evidence))
}

fn kinds<'e>(blocks: impl Iterator<Item = (Place, &'e Value)>, known: ContentKinds) -> Outcome {
    let names: Vec<&str> = known.iter().map(|kind| name(*kind)).collect();
    each(blocks, "no content was seen", |(place, block)| {
        let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
        (!names.contains(&kind))
            .then(|| Finding::new(format!("one of {}", names.join(", ")), show(block), place))
    })
}

fn fields(evidence: &Evidence, kind: &str, members: [&str; 2]) -> Outcome {
    let outcome = each(of_kind(evidence, kind), "", |(place, block)| {
        members.iter().find_map(|member| lacks_text(place, block, member))
    });
    not_applicable(outcome, &format!("no {kind} was seen"))
}

fn media(evidence: &Evidence, kind: &str) -> Outcome {
    let outcome = each(of_kind(evidence, kind), "", |(place, block)| {
        let data = block.get("data")?.as_str()?;
        if BASE64_STANDARD.decode(data).is_err() {
            return Some(Finding::new("base64", show(&block["data"]), place));
        }
        lacks_text(place, block, "mimeType")
    });
    not_applicable(outcome, &format!("no {kind} was seen"))
}

fn of_kind<'e>(evidence: &'e Evidence, kind: &str) -> impl Iterator<Item = (Place, &'e Value)> {
    blocks(evidence)
        .filter(move |(_, block)| block.get("type").and_then(Value::as_str) == Some(kind))
}

fn not_applicable(outcome: Outcome, why: &str) -> Outcome {
    match outcome {
        Outcome::Unobserved(_) => Outcome::NotApplicable(why.to_owned()),
        other => other,
    }
}

fn name(kind: ContentKind) -> &'static str {
    match kind {
        ContentKind::Audio => "audio",
        ContentKind::Image => "image",
        ContentKind::Resource => "resource",
        ContentKind::ResourceLink => "resource_link",
        ContentKind::Text => "text",
        ContentKind::ToolResult => "tool_result",
        ContentKind::ToolUse => "tool_use",
    }
}

/// Changes the first block of what a tool answers.
const fn of_call(name: &'static str, tool: &'static str, change: fn(&mut Value)) -> Mutant {
    Mutant::new(name, Mutation::Call { tool, part: "/content/0", change })
}

/// Changes the content of the first message of every prompt.
const fn of_prompt(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "prompts/get")?.pointer_mut("/messages/0/content")
    }
    Mutant::new(name, Mutation::Part { of, change })
}
