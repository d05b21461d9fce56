//! The legacy sessions of one server.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::sync::Mutex as TurnLock;

use super::{HttpSettings, events::Append, holders::Holder, relay::Outbox, shared::Shared};
use crate::{
    caller::Principal,
    clock,
    server::conversation::{Conversation, MessageSink},
    store::{SessionId, StreamKey},
    transport::queue::MessageQueue,
};

/// A legacy session over HTTP.
pub(super) struct Session {
    pub(super) id: SessionId,
    pub(super) owner: Principal,
    /// Where its client is, if that is known.
    pub(super) address: Option<IpAddr>,
    pub(super) conversation: Arc<Conversation>,
    /// What belongs to no request, for the standalone stream.
    pub(super) standalone: Arc<MessageQueue>,
    /// Where that goes instead, if the session is shared.
    outbox: Option<Arc<Outbox>>,
    /// How often the standalone stream was taken over: an older one ends when it is.
    pub(super) takeovers: AtomicU64,
    /// Held while a message is taken for the standalone stream and kept in the log, and never for longer.
    pub(super) turn: TurnLock<Turn>,
    /// What the store has of it, if it is shared.
    pub(super) shared: Mutex<Option<Box<Shared>>>,
    initialized: AtomicBool,
    /// Microseconds: of two sessions, the one that was used before the other gives way.
    last_used: AtomicU64,
}

impl Session {
    pub(super) fn new(
        id: SessionId,
        owner: Principal,
        address: Option<IpAddr>,
        conversation: Arc<Conversation>,
        standalone: Arc<MessageQueue>,
    ) -> Self {
        Self {
            id,
            owner,
            address,
            conversation,
            standalone,
            outbox: None,
            takeovers: AtomicU64::new(0),
            turn: TurnLock::default(),
            shared: Mutex::default(),
            initialized: AtomicBool::new(false),
            last_used: AtomicU64::new(micros()),
        }
    }

    /// The same with another place for what belongs to no request.
    pub(super) fn saying(self, outbox: Option<Arc<Outbox>>) -> Self {
        Self { outbox, ..self }
    }

    /// Takes what belongs to no request.
    pub(super) fn sink(&self) -> Arc<dyn MessageSink> {
        match &self.outbox {
            Some(outbox) => Arc::clone(outbox) as _,
            None => Arc::clone(&self.standalone) as _,
        }
    }

    pub(super) fn touch(&self) {
        self.last_used.store(micros(), Ordering::Relaxed);
    }

    pub(super) fn set_initialized(&self) {
        self.initialized.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_initialized(&self) -> bool {
        self.initialized.load(Ordering::Relaxed)
    }

    /// A session with a running request, or an open stream, is in use however long ago it was last heard of.
    fn is_expired(self: &Arc<Self>, settings: &HttpSettings) -> bool {
        let allowed =
            if self.is_initialized() { settings.session_idle } else { settings.handshake_timeout };
        self.idle() > allowed && self.is_unused()
    }

    fn idle(&self) -> Duration {
        Duration::from_micros(micros().saturating_sub(self.last_used.load(Ordering::Relaxed)))
    }

    /// Nothing runs in it, and no stream of it is open.
    fn is_unused(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) == 1 && self.conversation.running() == 0
    }

    fn holder(&self) -> Holder {
        Holder::new(&self.owner, self.address)
    }

    /// Ends everything that goes on in the session.
    pub(super) fn end(&self) {
        self.standalone.close();
        self.conversation.close();
    }
}

/// What one connection of the standalone stream hands on to the next.
#[derive(Default)]
pub(super) struct Turn {
    /// Where it is kept.
    pub(super) stream: Option<StreamKey>,
    /// The first message of the queue, on its way there.
    pub(super) append: Append,
}

/// Keeps a session from expiring while one of its requests runs, and for its idle time after that.
pub(super) struct InUse(Arc<Session>);

impl InUse {
    pub(super) fn new(session: &Arc<Session>) -> Self {
        Self(Arc::clone(session))
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.0.touch();
    }
}

/// The sessions, spread over several locks.
pub(super) struct Sessions {
    shards: Vec<Mutex<HashMap<SessionId, Arc<Session>>>>,
    /// The ids of each client's sessions, in the order in which they began. Locked before any shard.
    holders: Mutex<HashMap<Holder, Vec<SessionId>>>,
    hasher: RandomState,
    count: AtomicUsize,
    last_sweep: AtomicU64,
}

/// A session that can be found from now on.
pub(super) struct Inserted {
    pub(super) session: Arc<Session>,
    /// What had to go to make room for it. The caller ends it.
    pub(super) displaced: Option<Arc<Session>>,
}

/// Why there is no room for another session: all are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

