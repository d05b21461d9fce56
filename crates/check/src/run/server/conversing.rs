//! How the scenarios of a run are held: side by side, since most of them wait for what must not come.

use std::{io, sync::Arc};

use futures_util::future::{BoxFuture, join_all};
use serde_json::Value;
use tokio::{
    sync::{Mutex, RwLock, Semaphore},
    time::Instant,
};

use crate::{
    options::Options,
    progress::{Progress, Step},
    run::MOST_PROCESSES,
};
use proofmark_converse::{
    peer::Peer,
    scenario::{
        Circumstances, Interruption, KnownCalls, Policy, Probe, ProbeSettings, Scenario, Talk,
        TokenAccess, TourLength, Turn,
    },
};
use proofmark_record::{
    event::{Conversation, Event, EventKind},
    scenario::ScenarioName,
};

/// What all conversations of a run have in common.
pub(super) struct Conversing<'c> {
    peer: &'c Peer,
    settings: &'c ProbeSettings,
    calls: &'c KnownCalls,
    policy: &'c Policy,
    tour: TourLength,
    tokens: &'c Mutex<Option<TokenAccess>>,
    progress: &'c Progress,
    /// One for each conversation that may be under way.
    permits: Arc<Semaphore>,
}

/// A conversation in which nothing more is said.
pub(super) struct Talked {
    name: ScenarioName,
    title: &'static str,
    probe: Probe,
    pub(super) handshake: Option<Value>,
    /// Why it was broken off, if it was.
    pub(super) interruption: Option<Interruption>,
    /// Held while this one's client was still connected.
    alongside: Option<Box<Held>>,
}

/// A conversation that is over.
pub(super) struct Held {
    pub(super) conversation: Conversation,
    /// Why it was broken off, if it was.
    pub(super) interruption: Option<Interruption>,
    alongside: Option<Box<Self>>,
}

/// What was held of scenarios, each with its place in [`Scenario::ALL`].
pub(super) type HeldEach = Vec<(usize, Vec<Held>)>;

/// One for each conversation that may be under way. Servers that are to be started take long when many start at once.
pub(super) fn permits(peer: &Peer) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(match peer {
        Peer::Command(_) => MOST_PROCESSES,
        Peer::Memory(_) | Peer::Url(_) => Semaphore::MAX_PERMITS,
    }))
}

pub(super) fn in_order(mut held: HeldEach) -> Vec<(Conversation, Option<Interruption>)> {
    held.sort_by_key(|(index, _)| *index);
    held.into_iter().flat_map(|(_, held)| held).flat_map(Held::into_all).collect()
}

impl<'c> Conversing<'c> {
    pub(super) fn new(
        peer: &'c Peer,
        settings: &'c ProbeSettings,
        calls: &'c KnownCalls,
        tokens: &'c Mutex<Option<TokenAccess>>,
        options: &'c Options,
    ) -> Self {
        let permits = permits(peer);
        let (policy, progress) = (&options.policy, &options.progress);
        let tour = TourLength::Whole;
        Self { peer, settings, calls, policy, tour, tokens, progress, permits }
    }

    /// With permits that others take from, too.
    pub(super) fn sharing(self, permits: &Arc<Semaphore>) -> Self {
        Self { permits: Arc::clone(permits), ..self }
    }

    pub(super) fn with_tour(self, policy: &'c Policy, tour: TourLength) -> Self {
        Self { policy, tour, ..self }
    }

    /// Everything that follows the tour and is wanted, in the order of [`Scenario::ALL`].
    pub(super) async fn hold_all(
        &self,
        is_wanted: impl Fn(&Scenario) -> bool,
    ) -> Vec<(Conversation, Option<Interruption>)> {
        in_order(self.hold_wanted(is_wanted).await)
    }

