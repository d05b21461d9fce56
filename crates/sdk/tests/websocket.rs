//! A custom transport, made of public items alone, over a real socket: the transport of the example `websocket`.

#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]
#![expect(
    clippy::needless_pass_by_value,
    reason = "messages are put together from what `json!` makes"
)]

#[path = "websocket/common.rs"]
mod common;
#[path = "websocket/ends.rs"]
mod ends;
#[path = "websocket/legacy.rs"]
mod legacy;
#[path = "websocket/modern.rs"]
mod modern;
#[path = "../examples/websocket/transport.rs"]
mod transport;
