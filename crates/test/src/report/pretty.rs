//! The outcome for a terminal.

use std::fmt::Write;

use proofmark_check::{
    record::text::{UntrustedLines, plain},
    report::pretty::Colours,
};

use super::summary;
use crate::outcome::{Breach, Failure, RunOutcome, TestOutcome, Verdict};

pub fn write(outcome: &RunOutcome, colours: Colours) -> String {
    let mut text = String::new();
    for (test, failures) in outcome.failures() {
        text.push_str(&failure(test, failures, colours));
        text.push('\n');
    }
    for (server, why) in &outcome.unreachable {
        let _ = writeln!(
            text,
            "{} {}: {}\n",
            paint("UNREACHABLE", "31", colours),
            plain(server),
            UntrustedLines(why)
        );
    }
    for test in outcome.tests.iter().filter(|test| test.is_flaky()) {
        let _ = writeln!(
            text,
            "{} {} passed at attempt {}",
            paint("FLAKY", "33", colours),
            plain(&test.id()),
            test.attempts
        );
    }
    breaches(&mut text, &outcome.breaches, colours);
    for path in &outcome.written {
        let _ = writeln!(text, "snapshot written: {}", plain(path));
    }
    for path in &outcome.unused {
        let _ = writeln!(text, "snapshot of no test: {}", plain(path));
    }
    for note in &outcome.notes {
        let _ = writeln!(text, "note: {}", plain(note));
    }
    let word =
        if outcome.is_good() { paint("ok", "32", colours) } else { paint("FAILED", "31", colours) };
    let _ = writeln!(
        text,
        "{word}: {} in {:.2} s (seed {})",
        summary(outcome),
        outcome.duration.as_secs_f64(),
        outcome.seed
    );
    text
}

/// One test that failed, as it is shown at once and again at the end.
pub fn failure(outcome: &TestOutcome, failures: &[Failure], colours: Colours) -> String {
    let mut text = String::new();
    let place = outcome.place.map(|place| format!(" (line {})", place.line)).unwrap_or_default();
    let _ = writeln!(text, "{} {}{place}", paint("FAIL", "31", colours), plain(&outcome.id()));
    for failure in failures {
        let _ = writeln!(text, "  {}: {}", plain(&failure.step), UntrustedLines(&failure.what));
        for line in &failure.detail {
            let code = match line.as_bytes().first() {
                Some(b'-') => "31",
                Some(b'+') => "32",
                _ => "2",
            };
            let _ = writeln!(text, "    {}", paint(&plain(line), code, colours));
        }
    }
    if outcome.attempts > 1 {
        let _ = writeln!(text, "  it failed {} times", outcome.attempts);
    }
    let stderr = outcome.stderr.trim_end();
    if !stderr.is_empty() {
        let _ = writeln!(text, "  the server wrote to standard error:");
        let lines: Vec<&str> = stderr.lines().collect();
        for line in &lines[lines.len().saturating_sub(MOST_STDERR)..] {
            let _ = writeln!(text, "    {}", paint(&format!("| {}", plain(line)), "2", colours));
        }
    }
    text
}

/// A line about one test that is over.
pub fn line(test: &TestOutcome, colours: Colours) -> String {
    let (word, code) = match &test.verdict {
        Verdict::Failed(_) => ("FAIL", "31"),
        Verdict::NotRun(_) => ("not run", "2"),
        Verdict::Passed if test.is_flaky() => ("flaky", "33"),
        Verdict::Passed => ("pass", "32"),
        Verdict::Skipped(_) => ("skip", "33"),
        Verdict::Undecided(_) => ("undecided", "33"),
    };
    let why = match &test.verdict {
        Verdict::Skipped(why) | Verdict::Undecided(why) | Verdict::NotRun(why) => {
            format!(" ({})", plain(why))
        }
        _ => String::new(),
    };
    let slow = if test.duration.as_secs() >= SLOW {
        format!(" [slow: {:.1} s]", test.duration.as_secs_f64())
    } else {
        String::new()
    };
    format!("{} {}{why}{slow}", paint(word, code, colours), plain(&test.id()))
}

fn breaches(text: &mut String, breaches: &[Breach], colours: Colours) {
    if breaches.is_empty() {
        return;
    }
    let _ = writeln!(text, "While the tests ran, these rules of the protocol were broken:");
    for breach in breaches {
        let word = if breach.status == "fail" {
            paint("BREACH", "31", colours)
        } else {
            paint("warn", "33", colours)
        };
        let _ = writeln!(
            text,
            "  {word} {} {} {} {}",
            plain(&breach.server),
            breach.id,
            breach.level,
            plain(&breach.text)
        );
        let _ = writeln!(
            text,
            "       expected: {}\n       actual:   {}",
            plain(&breach.expected),
            plain(&breach.actual)
        );
        for line in &breach.proof {
            let _ = writeln!(text, "       proof:    {line}");
        }
    }
    text.push('\n');
}

fn paint(text: &str, code: &str, colours: Colours) -> String {
    match colours {
        Colours::On => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        Colours::Off => text.to_owned(),
    }
}

const MOST_STDERR: usize = 30;
/// Seconds.
const SLOW: u64 = 5;
