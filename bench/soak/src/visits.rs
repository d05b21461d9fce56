//! What clients do, from coming to leaving.

use std::{
    cell::RefCell,
    io,
    rc::Rc,
    time::{Duration, Instant},
};

use tokio::time::sleep;

use crate::{
    client::{Client, Head},
    numbers::Numbers,
};

/// How many visits there were, and how they went.
#[derive(Clone, Default)]
pub(crate) struct Tally(Rc<RefCell<Counts>>);

#[derive(Default)]
struct Counts {
    visits: u64,
    failed: u64,
    first: Option<String>,
    /// How long calls took.
    latencies: Vec<Duration>,
}

impl Tally {
    pub(crate) fn counts(&self) -> (u64, u64) {
        let counts = self.0.borrow();
        (counts.visits, counts.failed)
    }

    pub(crate) fn first_failure(&self) -> Option<String> {
        self.0.borrow().first.clone()
    }

    /// What 99 of 100 calls since the last time were not slower than.
    pub(crate) fn take_slowest_percent(&self) -> Duration {
        let mut latencies = std::mem::take(&mut self.0.borrow_mut().latencies);
        latencies.sort_unstable();
        latencies.get(latencies.len() * 99 / 100).copied().unwrap_or_default()
    }

    fn called(&self, took: Duration) {
        let latencies = &mut self.0.borrow_mut().latencies;
        if latencies.len() < MOST_LATENCIES {
            latencies.push(took);
        }
    }

    fn add(&self, kind: &str, visit: io::Result<()>) {
        let mut counts = self.0.borrow_mut();
        counts.visits += 1;
        if let Err(error) = visit {
            counts.failed += 1;
            counts.first.get_or_insert(format!("{kind}: {error}"));
        }
    }
}

/// One client comes, does something, and leaves.
pub(crate) async fn visit(port: u16, numbers: &mut Numbers, tally: &Tally) {
    let pause = Duration::from_millis(numbers.below(20));
    let calls = 1 + numbers.below(20);
    let leave = if numbers.below(4) == 0 { Leave::Silently } else { Leave::Properly };
    let (kind, visit) = match numbers.below(7) {
        0 | 1 => ("calls", calls_in_a_session(port, calls, leave, tally).await),
        2 => ("calls without a session", modern_calls(port, calls).await),
        3 => ("cut", cut_in_a_session(port, leave).await),
        4 => ("cut without a session", modern_cut(port).await),
        5 => ("cancelled", cancelled(port, leave).await),
        _ => ("standing stream", standing(port, leave).await),
    };
    tally.add(kind, visit);
    sleep(pause).await;
}

/// Whether a client ends its session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leave {
    Properly,
    Silently,
}

async fn calls_in_a_session(port: u16, calls: u64, leave: Leave, tally: &Tally) -> io::Result<()> {
    let mut client = Client::connect(port).await?;
    let session = initialize(&mut client).await?;
    for id in 0..calls {
        let began = Instant::now();
        let head = client.send("POST", &session, &call(id, "echo", ECHO)).await?;
        expect(&head, &client.body(&head).await?, "hello")?;
        tally.called(began.elapsed());
    }
    end(&mut client, &session, leave).await
}

async fn modern_calls(port: u16, calls: u64) -> io::Result<()> {
    let mut client = Client::connect(port).await?;
    for id in 0..calls {
        let head = client.send("POST", &modern_headers("echo"), &modern(id, "echo", ECHO)).await?;
        expect(&head, &client.body(&head).await?, "hello")?;
    }
    Ok(())
}

/// Breaks off in the middle of a stream and comes back for the rest.
async fn cut_in_a_session(port: u16, leave: Leave) -> io::Result<()> {
    let mut client = Client::connect(port).await?;
    let session = initialize(&mut client).await?;
    let mut cut = Client::connect(port).await?;
    cut.send("POST", &session, &call(7, "slow", r#"{"steps":10}"#)).await?;
    cut.until("id: ").await?;
    let last = cut.until("\n").await?;
    drop(cut);
    let again = format!("{session}Last-Event-ID: {}\r\n", last.trim_end());
    let mut rest = Client::connect(port).await?;
    let head = rest.send("GET", &again, "").await?;
    expect(&head, &rest.until("\"result\"").await?, "progress")?;
    drop(rest);
    end(&mut client, &session, leave).await
}

/// Breaks off, which cancels the request.
async fn modern_cut(port: u16) -> io::Result<()> {
    let mut client = Client::connect(port).await?;
    client.send("POST", &modern_headers("slow"), &modern(7, "slow", r#"{"steps":50}"#)).await?;
    client.until("progress").await.map(drop)
}

async fn cancelled(port: u16, leave: Leave) -> io::Result<()> {
    let mut client = Client::connect(port).await?;
    let session = initialize(&mut client).await?;
    let mut slow = Client::connect(port).await?;
    slow.send("POST", &session, &call(7, "slow", r#"{"steps":500}"#)).await?;
    let head = client.send("POST", &session, CANCELLED).await?;
    client.body(&head).await?;
    slow.until("\r\n0\r\n\r\n").await?;
    end(&mut client, &session, leave).await
}

async fn standing(port: u16, leave: Leave) -> io::Result<()> {
    let mut client = Client::connect(port).await?;
    let session = initialize(&mut client).await?;
    let mut stream = Client::connect(port).await?;
    let head = stream.send("GET", &session, "").await?;
    expect(&head, "", "")?;
    let head = client.send("POST", &session, &call(7, "echo", ECHO)).await?;
    expect(&head, &client.body(&head).await?, "hello")?;
    drop(stream);
    end(&mut client, &session, leave).await
}

/// Begins a session; what comes back are the headers of every request in it.
async fn initialize(client: &mut Client) -> io::Result<String> {
    let head = client.send("POST", "", INITIALIZE).await?;
    client.body(&head).await?;
    let session = head.session.ok_or_else(|| io::Error::other("no session"))?;
    let headers = format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: {LEGACY}\r\n");
    let head = client.send("POST", &headers, INITIALIZED).await?;
    client.body(&head).await?;
    Ok(headers)
}

async fn end(client: &mut Client, session: &str, leave: Leave) -> io::Result<()> {
    if leave == Leave::Properly {
        let head = client.send("DELETE", session, "").await?;
        if head.status >= 300 {
            return Err(io::Error::other(format!("DELETE is answered {}", head.status)));
        }
    }
    Ok(())
}

fn expect(head: &Head, body: &str, part: &str) -> io::Result<()> {
    if head.status == 200 && body.contains(part) {
        return Ok(());
    }
    Err(io::Error::other(format!("{}: {body}", head.status)))
}

fn call(id: u64, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},"_meta":{{"progressToken":{id}}}}}}}"#
    )
}

fn modern(id: u64, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},"_meta":{{"progressToken":{id},"io.modelcontextprotocol/protocolVersion":"{MODERN}","io.modelcontextprotocol/clientInfo":{{"name":"soak","version":"1"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

fn modern_headers(tool: &str) -> String {
    format!("MCP-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n")
}

/// An hour of them fits.
const MOST_LATENCIES: usize = 8_000_000;
const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";
const ECHO: &str = r#"{"message":"hello"}"#;
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"soak","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const CANCELLED: &str = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"enough"}}"#;
