//! What several judges of `basic/index` use.

pub(super) const ASKS_NOTHING: &str = "no tool that was called asks its client anything";
