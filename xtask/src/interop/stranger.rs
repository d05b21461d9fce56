//! The official everything server, which our client has to get along with.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::process::{self, Process};
use super::{Setting, Transport};

/// Lists what the server has and calls a few of its tools.
pub(super) fn run(name: &str, transport: Transport, setting: &Setting) -> Result<String, String> {
    let stranger = Stranger::start(name, transport, setting)?;
    let steps = [
        Step { words: &["list", "--json"], expect: "\"get-structured-content\"" },
        Step { words: &["call", "echo", r#"{"message":"hello"}"#], expect: "Echo: hello" },
        Step { words: &["call", "get-sum", r#"{"a":2,"b":3}"#], expect: "is 5" },
        Step {
            words: &["call", "get-structured-content", r#"{"location":"Chicago"}"#, "--json"],
            expect: "\"structuredContent\"",
        },
        Step {
            words: &["call", "trigger-long-running-operation", r#"{"duration":1,"steps":4}"#],
            expect: "completed",
        },
        Step { words: &["read", "demo://resource/dynamic/text/1"], expect: "Resource 1" },
    ];
    for step in &steps {
        stranger.take(step, name, setting)?;
    }
    Ok(format!("{} steps", steps.len()))
}

struct Step {
    words: &'static [&'static str],
    expect: &'static str,
}

/// Ends when dropped.
struct Stranger {
    /// What makes our client reach it.
    target: Vec<String>,
    _process: Option<Process>,
}

impl Stranger {
    fn start(name: &str, transport: Transport, setting: &Setting) -> Result<Self, String> {
        let node = setting.node.as_ref().ok_or("Node.js was not installed")?;
        let script =
            node.folder.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
        let (word, path) = match transport {
            Transport::Stdio => {
                let words = ["--", &text(&node.program), &text(&script), "stdio"];
                let target = words.map(str::to_owned).to_vec();
                return Ok(Self { target, _process: None });
            }
            Transport::Http => ("streamableHttp", "mcp"),
            Transport::Sse => ("sse", "sse"),
        };
        let port = free_port()?;
        let mut command = Command::new(&node.program);
        command.arg(&script).arg(word).env("PORT", port.to_string());
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
        process::complete(&mut command, &log, STEP_LIMIT)?;
        let said = process::read(&log);
        if said.contains(step.expect) {
            return Ok(());
        }
        Err(format!("{:?} did not say {:?} but:\n{}", step.words, step.expect, said.trim_end()))
    }
}

/// The server cannot choose one itself. Between here and its start another program could take it, which then shows.
fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    listener
        .map(|address| address.port())
        .map_err(|error| format!("there is no free port: {error}"))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

const START_LIMIT: Duration = Duration::from_secs(30);
const STEP_LIMIT: Duration = Duration::from_secs(60);
