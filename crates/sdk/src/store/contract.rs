//! What every implementation of a store must do: one suite per trait, run against each implementation.
//!
//! A suite is a module of functions, one per rule, and a macro that hands their names to another macro, which makes tests of them.

pub(super) mod event_log;
mod in_memory;
pub(super) mod sessions;
pub(super) mod tasks;

use std::{sync::Arc, time::Duration};

use super::{Principal, SessionId};
use crate::BoxFuture;

/// An implementation that can be put to the test.
pub(super) trait Fixture<Settings, Store: ?Sized> {
    /// A new store, empty and shared with nobody.
    fn store(&self, settings: Settings) -> BoxFuture<'_, Arc<Store>>;

    /// Lets that much time go by, as the stores see it.
    fn pass(&self, time: Duration) -> BoxFuture<'_, ()>;
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
