//! HTTP servers that hang, lie, ramble or break off: each call ends in an error that says what happened.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

#[path = "hostile/calls.rs"]
mod calls;
#[path = "hostile/mending.rs"]
mod mending;
#[path = "hostile/script.rs"]
mod script;
#[path = "hostile/streams.rs"]
mod streams;
