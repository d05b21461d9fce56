//! The report as SARIF 2.1.0, for code hosts that show findings.

use serde_json::{Value, json};

use super::{AllRevisions, Entry, Report};
use proofmark_judge::{
    catalogue,
    outcome::{Finding, Status},
};
use proofmark_record::text::{self, plain};

pub fn write(report: &Report) -> String {
    document(&[run(report)])
}

/// A run for each revision.
pub fn write_all(all: &AllRevisions) -> String {
    document(&all.reports.iter().map(run).collect::<Vec<_>>())
}

fn document(runs: &[Value]) -> String {
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": runs,
    });
    text::json(&format!("{document:#}\n"))
}

fn run(report: &Report) -> Value {
    json!({
        "tool": { "driver": {
            "name": "proofmark",
            "version": env!("CARGO_PKG_VERSION"),
            "informationUri": format!("{SPECIFICATION}/{}", report.revision),
            "rules": report.findings().map(|(entry, _)| rule(entry)).collect::<Vec<_>>(),
        } },
        "automationDetails": {
            "id": format!("proofmark/{}/{}/{}/", report.side, report.transport, report.revision),
        },
        "results": report
            .findings()
            .enumerate()
            .map(|(index, (entry, finding))| result(report, index, entry, finding))
            .collect::<Vec<_>>(),
    })
}

fn rule(entry: &Entry) -> Value {
    let mut rule = json!({
        "id": entry.requirement.id,
        "name": entry.requirement.name,
        "shortDescription": { "text": entry.requirement.text },
        "fullDescription": { "text": full_description(entry) },
        "help": { "text": entry.fix() },
        "defaultConfiguration": { "level": level(entry) },
        "properties": { "level": entry.requirement.level.as_str(), "page": entry.page },
    });
    if let Some(link) = entry.links.first() {
        rule["helpUri"] = json!(link);
    }
    rule
}

/// What is demanded, and why that matters.
fn full_description(entry: &Entry) -> String {
    let why = catalogue::page_of(entry.requirement).map_or("", |page| page.why);
    format!("{} {why}", entry.requirement.text).trim_end().to_owned()
}

fn result(report: &Report, index: usize, entry: &Entry, finding: &Finding) -> Value {
    let text = format!(
        "{} Expected {}, got {}. To fix it: {}.",
        entry.requirement.text,
        plain(&finding.expected),
        plain(&finding.actual),
        entry.fix()
    );
    let description = plain(&report.target.description);
    let mut result = json!({
        "ruleId": entry.requirement.id,
        "ruleIndex": index,
        "level": level(entry),
        "message": { "text": text },
        // A peer has no source file here, but code hosts show nothing without a place.
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": path_of(&description) },
                "region": { "startLine": 1 },
            },
            "logicalLocations": [{ "name": description, "kind": "resource" }],
        }],
        "partialFingerprints": {
            "requirement/v1": format!("{}:{}", entry.requirement.id, report.transport),
        },
        "properties": { "proof": entry.proof },
    });
    if let Some(reason) = &entry.excused {
        result["suppressions"] = json!([{ "kind": "external", "justification": plain(reason) }]);
    }
    result
}

fn level(entry: &Entry) -> &'static str {
    if entry.status == Status::Fail { "error" } else { "warning" }
}

/// A relative reference that stands for the peer.
fn path_of(description: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '-' };
    let path: String = description.chars().take(LONGEST_PATH).map(kept).collect();
    format!("mcp/{path}")
}

/// What is checked is written there.
const SPECIFICATION: &str = "https://modelcontextprotocol.io/specification";
const LONGEST_PATH: usize = 100;
