//! The server that clients are told about.

use crate::Template;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    pub name: String,
    pub transport: Transport,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A program that the client starts.
    Stdio {
        command: String,
        arguments: Vec<String>,
        environment: Vec<(String, Template)>,
    },
    Remote {
        url: String,
        kind: RemoteKind,
        headers: Vec<(String, Template)>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteKind {
    /// Streamable HTTP.
    Http,
    /// The older HTTP+SSE.
    Sse,
}
