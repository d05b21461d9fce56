//! The client that is checked: a command that is run again and again, or one in this process.

use std::{collections::BTreeMap, fmt, io, sync::Arc};

use proofmark_core::revision::Revision;
use serde_json::Value;
use tokio::task::JoinSet;

use super::{HostedScenario, bridge::Pipes, server::HostedServer};
use crate::{authorization_variant::AuthorizationVariant, peer::Serving};
use proofmark_record::{
    event::EventKind,
    wire::process::{CommandLine, Process},
};

#[derive(Clone)]
pub enum ClientPeer {
    Command {
        /// With `{url}` or `{command}` in its arguments, or with neither.
        template: CommandLine,
        /// What a client starts to reach the hosted server over stdio: a program that runs [`super::bridge`].
        bridge: Vec<String>,
    },
    /// A client in this process.
    Memory {
        run: Arc<RunClient>,
        /// What lies where the client says that it is described.
        document: Value,
    },
}

/// Runs a client once.
pub type RunClient = dyn Fn(ServerAddress, RunInstructions) -> Serving + Send + Sync;

/// Where the client meets the server.
pub enum ServerAddress {
    Url(String),
    /// The words of a command that the client is to start.
    Command(Vec<String>),
    /// Where the client gets a pipe to the server.
    Pipe(Pipes),
}

/// What a client is told, if it can be told anything.
#[derive(Clone, Copy, Debug)]
pub struct RunInstructions {
    pub scenario: HostedScenario,
    /// What it is to offer.
    pub revision: Option<Revision>,
}

impl RunInstructions {
    pub(super) fn new(scenario: HostedScenario, revision: Option<Revision>) -> Self {
        // Which version a client offers by itself is what is to be seen.
        let revision = revision.filter(|_| !scenario.hides_revision);
        Self { scenario, revision }
    }

    pub fn environment(&self) -> BTreeMap<String, String> {
        let mut variables = BTreeMap::from([
            ("PROOFMARK_SCENARIO".to_owned(), self.scenario.name.to_owned()),
            ("MCP_CONFORMANCE_SCENARIO".to_owned(), self.scenario.official.to_owned()),
        ]);
        if let Some(context) = (self.scenario.context)() {
            variables.insert("MCP_CONFORMANCE_CONTEXT".to_owned(), context.to_string());
        }
        if let Some(revision) = self.revision {
            let name = "MCP_CONFORMANCE_PROTOCOL_VERSION".to_owned();
            variables.insert(name, revision.as_str().to_owned());
        }
        if let Some(context) = self.scenario.authorization.and_then(AuthorizationVariant::context) {
            variables.insert("MCP_CONFORMANCE_CONTEXT".to_owned(), context);
        }
        variables
    }
}

impl fmt::Display for ClientPeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { template, .. } => write!(f, "{template}"),
            Self::Memory { .. } => f.write_str("a client in memory"),
        }
    }
}

/// A client that is running.
pub(super) enum Running {
    Process(Box<Process>),
    Task(JoinSet<()>),
    Over,
}

impl Running {
    pub(super) fn start(
        peer: &ClientPeer,
        address: ServerAddress,
        instructions: &RunInstructions,
    ) -> io::Result<Self> {
        match peer {
            ClientPeer::Memory { run, .. } => {
                let mut tasks = JoinSet::new();
                tasks.spawn(run(address, *instructions));
                Ok(Self::Task(tasks))
            }
            ClientPeer::Command { template, .. } => {
                let mut command = filled(template, &address);
                let told = instructions.environment();
                let told = told.into_iter().chain(template.environment.clone());
                command.environment = told.collect();
                Ok(Self::Process(Box::new(Process::start_alone(&command)?)))
            }
        }
    }

    /// How the client ended by itself.
    pub(super) async fn ended(&mut self) -> String {
        let how = match self {
            Self::Process(process) => process.ended().await,
            Self::Task(tasks) => {
                let _ = tasks.join_next().await;
                "it is done".to_owned()
            }
            Self::Over => std::future::pending().await,
        };
        if let Self::Task(_) = self {
            *self = Self::Over;
        }
        how
    }

    pub(super) fn record_stderr(&mut self, server: &mut HostedServer) {
        if let Self::Process(process) = self {
            for line in process.stderr_lines() {
                server.note(EventKind::Stderr(line));
            }
        }
    }

    /// Ends what did not end by itself.
    pub(super) async fn stop(mut self, server: &mut HostedServer) {
        self.record_stderr(server);
        match self {
            Self::Process(process) => process.end().await,
            Self::Task(mut tasks) => tasks.shutdown().await,
            Self::Over => {}
        }
    }
}

/// The command with the place of the server in it.
fn filled(template: &CommandLine, address: &ServerAddress) -> CommandLine {
    let (url, words) = match address {
        ServerAddress::Url(url) => (url.as_str(), [].as_slice()),
        ServerAddress::Command(words) => ("", words.as_slice()),
        ServerAddress::Pipe(_) => ("", [].as_slice()),
    };
    let line = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    let mut arguments = Vec::new();
    let mut named = false;
    for argument in &template.arguments {
        named |= argument.contains("{url}") || argument.contains("{command}");
        if argument == "{command}" {
            arguments.extend(words.iter().cloned());
        } else {
            arguments.push(argument.replace("{url}", url).replace("{command}", &line));
        }
    }
    if !named && !url.is_empty() {
        arguments.push(url.to_owned());
    }
    CommandLine { arguments, ..template.clone() }
}

/// For a shell.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@,+".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_takes_its_place_or_comes_last() {
        let url = ServerAddress::Url("http://a/mcp".to_owned());
        assert_eq!(fill(&["--server={url}", "x"], &url), ["--server=http://a/mcp", "x"]);
        assert_eq!(fill(&["x"], &url), ["x", "http://a/mcp"]);
    }

    #[test]
    fn a_command_is_words_where_it_stands_alone_and_a_line_otherwise() {
        let words = ["/a b/c", "--connect", "1"].map(str::to_owned).to_vec();
        let command = ServerAddress::Command(words);
        assert_eq!(fill(&["--", "{command}"], &command), ["--", "/a b/c", "--connect", "1"]);
        assert_eq!(fill(&["run {command}"], &command), ["run '/a b/c' --connect 1"]);
    }

    fn fill(arguments: &[&str], address: &ServerAddress) -> Vec<String> {
        let arguments = arguments.iter().map(|it| (*it).to_owned()).collect();
        filled(&CommandLine { arguments, ..CommandLine::default() }, address).arguments
    }
}
