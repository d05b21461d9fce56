//! Servers used by hand: `call`, `list`, `read`, and the Everything Client, against our own server as a child.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::process::Command;

use serde_json::Value;

const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

#[test]
fn a_tool_is_called_in_every_revision() {
    for revision in REVISIONS {
        let (code, said, _) = run(&["call", "test_simple_text", "--revision", revision]);
        assert_eq!(code, Some(0), "{revision}");
        assert_eq!(said, "This is a simple text response for testing.\n", "{revision}");
    }
}

#[test]
fn a_tool_that_reports_an_error_is_told_by_the_exit_code() {
    let (code, said, _) = run(&["call", "test_error_handling"]);
    assert_eq!(code, Some(1));
    assert!(!said.is_empty());
}

#[test]
fn an_answer_can_be_had_as_json() {
    let (code, said, _) = run(&["call", "test_simple_text", "{}", "--json"]);
    assert_eq!(code, Some(0));
    let result: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(result["content"][0]["type"], "text");
}

#[test]
fn what_a_server_has_is_listed() {
    let (code, said, _) = run(&["list"]);
    assert_eq!(code, Some(0));
    for part in
        ["Tools\n", "  test_simple_text  ", "Resources\n", "Resource templates\n", "Prompts\n"]
    {
        assert!(said.contains(part), "{part} is not in:\n{said}");
    }
    let (_, said, _) = run(&["list", "prompts", "--json"]);
    let listed: Value = serde_json::from_str(&said).unwrap();
    assert!(listed.get("tools").is_none() && listed["prompts"].is_array(), "{said}");
}

#[test]
fn a_resource_is_read() {
    let (code, said, _) = run(&["read", "test://static-text"]);
    assert_eq!(code, Some(0));
    assert!(said.contains("static text resource"), "{said}");
}

#[test]
fn what_the_server_refuses_is_told_by_the_exit_code() {
    for words in [&["read", "test://no-such-thing"][..], &["call", "no_such_tool"]] {
        let (code, said, complaint) = run(words);
        assert_eq!((code, said.as_str()), (Some(1), ""), "{words:?}: {complaint}");
        assert!(complaint.starts_with("error: "), "{complaint}");
    }
}

#[test]
fn a_server_gets_variables_and_a_folder() {
    let script = "echo \"$GREETING from $(pwd)\" >&2; exit 3";
    let words = ["list", "--env", "GREETING=hello", "--cwd", "/", "--", "sh", "-c", script];
    let (code, _, complaint) = proofmark(&words);
    assert_eq!(code, Some(3));
    assert!(complaint.contains("hello from /"), "{complaint}");
}

#[test]
fn a_server_that_cannot_be_started_is_named() {
    let (code, _, complaint) = proofmark(&["list", "--", "no-such-server"]);
    assert_eq!(code, Some(3));
    assert!(complaint.contains("`no-such-server` could not be started"), "{complaint}");
}

#[test]
fn arguments_that_are_no_object_are_a_wrong_command_line() {
    let (code, _, complaint) = run(&["call", "test_simple_text", "[1]"]);
    assert_eq!(code, Some(2));
    assert!(complaint.contains("a JSON object is wanted"), "{complaint}");
}

#[test]
fn the_everything_client_looks_at_everything() {
    let (code, _, complaint) = run(&["everything-client"]);
    assert_eq!((code, complaint.as_str()), (Some(0), ""));
}

/// Runs a command against the Everything Server.
fn run(words: &[&str]) -> (Option<i32>, String, String) {
    let server = env!("CARGO_BIN_EXE_proofmark");
    proofmark(&[words, &["--", server, "everything", "--stdio"]].concat())
}

fn proofmark(words: &[&str]) -> (Option<i32>, String, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_proofmark")).args(words).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (run.status.code(), text(run.stdout), text(run.stderr))
}
