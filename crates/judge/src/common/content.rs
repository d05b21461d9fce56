//! Content blocks, in the results of tools and in the messages of prompts.

use crate::{
    common::shape::{lacks_text, show},
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_core::revision::{ContentKind, ContentKinds};
use proofmark_record::evidence::{Evidence, Place};
use serde_json::Value;

pub(crate) fn tool_blocks(evidence: &Evidence) -> impl Iterator<Item = (Place, &Value)> {
    evidence.results("tools/call").flat_map(|(answer, result)| {
        let blocks = result.get("content").and_then(Value::as_array).into_iter().flatten();
        blocks.map(move |block| (answer.place, block))
    })
}

pub(crate) fn prompt_blocks(evidence: &Evidence) -> impl Iterator<Item = (Place, &Value)> {
    evidence.results("prompts/get").flat_map(|(answer, result)| {
        let messages = result.get("messages").and_then(Value::as_array).into_iter().flatten();
        messages.filter_map(move |message| Some((answer.place, message.get("content")?)))
    })
}

pub(crate) fn blocks(evidence: &Evidence) -> impl Iterator<Item = (Place, &Value)> {
    tool_blocks(evidence).chain(prompt_blocks(evidence))
}

pub(crate) fn kinds<'e>(
    blocks: impl Iterator<Item = (Place, &'e Value)>,
    known: ContentKinds,
) -> Outcome {
    let names: Vec<&str> = known.iter().map(|kind| name(*kind)).collect();
    each(blocks, "no content was seen", |(place, block)| {
        let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
        (!names.contains(&kind))
            .then(|| Finding::new(format!("one of {}", names.join(", ")), show(block), place))
    })
}

pub(crate) fn fields(evidence: &Evidence, kind: &str, members: [&str; 2]) -> Outcome {
    let outcome = each(of_kind(evidence, kind), "", |(place, block)| {
        members.iter().find_map(|member| lacks_text(place, block, member))
    });
    not_applicable(outcome, &format!("no {kind} was seen"))
}

pub(crate) fn of_kind<'e>(
    evidence: &'e Evidence,
    kind: &str,
) -> impl Iterator<Item = (Place, &'e Value)> {
    blocks(evidence)
        .filter(move |(_, block)| block.get("type").and_then(Value::as_str) == Some(kind))
}

pub(crate) fn not_applicable(outcome: Outcome, why: &str) -> Outcome {
    match outcome {
        Outcome::Unobserved(_) => Outcome::NotApplicable(why.to_owned()),
        other => other,
    }
}

pub(crate) fn name(kind: ContentKind) -> &'static str {
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
pub(crate) const fn of_call(
    name: &'static str,
    tool: &'static str,
    change: fn(&mut Value),
) -> Mutant {
    Mutant::new(name, Mutation::Call { tool, part: "/content/0", change })
}
