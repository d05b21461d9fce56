//! The legacy sessions of one server.

use std::{
    collections::{HashMap, hash_map::Entry},
    hash::{BuildHasher, RandomState},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::sync::Mutex as TurnLock;

use super::{HttpSettings, events::Append, shared::Shared};
use crate::{
    caller::Principal,
    clock,
    server::conversation::Conversation,
    store::{SessionId, StreamKey},
    transport::queue::MessageQueue,
};

/// A legacy session over HTTP.
pub(super) struct Session {
    pub(super) id: SessionId,
    pub(super) owner: Principal,
    pub(super) conversation: Arc<Conversation>,
    /// What belongs to no request, for the standalone stream.
    pub(super) standalone: Arc<MessageQueue>,
    /// How often the standalone stream was taken over: an older one ends when it is.
    pub(super) takeovers: AtomicU64,
    /// Held while a message is taken for the standalone stream and kept in the log, and never for longer.
    pub(super) turn: TurnLock<Turn>,
    /// What the store has of it, if it is shared.
    pub(super) shared: Mutex<Option<Box<Shared>>>,
    initialized: AtomicBool,
    last_used: AtomicU64,
}

impl Session {
    pub(super) fn new(
        id: SessionId,
        owner: Principal,
        conversation: Arc<Conversation>,
        standalone: Arc<MessageQueue>,
    ) -> Self {
        Self {
            id,
            owner,
            conversation,
            standalone,
            takeovers: AtomicU64::new(0),
            turn: TurnLock::default(),
            shared: Mutex::default(),
            initialized: AtomicBool::new(false),
            last_used: AtomicU64::new(millis()),
        }
    }

    pub(super) fn touch(&self) {
        self.last_used.store(millis(), Ordering::Relaxed);
    }

    pub(super) fn set_initialized(&self) {
        self.initialized.store(true, Ordering::Relaxed);
    }

    /// A session with a running request, or an open stream, is in use however long ago it was last heard of.
    fn is_expired(self: &Arc<Self>, settings: &HttpSettings) -> bool {
        let allowed = if self.initialized.load(Ordering::Relaxed) {
            settings.session_idle
        } else {
            settings.handshake_timeout
        };
        let idle =
            Duration::from_millis(millis().saturating_sub(self.last_used.load(Ordering::Relaxed)));
        idle > allowed && Arc::strong_count(self) == 1 && self.conversation.running() == 0
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
    hasher: RandomState,
    count: AtomicUsize,
    last_sweep: AtomicU64,
}

/// Why there is no room for another session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

impl Sessions {
    pub(super) fn new() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
            count: AtomicUsize::new(0),
            last_sweep: AtomicU64::new(millis()),
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

    /// Puts a session where it can be found. If another request was faster with it, that one's stays.
    pub(super) fn insert(
        &self,
        session: Arc<Session>,
        settings: &HttpSettings,
    ) -> Result<Arc<Session>, Full> {
        if session.owner.is_identified()
            && self.of(&session.owner) >= settings.max_sessions_per_principal
        {
            return Err(Full);
        }
        // The place is taken before it is used, so that many at once do not get past the limit.
        self.count
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| {
                (count < settings.max_sessions).then_some(count + 1)
            })
            .map_err(|_| Full)?;
        match lock(self.shard(&session.id)).entry(session.id.clone()) {
            Entry::Vacant(place) => Ok(Arc::clone(place.insert(session))),
            Entry::Occupied(known) => {
                self.count.fetch_sub(1, Ordering::Relaxed);
                Ok(Arc::clone(known.get()))
            }
        }
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
        self.count.fetch_sub(1, Ordering::Relaxed);
        Some(taken)
    }

    pub(super) fn remove(&self, id: &SessionId) -> Option<Arc<Session>> {
        let removed = lock(self.shard(id)).remove(id);
        if removed.is_some() {
            self.count.fetch_sub(1, Ordering::Relaxed);
        }
        removed
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

    /// Takes out the sessions that are not used any more, if it is time to look for them or room is needed. The caller ends them.
    pub(super) fn take_expired(&self, settings: &HttpSettings) -> Vec<Arc<Session>> {
        let (now, last) = (millis(), self.last_sweep.load(Ordering::Relaxed));
        let full = self.count.load(Ordering::Relaxed) >= settings.max_sessions;
        if !full && now.saturating_sub(last) < SWEEP_EVERY {
            return Vec::new();
        }
        self.last_sweep.store(now, Ordering::Relaxed);
        let mut expired = Vec::new();
        for shard in &self.shards {
            let mut shard = lock(shard);
            let over = shard.extract_if(|_, session| session.is_expired(settings));
            expired.extend(over.map(|(_, session)| session));
        }
        self.count.fetch_sub(expired.len(), Ordering::Relaxed);
        expired
    }

    fn of(&self, owner: &Principal) -> usize {
        self.shards
            .iter()
            .map(|shard| lock(shard).values().filter(|session| session.owner == *owner).count())
            .sum()
    }

    fn shard(&self, id: &SessionId) -> &Mutex<HashMap<SessionId, Arc<Session>>> {
        let at = usize::try_from(self.hasher.hash_one(id) % SHARDS).unwrap_or_default();
        &self.shards[at]
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn millis() -> u64 {
    u64::try_from(clock::now().0.as_millis()).unwrap_or(u64::MAX)
}

const SHARDS: u64 = 16;
/// Milliseconds.
const SWEEP_EVERY: u64 = 1000;
