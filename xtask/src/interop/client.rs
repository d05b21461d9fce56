//! The client of another SDK, put through its steps.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::install::Environment;
use super::process::{self, Process};
use super::server::Server;
use super::{Setting, Transport, tapped};

pub(super) struct Client {
    pub(super) sdk: Sdk,
    pub(super) transport: Transport,
    /// What it proposes; `None` for the newest it knows.
    pub(super) revision: Option<&'static str>,
    pub(super) between: Between,
}

/// What stands between the client and the Everything Server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    Nothing,
    /// A tap, which then has to find that the server is right.
    Tap,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    TypeScript,
}

/// Whose client it is. Each version has a program of its own: they share no API.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sdk {
    /// Begins with a handshake.
    PythonV1,
    /// Each request stands alone.
    PythonV2,
    TypeScriptV1,
    TypeScriptV2,
}

impl Sdk {
    pub(super) fn language(self) -> Language {
        match self {
            Self::PythonV1 | Self::PythonV2 => Language::Python,
            Self::TypeScriptV1 | Self::TypeScriptV2 => Language::TypeScript,
        }
    }

    fn command(self, setting: &Setting) -> Result<Command, String> {
        match self {
            Self::PythonV1 => python(Environment::V1, "client.py", setting),
            Self::PythonV2 => python(Environment::V2, "modern_client.py", setting),
            Self::TypeScriptV1 => node("client.mjs", setting),
            Self::TypeScriptV2 => node("modern.mjs", setting),
        }
    }
}

impl Client {
    pub(super) fn run(&self, name: &str, setting: &Setting) -> Result<String, String> {
        let transcript = setting.place.logs.join(format!("{name}.jsonl"));
        let tap = match (self.between, self.transport) {
            (Between::Tap, Transport::Http | Transport::Sse) => {
                let log = setting.place.logs.join(format!("{name}-tap.log"));
                Some(setting.server.tapped(&setting.program, &transcript, &log)?)
            }
            (Between::Tap, Transport::Stdio) | (Between::Nothing, _) => None,
        };
        let server = tap.as_ref().unwrap_or(&setting.server);
        let mut command = self.command(server, &transcript, setting)?;
        let log = setting.place.logs.join(format!("{name}.log"));
        let status = Process::start(&mut command, &log)?.finish(LIMIT)?;
        let said = process::read(&log);
        match closing(&said) {
            Some(closing) if status.success() => match self.between {
                Between::Nothing => Ok(closing.to_owned()),
                Between::Tap => Ok(format!("{closing}; {}", tapped::judged(&transcript, setting)?)),
            },
            Some(closing) => Err(format!("{closing}\n    {}", complaints(&said).join("\n    "))),
            None => Err(format!("the client did not finish ({status}):\n{}", said.trim_end())),
        }
    }

    fn command(
        &self,
        server: &Server,
        transcript: &Path,
        setting: &Setting,
    ) -> Result<Command, String> {
        let mut command = self.sdk.command(setting)?;
        if let Some(revision) = self.revision {
            command.args(["--revision", revision]);
        }
        match self.transport {
            Transport::Http => command.args(["--transport", "http", &server.url]),
            Transport::Sse => command.args(["--transport", "sse", &server.sse_url()]),
            Transport::Stdio => {
                command.args(["--transport", "stdio", "--"]);
                if self.between == Between::Tap {
                    command.args(tapped::before(transcript, setting));
                }
                command.arg(&setting.program).args(["everything", "--stdio"])
            }
        };
        Ok(command)
    }
}

fn node(script: &str, setting: &Setting) -> Result<Command, String> {
    let node = setting.node.as_ref().ok_or("Node.js was not installed")?;
    let mut command = Command::new(&node.program);
    command.arg(node.folder.join(script));
    Ok(command)
}

pub(super) fn python(
    environment: Environment,
    script: &str,
    setting: &Setting,
) -> Result<Command, String> {
    let python = setting.python.as_ref().ok_or("Python was not installed")?;
    let mut command = Command::new(python.program(environment));
    command.arg(setting.place.root.join("interop/python").join(script));
    command.env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONUTF8", "1");
    Ok(command)
}

/// The line with the numbers, which only a client that came to its end has written.
fn closing(said: &str) -> Option<&str> {
    let is_closing = |line: &&str| line.contains(" passed, ") && line.contains(" failed");
    said.lines().next_back().filter(is_closing)
}

fn complaints(said: &str) -> Vec<&str> {
    said.lines().filter(|line| line.starts_with("not ok ")).collect()
}

/// Above the deadline that the clients set themselves, so that they have the last word.
const LIMIT: Duration = Duration::from_secs(150);

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "ok ping\nnot ok sampling: no answer\n1 passed, 1 failed (http)\n";

    #[test]
    fn the_closing_line_is_the_last_one() {
        assert_eq!(closing(SAID), Some("1 passed, 1 failed (http)"));
        assert_eq!(closing("1 passed, 0 failed\nnot ok the whole run: hangs\n"), None);
        assert_eq!(closing(""), None);
    }

    #[test]
    fn complaints_are_the_steps_that_failed() {
        assert_eq!(complaints(SAID), ["not ok sampling: no answer"]);
    }
}
