//! What came of runs in every revision that a peer speaks: one report, whose verdict is the worst of them.

use proofmark_core::revision::Revision;

use super::{Report, Strictness, Unreachable, Verdict, baseline::Baseline, summary};
use proofmark_judge::outcome::Status;
use proofmark_record::text::plain;

#[derive(Debug)]
pub struct AllRevisions {
    /// The newest revision first.
    pub reports: Vec<Report>,
    /// Revisions that the peer was asked for and does not speak.
    pub not_spoken: Vec<Revision>,
    /// Revisions that the peer agreed to, and then could not be checked in.
    pub unreachable: Vec<(Revision, Unreachable)>,
}

/// A line of the table over all of them.
pub(super) struct Row {
    pub(super) revision: String,
    pub(super) verdict: &'static str,
    pub(super) score: String,
    pub(super) counts: Vec<String>,
    /// The ids that are the reason for the verdict.
    pub(super) broken: String,
}

impl AllRevisions {
    pub(crate) fn new(asked: impl Iterator<Item = Revision>, spoken: &[Revision]) -> Self {
        let not_spoken = asked.filter(|revision| !spoken.contains(revision)).collect();
        Self { reports: Vec::new(), not_spoken, unreachable: Vec::new() }
    }

    /// The worst of all.
    pub fn verdict(&self, strictness: Strictness) -> Verdict {
        let verdicts = || self.reports.iter().map(|report| report.verdict(strictness));
        if verdicts().any(|it| it == Verdict::Broken) {
            Verdict::Broken
        } else if self.unreachable.is_empty() && verdicts().all(|it| it == Verdict::Conformant) {
            Verdict::Conformant
        } else {
            Verdict::NotObserved
        }
    }

    /// As [`Baseline::apply`]. What excuses a finding in one revision is not stale in another.
    pub fn excuse(&mut self, baseline: &Baseline) {
        self.reports.iter_mut().for_each(|report| baseline.apply(report));
        let excuses = |id: &String| {
            let excused = |report: &Report| {
                let mut entries = report.entries.iter().filter(|it| it.excused.is_some());
                entries.any(|it| it.requirement.id.eq_ignore_ascii_case(id))
            };
            self.reports.iter().any(excused)
        };
        let stale: Vec<Vec<String>> = self
            .reports
            .iter()
            .map(|report| report.stale.iter().filter(|id| !excuses(id)).cloned().collect())
            .collect();
        for (report, stale) in self.reports.iter_mut().zip(stale) {
            report.stale = stale;
        }
    }

    pub(super) fn rows(&self, strictness: Strictness) -> Vec<Row> {
        let without = |revision: &Revision, verdict| Row {
            revision: revision.to_string(),
            verdict,
            score: String::new(),
            counts: vec![String::new(); Status::ALL.len()],
            broken: String::new(),
        };
        let judged = self.reports.iter().map(|report| Row {
            revision: report.revision.to_string(),
            verdict: report.verdict(strictness).as_str(),
            score: report.score().map(|it| it.to_string()).unwrap_or_default(),
            counts: Status::ALL.iter().map(|it| report.count(*it).to_string()).collect(),
            broken: summary::broken(report, strictness),
        });
        let lost = self.unreachable.iter().map(|(revision, _)| without(revision, "unreachable"));
        let others = self.not_spoken.iter().map(|revision| without(revision, "not spoken"));
        let mut rows: Vec<Row> = judged.chain(lost).chain(others).collect();
        // Dates in this form sort as text.
        rows.sort_by(|one, other| other.revision.cmp(&one.revision));
        rows
    }

    /// The peer, as every report names it.
    pub(super) fn target(&self) -> String {
        plain(self.reports.first().map_or("", |report| &report.target.description))
    }
}
