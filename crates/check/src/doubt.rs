//! Findings of the moment: those that hang on time, on silence or on state that may have changed are reported if they show once more.

use std::{collections::BTreeSet, mem};

use proofmark_judge::{
    outcome::{Finding, Outcome},
    requirement::{Observed, Requirement},
    shapes::Judgement,
};
use proofmark_record::{
    event::{Conversation, Event, EventKind},
    evidence::{Evidence, Place},
    scenario::ScenarioName,
    side::Side,
};

/// The conversations that are to be held once more, by their names.
pub(crate) fn conversations_in_doubt<'o>(
    evidence: &Evidence,
    outcomes: impl Iterator<Item = (&'static Requirement, &'o Outcome)>,
) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (requirement, outcome) in outcomes {
        let Some(finding) = outcome.finding() else { continue };
        if !is_momentary(requirement, evidence, finding) {
            continue;
        }
        let seen = requirement.check(evidence.side).map_or(&[][..], |check| check.seen.scenarios);
        names.extend(seen.iter().map(|it| (*it).to_owned()));
        names.extend(finding.place.map(|it| name_at(evidence, it).to_string()));
    }
    names
}

/// Adds conversations that were held once more, each behind the one that left the doubt.
pub(crate) fn add_again(evidence: &mut Evidence, again: impl Iterator<Item = Conversation>) {
    for Conversation { scenario, events } in again {
        let last = evidence.conversations.iter().rposition(|it| {
            it.scenario == scenario || it.scenario.first().is_some_and(|it| it == scenario)
        });
        let at = last.map_or(evidence.conversations.len(), |last| last + 1);
        let scenario = scenario.again();
        evidence.conversations.insert(at, Conversation { scenario, events });
    }
}

/// What the evidence says about each requirement, where some conversations may have been held twice.
pub(crate) fn outcomes(
    evidence: &mut Evidence,
    requirements: &[&'static Requirement],
) -> Vec<Outcome> {
    let repeated: Vec<ScenarioName> =
        evidence.conversations.iter().filter_map(|it| it.scenario.first()).collect();
    let aside = Aside::take(evidence, |name| name.first().is_some());
    let shapes = Judgement::of(evidence);
    let mut outcomes: Vec<_> = requirements.iter().map(|it| judge(it, evidence, &shapes)).collect();
    let doubts: Vec<_> = requirements
        .iter()
        .zip(&mut outcomes)
        .filter(|(requirement, outcome)| {
            let finding = outcome.finding();
            finding.is_some_and(|finding| is_momentary(requirement, evidence, finding))
        })
        .filter(|(_, outcome)| was_repeated(evidence, outcome, &repeated))
        .collect();
    aside.put_back(evidence);
    if doubts.is_empty() {
        return outcomes;
    }
    let aside = Aside::take(evidence, |name| repeated.contains(name));
    for conversation in &mut evidence.conversations {
        if let Some(first) = conversation.scenario.first() {
            conversation.scenario = first;
        }
    }
    let shapes = Judgement::of(evidence);
    for (requirement, outcome) in doubts {
        *outcome = match judge(requirement, evidence, &shapes) {
            Outcome::Unobserved(why) => Outcome::Unobserved(format!("{CAME_AND_WENT}, when {why}")),
            second => second,
        };
    }
    aside.put_back(evidence);
    outcomes
}

fn judge(requirement: &Requirement, evidence: &Evidence, shapes: &Judgement) -> Outcome {
    match requirement.observed_of(evidence.side) {
        Observed::By(check) => shapes.outcome(requirement.id, || (check.judge)(evidence)),
        Observed::Each { .. } | Observed::NotYet => {
            Outcome::Unobserved("the checker does not look at this yet".to_owned())
        }
        Observed::Unobservable(why) => Outcome::Unobserved(why.to_owned()),
    }
}

/// Whether any conversation that the finding may come from was held once more.
fn was_repeated(evidence: &Evidence, outcome: &Outcome, repeated: &[ScenarioName]) -> bool {
    match outcome.finding().and_then(|it| it.place) {
        Some(place) => repeated.contains(name_at(evidence, place)),
        None => !repeated.is_empty(),
    }
}

fn is_momentary(requirement: &Requirement, evidence: &Evidence, finding: &Finding) -> bool {
    let marked = requirement.check(evidence.side).is_some_and(|it| it.seen.momentary);
    marked || finding.place.is_none_or(|place| hangs_on_silence(evidence, place))
}

/// Whether nothing of the peer proves the finding: it is about what did not follow on something that the checker said or did. A client
/// that did not come to its end may have been about to do more.
fn hangs_on_silence(evidence: &Evidence, place: Place) -> bool {
    let events = &evidence.conversations[place.conversation].events;
    let Some(event) = events.get(place.event) else { return false };
    let is_own_end = |it: &Event| matches!(it.kind, EventKind::Exited(_));
    let client = evidence.side == Side::Client;
    is_no_proof(evidence.side, &event.kind) || (client && !events.iter().any(is_own_end))
}

/// Whether this is nothing that the side did, so that a finding about it is about what did not follow.
pub(crate) fn is_no_proof(side: Side, kind: &EventKind) -> bool {
    match kind {
        EventKind::Broken { .. }
        | EventKind::Exited(_)
        | EventKind::Sent { .. }
        | EventKind::Silence(_) => true,
        EventKind::Left { .. } | EventKind::Requested { .. } => side != Side::Client,
        EventKind::Responded { .. } => side == Side::Client,
        _ => false,
    }
}

fn name_at(evidence: &Evidence, place: Place) -> &ScenarioName {
    &evidence.conversations[place.conversation].scenario
}

/// Conversations that are not to be judged for a while. Their places stay theirs.
struct Aside {
    names: Vec<ScenarioName>,
    taken: Vec<(usize, Vec<Event>)>,
}

impl Aside {
    fn take(evidence: &mut Evidence, is_it: impl Fn(&ScenarioName) -> bool) -> Self {
        let names = evidence.conversations.iter().map(|it| it.scenario.clone()).collect();
        let mut taken = Vec::new();
        for (index, conversation) in evidence.conversations.iter_mut().enumerate() {
            if is_it(&conversation.scenario) {
                conversation.scenario = ScenarioName::new("set aside");
                taken.push((index, mem::take(&mut conversation.events)));
            }
        }
        Self { names, taken }
    }

    fn put_back(self, evidence: &mut Evidence) {
        for (conversation, name) in evidence.conversations.iter_mut().zip(self.names) {
            conversation.scenario = name;
        }
        for (index, events) in self.taken {
            evidence.conversations[index].events = events;
        }
    }
}

const CAME_AND_WENT: &str = "a finding came and went: it did not show again";

#[cfg(test)]
mod tests;
