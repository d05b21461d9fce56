//! The SDK's client and the Everything Server, in every revision and over every transport that needs no process.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

#[path = "client/asking.rs"]
mod asking;
#[path = "client/calls.rs"]
mod calls;
#[path = "client/meeting.rs"]
mod meeting;
#[path = "client/peer.rs"]
mod peer;
