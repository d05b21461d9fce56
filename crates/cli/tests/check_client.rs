//! `proofmark check client`, as a shell sees it.

use std::process::{Command, Output};

use serde_json::Value;

#[test]
fn the_built_in_client_is_conformant_over_every_transport() {
    for transport in ["stdio", "http", "sse"] {
        let output = proofmark(&["check", "client", "--transport", transport, "--format", "json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{report:#}");
        assert_eq!(report["score"], 100, "{transport}");
        assert_eq!(report["side"], "client");
        assert_eq!(report["transport"], transport);
    }
}

#[test]
fn the_built_in_client_is_conformant_with_and_without_a_handshake() {
    for revision in ["2025-11-25", "2026-07-28"] {
        let words = ["check", "client", "--revision", revision, "--format", "json"];
        let report: Value = serde_json::from_slice(&proofmark(&words).stdout).unwrap();
        assert_eq!(report["score"], 100, "{report:#}");
        assert_eq!(report["revision"], revision);
    }
}

#[test]
fn a_client_is_held_to_the_revision_that_was_asked_for() {
    let words =
        ["check", "client", "--revision", "2025-03-26", "--only", "M001", "--format", "json"];
    let report: Value = serde_json::from_slice(&proofmark(&words).stdout).unwrap();
    assert_eq!(report["revision"], "2025-03-26");
    assert_eq!(report["summary"]["pass"], 1, "{report:#}");
}

#[test]
fn a_client_that_does_nothing_passes_nothing() {
    let output = proofmark(&["check", "client", "--", "true"]);
    assert_eq!(output.status.code(), Some(3));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.contains("did not begin a conversation"), "{complaint}");
}

#[test]
fn a_client_that_does_not_exist_cannot_be_checked() {
    let output = proofmark(&["check", "client", "--", "proofmark-no-such-program"]);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_client_that_posts_rubbish_is_told_so() {
    // Says nothing but an initialize without anything in it, and leaves.
    let script = "import sys, urllib.request as web
body = b'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}'
web.urlopen(web.Request(sys.argv[1], body, {'Content-Type': 'application/json'}))";
    let output =
        proofmark(&["check", "client", "--timeout", "2", "--", "python3", "-c", script, "{url}"]);
    assert_eq!(output.status.code(), Some(1));
    let report = String::from_utf8(output.stdout).unwrap();
    for id in ["M040", "M043", "M047"] {
        assert!(report.contains(&format!("FAIL {id}")), "{id} in {report}");
    }
}

#[test]
fn a_client_has_to_be_told_where_the_server_is() {
    for words in [
        ["check", "client", "--transport", "stdio", "--", "my-client"].as_slice(),
        &["check", "client", "--transport", "http", "--", "my-client", "{command}"],
        &["check", "client", "--transport", "sse", "--", "my-client", "{command}"],
        &["check", "client", "--transport", "sse", "--revision", "2026-07-28"],
    ] {
        assert_eq!(proofmark(words).status.code(), Some(2), "{words:?}");
    }
}

#[test]
fn a_client_that_starts_a_dead_server_again_has_to_listen_again() {
    for (manner, status) in [("listens", "pass"), ("looks", "fail"), ("leaves", "untestable")] {
        let words = ["check", "client", "--revision", "2026-07-28", "--only", "M163"];
        let client = ["--format", "json", "--", "python3", "-c", RESTARTING, manner, "{command}"];
        let output = proofmark(&[words.as_slice(), &client].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["requirements"][0]["status"], status, "{manner}: {report:#}");
    }
}

fn proofmark(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_proofmark")).args(words).output().expect("the binary starts")
}

/// Listens until the server dies, and starts it again in order to listen, or to look at it, or not at all.
const RESTARTING: &str = r#"
import json, os, subprocess, sys
manner, *command = sys.argv[1:]
ABOUT = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "restarting", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {}}
def start():
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def ask(server, method, **params):
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": ABOUT, **params}}
    server.stdin.write(json.dumps(request).encode() + b"\n")
    server.stdin.flush()
    return server.stdout.readline()
def listen(server):
    ask(server, "subscriptions/listen", notifications={"toolsListChanged": True})
server = start()
if os.environ["PROOFMARK_SCENARIO"] == "restart":
    listen(server)
    assert server.stdout.readline() == b""
    assert server.wait() != 0
    if manner != "leaves":
        server = start()
        listen(server) if manner == "listens" else ask(server, "server/discover")
else:
    ask(server, "server/discover")
server.communicate()
"#;
