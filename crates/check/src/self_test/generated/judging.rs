//! Judges varied conversations together with those of the unspoiled peer, and no longer than needed.
//!
//! An illegal variation is caught as soon as one requirement is blamed, so that those are asked first which are the likeliest. For a legal
//! one all are asked.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use proofmark_core::revision::Revision;
use proofmark_judge::{
    catalogue,
    outcome::{Outcome, Status},
    requirement::{Observed, Requirement},
    shapes::Judgement,
};
use proofmark_record::{
    event::{Conversation, Event},
    evidence::Evidence,
    scenario::ScenarioName,
    side::Side,
    transport::Transport,
};

/// The run of an unspoiled peer, and what was said about it.
pub(super) struct Judging {
    pub(super) evidence: Evidence,
    requirements: Vec<&'static Requirement>,
    /// What the unspoiled peer is blamed for.
    unclean: Vec<&'static str>,
    /// Copies of the evidence, which are changed for a moment: to copy it takes longer than to ask a judge.
    copies: Mutex<Vec<Evidence>>,
}

/// How often each requirement was the one that was blamed.
#[derive(Default)]
pub(super) struct Popularity(Mutex<HashMap<&'static str, usize>>);

impl Judging {
    pub(super) fn new(evidence: Evidence) -> Self {
        let conversations = settled(evidence.conversations);
        let evidence = Evidence { conversations, ..evidence };
        let Evidence { side, revision, transport, .. } = evidence;
        let observed = catalogue::all()
            .filter(|it| it.binds(side, revision, transport))
            .filter(|it| matches!(it.observed_of(side), Observed::By(_)));
        let shapes = Judgement::of(&evidence);
        // What is broken without any change proves nothing.
        let (unclean, requirements): (Vec<_>, Vec<_>) =
            observed.partition(|it| blame(it, &evidence, &shapes).is_some());
        let unclean = unclean.into_iter().map(|it| it.id).collect();
        Self { evidence, requirements, unclean, copies: Mutex::default() }
    }

    /// The events that other scenarios go by.
    pub(super) fn tour(&self) -> &[Event] {
        self.evidence.conversations.first().map_or(&[], |tour| &tour.events)
    }

    /// The unspoiled peer is blamed for this.
    pub(super) fn unclean(&self) -> &[&'static str] {
        &self.unclean
    }

    /// One requirement that is broken now; `likely` is asked first.
    pub(super) fn first_blamed(
        &self,
        held: Vec<Conversation>,
        likely: Option<&str>,
        popularity: &Popularity,
    ) -> Option<String> {
        let mut requirements = self.requirements.clone();
        popularity.sort(&mut requirements, likely);
        self.with(held, |evidence| {
            let shapes = Judgement::of(evidence);
            let mut blamed = requirements.iter().map(|it| (it.id, blame(it, evidence, &shapes)));
            let (id, why) = blamed.find_map(|(id, why)| Some((id, why?)))?;
            popularity.count(id);
            Some(why)
        })
    }

    /// Every requirement that is broken now.
    pub(super) fn all_blamed(&self, held: Vec<Conversation>) -> Vec<String> {
        self.with(held, |evidence| self.blamed_in(evidence))
    }

    /// The same for a whole run.
    pub(super) fn blamed_of(&self, conversations: Vec<Conversation>) -> Vec<String> {
        let (side, revision, transport) = self.kind();
        let conversations = settled(conversations);
        self.blamed_in(&Evidence { side, revision, transport, conversations })
    }

    fn blamed_in(&self, evidence: &Evidence) -> Vec<String> {
        let shapes = Judgement::of(evidence);
        self.requirements.iter().filter_map(|it| blame(it, evidence, &shapes)).collect()
    }

    fn kind(&self) -> (Side, Revision, Transport) {
        let Evidence { side, revision, transport, .. } = self.evidence;
        (side, revision, transport)
    }

    /// Lends the evidence with the conversations of these names replaced.
    fn with<T>(&self, held: Vec<Conversation>, judge: impl FnOnce(&Evidence) -> T) -> T {
        let copies = || self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        let copy = copies().pop();
        let mut evidence = copy.unwrap_or_else(|| {
            let (side, revision, transport) = self.kind();
            let conversations = self.evidence.conversations.clone();
            Evidence { side, revision, transport, conversations }
        });
        let whole = evidence.conversations.len();
        let mut replaced = Vec::new();
        for conversation in held {
            let free = |index: &usize| !replaced.iter().any(|(it, _)| it == index);
            let same = evidence.conversations.iter().enumerate().take(whole);
            let same = same.filter(|(_, it)| it.scenario == conversation.scenario);
            match same.map(|(index, _)| index).find(free) {
                Some(index) => {
                    let before =
                        std::mem::replace(&mut evidence.conversations[index], conversation);
                    replaced.push((index, before));
                }
                None => evidence.conversations.push(conversation),
            }
        }
        let judged = judge(&evidence);
        evidence.conversations.truncate(whole);
        for (index, before) in replaced {
            evidence.conversations[index] = before;
        }
        copies().push(evidence);
        judged
    }
}

impl Popularity {
    fn sort(&self, requirements: &mut [&'static Requirement], likely: Option<&str>) {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        requirements.sort_by_key(|it| {
            let count = counts.get(it.id).copied().unwrap_or_default();
            (Some(it.id) != likely, std::cmp::Reverse(count))
        });
    }

    fn count(&self, id: &'static str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(id).or_default() += 1;
    }
}

/// A conversation that was held again, because the first left a doubt, stands for both.
fn settled(mut conversations: Vec<Conversation>) -> Vec<Conversation> {
    let again: Vec<ScenarioName> =
        conversations.iter().filter_map(|it| it.scenario.first()).collect();
    conversations.retain(|it| !again.contains(&it.scenario));
    for Conversation { scenario, .. } in &mut conversations {
        *scenario = scenario.first().unwrap_or_else(|| scenario.clone());
    }
    conversations
}

fn blame(requirement: &Requirement, evidence: &Evidence, shapes: &Judgement) -> Option<String> {
    let Observed::By(check) = requirement.observed_of(evidence.side) else { return None };
    let outcome: Outcome = shapes.outcome(requirement.id, || (check.judge)(evidence));
    is_bad(outcome.status(requirement.level)).then(|| {
        let found = outcome.finding();
        let found = found.map(|it| format!(" (expected {}, got {})", it.expected, it.actual));
        format!("{}{}", requirement.id, found.unwrap_or_default())
    })
}

fn is_bad(status: Status) -> bool {
    matches!(status, Status::Fail | Status::Warn)
}
