//! Conversations that go by nothing that the tour finds: where each has a process of its own they are held beside it.

use std::{
    collections::BTreeSet,
    future::poll_fn,
    pin::{Pin, pin},
    sync::Arc,
};

use futures_util::future::MaybeDone;
use tokio::sync::{Mutex, Semaphore};

use super::{
    Wanted,
    conversing::{Conversing, Held, HeldEach},
    hold_again,
};
use crate::{
    options::{Options, Target},
    report::Report,
};
use proofmark_converse::{
    peer::Peer,
    scenario::{Circumstances, KnownCalls, ProbeSettings, Scenario, Turn},
};
use proofmark_record::{event::Conversation, evidence::Evidence, side::Side};

#[derive(Default)]
pub(super) struct HeldEarly {
    pub(super) held: HeldEach,
    /// Those that left a doubt, once more.
    pub(super) again: Vec<Conversation>,
}

/// Holds what needs no tour, in the revision that is to be asked for.
pub(super) async fn hold_early(
    peer: &Peer,
    settings: &ProbeSettings,
    options: &Options,
    permits: &Arc<Semaphore>,
) -> HeldEarly {
    let (calls, tokens) = (KnownCalls::default(), Mutex::new(None));
    let conversing = Conversing::new(peer, settings, &calls, &tokens, options).sharing(permits);
    let wanted = Wanted::new(settings.revision, options);
    let is_wanted = |it: &Scenario| is_early(peer, settings, it) && wanted.includes(it);
    let held = conversing.hold_wanted(is_wanted).await;
    let names = in_doubt(&held, settings, options);
    if names.is_empty() {
        return HeldEarly { held, again: Vec::new() };
    }
    let again = hold_again(peer, options, settings, &calls, &names).await;
    HeldEarly { held, again }
}

/// Whether a scenario is held beside the tour.
pub(super) fn is_early(peer: &Peer, settings: &ProbeSettings, scenario: &Scenario) -> bool {
    let ProbeSettings { revision, transport, .. } = *settings;
    let calls = &KnownCalls::default();
    matches!(peer, Peer::Command(_))
        && !scenario.needs_tour
        && scenario.turn == Turn::Beside
        && (scenario.applies)(&Circumstances {
            revision,
            transport,
            users: settings.users(),
            calls,
        })
}

/// Of those that were held whole, the names of those that leave a doubt.
fn in_doubt(held: &HeldEach, settings: &ProbeSettings, options: &Options) -> BTreeSet<String> {
    let ProbeSettings { revision, transport, .. } = *settings;
    let whole = |it: &&Held| it.interruption.is_none();
    let held = held.iter().flat_map(|(_, held)| held).filter(whole);
    let conversations: Vec<_> = held.map(|it| it.conversation.clone()).collect();
    let names: BTreeSet<_> = conversations.iter().map(|it| it.scenario.to_string()).collect();
    let evidence = Evidence { side: Side::Server, revision, transport, conversations };
    let report = Report::new(Target { description: String::new() }, evidence, options);
    report.conversations_in_doubt().intersection(&names).cloned().collect()
}

/// Waits for the first, and carries on with the other meanwhile.
pub(super) async fn meanwhile<T>(
    first: impl Future<Output = T>,
    mut other: Pin<&mut MaybeDone<impl Future>>,
) -> T {
    let mut first = pin!(first);
    poll_fn(|context| {
        let _ = other.as_mut().poll(context);
        first.as_mut().poll(context)
    })
    .await
}
