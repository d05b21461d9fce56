//! The outcome as TAP, version 14.

use std::fmt::Write;

use proofmark_check::record::text::plain;

use crate::outcome::{RunOutcome, Verdict};

pub fn write(outcome: &RunOutcome) -> String {
    let mut text = format!("TAP version 14\n1..{}\n", outcome.tests.len());
    for (number, test) in outcome.tests.iter().enumerate() {
        let number = number + 1;
        let ok = if matches!(test.verdict, Verdict::Failed(_)) { "not ok" } else { "ok" };
        let name = escaped(&test.id());
        let directive = match &test.verdict {
            Verdict::Skipped(why) | Verdict::Undecided(why) | Verdict::NotRun(why) => {
                format!(" # SKIP {}", escaped(why))
            }
            _ => String::new(),
        };
        let _ = writeln!(text, "{ok} {number} - {name}{directive}");
        let Verdict::Failed(failures) = &test.verdict else { continue };
        text.push_str("  ---\n  failures:\n");
        for failure in failures {
            let _ = writeln!(text, "    - step: {}", quoted(&failure.step));
            let _ = writeln!(text, "      message: {}", quoted(&failure.what));
            if !failure.detail.is_empty() {
                text.push_str("      detail:\n");
                for line in &failure.detail {
                    let _ = writeln!(text, "        - {}", quoted(line));
                }
            }
        }
        let _ = writeln!(text, "  duration_ms: {}", test.duration.as_millis());
        text.push_str("  ...\n");
    }
    for breach in &outcome.breaches {
        let _ = writeln!(
            text,
            "# protocol: {} {} {}: {}",
            plain(&breach.server),
            breach.id,
            breach.level,
            plain(&breach.text)
        );
    }
    text
}

/// `#` and `\` mean something in a description.
fn escaped(text: &str) -> String {
    plain(text).replace('\\', "\\\\").replace('#', "\\#")
}

fn quoted(text: &str) -> String {
    serde_json::Value::String(plain(text)).to_string()
}
