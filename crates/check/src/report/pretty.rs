//! The report for a terminal.

use std::fmt::Write;

use super::{AllRevisions, Entry, Point, Report, Strictness, Verdict, all_revisions::Row, summary};
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

/// Each revision, the newest first, and a table over all of them.
pub fn write_all(all: &AllRevisions, strictness: Strictness, colours: Colours) -> String {
    let mut text = String::new();
    for report in &all.reports {
        let title = format!("=== revision {} ===", report.revision);
        let _ = writeln!(text, "{}\n", paint(&title, "1", colours));
        let _ = writeln!(text, "{}", write(report, strictness, colours));
    }
    let _ = writeln!(text, "{} in all revisions", all.target());
    let head = "revision    verdict       score  pass  fail  warn  skip  untestable  broken";
    let _ = writeln!(text, "{}", paint(head, "1", colours));
    for Row { revision, verdict, score, counts, broken } in all.rows(strictness) {
        let colour = match verdict {
            "broken" | "unreachable" => "31",
            "conformant" => "32",
            _ => "33",
        };
        let verdict = paint(&format!("{verdict:12}"), colour, colours);
        let counts: Vec<String> = counts.iter().map(|it| format!("{it:>4}  ")).collect();
        let counts = counts.concat();
        let line = format!("{revision}  {verdict}  {score:>5}  {counts}      {broken}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
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
        let name = if index == 0 { "proof" } else { "" };
        let point = entry.point.as_ref().filter(|it| it.line == index);
        let (line, mark) = in_sight(line, point);
        row(name, &line);
        if let Some(mark) = mark {
            row("", &mark);
        }
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

/// What a screen has room for of a line, around what it is about, and the mark below that.
fn in_sight(line: &str, point: Option<&Point>) -> (String, Option<String>) {
    let length = line.chars().count();
    let from = point.map_or(0, |it| it.from);
    let skipped = if length > WIDE { from.saturating_sub(WIDE / 3) } else { 0 };
    let mut shown: String = line.chars().skip(skipped).take(WIDE).collect();
    if skipped > 0 {
        shown = format!("{}…{shown}", line.chars().take(2).collect::<String>());
    }
    if skipped + WIDE < length {
        shown.push('…');
    }
    let mark = point.map(|point| {
        let before = from - skipped + if skipped > 0 { 3 } else { 0 };
        let width = (point.to - point.from).min(WIDE.saturating_sub(from - skipped)).max(1);
        let pointer = point.pointer.as_ref().map(|it| format!(" {}", plain(it)));
        format!("{}{}{}", " ".repeat(before), "^".repeat(width), pointer.unwrap_or_default())
    });
    (shown, mark)
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

/// Characters of a line; formats for programs have more of it.
const WIDE: usize = 240;

fn paint(text: &str, code: &str, colours: Colours) -> String {
    match colours {
        Colours::Off => text.to_owned(),
        Colours::On => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
    }
}
