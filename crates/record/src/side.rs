//! The parties of the protocol that can be checked.

use std::fmt;

/// Whom a run is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    Authorization,
    Client,
    Server,
}

impl Side {
    pub const ALL: [Self; 3] = [Self::Server, Self::Client, Self::Authorization];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Authorization => "authorization server",
            Self::Client => "client",
            Self::Server => "server",
        }
    }

    /// As one of its kind.
    pub fn with_article(self) -> &'static str {
        match self {
            Self::Authorization => "an authorization server",
            Self::Client => "a client",
            Self::Server => "a server",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
