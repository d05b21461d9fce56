//! What came of a run, for people and for programs. One file per format; each is a function of the report.

mod all_revisions;
pub mod baseline;
mod broken_off;
pub mod diff;
pub mod github;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
mod peer;
mod point;
pub mod pretty;
mod proof;
pub mod sarif;
pub mod selection;
mod summary;
#[cfg(test)]
mod tests;
mod timing;
mod transcript;
pub(crate) mod unreachable;

use std::collections::BTreeSet;

use proofmark_core::revision::Revision;

pub use self::{
    all_revisions::AllRevisions,
    broken_off::{BrokenOff, Extent},
    peer::PeerInfo,
    point::Point,
    timing::Timing,
    unreachable::Unreachable,
};

use crate::{
    doubt,
    options::{Options, Target},
};
use proofmark_judge::{
    outcome::{Finding, Outcome, Status},
    requirement::{Check, Level, Requirement},
};
use proofmark_record::{
    evidence::Evidence, scenario::ScenarioName, side::Side, transcript::redact::redact_words,
    transport::Transport,
};

#[derive(Debug)]
pub struct Report {
    pub target: Target,
    pub side: Side,
    pub revision: Revision,
    pub transport: Transport,
    /// Every requirement that binds such a peer, in the order of the catalogue.
    pub entries: Vec<Entry>,
    /// Entries of the baseline that excuse nothing.
    pub stale: Vec<String>,
    pub evidence: Evidence,
    /// `None` for conversations that were recorded earlier.
    pub timing: Option<Timing>,
    /// Why the run ended before everything was tried, if it did.
    pub broken_off: Option<BrokenOff>,
}

#[derive(Debug)]
pub struct Entry {
    pub page: &'static str,
    pub requirement: &'static Requirement,
    /// How it was looked at, if it was.
    pub check: Option<&'static Check>,
    pub outcome: Outcome,
    pub status: Status,
    /// The number of the event that proves the finding, in the transcript of the whole run.
    pub event: Option<usize>,
    /// What was said around that event, line by line, fit for a terminal.
    pub proof: Vec<String>,
    /// What of that is the reason for the finding.
    pub point: Option<Point>,
    /// Where to read about the requirement.
    pub links: Vec<String>,
    /// Why the baseline excuses a finding.
    pub excused: Option<String>,
}

impl Report {
    pub fn new(mut target: Target, mut evidence: Evidence, options: &Options) -> Self {
        let Evidence { side, revision, transport, .. } = evidence;
        let rows: Vec<_> = selection::selected(side, revision, transport, options).collect();
        let requirements: Vec<_> = rows.iter().map(|(_, requirement)| *requirement).collect();
        let outcomes = doubt::outcomes(&mut evidence, &requirements);
        let entries = rows
            .into_iter()
            .zip(outcomes)
            .map(|((page, requirement), outcome)| Entry::new(page, requirement, outcome, &evidence))
            .collect();
        target.description = redact_words(&target.description).into_owned();
        Self {
            target,
            side,
            revision,
            transport,
            entries,
            stale: Vec::new(),
            evidence,
            timing: None,
            broken_off: None,
        }
    }

    /// The conversations that are to be held once more before this is what is reported, by their names.
    pub(crate) fn conversations_in_doubt(&self) -> BTreeSet<String> {
        let outcomes = self.entries.iter().map(|entry| (entry.requirement, &entry.outcome));
        doubt::conversations_in_doubt(&self.evidence, outcomes)
    }

    /// Whether the conversation of this name was held once more, or is the one that was.
    pub(crate) fn has_again(&self, name: &str) -> bool {
        let name = ScenarioName::new(name.to_owned());
        let mut again = self.evidence.conversations.iter().filter_map(|it| it.scenario.first());
        name.first().is_some() || again.any(|first| first == name)
    }

    /// What is not as it should be, in the order of the catalogue.
    pub fn findings(&self) -> impl Iterator<Item = (&Entry, &Finding)> {
        self.entries.iter().filter_map(|entry| Some((entry, entry.outcome.finding()?)))
    }

