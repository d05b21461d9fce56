//! The outcome as Markdown, for a step summary or a comment.

use std::fmt::Write;

use proofmark_check::record::text::{markdown, plain};

use super::summary;
use crate::outcome::RunOutcome;

pub fn write(outcome: &RunOutcome) -> String {
    let word = if outcome.is_good() { "passed" } else { "failed" };
    let mut text = format!("## Tests {word}: {}\n\n", summary(outcome));
    for (server, why) in &outcome.unreachable {
        let _ =
            writeln!(text, "- **{}** could not be reached: {}\n", markdown(server), markdown(why));
    }
    for (test, failures) in outcome.failures() {
        let _ = writeln!(text, "### {}\n", markdown(&test.id()));
        for failure in failures {
            let _ = writeln!(text, "{}: {}\n", markdown(&failure.step), markdown(&failure.what));
            if !failure.detail.is_empty() {
                let _ = writeln!(text, "```diff");
                for line in &failure.detail {
                    let _ = writeln!(text, "{}", plain(line).replace("```", "` ` `"));
                }
                let _ = writeln!(text, "```\n");
            }
        }
    }
    if !outcome.breaches.is_empty() {
        text.push_str("### Rules of the protocol that were broken meanwhile\n\n| server | id | level | rule | actual |\n|---|---|---|---|---|\n");
        for it in &outcome.breaches {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} |",
                markdown(&it.server),
                it.id,
                it.level,
                markdown(&it.text),
                markdown(&it.actual)
            );
        }
        text.push('\n');
    }
    text.push_str("| test | result | seconds |\n|---|---|---:|\n");
    for test in &outcome.tests {
        let word = if test.is_flaky() { "flaky" } else { test.verdict.as_str() };
        let _ = writeln!(
            text,
            "| {} | {word} | {:.2} |",
            markdown(&test.id()),
            test.duration.as_secs_f64()
        );
    }
    text
}
