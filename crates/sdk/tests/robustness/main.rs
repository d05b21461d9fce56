//! What happens to a server when clients, networks and handlers misbehave, over every transport.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]
#![expect(
    clippy::needless_pass_by_value,
    reason = "messages are put together from what `json!` makes"
)]

mod asking;
mod cancelling;
mod common;
mod conversations;
mod cuts;
mod ends;
mod fairness;
mod floods;
mod guards;
mod large;
mod leftovers;
mod limits;
mod lines;
mod modern;
mod notices;
#[cfg(feature = "oauth")]
mod principals;
mod quotes;
mod relaying;
mod resolving;
mod resuming;
mod rooms;
mod roots;
mod sharing;
mod statuses;
mod table;
mod unkept;
mod unread;
