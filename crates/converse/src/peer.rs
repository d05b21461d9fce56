//! Who is checked, and how it is reached.

use std::{fmt, pin::Pin, sync::Arc};

use proofmark_record::{
    event::Headers,
    wire::{Url, lines::LineWire, process::CommandLine},
};

use crate::oauth::KnownClient;

/// Who is checked.
#[derive(Clone)]
pub enum Peer {
    /// A server to be started, once for each conversation.
    Command(CommandLine),
    Url(Url),
    /// A server in this process: each call connects another client to it.
    Memory(Arc<Connect>),
}

/// Gives the client's end of a pipe and what serves the other end.
pub type Connect = dyn Fn() -> (LineWire, Serving) + Send + Sync;
pub type Serving = Pin<Box<dyn Future<Output = ()> + Send>>;

/// An authorization server, and what is to be asked of it.
#[derive(Clone, Debug)]
pub struct IssuerPeer {
    /// Its identifier.
    pub url: Url,
    /// `None`: the checker registers itself.
    pub client: Option<KnownClient>,
    /// What the tokens are to be for; without it what the server names first.
    pub resource: Option<String>,
    /// Without it everything that is on offer.
    pub scope: Option<String>,
    /// For the requests of the browser: those to the authorization endpoint.
    pub headers: Headers,
}

impl IssuerPeer {
    /// One that the checker registers itself at.
    pub fn new(url: Url) -> Self {
        Self { url, client: None, resource: None, scope: None, headers: Vec::new() }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => write!(f, "{command}"),
            Self::Url(url) => write!(f, "{url}"),
            Self::Memory(_) => f.write_str("a server in memory"),
        }
    }
}
