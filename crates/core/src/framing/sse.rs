//! Event streams (`text/event-stream`), as the WHATWG HTML standard defines them, with the limits it leaves out.
//!
//! Two departures, both for MCP's sake. Data is handed out as the bytes that came: replacing what is not UTF-8 would
//! quietly change a JSON payload, so the message parser judges it. And blocks without a payload, which a browser would
//! keep to itself, are reported, because MCP's priming event is an `id` with empty `data` ([`Data`]).

pub use decode::{Cut, Data, EventDecoder, Item, Limits, Part, Received};
pub use encode::{Event, comment};
pub use name::{EventId, EventName, NotAName};

mod decode;
mod encode;
mod field;
mod name;
