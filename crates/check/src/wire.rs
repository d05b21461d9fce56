//! The checker's own wire: it can say anything, and forgets nothing.
//!
//! Nothing here knows what a message means; it moves bytes, cuts them where the transport does, and writes down what happened.

pub mod http;
pub mod lines;
#[cfg(target_os = "linux")]
pub mod orphans;
pub mod process;
mod recorder;
pub mod stream;
mod url;

pub use recorder::{Recorder, Room};
pub use url::{Scheme, Url, UrlError};

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    Stdio,
    /// Streamable HTTP.
    Http,
    /// The older HTTP+SSE.
    Sse,
}

impl Transport {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Sse => "sse",
        }
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Transport {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "stdio" => Ok(Self::Stdio),
            "http" => Ok(Self::Http),
            "sse" => Ok(Self::Sse),
            _ => Err(format!("{text:?} is no transport: stdio, http and sse are")),
        }
    }
}

/// Bytes of memory that what a peer says in a run may take; who says more is cut off.
pub(crate) const MOST_BYTES: usize = 48 * 1024 * 1024;
/// Bytes of one line, event or body.
pub(crate) const MOST_FRAME: usize = 8 * 1024 * 1024;
