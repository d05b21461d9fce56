//! The report that other programs rely on.

use serde_json::{Value, json};

use super::{AllRevisions, Entry, Point, Report, Strictness, Timing};
use proofmark_judge::outcome::Status;
use proofmark_record::text;

pub fn write(report: &Report, strictness: Strictness) -> String {
    text::json(&format!("{:#}\n", document(report, strictness)))
}

/// The reports on all revisions as one document.
pub fn write_all(all: &AllRevisions, strictness: Strictness) -> String {
    let reports = all.reports.iter().map(|report| document(report, strictness));
    let unreachable = all.unreachable.iter().map(|(revision, why)| {
        json!({ "revision": revision.as_str(), "why": why.why, "hint": why.hint })
    });
    let document = json!({
        "format": FORMAT,
        "proofmark": env!("CARGO_PKG_VERSION"),
        "verdict": all.verdict(strictness).as_str(),
        "notSpoken": all.not_spoken.iter().map(|it| it.as_str()).collect::<Vec<_>>(),
        "unreachable": unreachable.collect::<Vec<_>>(),
        "reports": reports.collect::<Vec<_>>(),
    });
    text::json(&format!("{document:#}\n"))
}

fn document(report: &Report, strictness: Strictness) -> Value {
    let words = Status::ALL.map(Status::as_str).into_iter().chain([EXCUSED]);
    let count = |word: &str| report.entries.iter().filter(|entry| status(entry) == word).count();
    let summary: serde_json::Map<_, _> =
        words.map(|word| (word.to_owned(), json!(count(word)))).collect();
    let timing = report.timing.as_ref();
    let peer = report.peer().map(|peer| json!({ "name": peer.name, "version": peer.version }));
    let (observed, applicable) = report.observed();
    json!({
        "format": FORMAT,
        "proofmark": env!("CARGO_PKG_VERSION"),
        "started": timing.map(Timing::started_rfc3339),
        "duration": timing.map(|it| it.duration.as_secs_f64()),
        "verdict": report.verdict(strictness).as_str(),
        "brokenOff": report.broken_off.as_ref().map(|it| &it.why),
        "peer": peer,
        "target": { "description": report.target.description },
        "side": report.side.as_str(),
        "revision": report.revision.as_str(),
        "transport": report.transport.as_str(),
        "score": report.score(),
        "observed": { "requirements": observed, "applicable": applicable },
        "summary": summary,
        "stale": report.stale,
        "requirements": report.entries.iter().map(entry).collect::<Vec<_>>(),
    })
}

fn entry(entry: &Entry) -> Value {
    let requirement = entry.requirement;
    let mut value = json!({
        "id": requirement.id,
        "name": requirement.name,
        "level": requirement.level.as_str(),
        "party": requirement.party.as_str(),
        "status": status(entry),
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
        if let Some(Point { line, from, to, pointer }) = &entry.point {
            value["finding"]["point"] =
                json!({ "line": line, "from": from, "to": to, "pointer": pointer });
        }
    }
    if let Some(excuse) = &entry.excused {
        value["excused"] = json!(excuse);
        value["found"] = json!(entry.status.as_str());
    }
    if let Some(reason) = entry.outcome.reason().or(entry.excused.as_deref()) {
        value["reason"] = json!(reason);
    }
    value
}

/// What the baseline excuses has a word of its own; what it would be without is `found`.
fn status(entry: &Entry) -> &'static str {
    if entry.excused.is_some() { EXCUSED } else { entry.status.as_str() }
}

/// The version of this form: another number if a member changes its meaning or goes. Members may be added under the same.
const FORMAT: u32 = 1;
const EXCUSED: &str = "excused";
