//! The report as SARIF 2.1.0, for code hosts that show findings.

use serde_json::{Value, json};

use super::{Entry, Report};
use crate::{
    outcome::{Finding, Status},
    sanitise::plain,
};

pub fn write(report: &Report) -> String {
    let broken: Vec<(&Entry, &Finding)> =
        report.entries.iter().filter_map(|entry| Some((entry, entry.outcome.finding()?))).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "proofmark",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": broken.iter().map(|(entry, _)| rule(entry)).collect::<Vec<_>>(),
            } },
            "results": broken.iter().map(|(entry, finding)| result(report, entry, finding)).collect::<Vec<_>>(),
        }],
    });
    format!("{document:#}\n")
}

fn rule(entry: &Entry) -> Value {
    json!({
        "id": entry.requirement.id,
        "name": entry.requirement.name,
        "shortDescription": { "text": entry.requirement.text },
        "help": { "text": entry.fix() },
    })
}

fn result(report: &Report, entry: &Entry, finding: &Finding) -> Value {
    let level = if entry.status == Status::Fail { "error" } else { "warning" };
    let text = format!("expected {}, got {}", plain(&finding.expected), plain(&finding.actual));
    let mut result = json!({
        "ruleId": entry.requirement.id,
        "level": level,
        "message": { "text": text },
        "locations": [{ "logicalLocations": [{
            "name": plain(&report.target.description), "kind": "resource" }] }],
    });
    if let Some(reason) = &entry.excused {
        result["suppressions"] = json!([{ "kind": "external", "justification": reason }]);
    }
    result
}
