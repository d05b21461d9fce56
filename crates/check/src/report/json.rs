//! The report that other programs rely on.

use serde_json::{Value, json};

use super::{Entry, Report};
use proofmark_judge::outcome::Status;
use proofmark_record::text;

pub fn write(report: &Report) -> String {
    let summary: serde_json::Map<_, _> = Status::ALL
        .iter()
        .map(|status| (status.as_str().to_owned(), json!(report.count(*status))))
        .collect();
    let (observed, applicable) = report.observed();
    let document = json!({
        "proofmark": env!("CARGO_PKG_VERSION"),
        "target": { "description": report.target.description },
        "side": report.side.as_str(),
        "revision": report.revision.as_str(),
        "transport": report.transport.as_str(),
        "score": report.score(),
        "observed": { "requirements": observed, "applicable": applicable },
        "summary": summary,
        "stale": report.stale,
        "requirements": report.entries.iter().map(entry).collect::<Vec<_>>(),
    });
    text::json(&format!("{document:#}\n"))
}

fn entry(entry: &Entry) -> Value {
    let requirement = entry.requirement;
    let mut value = json!({
        "id": requirement.id,
        "name": requirement.name,
        "level": requirement.level.as_str(),
        "party": requirement.party.as_str(),
        "status": entry.status.as_str(),
        "text": requirement.text,
        "section": requirement.section,
        "page": entry.page,
        "links": entry.links,
    });
    if let Some(finding) = entry.outcome.finding() {
        value["finding"] = json!({
            "expected": finding.expected,
            "actual": finding.actual,
            "event": entry.event,
            "fix": entry.fix(),
            "proof": entry.proof,
        });
    }
    if let Some(excuse) = &entry.excused {
        value["excused"] = json!(excuse);
    }
    if let Some(reason) = entry.outcome.reason().or(entry.excused.as_deref()) {
        value["reason"] = json!(reason);
    }
    value
}
