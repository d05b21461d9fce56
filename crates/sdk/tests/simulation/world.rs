//! The store, the servers, the clients, and what was found.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use proofmark_sdk::store::{
    BusSettings, MemoryBus, MemoryEventLog, MemorySessionStore, Principal, SessionId, SessionStore,
    Timestamp,
};
use tokio::time::sleep;

use crate::{client::Client, dice::Dice, faulty::LEASE, server::Instance};

/// Everything there is.
pub(crate) struct World {
    pub(crate) sessions: Arc<MemorySessionStore>,
    pub(crate) events: Arc<MemoryEventLog>,
    pub(crate) bus: MemoryBus,
    servers: Mutex<Vec<Arc<Instance>>>,
    found: Mutex<Found>,
}

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) answered: usize,
    /// Calls that ended with an error that says what happened: a status, an error of the protocol, a connection that broke.
    pub(crate) failed: usize,
    pub(crate) resumed: usize,
    pub(crate) crashes: usize,
    pub(crate) cuts: usize,
    /// Steps to the store that nothing came back of.
    pub(crate) lost: usize,
    /// Changes that a client was told of.
    pub(crate) told: usize,
    /// What must not happen.
    pub(crate) wrong: Vec<String>,
    /// What every client saw.
    pub(crate) trace: Vec<Vec<String>>,
}

impl Found {
    pub(crate) fn add(&mut self, other: &Self) {
        self.answered += other.answered;
        self.failed += other.failed;
        self.resumed += other.resumed;
        self.crashes += other.crashes;
        self.cuts += other.cuts;
        self.lost += other.lost;
        self.told += other.told;
    }

    pub(crate) fn counts(&self) -> String {
        let Self { answered, failed, resumed, crashes, cuts, lost, told, .. } = self;
        format!(
            "{answered} answered, {failed} failed, {resumed} resumed, {told} changes told, {crashes} crashes, \
             {cuts} cuts, {lost} lost"
        )
    }
}

impl World {
    pub(crate) async fn run(seed: u64) -> Found {
        let world = Arc::new(Self {
            sessions: Arc::default(),
            events: Arc::default(),
            bus: MemoryBus::new(BusSettings::default()),
            servers: Mutex::default(),
            found: Mutex::default(),
        });
        for server in 0..SERVERS {
            let instance = Instance::begin(&world, Dice::new(seed, server));
            world.servers.lock().unwrap().push(Arc::new(instance));
        }
        let misfortune = tokio::spawn(Arc::clone(&world).misfortune(Dice::new(seed, 90)));
        let clients = (0..CLIENTS).map(|client| {
            let (world, dice) = (Arc::clone(&world), Dice::new(seed, 100 + client));
            tokio::spawn(async move { Client::visit(world, client, dice).await })
        });
        let clients: Vec<_> = clients.collect();
        let mut trace = Vec::new();
        for client in clients {
            trace.push(client.await.unwrap());
        }
        misfortune.abort();
        let mut found = world.found.lock().unwrap().clone();
        found.trace = trace;
        found
    }

    /// Servers that are cut off, crash, and are started again.
    async fn misfortune(self: Arc<Self>, mut dice: Dice) {
        let mut begun = SERVERS;
        loop {
            sleep(Duration::from_millis(100 + dice.below(900))).await;
            let at = usize::try_from(dice.below(SERVERS)).unwrap();
            let server = self.server(at);
            if server.way.dead.is_cancelled() {
                let again = Instance::begin(&self, Dice::new(dice.below(u64::MAX), begun));
                begun += 1;
                self.servers.lock().unwrap()[at] = Arc::new(again);
            } else {
                match dice.below(24) {
                    0 => server.way.crash(),
                    1 | 2 => server.way.cut(Duration::from_millis(dice.below(4000))),
                    3 => server.way.cut(LEASE + Duration::from_secs(dice.below(10))),
                    _ => {}
                }
            }
        }
    }

    pub(crate) fn server(&self, at: usize) -> Arc<Instance> {
        Arc::clone(&self.servers.lock().unwrap()[at])
    }

    pub(crate) fn count(&self, count: impl FnOnce(&mut Found)) {
        count(&mut self.found.lock().unwrap());
    }

    /// What the store has of the resources that a session watches.
    pub(crate) async fn watched(&self, session: &str) -> Option<Vec<String>> {
        let id = SessionId::parse(session).ok()?;
        let stored = self.sessions.load(&id, &Principal::Anonymous, Timestamp(0)).await.ok()?;
        Some(stored.record.watched.iter().cloned().collect())
    }
}

pub(crate) const SERVERS: u64 = 3;
const CLIENTS: u64 = 3;