    pub fn count(&self, status: Status) -> usize {
        self.entries.iter().filter(|entry| entry.status == status).count()
    }

    /// 0 to 100, where 100 means that nothing observed was broken. `None` if nothing was observed, or the run broke off.
    pub fn score(&self) -> Option<u32> {
        if self.broken_off.is_some() {
            return None;
        }
        let weigh = |wanted: fn(Status) -> bool| -> u32 {
            self.entries.iter().filter(|entry| wanted(entry.status)).map(Entry::weight).sum()
        };
        let passed = weigh(|status| status == Status::Pass);
        let all = passed + weigh(|status| matches!(status, Status::Fail | Status::Warn));
        (passed * 100).checked_div(all)
    }

    /// How many of the requirements that apply were observed, and how many apply.
    pub fn observed(&self) -> (usize, usize) {
        let applies = self.entries.iter().filter(|entry| entry.status != Status::Skip).count();
        (applies - self.count(Status::Untestable), applies)
    }

    pub fn verdict(&self, strictness: Strictness) -> Verdict {
        match (self.is_conformant(strictness), self.score()) {
            (false, _) => Verdict::Broken,
            (true, Some(_)) => Verdict::Conformant,
            (true, None) => Verdict::NotObserved,
        }
    }

    /// Whether nothing is broken that the baseline does not excuse.
    pub fn is_conformant(&self, strictness: Strictness) -> bool {
        self.stale.is_empty() && !self.entries.iter().any(|entry| entry.is_broken(strictness))
    }
}

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Broken,
    Conformant,
    /// There was nothing to judge by.
    NotObserved,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Conformant => "conformant",
            Self::NotObserved => "not-observed",
        }
    }
}

/// What counts as broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// What must be.
    Failures,
    /// What should be, too.
    Warnings,
}

impl Entry {
    fn new(
        page: &'static str,
        requirement: &'static Requirement,
        outcome: Outcome,
        evidence: &Evidence,
    ) -> Self {
        let status = outcome.status(requirement.level);
        let place = outcome.finding().and_then(|finding| finding.place);
        let event = place.map(|place| evidence.number(place));
        let check = requirement.check(evidence.side);
        let located = outcome.finding().and_then(|finding| Some((finding.place?, finding)));
        let proof = located.map(|(place, finding)| proof::lines(evidence, place, finding));
        let (proof, point) = proof.unwrap_or_default();
        let links = requirement.links(evidence.revision);
        Self {
            page,
            requirement,
            check,
            outcome,
            status,
            event,
            proof,
            point,
            links,
            excused: None,
        }
    }

    /// Whether it counts against the peer.
    pub fn is_broken(&self, strictness: Strictness) -> bool {
        match self.status {
            Status::Fail => self.excused.is_none(),
            Status::Warn => strictness == Strictness::Warnings && self.excused.is_none(),
            Status::Pass | Status::Skip | Status::Untestable => false,
        }
    }

    /// What it counts for in the score. A warning counts as a recommendation, whatever the level.
    fn weight(&self) -> u32 {
        match (self.requirement.level, self.status) {
            (Level::May, _) => 0,
            (Level::Must, Status::Pass | Status::Fail) => 10,
            _ => 3,
        }
    }

    /// The status, or that it is known and accepted.
    pub fn word(&self) -> &'static str {
        if self.excused.is_some() { "known" } else { self.status.as_str() }
    }

    /// Why something that must be is only a warning.
    pub fn note(&self) -> Option<&'static str> {
        let doubtful = matches!(self.outcome, Outcome::Doubtful(_));
        (doubtful && self.requirement.level == Level::Must).then_some(
            "only a warning, because the specification does not say this clearly enough to insist",
        )
    }

    pub fn fix(&self) -> &'static str {
        self.check.map_or("", |check| check.fix)
    }
}
