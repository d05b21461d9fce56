//! What a client connects to.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::PathBuf,
};

use tokio::io::{AsyncRead, AsyncWrite};

use super::{ClientTransport, CustomTransport, MemoryTarget};
use crate::server::Server;

/// A server and the way to it.
pub enum Target {
    /// A program that speaks on its standard input and output.
    Command(ServerCommand),
    /// A transport of another crate; see [`Target::custom`].
    Custom(CustomTransport),
    /// A server in the same process, for tests.
    Memory(MemoryTarget),
    /// Streamable HTTP, or HTTP+SSE where the server knows no better.
    Url(String),
    /// HTTP+SSE, without trying anything else before.
    SseUrl(String),
    /// Lines on any pair of byte streams.
    Streams {
        reader: Box<dyn AsyncRead + Send + Unpin>,
        writer: Box<dyn AsyncWrite + Send + Unpin>,
    },
}

impl Target {
    pub fn streams(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self::Streams { reader: Box::new(reader), writer: Box::new(writer) }
    }

    /// Over a transport that carries whole messages, such as WebSocket.
    pub fn custom(transport: impl ClientTransport) -> Self {
        Self::Custom(CustomTransport::new(transport))
    }
}

impl Target {
    /// The same target, if it can be reached more than once.
    pub(super) fn try_clone(&self) -> Option<Self> {
        match self {
            Self::Command(command) => Some(Self::Command(command.clone())),
            Self::Url(url) => Some(Self::Url(url.clone())),
            Self::SseUrl(url) => Some(Self::SseUrl(url.clone())),
            Self::Memory(memory) => Some(Self::Memory(memory.clone())),
            Self::Custom(_) | Self::Streams { .. } => None,
        }
    }
}

impl From<ServerCommand> for Target {
    fn from(command: ServerCommand) -> Self {
        Self::Command(command)
    }
}

impl From<&Server> for Target {
    /// The server itself, without a transport.
    fn from(server: &Server) -> Self {
        Self::Memory(MemoryTarget { server: server.clone(), caller: None })
    }
}

impl From<&str> for Target {
    /// A URL.
    fn from(url: &str) -> Self {
        Self::Url(url.to_owned())
    }
}

/// How to start a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerCommand {
    pub program: OsString,
    pub arguments: Vec<OsString>,
    /// `None` for this process's own folder.
    pub folder: Option<PathBuf>,
    pub inherit: Inherit,
    /// Set in addition to what is inherited.
    pub environment: BTreeMap<OsString, OsString>,
}

/// Which of its own environment variables a client passes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Inherit {
    All,
    /// Only these.
    Only(Vec<OsString>),
    /// What programs need to run at all, and nothing that is likely to be a secret.
    #[default]
    Usual,
}

impl ServerCommand {
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            folder: None,
            inherit: Inherit::default(),
            environment: BTreeMap::new(),
        }
    }

    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub fn args(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    pub fn inherit(self, inherit: Inherit) -> Self {
        Self { inherit, ..self }
    }
}

impl Inherit {
    /// Whether a variable is passed on.
    pub fn allows(&self, name: &OsStr) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.iter().any(|allowed| allowed == name),
            Self::Usual => is_usual(name),
        }
    }
}

fn is_usual(name: &OsStr) -> bool {
    if cfg!(windows) {
        USUAL_ON_WINDOWS.iter().any(|usual| name.eq_ignore_ascii_case(usual))
    } else {
        USUAL.iter().any(|usual| name == *usual)
    }
}

const USUAL: [&str; 16] = [
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "NODE_PATH",
    "PATH",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
];

/// Spelled in any case.
const USUAL_ON_WINDOWS: [&str; 20] = [
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NODE_PATH",
    "OS",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_the_environment_are_not_passed_on_unless_asked_for() {
        let token = OsStr::new("GITHUB_TOKEN");
        assert!(!Inherit::default().allows(token));
        assert!(Inherit::default().allows(OsStr::new("PATH")));
        assert!(Inherit::All.allows(token));
        assert!(Inherit::Only(vec![token.into()]).allows(token));
        assert!(!Inherit::Only(vec![token.into()]).allows(OsStr::new("PATH")));
    }
}
