//! Which of the results that a client had may be kept it used: it says so itself, by calling a tool of the hosted server.

use crate::{
    common::{client::hosted_at, shape::show},
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{
    hosted::{HostedScenario, REPORT},
    mutation::{Context, Mutation},
};
use proofmark_record::evidence::{Answer, Evidence, PeerRequest, Place};
use serde_json::Value;
use std::time::Duration;

/// A client needed something, and used a result that it asked for now or had kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use<'e> {
    pub(crate) place: Place,
    /// What was needed: a method, and the parameter that matters.
    pub(crate) of: &'e str,
    /// The mark of the result.
    pub(crate) saw: &'e str,
}

/// In the order in which they were reported.
pub(crate) fn uses(evidence: &Evidence) -> impl Iterator<Item = Use<'_>> {
    evidence.requests_for("tools/call").filter_map(|call| {
        let here = hosted_at(evidence, call.place) == Some(HostedScenario::CACHE);
        (here && call.text("/name") == Some(REPORT)).then_some(())?;
        let (of, saw) = (call.text("/arguments/of")?, call.text("/arguments/saw")?);
        Some(Use { place: call.place, of, saw })
    })
}

/// Each use of a result with the next use of the same thing.
pub(crate) fn repeated(evidence: &Evidence) -> impl Iterator<Item = (Use<'_>, Use<'_>)> {
    let all: Vec<_> = uses(evidence).filter(|it| it.saw.contains('#')).collect();
    let pairs: Vec<_> = all
        .iter()
        .enumerate()
        .filter_map(|(index, first)| {
            let mut later = all[index + 1..].iter();
            let second = later.find(|it| {
                it.of == first.of && it.place.conversation == first.place.conversation
            })?;
            Some((*first, *second))
        })
        .collect();
    pairs.into_iter()
}

/// The request that the result with this mark answered.
pub(crate) fn source<'e>(evidence: &'e Evidence, used: &Use<'_>) -> Option<PeerRequest<'e>> {
    let mark = Value::from(used.saw).to_string();
    evidence.requests().find(|request| {
        let result = request.answer.and_then(Answer::result);
        request.place.conversation == used.place.conversation
            && result.is_some_and(|it| it.to_string().contains(&mark))
    })
}

/// A finding if a result was used a second time that the hint on it says is stale.
pub(crate) fn used_again(
    evidence: &Evidence,
    is_stale: impl Fn(Option<&Value>) -> bool,
) -> Outcome {
    let stale = repeated(evidence).filter(|(first, _)| {
        let answer = source(evidence, first).and_then(|it| it.answer?.result());
        answer.is_some_and(|it| is_stale(it.get("ttlMs")))
    });
    each(stale, NOT_REPORTED, |(first, second)| again(&first, &second))
}

/// A finding if a result was used a second time after its time was over.
pub(crate) fn used_late(evidence: &Evidence, of: impl Fn(&str) -> bool) -> Outcome {
    let late = repeated(evidence)
        .filter(|(first, second)| of(first.of) && expired(evidence, first, second) == Some(true));
    each(late, NOT_REPORTED, |(first, second)| again(&first, &second))
}

/// Whether the client was heard between two uses when the result of the first was stale already. `None` for what could not be kept.
fn expired(evidence: &Evidence, first: &Use<'_>, second: &Use<'_>) -> Option<bool> {
    let answer = source(evidence, first)?.answer?;
    let fresh = Duration::from_millis(answer.result()?.get("ttlMs")?.as_u64()?);
    (!fresh.is_zero()).then_some(())?;
    let stale = evidence.at(answer.place)? + fresh;
    // The second use was not before the client said the last thing that came before it.
    let last = uses(evidence)
        .filter(|it| {
            it.place.conversation == second.place.conversation
                && it.place.event < second.place.event
        })
        .last()?;
    Some(evidence.at(last.place)? > stale)
}

pub(crate) fn again(first: &Use<'_>, second: &Use<'_>) -> Option<Finding> {
    let expected = || format!("{} asked for anew", first.of);
    let actual = || format!("the client used {} again", show(&Value::from(second.saw)));
    (first.saw == second.saw).then(|| Finding::new(expected(), actual(), second.place))
}

/// Whether a result is fresh for longer than a run takes.
pub(crate) fn outlives(evidence: &Evidence, used: &Use<'_>) -> bool {
    let answer = source(evidence, used).and_then(|it| it.answer?.result());
    let ttl = answer.and_then(|it| it.get("ttlMs")?.as_u64());
    ttl.is_some_and(|ttl| Duration::from_millis(ttl) >= LONG)
}

/// Requests for lists while the client needed none.
pub(crate) fn polls(evidence: &Evidence) -> Vec<PeerRequest<'_>> {
    let at =
        |saw: &str| uses(evidence).find(|it| it.of == "idle" && it.saw == saw).map(|it| it.place);
    let (Some(begin), Some(end)) = (at("begin"), at("end")) else { return Vec::new() };
    let between = evidence.requests().filter(|it| {
        it.place.conversation == begin.conversation
            && (begin.event..end.event).contains(&it.place.event)
            && it.method.ends_with("/list")
    });
    between.collect()
}

/// Whether the client was idle for a while.
pub(crate) fn was_idle(evidence: &Evidence) -> bool {
    uses(evidence).any(|it| it.of == "idle" && it.saw == "end")
}

/// A client that reports another result than it should have used.
pub(crate) const fn reports(name: &'static str, change: fn(&mut Value)) -> Mutant {
    fn of<'m>(_: &Context<'_>, message: &'m mut Value) -> Option<&'m mut Value> {
        (message.pointer("/params/name")? == REPORT).then_some(())?;
        message.pointer_mut("/params/arguments")
    }
    Mutant::new(name, Mutation::Part { of, change })
}

/// Reports `instead` where `right` should have been used.
pub(crate) fn keep(report: &mut Value, right: &str, instead: &str) {
    if report["saw"] == right {
        report["saw"] = Value::from(instead);
    }
}

pub(crate) const NOT_REPORTED: &str = "the client did not say which result it used; one that can be told what to do finds cache in PROOFMARK_SCENARIO, and calls the tool report with what it needed (of) and the mark of what it used (saw)";
/// Longer than a run takes.
const LONG: Duration = Duration::from_secs(600);
