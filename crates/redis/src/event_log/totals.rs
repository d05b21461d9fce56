//! What all streams take together, and which of them give way.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use proofmark_sdk::store::{SessionId, StoreError, What};
use redis::Script;

use super::millis;
use crate::{
    link::{Link, script},
    reply::{Reply, unexpected},
};

/// Counts what streams take.
pub(super) struct Totals {
    link: Link,
    script: Script,
    /// What the store was last told of the open streams that are written here.
    told: Mutex<HashMap<String, usize>>,
}

/// What has to be done to stay within the bound.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// Streams that have ended and are to be dropped.
    pub(super) dropped: Vec<(SessionId, String)>,
    /// Bytes that are still too many.
    pub(super) missing: usize,
}

impl Totals {
    pub(super) fn new(link: Link) -> Self {
        Self { link, script: script(include_str!("totals.lua")), told: Mutex::default() }
    }

    /// A stream takes this much; the store is told only when it is much more than it knows.
    pub(super) async fn grown(
        &self,
        session: &SessionId,
        number: &str,
        bytes: usize,
    ) -> Result<Option<Room>, StoreError> {
        let member = member(session, number);
        let told = self.lock().get(&member).copied().unwrap_or_default();
        let total = self.link.settings().events.total_bytes;
        if bytes.abs_diff(told) < WORTH_TELLING.min(total / 256) {
            return Ok(None);
        }
        self.set(session, number, bytes, false).await.map(Some)
    }

    pub(super) async fn set(
        &self,
        session: &SessionId,
        number: &str,
        bytes: usize,
        ended: bool,
    ) -> Result<Room, StoreError> {
        let member = member(session, number);
        let settings = self.link.settings();
        let lives = millis(if ended { settings.events.age } else { settings.open_stream });
        let (limit, size) = (settings.events.total_bytes.to_string(), bytes.to_string());
        let ended_flag: &[u8] = if ended { b"1" } else { b"" };
        let arguments =
            [member.as_bytes(), size.as_bytes(), lives.as_bytes(), ended_flag, limit.as_bytes()];
        let reply = self.run(&arguments).await?;
        if ended {
            self.lock().remove(&member);
        } else {
            self.lock().insert(member, bytes);
        }
        let mut reply = reply.of(What::Stream)?;
        let missing = reply.take()?;
        let dropped = reply.rest::<String>()?;
        let dropped = dropped.iter().map(|member| parse(member).ok_or_else(unexpected));
        Ok(Room { dropped: dropped.collect::<Result<_, _>>()?, missing })
    }

    pub(super) async fn remove(&self, session: &SessionId, number: &str) -> Result<(), StoreError> {
        let member = member(session, number);
        self.lock().remove(&member);
        self.run(&[member.as_bytes()]).await.map(|_| ())
    }

    async fn run(&self, arguments: &[&[u8]]) -> Result<Reply, StoreError> {
        let key = self.link.keys().log_total();
        self.link.run(&self.script, &[&key], arguments).await
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream among all streams. No id has a space in it.
fn member(session: &SessionId, number: &str) -> String {
    format!("{} {number}", session.as_str())
}

fn parse(member: &str) -> Option<(SessionId, String)> {
    let (session, number) = member.split_once(' ')?;
    Some((SessionId::parse(session).ok()?, number.to_owned()))
}

/// Bytes by which a stream has to grow before it is counted anew.
const WORTH_TELLING: usize = 16 * 1024;
