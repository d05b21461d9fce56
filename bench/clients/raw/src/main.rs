//! The floor for clients: it moves the same bytes over pipes as the others and parses the same JSON in one pass, many calls at once, and knows
//! nothing of MCP.

use std::{
    collections::HashMap,
    process::Stdio,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use bench_client::{Caller, Link, Outcome, Target};
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
    sync::oneshot,
    task::JoinSet,
};

fn main() -> Outcome<()> {
    bench_client::run(connect)
}

async fn connect(target: Target) -> Outcome<Raw> {
    let Link::Stdio { program, arguments } = target.link else {
        return Err("only a server on pipes".into());
    };
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().ok_or("no input")?;
    let mut output = BufReader::new(child.stdout.take().ok_or("no output")?);
    input.write_all(INITIALIZE).await?;
    output.read_until(b'\n', &mut Vec::new()).await?;
    input.write_all(INITIALIZED).await?;
    let waiting = Waiting::default();
    let mut hearing = JoinSet::new();
    hearing.spawn(hear(output, waiting.clone()));
    Ok(Raw {
        input: input.into(),
        waiting,
        next: AtomicU64::new(1),
        _hearing: hearing,
        _child: child,
    })
}

struct Raw {
    input: tokio::sync::Mutex<ChildStdin>,
    waiting: Waiting,
    next: AtomicU64,
    _hearing: JoinSet<Outcome<()>>,
    _child: Child,
}

/// Who waits for which answer.
type Waiting = Arc<Mutex<HashMap<u64, oneshot::Sender<String>>>>;

#[derive(Serialize)]
struct Request<'a> {
    jsonrpc: &'static str,
    id: u64,
    method: &'static str,
    params: Params<'a>,
}

#[derive(Serialize)]
struct Params<'a> {
    name: &'static str,
    arguments: Arguments<'a>,
}

#[derive(Serialize)]
struct Arguments<'a> {
    message: &'a str,
}

#[derive(Deserialize)]
struct Response {
    id: u64,
    result: Content,
}

#[derive(Deserialize)]
struct Content {
    content: [Text; 1],
}

#[derive(Deserialize)]
struct Text {
    text: String,
}

impl Caller for Raw {
    async fn echo(&self, message: &str) -> Outcome<String> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let params = Params { name: "echo", arguments: Arguments { message } };
        let request = Request { jsonrpc: "2.0", id, method: "tools/call", params };
        let mut line = serde_json::to_vec(&request)?;
        line.push(b'\n');
        let (sender, answer) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id, sender);
        self.input.lock().await.write_all(&line).await?;
        Ok(answer.await?)
    }
}

async fn hear(mut output: BufReader<ChildStdout>, waiting: Waiting) -> Outcome<()> {
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line).await? > 0 {
        let Response { id, result: Content { content: [Text { text }] } } =
            serde_json::from_slice(&line)?;
        line.clear();
        let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        // Whoever waited may have gone.
        let _gone = waiting.map(|waiting| waiting.send(text));
    }
    Ok(())
}

const INITIALIZE: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\
    \"clientInfo\":{\"name\":\"raw\",\"version\":\"1\"}}}\n";
const INITIALIZED: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
