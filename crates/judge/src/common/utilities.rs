//! Ping, progress, cancellation, logging, completion, pagination.

use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::{Context, Mutation, result_of};
use proofmark_record::{
    event::EventKind,
    evidence::{Evidence, PeerMessage, Place},
    topic::Topic,
};
use serde_json::Value;

pub(crate) fn notifications<'e>(
    evidence: &'e Evidence,
    method: &str,
) -> impl Iterator<Item = PeerMessage<'e>> {
    let found = evidence.heard_methods().filter(move |(_, it)| *it == method);
    found.map(|(heard, _)| heard)
}

pub(crate) fn completions(
    evidence: &Evidence,
    judge: impl Fn(Place, &Value) -> Option<Finding>,
) -> Outcome {
    let outcome = each(evidence.results("completion/complete"), "", |(answer, result)| {
        judge(answer.place, result)
    });
    match outcome {
        Outcome::Unobserved(_) if !evidence.capability("/completions") => {
            Outcome::NotApplicable("the server does not declare completions".to_owned())
        }
        other => unless_seen(other, "there was no prompt or template to complete"),
    }
}

pub(crate) fn unless_seen(outcome: Outcome, why: &str) -> Outcome {
    match outcome {
        Outcome::Unobserved(_) => Outcome::Unobserved(why.to_owned()),
        other => other,
    }
}

/// Whether the request was still running when the peer heard that it was cancelled. Answers that may have crossed with the cancellation
/// prove nothing: a result counts only if it took most of the time that the work takes.
pub(crate) fn was_in_time(evidence: &Evidence, slow: Place) -> bool {
    let Some(asked) = evidence.asked(Topic::Slow).find(|asked| asked.place == slow) else {
        return false;
    };
    let cancelled = evidence.after(slow).find_map(|(place, what)| match what {
        EventKind::Sent { topic: Topic::Cancel, .. } => Some(place),
        _ => None,
    });
    let Some(cancelled) = cancelled else { return false };
    let Some(answer) = asked.answer else { return true };
    let at = |place: Place| evidence.conversations[place.conversation].events[place.event].at;
    let (ran, went_on) =
        (at(cancelled).saturating_sub(at(slow)), at(answer.place).saturating_sub(at(cancelled)));
    let after = cancelled.event < answer.place.event;
    if answer.result().is_none() {
        return after;
    }
    // The call is cancelled after a quarter of its time: one that is over at once by then was not done by itself.
    let whole = evidence.asked(Topic::Call).filter_map(|call| {
        let same = call.params?.get("name") == asked.params?.get("name")
            && call.params?.get("arguments") == asked.params?.get("arguments");
        let done = call.answer.filter(|_| same)?;
        Some(at(done.place).saturating_sub(at(call.place)))
    });
    let cut_short = whole.min().is_some_and(|whole| 3 * (ran + went_on) <= whole);
    went_on >= 2 * ran || (after && cut_short)
}

pub(crate) const fn extra(
    name: &'static str,
    writes: fn(&Context<'_>, &Value) -> Vec<String>,
) -> Mutant {
    Mutant::new(name, Mutation::Writes(writes))
}

pub(crate) fn beside(message: &Value, other: &str) -> Vec<String> {
    let mut texts = vec![message.to_string()];
    if message["id"] == "ping-by-string" {
        texts.push(other.to_owned());
    }
    texts
}

pub(crate) const fn completed(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(context: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        result_of(context, message, "completion/complete")
    }
    Mutant::new(name, Mutation::Part { of, change })
}
