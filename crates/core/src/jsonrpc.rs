//! JSON-RPC 2.0 as MCP uses it: envelopes in, envelopes out, payloads left as they are.

mod error;
mod id;

pub use error::{ErrorCode, ErrorObject};
pub use id::{BadId, Id, ProgressToken};
