//! Calls that are open at a server elsewhere until their client comes back with answers.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::calls::Running;
use crate::{server::Error, store::SessionId};

/// The calls, by ids that cannot be guessed. Dropping one cancels it.
#[derive(Default)]
pub(super) struct Parked(Mutex<HashMap<String, (Instant, Running)>>);

impl Parked {
    /// Keeps a call for a while. Where there are too many, the one goes that was to go next.
    pub(super) fn put(&self, running: Running) -> Result<String, Error> {
        let id = SessionId::random()?.as_str().to_owned();
        let now = Instant::now();
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|_, (until, _)| *until > now);
        if calls.len() >= MOST {
            let next = calls.iter().min_by_key(|(_, (until, _))| *until).map(|(id, _)| id.clone());
            next.and_then(|next| calls.remove(&next));
        }
        calls.insert(id.clone(), (now + LIFETIME, running));
        Ok(id)
    }

    /// Each call goes on once.
    pub(super) fn take(&self, id: &str) -> Option<Running> {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.remove(id).filter(|(until, _)| *until > Instant::now()).map(|(_, running)| running)
    }
}

/// Calls that wait at once.
const MOST: usize = 1000;
/// As long as the other server is waited for.
const LIFETIME: Duration = Duration::from_secs(600);
