//! The Everything Server on standard input and output, as a client would start it.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

#[test]
fn a_client_gets_to_know_the_server_and_calls_a_tool() {
    let mut peer = Peer::start(&[]);
    let page = peer.request("tools/list", &json!({}));
    assert_eq!(page["tools"][0]["name"], "test_simple_text");
    let result = peer.request("tools/call", &json!({"name": "test_simple_text"}));
    let expected = json!([{"type": "text", "text": "This is a simple text response for testing."}]);
    assert_eq!(result["content"], expected);
}

#[test]
fn the_server_ends_well_when_its_input_ends_and_says_nothing_but_messages() {
    let mut peer = Peer::start(&[]);
    peer.request("ping", &json!({}));
    let (status, rest, complaints) = peer.hang_up();
    assert_eq!(status.code(), Some(0));
    assert_eq!(rest, "");
    assert_eq!(complaints, "MCP Conformance Test Server running on stdio\n");
}

#[test]
fn a_request_before_the_end_of_the_input_is_still_answered() {
    let mut peer = Peer::start(&[]);
    peer.send(r#"{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"test_tool_with_progress"}}"#);
    let (status, rest, _) = peer.hang_up();
    assert_eq!(status.code(), Some(0));
    assert_eq!(serde_json::from_str::<Value>(&rest).unwrap()["id"], "last");
}

/// The system has signals.
#[cfg(unix)]
#[test]
fn a_request_that_runs_is_answered_before_the_server_goes_by_a_signal() {
    for signal in ["INT", "TERM"] {
        let mut peer = Peer::start(&[]);
        peer.work(2500);
        peer.signal(signal);
        let (status, rest, _) = peer.end(Duration::from_secs(20));
        assert_eq!(status.code(), Some(0), "SIG{signal}");
        assert_eq!(serde_json::from_str::<Value>(&rest).unwrap()["id"], "work");
    }
}

#[cfg(unix)]
#[test]
fn a_second_signal_ends_the_server_at_once() {
    let mut peer = Peer::start(&[]);
    peer.work(30_000);
    peer.signal("TERM");
    sleep(Duration::from_millis(500));
    peer.signal("TERM");
    let (status, rest, _) = peer.end(Duration::from_secs(10));
    assert_eq!((status.code(), rest.as_str()), (Some(143), ""));
}

#[cfg(unix)]
#[test]
fn a_signal_after_the_end_of_the_input_ends_the_server_at_once() {
    let mut peer = Peer::start(&[]);
    peer.work(30_000);
    peer.input = None;
    sleep(Duration::from_millis(500));
    peer.signal("TERM");
    let (status, rest, _) = peer.end(Duration::from_secs(10));
    assert_eq!((status.code(), rest.as_str()), (Some(0), ""));
}

#[test]
fn a_call_of_some_seconds_is_answered_after_the_end_of_the_input() {
    let mut peer = Peer::start(&[]);
    peer.work(2500);
    peer.input = None;
    let (status, rest, _) = peer.end(Duration::from_secs(20));
    assert_eq!(status.code(), Some(0));
    assert_eq!(serde_json::from_str::<Value>(&rest).unwrap()["id"], "work");
}

#[test]
fn a_malformed_line_does_not_end_the_conversation() {
    let mut peer = Peer::start(&[]);
    peer.send("{this is no JSON");
    assert_eq!(peer.receive()["error"]["code"], -32700);
    assert_eq!(peer.request("ping", &json!({})), json!({}));
}

#[test]
fn nobody_has_to_listen_to_standard_error() {
    let mut peer = Peer::start(&["--log", "trace"]);
    drop(peer.child.stderr.take());
    peer.send("{this is no JSON");
    assert_eq!(peer.receive()["error"]["code"], -32700);
    assert_eq!(peer.request("ping", &json!({})), json!({}));
}

#[test]
fn a_page_size_can_be_chosen() {
    let mut peer = Peer::start(&["--page-size", "2"]);
    let page = peer.request("tools/list", &json!({}));
    assert_eq!(page["tools"].as_array().unwrap().len(), 2);
    let rest = peer.request("tools/list", &json!({"cursor": page["nextCursor"]}));
    assert_ne!(rest["tools"][0]["name"], "test_simple_text");
}

/// A server that was greeted; killed when dropped.
struct Peer {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Peer {
    fn start(options: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args(["everything", "--stdio"])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut peer = Self { input: child.stdin.take(), output, child };
        let info = json!({"name": "test", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
        let welcome = peer.request("initialize", &params);
        assert_eq!(welcome["protocolVersion"], "2025-11-25");
        peer.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        peer
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
        self.send(&request.to_string());
        let answer = self.receive();
        assert_eq!(answer["id"], method, "{answer}");
        answer["result"].clone()
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Ends the input. What comes back is how the server ended, and what it still had to say on output and standard error.
    fn hang_up(mut self) -> (ExitStatus, String, String) {
        self.input = None;
        self.end(Duration::from_secs(2))
    }

    /// Begins a call that takes so long.
    fn work(&mut self, milliseconds: u32) {
        let params = json!({"name": "test_slow", "arguments": {"durationMs": milliseconds}});
        let call =
            json!({"jsonrpc": "2.0", "id": "work", "method": "tools/call", "params": params});
        self.send(&call.to_string());
        // What follows it on the same pipe was read after it.
        self.request("ping", &json!({}));
    }

    #[cfg(unix)]
    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    fn end(mut self, within: Duration) -> (ExitStatus, String, String) {
        let deadline = Instant::now() + within;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "the server goes on without input");
            sleep(Duration::from_millis(5));
        };
        let (mut rest, mut complaints) = (String::new(), String::new());
        self.output.read_to_string(&mut rest).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
        (status, rest, complaints)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
