//! Where the keys come from: given once, or fetched, kept, and fetched again when they seem out of date.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures_util::FutureExt as _;
use futures_util::future::Shared;

use super::fetch::Source;
use super::header::Header;
use super::key::{Key, KeySet};
use super::refetch::{Need, Schedule};
use super::{KeysUnavailable, NoKeys, Refetch};
use crate::BoxFuture;
use crate::auth::{BadUrl, TokenError};

/// The keys that an issuer signs tokens with.
///
/// Fetched keys are fetched when the first token needs them, again when they are old, and again when a token names a
/// key that is not among them; never more often than [`Refetch`] says. However many requests wait, one fetch is under
/// way. Keys that are known keep working for as long as no newer ones can be had.
pub struct Keys(Origin);

enum Origin {
    Given(KeySet),
    Fetched { source: Source, state: Mutex<State> },
}

struct State {
    keys: Option<Arc<KeySet>>,
    schedule: Schedule,
    /// Driven by all who wait for it, so that one who leaves does not take it along.
    fetch: Option<Fetch>,
}

type Fetch = Shared<BoxFuture<'static, Result<Arc<KeySet>, KeysUnavailable>>>;

impl Keys {
    /// Reads a JWKS document that never changes.
    pub fn from_jwks(json: &[u8]) -> Result<Self, NoKeys> {
        KeySet::parse(json).map(|keys| Self(Origin::Given(keys)))
    }

    /// The document at this URL, the issuer's `jwks_uri`: `https`, or `http` on this machine.
    pub fn fetched(url: &str) -> Result<Self, BadUrl> {
        Self::fetched_with(url, Refetch::default())
    }

    pub fn fetched_with(url: &str, refetch: Refetch) -> Result<Self, BadUrl> {
        let source = Source::new(url)?;
        let state = State { keys: None, schedule: Schedule::new(refetch), fetch: None };
        Ok(Self(Origin::Fetched { source, state: Mutex::new(state) }))
    }

    /// Fetches the keys unless they are there, so that a server can refuse to start without them.
    pub async fn load(&self) -> Result<(), KeysUnavailable> {
        let Origin::Fetched { source, state } = &self.0 else { return Ok(()) };
        let fetch = {
            let mut state = lock(state);
            if state.keys.is_some() {
                return Ok(());
            }
            state.join(source, Need::Nothing)?
        };
        settle(state, fetch).await.map(drop)
    }

    pub(super) async fn find(&self, header: &Header) -> Result<Key, TokenError> {
        let pick = |keys: &KeySet| {
            keys.find(header.key_id.as_deref(), header.algorithm)
                .cloned()
                .ok_or(TokenError::UnknownKey)
        };
        let (source, state) = match &self.0 {
            Origin::Given(keys) => return pick(keys),
            Origin::Fetched { source, state } => (source, state),
        };
        let (known, fetch) = {
            let mut state = lock(state);
            let known = state.keys.clone();
            let found = known.as_deref().map(pick);
            let fetch = match &found {
                Some(Ok(_)) => state.renew(source),
                Some(Err(_)) => state.join(source, Need::UnknownKey).ok(),
                None => Some(state.join(source, Need::Nothing)?),
            };
            (found, fetch)
        };
        let Some(fetch) = fetch else { return known.unwrap_or(Err(TokenError::UnknownKey)) };
        match (settle(state, fetch).await, known) {
            (Ok(keys), _) => pick(&keys),
            (Err(_), Some(known)) => known,
            (Err(error), None) => Err(error.into()),
        }
    }
}

impl State {
    /// The fetch under way, or a new one if it is time for one.
    fn join(&mut self, source: &Source, need: Need) -> Result<Fetch, KeysUnavailable> {
        match self.under_way() {
            Some(fetch) => Ok(fetch),
            None => self.begin(source, need),
        }
    }

    /// A new fetch if the keys are old. Only the one who begins it waits for it: the others have what they need.
    fn renew(&mut self, source: &Source) -> Option<Fetch> {
        match self.under_way() {
            Some(_) => None,
            None => self.begin(source, Need::Newer).ok(),
        }
    }

    fn begin(&mut self, source: &Source, need: Need) -> Result<Fetch, KeysUnavailable> {
        self.schedule.begin(need, Instant::now())?;
        Ok(self.fetch.insert(source.fetch().shared()).clone())
    }

    fn under_way(&mut self) -> Option<Fetch> {
        if self.fetch.is_some() && !self.schedule.is_under_way(Instant::now()) {
            self.fetch = None;
            self.schedule.give_up();
        }
        self.fetch.clone()
    }
}

/// Waits for a fetch, and keeps what it brought.
async fn settle(state: &Mutex<State>, fetch: Fetch) -> Result<Arc<KeySet>, KeysUnavailable> {
    let outcome = fetch.clone().await;
    let mut state = lock(state);
    // The fetch that comes first writes it down; a fetch that was given up for a newer one changes nothing.
    if state.fetch.as_ref().is_some_and(|current| current.ptr_eq(&fetch)) {
        state.fetch = None;
        state.schedule.end(outcome.as_ref().map(drop).map_err(Clone::clone), Instant::now());
        if let Ok(keys) = &outcome {
            state.keys = Some(keys.clone());
        }
    }
    outcome
}

/// Every change to the state is complete, so one who panicked has left nothing half-done.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
