//! A run that ended before everything was tried: what was seen until then counts.

use std::fmt;

use super::{Entry, Report};
use proofmark_judge::outcome::Outcome;
use proofmark_record::{event::EventKind, evidence::Evidence, scenario::ScenarioName};

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenOff {
    pub why: String,
    /// What the peer said and did last, line by line, fit for a terminal.
    pub traces: Vec<String>,
    /// What would probably help.
    pub hint: Option<String>,
}

/// What is missing in a run that broke off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent<'e> {
    /// The peer let the checker no further. What it did until then is its own doing.
    Peer,
    /// The checker ended these conversations, or did not begin them. What did not come there may still have come.
    Checker(&'e [ScenarioName]),
}

impl Report {
    /// Leaves of the verdicts those that stand, and makes the others untestable.
    pub fn break_off(&mut self, broken_off: BrokenOff, extent: Extent<'_>) {
        let evidence = &self.evidence;
        for entry in &mut self.entries {
            if !stands(entry, evidence, extent) {
                entry.outcome = Outcome::Unobserved(broken_off.why.clone());
                entry.status = entry.outcome.status(entry.requirement.level);
                (entry.event, entry.proof, entry.point) = (None, Vec::new(), None);
            }
        }
        self.broken_off = Some(broken_off);
    }
}

fn stands(entry: &Entry, evidence: &Evidence, extent: Extent<'_>) -> bool {
    match (&entry.outcome, extent) {
        (Outcome::Kept | Outcome::Offered(_), _)
        | (Outcome::Broken(_) | Outcome::Doubtful(_), Extent::Peer) => true,
        (Outcome::Broken(finding) | Outcome::Doubtful(finding), Extent::Checker(cut)) => {
            let Some(place) = finding.place else { return false };
            let conversation = &evidence.conversations[place.conversation];
            let is_said = matches!(
                conversation.events[place.event].kind,
                EventKind::Received { .. } | EventKind::Responded { .. } | EventKind::Stderr(_)
            );
            is_said || !cut.contains(&conversation.scenario)
        }
        (
            Outcome::NotApplicable(_) | Outcome::NotOffered(_) | Outcome::Unobserved(_),
            Extent::Checker(cut),
        ) => {
            // Of what no check looks at it is known why.
            let Some(check) = entry.check else { return true };
            let everywhere = check.seen.scenarios.is_empty();
            !everywhere && !cut.iter().any(|scenario| check.seen.includes(scenario))
        }
        (Outcome::NotApplicable(_) | Outcome::NotOffered(_) | Outcome::Unobserved(_), _) => {
            entry.check.is_none()
        }
    }
}

impl fmt::Display for BrokenOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the run broke off: {}", self.why)?;
        self.hint.iter().try_for_each(|hint| write!(f, "\n{hint}"))?;
        self.traces.iter().try_for_each(|trace| write!(f, "\n  {trace}"))
    }
}
