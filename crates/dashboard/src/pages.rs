//! One file for each page; each is a function of the history and of what stands in the address.

pub(crate) mod front;
pub(crate) mod matrix;
pub(crate) mod requirement;
pub(crate) mod runs;
pub(crate) mod server;
