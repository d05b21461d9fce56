//! How far a task is, and where it may go from there.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How far a task is. Every task begins as [`Self::Working`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    Working,
    /// It waits for an answer from the one who asked for it.
    InputRequired,
    Completed,
    /// In the experiment also when a tool answered `isError`; in the extension only after a JSON-RPC error.
    Failed,
    Cancelled,
}

/// A task went where no task may go. Its receiver, who runs it, is to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a task cannot go from {from} to {to}")]
pub struct BadTransition {
    pub from: TaskStatus,
    pub to: TaskStatus,
}

impl TaskStatus {
    pub const ALL: [Self; 5] =
        [Self::Working, Self::InputRequired, Self::Completed, Self::Failed, Self::Cancelled];

    /// A terminal task never changes again.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// Whether a task that was seen as `self` may next be seen as `to`. Staying is no transition and always fine.
    pub fn check_transition(self, to: Self) -> Result<(), BadTransition> {
        if self != to && self.is_terminal() {
            return Err(BadTransition { from: self, to });
        }
        Ok(())
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for TaskStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
