//! Values by which something in a conversation is recognized later.

/// A version that no revision ever had.
pub const NONSENSE_VERSION: &str = "1999-01-01";
/// An id that the requestor of a task has no right to choose.
pub const OWN_TASK: &str = "proofmark-own-task";
