//! The outcome as annotations of GitHub Actions.

use std::{fmt::Write, path::Path};

use proofmark_check::record::text::plain;

use super::summary;
use crate::outcome::RunOutcome;

/// `file` is what the annotations point into.
pub fn write(outcome: &RunOutcome, file: &Path) -> String {
    let mut text = String::new();
    let path = property(&file.display().to_string());
    for (test, failures) in outcome.failures() {
        let lines: Vec<String> = failures
            .iter()
            .flat_map(|it| {
                [format!("{}: {}", it.step, it.what)]
                    .into_iter()
                    .chain(it.detail.iter().map(|line| format!("  {line}")))
            })
            .collect();
        let line = test.place.map(|place| format!(",line={}", place.line)).unwrap_or_default();
        let title = property(&test.id());
        let _ =
            writeln!(text, "::error file={path}{line},title={title}::{}", data(&lines.join("\n")));
    }
    for (server, why) in &outcome.unreachable {
        let _ = writeln!(text, "::error file={path},title={}::{}", property(server), data(why));
    }
    for it in &outcome.breaches {
        let said = format!("{}\nexpected: {}\nactual: {}", it.text, it.expected, it.actual);
        let title = property(&format!("{} {}", it.server, it.id));
        let _ = writeln!(text, "::warning title={title}::{}", data(&said));
    }
    let _ = writeln!(text, "::notice title=proofmark test::{}", data(&summary(outcome)));
    text
}

fn data(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(plain).collect();
    lines.join("\n").replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
