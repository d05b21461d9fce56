//! The conversations of the checker: with servers, as a server for clients, and with authorization servers.
//!
//! A conversation asserts nothing. What was said is an event of `proofmark-record`, and judges look at it later.

pub mod authorization_variant;
pub mod hosted;
pub mod http_request;
pub mod mutation;
pub mod oauth;
pub mod peer;
pub mod scenario;
mod title;
pub mod well_known;

pub use title::title;
