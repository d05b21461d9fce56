//! JSON-RPC 2.0 as MCP uses it: envelopes in, envelopes out, payloads left as they are.
//!
//! [`parse`] reads one message or one batch from bytes without copying them. What `params` and `result` hold stays raw JSON until
//! the method is known. Bytes that are no message are refused with a [`NotAMessage`] that says which rule they break and, where it
//! can be read, under which id the refusal belongs. [`write`](mod@write) puts messages straight into a buffer.

mod envelope;
mod envelope_fast;
mod error;
mod id;
mod message;
mod not_a_message;
mod params;
mod parse;
pub mod write;

pub use error::{ErrorCode, ErrorObject, shortened};
pub use id::{BadId, Id, ProgressToken};
pub use message::{ErrorResponse, Incoming, Message, Notification, Request, Response};
pub use not_a_message::{NotAMessage, Reason};
pub use params::{Member, Params};
pub use parse::{Limits, parse};
