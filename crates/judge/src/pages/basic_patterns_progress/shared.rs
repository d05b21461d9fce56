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
use proofmark_record::evidence::{CheckerRequest, Evidence, PeerMessage, Place};
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

/// The last request before a place that asked for progress under this token. A token may be used again when its request is over, and is
/// where a request comes back with what it was asked for.
pub(super) fn tracked<'e>(
    evidence: &'e Evidence,
    before: Place,
    token: &Value,
) -> Option<CheckerRequest<'e>> {
    let asked = evidence.asked_all().filter(|asked| {
        asked.place.conversation == before.conversation
            && asked.place.event < before.event
            && asked.params.and_then(|params| params.pointer("/_meta/progressToken")) == Some(token)
    });
    asked.last()
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
