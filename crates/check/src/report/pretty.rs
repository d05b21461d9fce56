//! The report for a terminal.

use std::fmt::Write;

use super::{Entry, Report};
use crate::{outcome::Status, sanitise::plain};

/// Whether colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    Off,
    On,
}

pub fn write(report: &Report, colours: Colours) -> String {
    let mut text = String::new();
    let mut page = "";
    for entry in report.entries.iter().filter(|entry| entry.outcome.finding().is_some()) {
        if entry.page != page {
            page = entry.page;
            let _ = writeln!(text, "{}", paint(page, "1", colours));
        }
        finding(&mut text, entry, colours);
    }
    for id in &report.stale {
        let _ =
            writeln!(text, "The baseline excuses {id}, which is not broken: remove the line.\n");
    }
    summary(&mut text, report, colours);
    text
}

fn finding(text: &mut String, entry: &Entry, colours: Colours) {
    let Some(finding) = entry.outcome.finding() else { return };
    let requirement = entry.requirement;
    let word = match (&entry.excused, entry.status) {
        (Some(_), _) => paint("KNOWN", "2", colours),
        (None, Status::Fail) => paint("FAIL", "31", colours),
        (None, _) => paint("WARN", "33", colours),
    };
    let _ = writeln!(
        text,
        "  {word} {} {} {}",
        requirement.id,
        requirement.level.as_str(),
        requirement.text
    );
    let _ = writeln!(text, "       expected: {}", plain(&finding.expected));
    let _ = writeln!(text, "       actual:   {}", plain(&finding.actual));
    if let Some(event) = entry.event {
        let _ = writeln!(text, "       event:    {event}");
    }
    if let Some(reason) = &entry.excused {
        let _ = writeln!(text, "       excused:  {}", plain(reason));
    }
    let _ = writeln!(text, "       fix:      {}\n", entry.fix());
}

fn summary(text: &mut String, report: &Report, colours: Colours) {
    let (observed, applicable) = report.observed();
    let _ = writeln!(
        text,
        "{} over {} in revision {}",
        plain(&report.target.description),
        report.transport,
        report.revision
    );
    let counts: Vec<String> = Status::ALL
        .iter()
        .map(|status| format!("{} {}", report.count(*status), status.as_str()))
        .collect();
    let _ = writeln!(text, "{}", counts.join(", "));
    let score = match report.score() {
        Some(100) => paint("score 100", "32", colours),
        Some(score) => paint(&format!("score {score}"), "33", colours),
        None => "no score, because nothing was observed".to_owned(),
    };
    let _ = writeln!(
        text,
        "{score}; {observed} of the {applicable} requirements that apply were observed"
    );
}

fn paint(text: &str, code: &str, colours: Colours) -> String {
    match colours {
        Colours::Off => text.to_owned(),
        Colours::On => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
    }
}
