//! What MCP says, in every revision, without touching the world.
//!
//! The Model Context Protocol lets an application that hosts a language model (the client's side) use what other programs offer (the
//! servers): **tools** that the model can have run, **resources** that it can read, **prompts** that people can pick. This crate is the
//! protocol itself. It reads and writes messages, knows what each revision demands, and decides what has to happen next; it opens no
//! socket, reads no clock and starts no task, so that every decision can be tested by handing it the facts.
//!
//! # Messages
//!
//! Two peers exchange JSON-RPC 2.0: requests, which are answered, and notifications, which are not. [`framing`] finds messages in bytes,
//! as lines of a pipe or as server-sent events of an HTTP response. [`jsonrpc`] takes a frame apart and says, of what is not a message,
//! why. [`types`] has the objects inside: one struct for each, with the fields of all revisions.
//!
//! # Two eras
//!
//! There are five revisions, named by date. [`revision`] has their rules as tables; the differences are data, not code. Four of them
//! belong to the [legacy](revision::Era::Legacy) era: a conversation begins with `initialize`, in which both sides agree on a revision and
//! declare their capabilities, and either side can then ask the other. In the [modern](revision::Era::Modern) era nothing is
//! remembered: each request carries its revision and the client's capabilities in `_meta`, and a server that needs to know something
//! answers `input_required` and is asked again. A peer can speak both at once, on one connection.
//!
//! # Conversations
//!
//! [`session`] holds the two sides of a conversation as state machines: what was received and what time it is goes in, what to send, run
//! or stop comes out. They keep the rules that are about more than one message: the handshake, which request an answer belongs to,
//! what was declared, cancellation and its races, progress, time-outs, batches, subscriptions. [`fit`] puts what is sent into a form
//! that the reader's revision knows.
//!
//! # Over HTTP
//!
//! [`streamable_http`] decides who may talk to an HTTP endpoint, in which era, and with which status the others are sent away; it also
//! mirrors parts of a message into headers, as the modern era demands. Pipes need nothing of the kind.
//!
//! # Small parts
//!
//! [`uri_template`] expands templates of resources and finds the values in a URI that fits one. [`cursor`] pages through lists with
//! positions that only their server can read, sealed by [`seal`]. [`cache`] keeps results as long as their server allows. [`json`] holds
//! JSON as it was written.

pub mod cache;
pub mod cursor;
pub mod fit;
pub mod framing;
pub mod json;
pub mod jsonrpc;
pub mod revision;
pub mod seal;
pub mod session;
pub mod streamable_http;
pub mod types;
pub mod uri_template;
