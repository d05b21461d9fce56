//! The sentences that end a report for people: the verdict first, then what was seen and what was not, then the number.

use std::fmt::Write;

use super::{Entry, Report, Strictness, Verdict};
use proofmark_judge::{
    outcome::{Outcome, Status},
    requirement::Observed,
};
use proofmark_record::side::Side;

/// What the run came to, with the ids that are the reason.
pub(super) fn verdict(report: &Report, strictness: Strictness) -> String {
    let broken = broken(report, strictness);
    match report.verdict(strictness) {
        Verdict::Conformant => "conformant: nothing observed is broken".to_owned(),
        Verdict::NotObserved if report.broken_off.is_some() => {
            "no verdict, because the run broke off".to_owned()
        }
        Verdict::NotObserved => "no verdict, because nothing was observed".to_owned(),
        Verdict::Broken if broken.is_empty() => {
            "not conformant: the baseline has entries that excuse nothing".to_owned()
        }
        Verdict::Broken => format!("not conformant: {broken}"),
    }
}

/// The ids that are broken.
pub(super) fn broken(report: &Report, strictness: Strictness) -> String {
    ids(report.entries.iter().filter(|entry| entry.is_broken(strictness)))
}

/// What should be otherwise and does not count against the verdict.
pub(super) fn warnings(report: &Report, strictness: Strictness) -> Option<String> {
    let warned = |entry: &&Entry| {
        entry.status == Status::Warn && entry.excused.is_none() && !entry.is_broken(strictness)
    };
    let ids = ids(report.entries.iter().filter(warned));
    (!ids.is_empty()).then_some(ids)
}

/// Why some requirements do not apply, or were not seen.
pub(super) fn unseen(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    let skipped = report.count(Status::Skip);
    if skipped > 0 {
        lines.push(format!("{skipped} skip: about what the {} does not do", report.side.as_str()));
    }
    let untestable = report.count(Status::Untestable);
    if untestable > 0 {
        let of = |wanted: Unseen| {
            report.entries.iter().filter(move |it| unseen_as(it, report.side) == Some(wanted))
        };
        let named = report.entries.iter().filter(|entry| wants_a_call(entry)).count();
        let reasons = [
            (of(Unseen::Never).count(), "cannot be seen from outside"),
            (of(Unseen::NotYet).count(), "the checker does not look at yet"),
            (of(Unseen::NoOccasion).count(), "there was no occasion for"),
        ];
        let reasons = reasons.iter().filter(|(count, _)| *count > 0);
        let reasons: Vec<String> = reasons.map(|(count, why)| format!("{count} {why}")).collect();
        let mut line = format!("{untestable} untestable: {}", reasons.join(", "));
        if named > 0 {
            let _ = write!(line, " ({named} of them need a tool that you name: --call NAME=JSON)");
        }
        lines.push(line);
    }
    lines
}

/// The number, and what it means.
pub(super) fn score(report: &Report) -> String {
    let (observed, applicable) = report.observed();
    let of = format!("{observed} of the {applicable} requirements that apply were observed");
    match report.score() {
        Some(score) => format!("score {score}; {of}"),
        None if report.broken_off.is_some() => {
            format!("no score, because the run broke off; {of}")
        }
        None => format!("no score, because nothing was observed; {of}"),
    }
}

/// With a capital in front and a full stop behind.
pub(super) fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).chain(['.']).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unseen {
    Never,
    NotYet,
    NoOccasion,
}

fn unseen_as(entry: &Entry, side: Side) -> Option<Unseen> {
    if entry.status != Status::Untestable {
        return None;
    }
    Some(match entry.requirement.observed_of(side) {
        Observed::By(_) => Unseen::NoOccasion,
        Observed::Unobservable(_) => Unseen::Never,
        Observed::Each { .. } | Observed::NotYet => Unseen::NotYet,
    })
}

fn wants_a_call(entry: &Entry) -> bool {
    matches!(&entry.outcome, Outcome::Unobserved(why) if why.contains("--call"))
}

fn ids<'a>(entries: impl Iterator<Item = &'a Entry>) -> String {
    let ids: Vec<&str> = entries.map(|entry| entry.requirement.id).collect();
    ids.join(" ")
}