impl Sessions {
    pub(super) fn new() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            holders: Mutex::default(),
            hasher: RandomState::new(),
            count: AtomicUsize::new(0),
            last_sweep: AtomicU64::new(micros()),
        }
    }

    /// The session with this id, if it belongs to this principal. To another it does not exist, nor to any after its time.
    pub(super) fn get(
        &self,
        id: &SessionId,
        principal: &Principal,
        settings: &HttpSettings,
    ) -> Option<Arc<Session>> {
        let shard = lock(self.shard(id));
        let session = shard.get(id)?;
        (session.owner == *principal && !session.is_expired(settings)).then(|| {
            session.touch();
            Arc::clone(session)
        })
    }

    /// The session with this id, whomever it belongs to.
    pub(super) fn peek(&self, id: &SessionId) -> Option<Arc<Session>> {
        lock(self.shard(id)).get(id).cloned()
    }

    /// Puts a session where it can be found. If another request was faster with it, that one's stays.
    ///
    /// Where there is no room, a session that nothing runs in gives way: one of the same client if that has its share, else one of the
    /// client that has most.
    pub(super) fn insert(
        &self,
        session: Arc<Session>,
        settings: &HttpSettings,
    ) -> Result<Inserted, Full> {
        let holder = session.holder();
        let mut holders = lock(&self.holders);
        if let Some(known) = lock(self.shard(&session.id)).get(&session.id) {
            return Ok(Inserted { session: Arc::clone(known), displaced: None });
        }
        let own = holders.get(&holder).map_or(0, Vec::len);
        let displaced =
            if session.owner.is_identified() && own >= settings.max_sessions_per_principal {
                Some(self.displace(&mut holders, &holder).ok_or(Full)?)
            } else if self.count.load(Ordering::Relaxed) >= settings.max_sessions {
                let most = holders.iter().max_by_key(|(_, sessions)| sessions.len());
                let most = most.map(|(holder, _)| holder.clone());
                let others: Vec<_> = holders.keys().take(LOOKED_AT).cloned().collect();
                let mut from = most.into_iter().chain(others);
                Some(from.find_map(|holder| self.displace(&mut holders, &holder)).ok_or(Full)?)
            } else {
                None
            };
        holders.entry(holder).or_default().push(session.id.clone());
        lock(self.shard(&session.id)).insert(session.id.clone(), Arc::clone(&session));
        self.count.fetch_add(1, Ordering::Relaxed);
        Ok(Inserted { session, displaced })
    }

    /// Takes out the session of a client that can be spared most: its handshake was never finished, or it was not used for longest. Only
    /// the oldest are looked at.
    fn displace(
        &self,
        holders: &mut HashMap<Holder, Vec<SessionId>>,
        holder: &Holder,
    ) -> Option<Arc<Session>> {
        let sessions = holders.get(holder)?;
        let spared = sessions.iter().take(LOOKED_AT).filter_map(|id| {
            let shard = lock(self.shard(id));
            let session = shard.get(id)?;
            let last_used = session.last_used.load(Ordering::Relaxed);
            let rank = (session.is_initialized(), last_used);
            session.is_unused().then(|| (rank, id.clone()))
        });
        let (_, id) = spared.min()?;
        // A request may have taken it up by now; then it is not to be spared any more.
        let mut shard = lock(self.shard(&id));
        let taken = shard.get(&id)?.is_unused().then(|| shard.remove(&id)).flatten()?;
        drop(shard);
        self.count.fetch_sub(1, Ordering::Relaxed);
        forget(holders, &taken);
        Some(taken)
    }

    /// Takes out the session with this id if it has not been used for too long.
    pub(super) fn take_if_expired(
        &self,
        id: &SessionId,
        settings: &HttpSettings,
    ) -> Option<Arc<Session>> {
        let mut shard = lock(self.shard(id));
        let expired = shard.get(id)?.is_expired(settings);
        let taken = expired.then(|| shard.remove(id)).flatten()?;
        drop(shard);
        self.gone(&taken);
        Some(taken)
    }

    pub(super) fn remove(&self, id: &SessionId) -> Option<Arc<Session>> {
        let removed = lock(self.shard(id)).remove(id)?;
        self.gone(&removed);
        Some(removed)
    }

    /// Those that are alive.
    pub(super) fn live(&self, settings: &HttpSettings) -> usize {
        let shards = self.shards.iter();
        shards.map(|shard| lock(shard).values().filter(|it| !it.is_expired(settings)).count()).sum()
    }

    pub(super) fn all(&self) -> Vec<Arc<Session>> {
        self.shards
            .iter()
            .flat_map(|shard| lock(shard).values().cloned().collect::<Vec<_>>())
            .collect()
    }

    /// Takes out the sessions that are not used any more, if it is time to look for them. The caller ends them.
    pub(super) fn take_expired(&self, settings: &HttpSettings) -> Vec<Arc<Session>> {
        let (now, last) = (micros(), self.last_sweep.load(Ordering::Relaxed));
        if now.saturating_sub(last) < SWEEP_EVERY {
            return Vec::new();
        }
        self.last_sweep.store(now, Ordering::Relaxed);
        let mut expired = Vec::new();
        for shard in &self.shards {
            let mut shard = lock(shard);
            let over = shard.extract_if(|_, session| session.is_expired(settings));
            expired.extend(over.map(|(_, session)| session));
        }
        for session in &expired {
            self.gone(session);
        }
        expired
    }

    /// Counts a session no longer that was taken out.
    fn gone(&self, session: &Session) {
        self.count.fetch_sub(1, Ordering::Relaxed);
        forget(&mut lock(&self.holders), session);
    }

    fn shard(&self, id: &SessionId) -> &Mutex<HashMap<SessionId, Arc<Session>>> {
        let at = usize::try_from(self.hasher.hash_one(id) % SHARDS).unwrap_or_default();
        &self.shards[at]
    }
}

fn forget(holders: &mut HashMap<Holder, Vec<SessionId>>, session: &Session) {
    let holder = session.holder();
    let Some(sessions) = holders.get_mut(&holder) else { return };
    if let Some(at) = sessions.iter().position(|id| *id == session.id) {
        sessions.remove(at);
    }
    if sessions.is_empty() {
        holders.remove(&holder);
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn micros() -> u64 {
    u64::try_from(clock::now().0.as_micros()).unwrap_or(u64::MAX)
}

const SHARDS: u64 = 16;
/// Microseconds.
const SWEEP_EVERY: u64 = 1_000_000;
/// Sessions of a client that are compared when one has to give way.
const LOOKED_AT: usize = 64;
