//! A server that is or can be inspected, and how to reach it.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use proofmark_check::record::transcript::redact::{redact_command, redact_words};
use proofmark_core::revision::Revision;

/// How to reach a server, and who said so.
#[derive(Clone, Debug)]
pub struct ServerEntry {
    pub name: String,
    pub reach: Reach,
    /// `None`: the newest that both speak.
    pub revision: Option<Revision>,
    pub origin: Origin,
    /// Whether the person has seen the command, and agreed that it is started.
    pub confirmed: bool,
    /// How long to wait without a sign of life.
    pub timeout: Duration,
}

#[derive(Clone, Debug)]
pub enum Reach {
    Command { words: Vec<String>, environment: BTreeMap<String, String>, folder: Option<PathBuf> },
    Url { url: String, over: Over, headers: Vec<(String, String)> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    Sse,
    StreamableHttp,
}

/// Where an entry came from. A command of any but the first is started only after the person has confirmed it in the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The person who started the program named it.
    CommandLine,
    /// A configuration file that was named on the command line, or pasted.
    Configuration,
    /// Typed into the page.
    Page,
    /// A recording: there is nothing to connect to.
    Transcript,
}

impl Origin {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CommandLine => "command line",
            Self::Configuration => "configuration",
            Self::Page => "added by hand",
            Self::Transcript => "transcript",
        }
    }
}

impl ServerEntry {
    /// A server that is started, as the person named it.
    pub fn command(name: impl Into<String>, words: Vec<String>) -> Self {
        Self::new(name, Reach::Command { words, environment: BTreeMap::new(), folder: None })
    }

    pub fn url(name: impl Into<String>, url: impl Into<String>) -> Self {
        let reach = Reach::Url { url: url.into(), over: Over::StreamableHttp, headers: Vec::new() };
        Self::new(name, reach)
    }

    pub(crate) fn new(name: impl Into<String>, reach: Reach) -> Self {
        let (name, timeout) = (name.into(), Duration::from_secs(60));
        Self { name, reach, revision: None, origin: Origin::CommandLine, confirmed: false, timeout }
    }

    /// What is reached, without secrets, fit to be shown and confirmed.
    pub fn target(&self) -> String {
        match &self.reach {
            Reach::Command { words, .. } => redact_command(words),
            Reach::Url { url, .. } => redact_words(url).into_owned(),
        }
    }

    pub fn transport(&self) -> &'static str {
        match &self.reach {
            Reach::Command { .. } => "stdio",
            Reach::Url { over: Over::Sse, .. } => "sse",
            Reach::Url { over: Over::StreamableHttp, .. } => "http",
        }
    }

    /// What the person has to confirm before it is started, word by word.
    pub fn to_confirm(&self) -> Option<String> {
        let Reach::Command { words, .. } = &self.reach else { return None };
        let confirmed =
            self.confirmed || matches!(self.origin, Origin::CommandLine | Origin::Transcript);
        (!confirmed).then(|| words.join(" "))
    }
}
