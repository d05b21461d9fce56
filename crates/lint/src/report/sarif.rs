//! For code hosts, SARIF 2.1.0. A list has no file, so that the server stands for one.

use std::collections::BTreeMap;

use proofmark_record::text;
use serde_json::{Value, json};

use super::{message, place};
use crate::{Outcome, Rule, Severity};

pub fn write(target: &str, outcome: &Outcome) -> String {
    let rules: BTreeMap<&str, &Rule> =
        outcome.findings.iter().map(|finding| (finding.rule.id, finding.rule)).collect();
    let index = |id: &str| rules.keys().position(|known| *known == id);
    let results: Vec<Value> = outcome
        .findings
        .iter()
        .map(|finding| {
            let said =
                format!("{}: {}. Fix: {}.", place(finding), message(finding), finding.rule.fix);
            json!({
                "ruleId": finding.rule.id,
                "ruleIndex": index(finding.rule.id),
                "level": level(finding.severity),
                "message": {"text": said},
                "locations": [{
                    "physicalLocation": {
                        "artifactLocation": {"uri": uri(target)},
                        "region": {"startLine": 1},
                    },
                    "logicalLocations": [{
                        "fullyQualifiedName": place(finding),
                        "kind": "member",
                    }],
                }],
                "partialFingerprints": {
                    "proofmark/v1": format!("{}:{}", finding.rule.id, place(finding)),
                },
            })
        })
        .collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "proofmark lint",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": "https://modelcontextprotocol.io",
                "rules": rules.values().map(|rule| described(rule)).collect::<Vec<_>>(),
            }},
            "results": results,
        }],
    });
    text::json(&format!("{document:#}"))
}

fn described(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.reason},
        "help": {"text": format!("{}\n{}", rule.fix, rule.sources.join("\n"))},
        "helpUri": rule.sources[0],
        "defaultConfiguration": {"level": level(rule.severity)},
        "properties": {"tags": [rule.class.as_str()]},
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// A path that a code host takes for one of its files.
fn uri(target: &str) -> String {
    let kept = |it: char| if it.is_ascii_alphanumeric() || "-._".contains(it) { it } else { '-' };
    format!("mcp/{}", target.chars().take(100).map(kept).collect::<String>())
}
