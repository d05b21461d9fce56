//! `proofmark add`, `remove` and `undo`, and `list --clients`: the configuration of clients.

mod add;
mod choose;
mod listed;
mod remove;
mod trial;
mod undo;
mod write;

pub(crate) use add::run as add;
pub(crate) use listed::run as list;
pub(crate) use remove::run as remove;
pub(crate) use undo::run as undo;
