//! Three Everything Servers with one store, behind a balancer that gives every request to the next of them.
//!
//! Without `redis-server` and `valkey-server`, on the search path or in `PROOFMARK_REDIS_SERVER`, nothing is tested, and a line says so; with
//! `PROOFMARK_REDIS_REQUIRED` set that is a failure.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

mod balancer;
mod client;
mod conversing;
mod faults;
mod kills;
mod proxy;
mod servers;
mod store;
