//! The stores on a real Redis and a real Valkey, each started here on a socket of its own.
//!
//! `redis-server` and `valkey-server` are looked for on the search path, and any other in `PROOFMARK_REDIS_SERVER` (several are separated
//! like paths). Where there is none, nothing is tested, and a line says so; with `PROOFMARK_REDIS_REQUIRED` set that is a failure.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

mod breakdowns;
mod common;
mod contract;
