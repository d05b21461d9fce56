//! One scenario of a run once more, for a self-test that changes what is said in it alone.

use tokio::sync::Mutex;

use super::{broken_off, conversing::Conversing, probe_settings, tour, unanswered};
use crate::{options::Options, run::Unreachable};
use proofmark_converse::{
    peer::Peer,
    scenario::{Circumstances, Interruption, KnownCalls, Scenario},
};
use proofmark_record::{
    event::{Conversation, Event},
    scenario::ScenarioName,
};

/// Holds one scenario with the peer. `tour_before` is the tour of an earlier run, by which the others go.
///
/// A tour that ends before it has found out what there is makes the peer one that cannot be checked, as in a whole run.
pub(crate) async fn hold_scenario(
    peer: &Peer,
    options: &Options,
    tour_before: &[Event],
    name: &ScenarioName,
) -> Result<Vec<Conversation>, Unreachable> {
    let settings = probe_settings(options);
    let revision = settings.revision;
    Ok(if *name == Scenario::TOUR.label() {
        let tour = Box::pin(tour(peer, &settings, options)).await?;
        let (greeted, interruption) = (tour.handshake.is_some(), tour.interruption);
        let held = tour.finish(&options.progress).await;
        let conversation = held.conversation;
        if !greeted {
            let why = format!("{} answered with a result", unanswered(revision, options));
            return Err(Unreachable::new(peer, &why, &conversation.events));
        }
        if let Some(interruption) = interruption {
            let why = broken_off(interruption, options);
            return Err(Unreachable::new(peer, &why, &conversation.events));
        }
        vec![conversation]
    } else {
        let (calls, tokens) = (KnownCalls::new(tour_before), Mutex::new(None));
        let conversing = Conversing::new(peer, &settings, &calls, &tokens, options);
        let (transport, users) = (options.transport, settings.users());
        let circumstances = Circumstances { revision, transport, users, calls: &calls };
        let Some((scenario, version)) = scenario_of(name, &circumstances) else {
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
    })
}

/// The scenario that holds conversations of this name, and the version that it offers in this one.
fn scenario_of(
    name: &ScenarioName,
    circumstances: &Circumstances<'_>,
) -> Option<(&'static Scenario, &'static str)> {
    let revision = circumstances.revision;
    // Two eras may have scenarios of one name.
    Scenario::ALL.iter().filter(|it| (it.applies)(circumstances)).find_map(|scenario| {
        let mut versions = scenario.versions(revision).into_iter();
        let version = versions.find(|version| scenario.label_for(version) == *name);
        let beside = scenario.alongside.filter(|it| it.label() == *name);
        version.or_else(|| beside.map(|_| revision.as_str())).map(|version| (scenario, version))
    })
}
