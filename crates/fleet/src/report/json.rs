//! For other programs: one form, with a version.

use proofmark_check::record::text;
use serde_json::{Value, json};

use super::Summary;
use crate::{
    compare::{Comparison, ResultChange},
    inventory::Member,
    store::{FindingRow, ResultRow, RunRow},
    time,
};

pub fn summary(summary: &Summary) -> String {
    document(json!({
        "run": run(&summary.run),
        "results": summary.results.iter().map(result).collect::<Vec<_>>(),
        "changes": changes(&summary.comparison),
        "gates": summary.breaches.iter().map(|it| json!({
            "server": it.server, "owner": it.owner, "what": it.what, "unreachable": it.unreachable,
        })).collect::<Vec<_>>(),
    }))
}

pub fn comparison(comparison: &Comparison) -> String {
    document(json!({
        "from": comparison.earlier.as_ref().map(run),
        "to": run(&comparison.later),
        "changes": changes(comparison),
    }))
}

pub fn history(courses: &[Vec<ResultRow>], open: &[FindingRow]) -> String {
    let course = |results: &Vec<ResultRow>| results.iter().map(result).collect::<Vec<_>>();
    document(json!({
        "ways": courses.iter().map(course).collect::<Vec<_>>(),
        "findings": open.iter().map(finding).collect::<Vec<_>>(),
    }))
}

pub fn runs(runs: &[RunRow]) -> String {
    document(json!({"runs": runs.iter().map(run).collect::<Vec<_>>()}))
}

pub fn why(occurrences: &[FindingRow], entries: &[(ResultRow, Value)]) -> String {
    document(json!({
        "occurrences": occurrences.iter().map(finding).collect::<Vec<_>>(),
        "entries": entries.iter().map(|(row, entry)| json!({"result": result(row), "entry": entry})).collect::<Vec<_>>(),
    }))
}

pub fn members(members: &[&Member]) -> String {
    let member = |it: &&Member| {
        json!({
            "name": it.name,
            "owner": it.owner,
            "tags": it.tags,
            "stage": it.stage,
            "transports": it.routes.iter().map(|it| it.transport.as_str()).collect::<Vec<_>>(),
            "revisions": it.held_to.revisions.iter().map(|it| it.as_str()).collect::<Vec<_>>(),
            "minScore": it.held_to.min_score,
        })
    };
    document(json!({"servers": members.iter().map(member).collect::<Vec<_>>()}))
}

fn changes(comparison: &Comparison) -> Value {
    let result_change = |it: &ResultChange| {
        json!({
            "server": it.now.server, "wanted": it.now.wanted, "transport": it.now.transport,
            "verdict": {"was": it.was.verdict.as_str(), "now": it.now.verdict.as_str()},
            "score": {"was": it.was.score, "now": it.now.score, "comparable": it.scores_are_comparable()},
            "worse": it.is_worse(),
        })
    };
    json!({
        "new": comparison.new.iter().map(finding).collect::<Vec<_>>(),
        "gone": comparison.gone.iter().map(finding).collect::<Vec<_>>(),
        "still": comparison.still,
        "results": comparison.results.iter().map(result_change).collect::<Vec<_>>(),
        "interfaces": comparison.interfaces.iter().map(|(row, it)| json!({
            "server": row.server, "wanted": row.wanted, "transport": row.transport,
            "breaking": it.breaking, "harmless": it.harmless,
        })).collect::<Vec<_>>(),
        "first": comparison.first.iter().map(result).collect::<Vec<_>>(),
    })
}

pub(crate) fn run(run: &RunRow) -> Value {
    json!({
        "id": run.id,
        "started": time::rfc3339(run.started),
        "finished": run.finished.map(time::rfc3339),
        "proofmark": run.program,
        "filter": run.filter,
        "jobs": run.jobs,
        "conformant": run.conformant,
        "broken": run.broken,
        "failed": run.failed,
    })
}

fn result(row: &ResultRow) -> Value {
    let counts = row.counts;
    json!({
        "server": row.server,
        "owner": row.owner,
        "stage": row.stage,
        "wanted": row.wanted,
        "transport": row.transport,
        "run": row.run,
        "verdict": row.verdict.as_str(),
        "score": row.score,
        "summary": {
            "pass": counts.pass, "fail": counts.fail, "warn": counts.warn, "skip": counts.skip,
            "untestable": counts.untestable, "excused": counts.excused,
        },
        "observed": {"requirements": row.observed.0, "applicable": row.observed.1},
        "tests": {"passed": row.tests.passed, "failed": row.tests.failed},
        "revision": row.revision,
        "peer": {"name": row.peer_name, "version": row.peer_version},
        "attempts": row.attempts,
        "started": time::rfc3339(row.started),
        "milliseconds": row.took,
        "why": row.why,
    })
}

fn finding(row: &FindingRow) -> Value {
    json!({
        "server": row.server,
        "owner": row.owner,
        "wanted": row.wanted,
        "transport": row.transport,
        "kind": row.subject.kind.as_str(),
        "subject": row.subject.id,
        "severity": row.severity.as_str(),
        "sinceRun": row.since_run,
        "since": row.since_time.map(time::rfc3339),
        "sinceVersion": row.since_version,
        "open": row.until.is_none(),
        "untilVersion": row.until_version,
        "flaky": row.flaky,
        "expected": row.expected,
        "actual": row.actual,
    })
}

fn document(mut value: Value) -> String {
    value["proofmark-fleet"] = json!(VERSION);
    value["proofmark"] = json!(env!("CARGO_PKG_VERSION"));
    text::json(&format!("{value:#}\n"))
}

/// The version of this form: another number if a member changes its meaning or goes.
const VERSION: u32 = 1;
