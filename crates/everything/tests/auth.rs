//! The authorization server for tests, as clients, browsers and attackers meet it.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

#[path = "auth/codes.rs"]
mod codes;
#[path = "auth/documents.rs"]
mod documents;
#[path = "auth/our_client.rs"]
mod our_client;
#[path = "auth/refreshing.rs"]
mod refreshing;
#[path = "auth/registering.rs"]
mod registering;
#[path = "auth/serving.rs"]
mod serving;
#[path = "auth/support.rs"]
mod support;
#[path = "auth/variants.rs"]
mod variants;
