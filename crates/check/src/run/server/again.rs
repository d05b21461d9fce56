//! One scenario of a run once more, for a self-test that changes what is said in it alone.

use proofmark_core::revision::Revision;
use tokio::sync::Mutex;

use super::{broken_off, conversing::Conversing, probe_settings, tour, unanswered};
use crate::{
    options::{Options, Target},
    report::Report,
    run::Unreachable,
};
use proofmark_converse::{
    peer::Peer,
    scenario::{Interruption, KnownCalls, Scenario},
};
use proofmark_record::{event::Conversation, evidence::Evidence, scenario::ScenarioName};

/// Holds one scenario with the peer, and judges it together with all other conversations of an earlier run.
///
/// A tour that ends before it has found out what there is makes the peer one that cannot be checked, as in a whole run.
pub(crate) async fn check_again(
    peer: &Peer,
    options: &Options,
    before: &[Conversation],
    name: &ScenarioName,
) -> Result<Report, Unreachable> {
    let settings = probe_settings(options);
    let revision = settings.revision;
    let held = if *name == Scenario::TOUR.label() {
        let tour = Box::pin(tour(peer, &settings, options)).await?;
        if tour.handshake.is_none() {
            let why = format!("{} answered with a result", unanswered(revision, options));
            return Err(Unreachable::new(peer, &why, &tour.events));
        }
        if let Some(interruption) = tour.interruption {
            return Err(Unreachable::new(peer, &broken_off(interruption, options), &tour.events));
        }
        vec![Conversation { scenario: name.clone(), events: tour.events }]
    } else {
        let events = before.first().map_or(&[][..], |tour| &tour.events);
        let (calls, tokens) = (KnownCalls::new(events), Mutex::new(None));
        let conversing = Conversing::new(peer, &settings, &calls, &tokens, options);
        let Some((scenario, version)) = scenario_of(name, revision) else {
            return Err(Unreachable::new(peer, &format!("there is no scenario {name}"), &[]));
        };
        let held = Box::pin(conversing.hold(scenario, version)).await;
        let held = held.map_err(|error| Unreachable::new(peer, &error.to_string(), &[]))?;
        let mut conversations = Vec::new();
        for (conversation, interruption) in held.into_all() {
            if let Some(cut @ (Interruption::Flood | Interruption::OutOfTime)) = interruption {
                let why = broken_off(cut, options);
                return Err(Unreachable::new(peer, &why, &conversation.events));
            }
            conversations.push(conversation);
        }
        conversations
    };
    let evidence = Evidence {
        side: proofmark_record::side::Side::Server,
        revision,
        transport: options.transport,
        conversations: with(before, held),
    };
    Ok(Report::new(Target { description: peer.to_string() }, evidence, options))
}

/// The earlier conversations, with those of the same name replaced.
pub(crate) fn with(before: &[Conversation], held: Vec<Conversation>) -> Vec<Conversation> {
    let mut held: Vec<Option<Conversation>> = held.into_iter().map(Some).collect();
    let mut all = Vec::with_capacity(before.len());
    for conversation in before {
        let again = held
            .iter_mut()
            .find(|it| it.as_ref().is_some_and(|it| it.scenario == conversation.scenario));
        all.push(again.and_then(Option::take).unwrap_or_else(|| conversation.clone()));
    }
    all.extend(held.into_iter().flatten());
    all
}

/// The scenario that holds conversations of this name, and the version that it offers in this one.
fn scenario_of(
    name: &ScenarioName,
    revision: Revision,
) -> Option<(&'static Scenario, &'static str)> {
    Scenario::ALL.iter().find_map(|scenario| {
        let mut versions = scenario.versions(revision).into_iter();
        let version = versions.find(|version| scenario.label_for(version) == *name);
        let beside = scenario.alongside.filter(|it| it.label() == *name);
        version.or_else(|| beside.map(|_| revision.as_str())).map(|version| (scenario, version))
    })
}
