//! The name under which a conversation stands in a transcript.

use std::{borrow::Cow, fmt};

/// Which conversation it was: `tour`, `version 2025-03-26`, `hosted pages`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioName(Cow<'static, str>);

impl ScenarioName {
    /// Between a client and a server that are both strangers to the checker.
    pub const OVERHEARD: Self = Self(Cow::Borrowed("overheard"));

    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self(name.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same conversation, held once more because the first left a doubt.
    #[must_use]
    pub fn again(&self) -> Self {
        Self(Cow::Owned(format!("{}{AGAIN}", self.0)))
    }

    /// The name of the conversation that this one was held for once more, if so.
    pub fn first(&self) -> Option<Self> {
        Some(Self(Cow::Owned(self.0.strip_suffix(AGAIN)?.to_owned())))
    }
}

/// What names of conversations end with that were held once more.
const AGAIN: &str = " again";

impl fmt::Display for ScenarioName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
