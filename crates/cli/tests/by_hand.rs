//! Servers used by hand: `call`, `list`, `read`, and the Everything Client, against our own server as a child.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

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
    let (_, said, _) = run(&["list", "prompts"]);
    assert!(said.contains("      arg1=TEXT arg2=TEXT\n"), "{said}");
    let (_, said, _) = run(&["list", "tools"]);
    assert!(said.contains("      name=STRING\n"), "{said}");
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
fn a_server_says_who_it_is() {
    let (code, said, _) = run(&["info"]);
    assert_eq!(code, Some(0));
    for part in ["name ", "version ", "revision ", "capabilities  completions"] {
        assert!(said.contains(part), "{part} is not in:\n{said}");
    }
    let (_, said, _) = run(&["info", "--json"]);
    let document: Value = serde_json::from_str(&said).unwrap();
    assert!(document["serverInfo"]["name"].is_string(), "{said}");
}

#[test]
fn arguments_get_their_types_from_the_schema() {
    let (code, said, complaint) = run(&["call", "greet", "name=12"]);
    assert_eq!(code, Some(0), "{complaint}");
    assert!(said.contains("12"), "{said}");
    let (code, _, complaint) = run(&["call", "test_slow", "durationMs=1"]);
    assert_eq!(code, Some(0), "{complaint}");
    for (words, expected) in [
        (["call", "test_slow", "durationMs=soon"], "`durationMs` is to be of type integer"),
        (["call", "no_such_tool", "a=1"], "lists no tool `no_such_tool`"),
    ] {
        let (code, _, complaint) = run(&words);
        assert_eq!(code, Some(2), "{complaint}");
        assert!(complaint.contains(expected), "{complaint}");
    }
}

#[test]
fn a_prompt_is_filled_in_and_an_argument_completed() {
    let (code, said, complaint) =
        run(&["prompt", "test_prompt_with_arguments", "arg1=here", "arg2=there"]);
    assert_eq!(code, Some(0), "{complaint}");
    assert!(said.starts_with("user:") && said.contains("here") && said.contains("there"), "{said}");
    let words = ["complete", "--prompt", "test_prompt_with_arguments", "arg1=par"];
    let (code, _, complaint) = run(&words);
    assert_eq!(code, Some(0), "{complaint}");
}

#[test]
fn pictures_are_saved() {
    let path = std::env::temp_dir().join(format!("proofmark-by-hand-{}.png", std::process::id()));
    let (code, _, complaint) =
        run(&["call", "test_image_content", "--save", path.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{complaint}");
    let saved = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(saved.starts_with(b"\x89PNG"), "{saved:?}");
}

#[test]
fn questions_are_answered_from_a_file() {
    let path = std::env::temp_dir().join(format!("proofmark-answers-{}.json", std::process::id()));
    let ask = ["call", "test_elicitation", "message=Who?", "--answer", path.to_str().unwrap()];
    for (answers, expected) in [
        (r#"{"username": "ada", "email": "ada@example.com"}"#, "action: accept"),
        (r#"["decline"]"#, "action: decline"),
        // What does not fit is not sent.
        (r#"{"username": 7}"#, "action: cancel"),
    ] {
        std::fs::write(&path, answers).unwrap();
        let (_, said, complaint) = run(&ask);
        assert!(said.contains(expected), "{answers}: {said}{complaint}");
    }
    std::fs::write(&path, "[7]").unwrap();
    let (code, _, complaint) = run(&ask);
    std::fs::remove_file(&path).unwrap();
    assert_ne!(code, Some(0));
    assert!(complaint.contains("an answer is an object"), "{complaint}");
}

#[test]
fn what_a_server_tells_is_shown_in_every_era() {
    let server = Serving::start();
    for revision in ["2025-11-25", "2026-07-28"] {
        let watched = "test://watched-resource";
        let words =
            ["subscribe", watched, "--count", "1", "--revision", revision, "--url", &server.url];
        let mut listening = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(listening.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("listening"), "{line}");
        let (code, _, complaint) =
            proofmark(&["call", "test_trigger_resource_update", "--url", &server.url]);
        assert_eq!(code, Some(0), "{complaint}");
        let heard = listening.wait_with_output().unwrap();
        assert_eq!(
            String::from_utf8(heard.stdout).unwrap(),
            format!("notifications/resources/updated {watched}\n"),
            "{revision}"
        );
    }
}

/// The Everything Server over HTTP, until it is dropped.
struct Serving {
    server: Child,
    url: String,
}

impl Serving {
    fn start() -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args(["everything", "--http", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let (_, place) = line.trim().split_once("http://").unwrap();
        let host = place.split('/').next().unwrap();
        Self { server, url: format!("http://{host}/mcp") }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ended = self.server.kill();
        let _ended = self.server.wait();
    }
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
