//! What is said on a wire, and how it is written down.
//!
//! The checker has its own [`wire`]: it can say anything, and forgets nothing. Every frame, header, close and silence becomes an
//! [`event`] with a time; the events of a whole run are the [`evidence`] that judges look at, and a [`transcript`] keeps them in a
//! file. A [`tap`] writes the same file about two peers that talk to each other.

pub mod environment;
pub mod event;
pub mod evidence;
pub mod form;
pub mod meta;
pub mod pkce;
pub mod platform;
pub mod scenario;
pub mod side;
pub mod tap;
pub mod text;
pub mod topic;
pub mod transcript;
pub mod transport;
pub mod wire;
