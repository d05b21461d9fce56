//! The outcome for programs.

use serde_json::{Value, json};

use crate::outcome::{Failure, RunOutcome, TestOutcome, Verdict};

/// Raised when a program that reads the format would misunderstand it.
pub const VERSION: u32 = 1;

pub fn write(outcome: &RunOutcome) -> String {
    let document = json!({
        "proofmark-test": VERSION,
        "proofmark": env!("CARGO_PKG_VERSION"),
        "seed": outcome.seed,
        "seconds": outcome.duration.as_secs_f64(),
        "summary": {
            "passed": outcome.count("passed"),
            "flaky": outcome.flaky(),
            "failed": outcome.count("failed"),
            "skipped": outcome.count("skipped"),
            "undecided": outcome.count("undecided"),
            "notRun": outcome.count("not-run"),
        },
        "tests": outcome.tests.iter().map(test).collect::<Vec<_>>(),
        "unreachable": outcome.unreachable.iter().map(|(server, why)| json!({"server": server, "why": why})).collect::<Vec<_>>(),
        "breaches": outcome.breaches.iter().map(|it| json!({
            "server": it.server, "id": it.id, "level": it.level, "status": it.status, "text": it.text,
            "expected": it.expected, "actual": it.actual, "proof": it.proof,
        })).collect::<Vec<_>>(),
        "snapshots": {"written": outcome.written, "unused": outcome.unused},
        "notes": outcome.notes,
    });
    proofmark_check::record::text::json(
        &serde_json::to_string_pretty(&document).unwrap_or_default(),
    )
}

fn test(test: &TestOutcome) -> Value {
    let mut value = json!({
        "name": test.name,
        "server": test.server,
        "status": test.verdict.as_str(),
        "tags": test.tags,
        "attempts": test.attempts,
        "flaky": test.is_flaky(),
        "seconds": test.duration.as_secs_f64(),
    });
    if let Some(place) = test.place {
        value["line"] = json!(place.line);
    }
    match &test.verdict {
        Verdict::Failed(failures) => {
            let failure =
                |it: &Failure| json!({"step": it.step, "what": it.what, "detail": it.detail});
            value["failures"] = failures.iter().map(failure).collect();
        }
        Verdict::Skipped(why) | Verdict::Undecided(why) | Verdict::NotRun(why) => {
            value["reason"] = json!(why);
        }
        Verdict::Passed => {}
    }
    if !test.stderr.is_empty() {
        value["stderr"] = json!(test.stderr);
    }
    value
}