    /// The same, each with its place in [`Scenario::ALL`].
    pub(super) async fn hold_wanted(&self, is_wanted: impl Fn(&Scenario) -> bool) -> HeldEach {
        let wanted = |(_, it): &(usize, &Scenario)| self.applies(it) && is_wanted(it);
        let mut order: Vec<(usize, &'static Scenario)> =
            Scenario::ALL.iter().enumerate().filter(wanted).collect();
        order.sort_by_key(|(_, it)| it.turn != Turn::Early);
        let planned = order.iter().map(|(_, it)| self.conversations_of(it)).sum();
        self.progress.tell(Step::Planned(planned));
        let changes = &RwLock::new(());
        let in_turn = |(index, scenario): (usize, &'static Scenario)| async move {
            let here = self.circumstances();
            if scenario.turn == Turn::Undisturbed {
                let _alone = changes.write().await;
                return self.hold_each((index, scenario)).await;
            }
            let _announcing =
                if (scenario.announces)(&here) { Some(changes.read().await) } else { None };
            self.hold_each((index, scenario)).await
        };
        join_all(order.into_iter().map(in_turn)).await
    }

    /// What can be had of a server that let the checker no further, because it wants a token or says so.
    pub(super) async fn hold_refused(&self, refused: &[Event]) -> Option<Conversation> {
        let wants_token =
            |event: &Event| matches!(event.kind, EventKind::Responded { status: 401 | 403, .. });
        let scenario = &Scenario::AUTHORIZATION;
        if !refused.iter().any(wants_token) || !self.applies(scenario) {
            return None;
        }
        let held = self.hold(scenario, self.settings.revision.as_str()).await.ok()?;
        Some(held.conversation)
    }

    fn applies(&self, scenario: &Scenario) -> bool {
        let follows = !matches!(scenario.turn, Turn::First | Turn::WhenRefused);
        follows && (scenario.applies)(&self.circumstances())
    }

    fn circumstances(&self) -> Circumstances<'c> {
        let ProbeSettings { revision, transport, .. } = *self.settings;
        Circumstances { revision, transport, users: self.settings.users(), calls: self.calls }
    }

    /// How many conversations a scenario takes, with those that are held alongside.
    pub(super) fn conversations_of(&self, scenario: &Scenario) -> usize {
        let alongside = usize::from(scenario.alongside.is_some_and(|it| self.applies(it)));
        scenario.versions(self.settings.revision).len() * (1 + alongside)
    }

    /// One scenario, in as many conversations as it takes. Those for which the peer could not be reached are left out.
    async fn hold_each(&self, (index, scenario): (usize, &'static Scenario)) -> (usize, Vec<Held>) {
        let versions = scenario.versions(self.settings.revision);
        let held = join_all(versions.into_iter().map(|version| self.hold(scenario, version))).await;
        (index, held.into_iter().flatten().collect())
    }

    /// One conversation, with its end. Whether a peer leaves by itself is waited for without keeping others from being started.
    pub(super) fn hold<'h>(
        &'h self,
        scenario: &'static Scenario,
        version: &'static str,
    ) -> BoxFuture<'h, io::Result<Held>> {
        Box::pin(async move {
            let permit = self.permits.acquire().await.map_err(io::Error::other)?;
            if Instant::now() >= self.settings.until {
                return Ok(Held::skipped(scenario.label_for(version)));
            }
            let talked = self.talk(scenario, version).await?;
            drop(permit);
            Ok(talked.finish(self.progress).await)
        })
    }

    /// One conversation up to its last word.
    pub(super) async fn talk(
        &self,
        scenario: &'static Scenario,
        version: &'static str,
    ) -> io::Result<Talked> {
        self.progress.tell(Step::Began(scenario.title));
        let settings = ProbeSettings { client_kind: scenario.client, ..self.settings.clone() };
        let probe = Probe::open(self.peer, settings).await?;
        let Self { calls, policy, tour, tokens, .. } = *self;
        let mut talk = Talk { probe, calls, policy, tour, tokens, version, handshake: None };
        (scenario.talk)(&mut talk).await;
        let Talk { probe, handshake, .. } = talk;
        let interruption = probe.interruption();
        let lives = interruption.is_none() && (scenario.turn != Turn::First || handshake.is_some());
        let alongside = match scenario.alongside.filter(|it| lives && self.applies(it)) {
            Some(other) => self.hold(other, version).await.ok().map(Box::new),
            None => None,
        };
        let (name, title) = (scenario.label_for(version), scenario.title);
        Ok(Talked { name, title, probe, handshake, interruption, alongside })
    }
}

impl Talked {
    pub(super) fn events(&self) -> &[Event] {
        self.probe.events()
    }

    pub(super) async fn finish(self, progress: &Progress) -> Held {
        let Self { name, title, probe, interruption, alongside, .. } = self;
        let events = probe.finish().await;
        progress.tell(Step::Ended(title));
        Held { conversation: Conversation { scenario: name, events }, interruption, alongside }
    }
}

impl Held {
    /// There is no time left for it.
    fn skipped(scenario: ScenarioName) -> Self {
        Self {
            conversation: Conversation { scenario, events: Vec::new() },
            interruption: Some(Interruption::OutOfTime),
            alongside: None,
        }
    }

    /// With what was held alongside.
    pub(super) fn into_all(self) -> Vec<(Conversation, Option<Interruption>)> {
        let mut all = vec![(self.conversation, self.interruption)];
        all.extend(self.alongside.map(|it| it.into_all()).into_iter().flatten());
        all
    }
}
