//! Every fixture of the Everything Server, in every revision that begins with `initialize`.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

#[path = "fixtures/asking.rs"]
mod asking;
#[path = "fixtures/lists.rs"]
mod lists;
#[path = "fixtures/reading.rs"]
mod reading;
#[path = "fixtures/rounds.rs"]
mod rounds;
#[path = "fixtures/streaming.rs"]
mod streaming;
#[path = "support/client.rs"]
mod support;
#[path = "fixtures/tasks.rs"]
mod tasks;
#[path = "fixtures/tools.rs"]
mod tools;
