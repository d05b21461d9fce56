//! The Everything Server on a port of its own.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::Value;

#[test]
fn it_says_where_it_listens_and_answers_there() {
    let peer = Peer::start();
    let answer = peer.initialize();
    assert_eq!(answer["result"]["serverInfo"]["name"], "mcp-conformance-test-server");
    let origin = format!("http://{}", peer.address);
    let expected = [
        format!("MCP Conformance Test Server running on {origin}"),
        format!("  - MCP endpoint: {origin}/mcp"),
        format!("  - HTTP+SSE endpoint: {origin}/sse"),
    ];
    assert_eq!(peer.said, expected);
}

#[test]
fn with_auth_it_names_the_authorization_server_and_demands_its_tokens() {
    let peer = Peer::start_with(&["--auth"], 4);
    let origin = format!("http://{}", peer.address);
    assert_eq!(peer.said[3], format!("  - Authorization server: {origin}"));
    let refused = peer.say("POST /mcp", "{}");
    assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
    let metadata = peer.say("GET /.well-known/oauth-authorization-server", "");
    assert!(metadata.contains(&format!("\"issuer\":\"{origin}\"")), "{metadata}");
}

#[test]
fn tokens_are_not_demanded_where_others_than_this_machine_would_need_them() {
    let run = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["everything", "--auth", "--http", "0.0.0.0:0"])
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(3));
    let complaint = String::from_utf8(run.stderr).unwrap();
    assert!(complaint.starts_with("error: --auth is for this machine only"), "{complaint}");
}

#[test]
fn it_ends_well_when_it_is_interrupted_or_terminated() {
    for signal in ["INT", "TERM"] {
        let mut peer = Peer::start();
        peer.initialize();
        let sent = Command::new("kill").args(["-s", signal, &peer.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let deadline = Instant::now() + Duration::from_secs(5);
        let status = loop {
            if let Some(status) = peer.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "SIG{signal} is ignored");
            sleep(Duration::from_millis(5));
        };
        assert_eq!(status.code(), Some(0), "SIG{signal}");
    }
}

#[test]
fn a_port_in_use_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let run = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["everything", "--http", &address])
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(3));
    assert_eq!(run.stdout, b"");
    let complaint = String::from_utf8(run.stderr).unwrap();
    assert!(complaint.starts_with(&format!("error: cannot listen on {address}: ")), "{complaint}");
    assert_eq!(complaint.lines().count(), 1, "{complaint}");
}

/// A server that listens; killed when dropped.
struct Peer {
    child: Child,
    address: String,
    said: Vec<String>,
}

impl Peer {
    fn start() -> Self {
        Self::start_with(&[], 3)
    }

    /// Waits for as many lines as it is said to say.
    fn start_with(options: &[&str], lines_said: usize) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args(["everything", "--http", "127.0.0.1:0"])
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let said: Vec<String> = lines.take(lines_said).map(Result::unwrap).collect();
        let (_, address) = said[0].split_once("http://").unwrap();
        Self { child, address: address.to_owned(), said }
    }

    fn initialize(&self) -> Value {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
        let answer = self.say("POST /mcp", body);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
        serde_json::from_str(body).unwrap()
    }

    /// Sends a request by method and path, and waits for the whole answer.
    fn say(&self, line: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (address, length) = (&self.address, body.len());
        write!(
            stream,
            "{line} HTTP/1.1\r\nHost: {address}\r\nAccept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
