//! What there is to know about a client: where its file is, and what an entry looks like.

use crate::machine::Place;

/// A program that reads servers from a file.
#[derive(Debug)]
pub struct Client {
    /// As on the command line.
    pub id: &'static str,
    pub name: &'static str,
    /// Where its file may be, the usual place first.
    pub user: &'static [Place],
    /// The same in a project, relative to its root.
    pub project: &'static [&'static str],
    /// What is there if the client is, besides the folder of its file.
    pub marks: &'static [Place],
    pub format: Format,
    /// The way to the servers in the file.
    pub key: &'static [&'static str],
    /// Another way, for files that have it already.
    pub other_key: Option<&'static [&'static str]>,
    /// Servers of one project in the user's file, below `projects` and the project's path.
    pub local: bool,
    pub stdio: StdioEntry,
    /// `Err`: why there is none, and what to do instead.
    pub remote: Result<RemoteEntry, &'static str>,
    pub references: References,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comments and commas at the end are let pass, and kept.
    Json,
    Toml,
    Yaml,
}

/// For whom a server is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    User,
    /// Everyone who works on the project at this path.
    Project(std::path::PathBuf),
    /// The user, in the project at this path only.
    Local(std::path::PathBuf),
}

/// The entry of a server that is started.
#[derive(Debug)]
pub struct StdioEntry {
    pub first: &'static [(&'static str, Fixed)],
    pub command: CommandKey,
    pub environment: &'static str,
    pub last: &'static [(&'static str, Fixed)],
}

#[derive(Debug)]
pub enum CommandKey {
    /// The program under one key, its arguments under another.
    Apart(&'static str, &'static str),
    /// Both in one list.
    Together(&'static str),
}

/// The entry of a server at a URL.
#[derive(Debug)]
pub struct RemoteEntry {
    pub first: &'static [(&'static str, Fixed)],
    pub http: UrlForm,
    /// `None`: the client speaks no HTTP+SSE.
    pub sse: Option<UrlForm>,
    pub headers: &'static str,
    pub last: &'static [(&'static str, Fixed)],
}

#[derive(Debug)]
pub struct UrlForm {
    /// Before the URL.
    pub kind: Option<(&'static str, &'static str)>,
    pub url: &'static str,
}

/// A value that does not depend on the server.
#[derive(Clone, Copy, Debug)]
pub enum Fixed {
    Bool(bool),
    Number(i64),
    Text(&'static str),
    /// The server's name.
    Name,
}

/// How a value can stay out of the file.
#[derive(Debug)]
pub struct References {
    pub environment: EnvironmentReferences,
    pub headers: HeaderReferences,
}

#[derive(Clone, Copy, Debug)]
pub enum EnvironmentReferences {
    None,
    Inline(InlineReference),
    /// A list of names under this key; each variable keeps its name.
    Names(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub enum HeaderReferences {
    None,
    Inline(InlineReference),
    /// Keys for names of variables instead of values.
    Keys {
        /// For a bearer token.
        bearer: &'static str,
        /// For whole values of any headers.
        whole: Option<&'static str>,
        /// Whether the client refuses an `Authorization` header as text.
        refuses_text: bool,
    },
}

/// How a variable is written inside of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InlineReference {
    /// `${NAME}`
    Dollar,
    /// `${env:NAME}`
    DollarEnv,
    /// `{env:NAME}`
    BraceEnv,
    /// `${input:id}`, asked for when the server is first used, and declared under `inputs`.
    Input,
}

impl InlineReference {
    pub fn write(self, variable: &str) -> String {
        match self {
            Self::Dollar => format!("${{{variable}}}"),
            Self::DollarEnv => format!("${{env:{variable}}}"),
            Self::BraceEnv => format!("{{env:{variable}}}"),
            Self::Input => format!("${{input:{variable}}}"),
        }
    }
}

impl Client {
    pub fn find(id: &str) -> Option<&'static Self> {
        crate::CLIENTS.into_iter().find(|client| client.id == id)
    }
}
