//! What every implementation of a store must do, as a suite that any implementation can be put to: feature `test-util`.
//!
//! There is one function per store. It makes new stores with the settings that a rule is about, lets time pass as that store sees it,
//! and panics with all the rules that were broken, each with what was found.
//!
//! ```
//! use std::sync::Arc;
//!
//! use proofmark_sdk::store::{
//!     EventLogSettings, MemoryEventLog, MemorySessionStore, MemoryTaskStore, contract,
//! };
//!
//! // In a test of your own: `#[tokio::test(start_paused = true)]`.
//! #[tokio::main(flavor = "current_thread", start_paused = true)]
//! async fn main() {
//!     // These stores go by tokio's clock, which is told to jump. With a store that has a clock of its own, sleep.
//!     let pass = tokio::time::advance;
//!     let new_log = async |settings: EventLogSettings| Arc::new(MemoryEventLog::new(settings));
//!     contract::event_log(new_log, pass).await;
//!     contract::session_store(async |settings| Arc::new(MemorySessionStore::new(settings)), pass).await;
//!     contract::task_store(async |settings| Arc::new(MemoryTaskStore::new(settings)), pass).await;
//! }
//! ```
#![expect(clippy::unwrap_used, reason = "a rule that finds no value panics, as it is to")]

mod bus;
mod event_log;
mod sessions;
mod tasks;

use std::{any::Any, panic::AssertUnwindSafe, pin::Pin, sync::Arc, time::Duration};

use futures_util::FutureExt;

use super::{
    Bus, BusSettings, EventLog, EventLogSettings, Principal, SessionId, SessionSettings,
    SessionStore, TaskSettings, TaskStore,
};

/// Puts an [`EventLog`] to the test. `new_log` makes an empty one that is shared with no other.
///
/// # Panics
///
/// With the rules that the log breaks.
pub async fn event_log<L: EventLog + 'static>(
    new_log: impl AsyncFn(EventLogSettings) -> Arc<L>,
    pass: impl AsyncFn(Duration),
) {
    let new =
        |settings| Box::pin(async { new_log(settings).await as Arc<dyn EventLog> }) as Local<'_, _>;
    let pass = |time| Box::pin(pass(time)) as Local<'_, _>;
    report("event log", &event_log::broken(&Fixture { new: &new, pass: &pass }).await);
}

/// Puts a [`Bus`] to the test. `new_servers` makes three servers on one that is shared with no other.
///
/// # Panics
///
/// With the rules that the way between servers breaks.
pub async fn bus<B: Bus + 'static>(
    new_servers: impl AsyncFn(BusSettings) -> [B; 3],
    pass: impl AsyncFn(Duration),
) {
    let new = |settings| {
        Box::pin(async {
            let servers = new_servers(settings).await;
            servers.map(|server| Arc::new(server) as Arc<dyn Bus>).into()
        }) as Local<'_, Arc<[Arc<dyn Bus>]>>
    };
    let pass = |time| Box::pin(pass(time)) as Local<'_, _>;
    report("way between servers", &bus::broken(&Fixture { new: &new, pass: &pass }).await);
}

/// Puts a [`SessionStore`] to the test. `new_store` makes an empty one that is shared with no other.
///
/// # Panics
///
/// With the rules that the store breaks.
pub async fn session_store<S: SessionStore + 'static>(
    new_store: impl AsyncFn(SessionSettings) -> Arc<S>,
    pass: impl AsyncFn(Duration),
) {
    let new = |settings| {
        Box::pin(async { new_store(settings).await as Arc<dyn SessionStore> }) as Local<'_, _>
    };
    let pass = |time| Box::pin(pass(time)) as Local<'_, _>;
    report("session store", &sessions::broken(&Fixture { new: &new, pass: &pass }).await);
}

/// Puts a [`TaskStore`] to the test. `new_store` makes an empty one that is shared with no other.
///
/// # Panics
///
/// With the rules that the store breaks.
pub async fn task_store<S: TaskStore + 'static>(
    new_store: impl AsyncFn(TaskSettings) -> Arc<S>,
    pass: impl AsyncFn(Duration),
) {
    let new = |settings| {
        Box::pin(async { new_store(settings).await as Arc<dyn TaskStore> }) as Local<'_, _>
    };
    let pass = |time| Box::pin(pass(time)) as Local<'_, _>;
    report("task store", &tasks::broken(&Fixture { new: &new, pass: &pass }).await);
}

/// An implementation that is put to the test.
struct Fixture<'a, Settings, Store: ?Sized> {
    new: &'a dyn Fn(Settings) -> Local<'a, Arc<Store>>,
    pass: &'a dyn Fn(Duration) -> Local<'a, ()>,
}

impl<Settings, Store: ?Sized> Fixture<'_, Settings, Store> {
    async fn store(&self, settings: Settings) -> Arc<Store> {
        (self.new)(settings).await
    }

    /// Lets that much time go by, as the stores see it.
    async fn pass(&self, time: Duration) {
        (self.pass)(time).await;
    }
}

type Local<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Runs each rule by itself and gives the broken ones.
macro_rules! suite {
    ($store:ty, $settings:ty: $($rule:ident)+) => {
        type Fixture<'a, 'b> = &'a super::Fixture<'b, $settings, $store>;

        pub(super) async fn broken(fixture: Fixture<'_, '_>) -> Vec<String> {
            let mut broken = Vec::new();
            $(broken.extend(super::breach(stringify!($rule), $rule(fixture)).await);)+
            broken
        }
    };
}
use suite;

/// The rule and what was found, if it was broken.
async fn breach(rule: &str, check: impl Future<Output = ()>) -> Option<String> {
    let panic = AssertUnwindSafe(check).catch_unwind().await.err()?;
    Some(format!("{}: {}", rule.replace('_', " "), message(&*panic)))
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked")
}

#[track_caller]
fn report(store: &str, broken: &[String]) {
    assert!(broken.is_empty(), "the {store} breaks its contract:\n- {}", broken.join("\n- "));
}

fn alice() -> Principal {
    Principal::user("https://issuer.test", "alice", Some("app"))
}

/// Differs from Alice in one of three values only, and not always in the same.
fn others() -> [Principal; 6] {
    [
        Principal::Anonymous,
        Principal::Local,
        Principal::Session(SessionId::parse("a-session").expect("it is an id")),
        Principal::user("https://issuer.test", "bob", Some("app")),
        Principal::user("https://other.test", "alice", Some("app")),
        Principal::user("https://issuer.test", "alice", Some("other")),
    ]
}

#[cfg(test)]
mod tests;
