//! The report for a terminal.

use std::fmt::Write;

use super::{Entry, Report, Strictness, Verdict, summary};
use proofmark_judge::outcome::{Finding, Status};
use proofmark_record::text::plain;

/// Whether colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    Off,
    On,
}

/// What is broken comes first, then warnings, then what is known; each in the order of the catalogue.
pub fn write(report: &Report, strictness: Strictness, colours: Colours) -> String {
    let mut text = String::new();
    let kinds: [fn(&Entry) -> bool; 3] = [
        |entry| entry.excused.is_none() && entry.status == Status::Fail,
        |entry| entry.excused.is_none() && entry.status != Status::Fail,
        |entry| entry.excused.is_some(),
    ];
    for is_kind in kinds {
        let mut page = "";
        for (entry, finding) in report.findings().filter(|(entry, _)| is_kind(entry)) {
            if entry.page != page {
                page = entry.page;
                let _ = writeln!(text, "{}", paint(page, "1", colours));
            }
            write_finding(&mut text, entry, finding, colours);
        }
    }
    for id in &report.stale {
        let _ = writeln!(
            text,
            "The baseline excuses {}, which is not broken: remove the line.\n",
            plain(id)
        );
    }
    write_summary(&mut text, report, strictness, colours);
    text
}

fn write_finding(text: &mut String, entry: &Entry, finding: &Finding, colours: Colours) {
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
    let mut row = |name: &str, value: &str| {
        let name = if name.is_empty() { String::new() } else { format!("{name}:") };
        let _ = writeln!(text, "       {name:9} {value}");
    };
    row("expected", &plain(&finding.expected));
    row("actual", &plain(&finding.actual));
    for (index, line) in entry.proof.iter().enumerate() {
        row(if index == 0 { "proof" } else { "" }, line);
    }
    if let Some(reason) = &entry.excused {
        row("excused", &plain(reason));
    }
    if let Some(note) = entry.note() {
        row("note", note);
    }
    row("fix", entry.fix());
    if let Some(link) = entry.links.first() {
        row("page", link);
    }
    text.push('\n');
}

fn write_summary(text: &mut String, report: &Report, strictness: Strictness, colours: Colours) {
    if let Some((entry, _)) = report.findings().next() {
        let _ = writeln!(
            text,
            "`proofmark requirements {}` says more, and so for the others.\n",
            entry.requirement.id
        );
    }
    let _ = writeln!(
        text,
        "{} over {} in revision {}",
        plain(&report.target.description),
        report.transport,
        report.revision
    );
    let colour = match report.verdict(strictness) {
        Verdict::Broken => "31",
        Verdict::Conformant => "32",
        Verdict::NotObserved => "33",
    };
    let _ = writeln!(text, "{}", paint(&summary::verdict(report, strictness), colour, colours));
    if let Some(ids) = summary::warnings(report, strictness) {
        let _ = writeln!(text, "{}", paint(&format!("warnings: {ids}"), "33", colours));
    }
    if let Some(broken_off) = &report.broken_off {
        let why = format!("the run broke off: {}", plain(&broken_off.why));
        let _ = writeln!(text, "{}", paint(&why, "31", colours));
    }
    let counts: Vec<String> = Status::ALL
        .iter()
        .map(|status| format!("{} {}", report.count(*status), status.as_str()))
        .collect();
    let _ = writeln!(text, "{}", counts.join(", "));
    for line in summary::unseen(report) {
        let _ = writeln!(text, "  {line}");
    }
    let _ = writeln!(text, "{}", summary::score(report));
}

fn paint(text: &str, code: &str, colours: Colours) -> String {
    match colours {
        Colours::Off => text.to_owned(),
        Colours::On => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
    }
}
