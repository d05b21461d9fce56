//! The file that people write: servers, and tests of them.
//!
//! [`load`] reads it with everything it extends, and gives either a [`Suite`] without mistakes or all mistakes, each with its place.

mod expectations;
#[cfg(test)]
mod loading;
mod mocking;
mod reader;
mod servers;
mod steps;
mod tests;
mod variables;

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

use proofmark_core::{revision::Revision, types::LoggingLevel};
use serde_json::{Map, Value};

pub use mocking::{FAULTS, MockAnswer, MockFile, load_mock};
pub use reader::{Reader, duration, merge, nearest};
pub use servers::SERVER_MEMBERS;
pub use variables::{Variables, escape};

use crate::{
    matcher::Matcher,
    memory::MemoryServer,
    redaction::Redaction,
    yaml::{self, Place},
};

/// Everything of a file and of those that it extends.
#[derive(Clone, Debug)]
pub struct Suite {
    pub path: PathBuf,
    pub servers: BTreeMap<String, Server>,
    /// In the order of the file; a table of cases has become one test for each.
    pub tests: Vec<Test>,
}

impl Suite {
    /// Where the file is; what it names is sought from here.
    pub fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Server {
    pub name: String,
    pub reach: Reach,
    /// `None` for whatever it speaks.
    pub revision: Option<Revision>,
    /// For an answer.
    pub timeout: Duration,
    /// For the first answer of a server that was started.
    pub start_timeout: Duration,
    pub client: ClientAnswers,
    /// Files and folders whose change concerns it.
    pub watch: Vec<PathBuf>,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    Command {
        words: Vec<String>,
        environment: BTreeMap<String, String>,
        folder: PathBuf,
    },
    /// No file says this.
    Memory(MemoryServer),
    Url {
        url: String,
        over: Over,
        headers: Vec<(String, String)>,
        /// The environment variable that holds a bearer token.
        token_env: Option<String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    StreamableHttp,
    Sse,
}

/// What the client says when the server asks. What has no answers is not declared, unless another test of the same server has some.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientAnswers {
    /// One after the other; the last is repeated.
    pub elicitation: Vec<Value>,
    pub sampling: Vec<Value>,
    pub roots: Option<Vec<Value>>,
}

#[derive(Clone, Debug)]
pub struct Test {
    /// Of one server no two tests have the same.
    pub name: String,
    pub server: String,
    pub place: Place,
    pub tags: Vec<String>,
    /// Why it is not run.
    pub skip: Option<String>,
    pub only: bool,
    pub connection: Connection,
    /// How often it may fail before it has failed.
    pub retries: u32,
    pub timeout: Duration,
    pub client: ClientAnswers,
    /// Of its row in the table of cases.
    pub values: Map<String, Value>,
    pub setup: Vec<Step>,
    pub steps: Vec<Step>,
    pub teardown: Vec<Step>,
    pub redact: Vec<Redaction>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Connection {
    Own,
    #[default]
    Shared,
}

#[derive(Clone, Debug)]
pub struct Step {
    pub title: String,
    pub place: Place,
    pub act: Act,
    pub expect: Expect,
    /// Names for values of the result, by JSON Pointer.
    pub capture: Vec<(String, String)>,
}

/// What a step does. Values may have `{{names}}` in them.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    Call { tool: String, arguments: Value, task: bool, cancel_after: Option<Duration> },
    Complete { reference: Reference, argument: String, value: Value, context: Value },
    List(ListOf),
    LogLevel(LoggingLevel),
    Ping,
    Prompt { name: String, arguments: Value },
    Read { uri: Value },
    Subscribe { uri: Value },
    Unsubscribe { uri: Value },
    Wait { notification: Notice, within: Duration },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    Prompt(String),
    Resource(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListOf {
    Prompts,
    Resources,
    Templates,
    Tools,
}

impl ListOf {
    pub const ALL: [Self; 4] = [Self::Prompts, Self::Resources, Self::Templates, Self::Tools];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Templates => "templates",
            Self::Tools => "tools",
        }
    }

    /// The member of the result that holds the items.
    pub fn member(self) -> &'static str {
        match self {
            Self::Templates => "resourceTemplates",
            other => other.as_str(),
        }
    }
}

/// A notification that is expected: its method, and a part of its params.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    pub method: String,
    pub params: Option<Value>,
}

/// What has to be true of the answer; a result without `isError` if nothing is said.
#[derive(Clone, Debug, Default)]
pub struct Expect {
    pub outcome: Outcome,
    /// What has to become of the arguments of a call; `outcome` is not looked at then.
    pub arguments: Option<Reception>,
    pub equals: Option<Value>,
    pub matches: Option<Value>,
    pub text: Option<Matcher>,
    pub names: Option<Matcher>,
    /// By JSON Pointer.
    pub at: Vec<(String, Matcher)>,
    pub schema: Option<Value>,
    pub notifications: Vec<Notice>,
    pub within: Option<Duration>,
    pub snapshot: Option<SnapshotWish>,
}

/// What a server does with the arguments of a tool. In each case it has to answer, and to be there afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reception {
    /// They fit the schema: no error of the protocol, and structured content that fits as well. A tool that reports an error leaves it undecided.
    Accepted,
    /// Whether they are right cannot be told: no internal error.
    Answered,
    /// They break the schema: `isError`, or the error -32602.
    Refused,
}

impl Reception {
    pub const ALL: [Self; 3] = [Self::Accepted, Self::Answered, Self::Refused];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Answered => "answered",
            Self::Refused => "refused",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotWish {
    pub redact: Vec<Redaction>,
}

#[derive(Clone, Debug, Default)]
pub enum Outcome {
    /// An error of the protocol, or a result with `isError`.
    AnyError,
    /// The request is answered with an error of the protocol.
    Error { code: Option<i64>, message: Option<Box<Matcher>> },
    /// A result, with or without `isError`.
    Either,
    #[default]
    Success,
    /// A result with `isError`.
    ToolError,
}

/// Everything that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes(pub Vec<Mistake>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub path: PathBuf,
    /// `None` if it is about the file as a whole.
    pub place: Option<Place>,
    pub what: String,
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, mistake) in self.0.iter().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{}", mistake.path.display())?;
            if let Some(place) = mistake.place {
                write!(f, ":{place}")?;
            }
            write!(f, ": {}", mistake.what)?;
        }
        Ok(())
    }
}

impl std::error::Error for Mistakes {}

/// Reads a file with the variables of the environment.
pub fn load(path: &Path, environment: &dyn Fn(&str) -> Option<String>) -> Result<Suite, Mistakes> {
    let mut reader = Reader::new(path, environment);
    let suite = reader.read_suite();
    match suite {
        Some(suite) if reader.mistakes.is_empty() => Ok(suite),
        _ => {
            reader.mistakes.sort_by_key(|one| one.place);
            Err(Mistakes(reader.mistakes))
        }
    }
}

/// The JSON Schema of the file, for editors.
pub const SCHEMA: &str = include_str!("file/schema.json");

/// Whether a text is a JSON Pointer.
pub(crate) fn is_pointer(text: &str) -> bool {
    (text.is_empty() || text.starts_with('/'))
        && text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']))
}

impl From<(&Path, yaml::Mistake)> for Mistake {
    fn from((path, mistake): (&Path, yaml::Mistake)) -> Self {
        Self { path: path.to_owned(), place: Some(mistake.place), what: mistake.what }
    }
}
