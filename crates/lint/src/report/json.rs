//! For other programs.

use proofmark_record::text;
use serde_json::{Value, json};

use crate::{Outcome, Severity};

/// Grows when a member changes its meaning or goes; new members may come.
pub const FORMAT: u32 = 1;

/// `failed` is what the exit code says.
pub fn write(target: &str, outcome: &Outcome, failed: bool) -> String {
    let findings: Vec<Value> = outcome
        .findings
        .iter()
        .map(|finding| {
            json!({
                "rule": finding.rule.id,
                "name": finding.rule.name,
                "class": finding.rule.class.as_str(),
                "severity": finding.severity.as_str(),
                "list": finding.place.list.entry(),
                "entry": finding.place.name,
                "pointer": finding.place.pointer,
                "message": finding.message,
                "fix": finding.rule.fix,
                "sources": finding.rule.sources,
            })
        })
        .collect();
    let cost = &outcome.cost;
    let tools: Vec<_> =
        cost.tools.iter().map(|(name, tokens)| json!({"name": name, "tokens": tokens})).collect();
    let document = json!({
        "format": FORMAT,
        "program": {"name": "proofmark", "version": env!("CARGO_PKG_VERSION")},
        "target": target,
        "verdict": if failed { "failed" } else { "passed" },
        "counts": {
            "entries": outcome.subjects,
            "errors": outcome.count(Severity::Error),
            "warnings": outcome.count(Severity::Warning),
            "notes": outcome.count(Severity::Note),
        },
        "tokens": {
            "inContext": cost.in_context(),
            "instructions": cost.instructions,
            "tools": cost.all_tools(),
            "prompts": cost.prompts,
            "resources": cost.resources,
            "byTool": tools,
        },
        "findings": findings,
    });
    text::json(&format!("{document:#}"))
}
