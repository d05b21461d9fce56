//! What several judges of `basic/patterns/progress` use.

use crate::requirement::seen_everywhere;
use crate::{
    common::{
        optional_features::PROGRESS,
        utilities::{notifications, unless_seen},
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::Check,
};
use proofmark_converse::mutation::{Context, Mutation};
use proofmark_record::evidence::{Evidence, PeerMessage};
use serde_json::Value;

pub(super) const fn of_progress(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (message["method"] == PROGRESS).then(|| message.get_mut("params")).flatten()
    }
    Mutant::new(name, Mutation::Part { of, change })
}

pub(super) fn progress(
    evidence: &Evidence,
    judge: impl Fn(PeerMessage<'_>) -> Option<Finding>,
) -> Outcome {
    let outcome = each(notifications(evidence, "notifications/progress"), "", judge);
    unless_seen(outcome, "no progress was reported; name a tool that does with --call NAME=JSON")
}

#[track_caller]
pub(super) const fn progress_cancelling(
    how: &'static str,
    fix: &'static str,
    judge: fn(&Evidence) -> Outcome,
    mutants: &'static [Mutant],
) -> Check {
    Check { how, seen: seen_everywhere(), fix, judge, mutants }
}
