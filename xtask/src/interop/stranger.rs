//! Servers of other authors, which our client has to get along with.

use std::net::TcpListener;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::process::{self, Process};
use super::{Setting, Transport, install};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The official everything server.
    Everything,
    /// A server made with `FastMCP` for Python, which speaks both eras.
    FastMcp,
}

/// Lists what the server has, calls a few of its tools, and reads.
pub(super) fn run(
    name: &str,
    kind: Kind,
    transport: Transport,
    revision: Option<&'static str>,
    setting: &Setting,
) -> Result<String, String> {
    let mut stranger = Stranger::start(name, kind, transport, setting)?;
    if let Some(revision) = revision {
        stranger.target.splice(0..0, ["--revision".to_owned(), revision.to_owned()]);
    }
    let steps = match kind {
        Kind::Everything => EVERYTHING,
        Kind::FastMcp => FASTMCP,
    };
    for step in steps {
        stranger.take(step, name, setting)?;
    }
    Ok(format!("{} steps", steps.len()))
}

struct Step {
    words: &'static [&'static str],
    expect: &'static str,
    /// With which our client ends.
    code: i32,
}

impl Step {
    const fn new(words: &'static [&'static str], expect: &'static str) -> Self {
        Self { words, expect, code: 0 }
    }
}

/// Ends when dropped.
struct Stranger {
    /// What makes our client reach it.
    target: Vec<String>,
    _process: Option<Process>,
}

impl Stranger {
    fn start(
        name: &str,
        kind: Kind,
        transport: Transport,
        setting: &Setting,
    ) -> Result<Self, String> {
        let port = free_port()?;
        let (mut command, path) = match kind {
            Kind::Everything => everything(transport, port, setting)?,
            Kind::FastMcp => (fastmcp(transport, port, setting)?, "mcp"),
        };
        if transport == Transport::Stdio {
            let words = [command.get_program()].into_iter().chain(command.get_args());
            let words = words.map(|word| word.to_string_lossy().into_owned());
            return Ok(Self {
                target: ["--".into()].into_iter().chain(words).collect(),
                _process: None,
            });
        }
        let log = setting.place.logs.join(format!("{name}-server.log"));
        let mut process = Process::start(&mut command, &log)?;
        let deadline = Instant::now() + START_LIMIT;
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            if process.ended()?.is_some() || Instant::now() > deadline {
                return Err(format!("the server did not start{}", process.last_words()));
            }
            thread::sleep(Duration::from_millis(50));
        }
        let url = format!("http://127.0.0.1:{port}/{path}");
        Ok(Self { target: vec!["--url".into(), url], _process: Some(process) })
    }

    fn take(&self, step: &Step, name: &str, setting: &Setting) -> Result<(), String> {
        let mut command = Command::new(&setting.program);
        command.args(step.words).args(&self.target);
        let log = setting.place.logs.join(format!("{name}-step.log"));
        let status = Process::start(&mut command, &log)?.finish(STEP_LIMIT)?;
        let said = process::read(&log);
        if said.contains(step.expect) && status.code() == Some(step.code) {
            return Ok(());
        }
        let (words, expect) = (step.words, step.expect);
        Err(format!("{words:?} did not say {expect:?} but ({status}):\n{}", said.trim_end()))
    }
}

/// The command that starts the official everything server.
pub(super) fn everything_on_stdio(setting: &Setting) -> Result<Command, String> {
    everything(Transport::Stdio, 0, setting).map(|(command, _)| command)
}

/// The command that starts it, and the path that it answers at.
fn everything(
    transport: Transport,
    port: u16,
    setting: &Setting,
) -> Result<(Command, &'static str), String> {
    let node = setting.node.as_ref().ok_or("Node.js was not installed")?;
    let mut command = Command::new(&node.program);
    let folder = node.folder.join("node_modules/@modelcontextprotocol/server-everything");
    let (word, path) = match transport {
        Transport::Stdio => ("stdio", ""),
        Transport::Http => ("streamableHttp", "mcp"),
        Transport::Sse => ("sse", "sse"),
    };
    command.arg(folder.join("dist/index.js")).arg(word).env("PORT", port.to_string());
    Ok((command, path))
}

fn fastmcp(transport: Transport, port: u16, setting: &Setting) -> Result<Command, String> {
    let python = install::fastmcp(&setting.place)?;
    let mut command = Command::new(&python);
    // Without writing down what was compiled.
    command.arg("-B").arg(setting.place.root.join("interop/fastmcp/server.py"));
    match transport {
        Transport::Stdio => {}
        Transport::Http => {
            command.args(["--port", &port.to_string()]);
        }
        Transport::Sse => return Err("this server does not speak HTTP+SSE".into()),
    }
    Ok(command)
}

/// The server cannot choose one itself. Between here and its start another program could take it, which then shows.
fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    listener
        .map(|address| address.port())
        .map_err(|error| format!("there is no free port: {error}"))
}

const START_LIMIT: Duration = Duration::from_secs(30);
const STEP_LIMIT: Duration = Duration::from_secs(60);

const EVERYTHING: &[Step] = &[
    Step::new(&["list", "--json"], "\"get-structured-content\""),
    Step::new(&["call", "echo", r#"{"message":"hello"}"#], "Echo: hello"),
    Step::new(&["call", "get-sum", r#"{"a":2,"b":3}"#], "is 5"),
    Step::new(
        &["call", "get-structured-content", r#"{"location":"Chicago"}"#, "--json"],
        "\"structuredContent\"",
    ),
    Step::new(
        &["call", "trigger-long-running-operation", r#"{"duration":1,"steps":4}"#],
        "completed",
    ),
    Step::new(&["read", "demo://resource/dynamic/text/1"], "Resource 1"),
];

const FASTMCP: &[Step] = &[
    Step::new(&["list", "--json"], "\"notes://{day}/all\""),
    Step::new(&["call", "add", r#"{"a":2,"b":3}"#, "--json"], "\"result\": 5"),
    Step::new(&["call", "count", r#"{"steps":3}"#], "counted to 3"),
    Step { code: 1, ..Step::new(&["call", "fail"], "on purpose") },
    Step::new(&["read", "notes://today"], "write tests"),
    Step::new(&["read", "notes://monday/all"], "notes of monday"),
];
