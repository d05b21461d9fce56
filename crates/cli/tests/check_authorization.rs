//! `proofmark check authorization`, as a shell sees it.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

#[path = "helpers/issuing.rs"]
mod issuing;

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use issuing::Issuing;
use serde_json::Value;

#[test]
fn the_built_in_authorization_server_is_conformant_in_every_revision_that_binds_it() {
    for revision in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        let output =
            proofmark(&["check", "authorization", "--revision", revision, "--format", "json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{report:#}");
        assert_eq!(report["score"], 100);
        assert_eq!(report["side"], "authorization server");
        assert_eq!(report["revision"], revision);
        let statuses = statuses(&report);
        for id in ["M309", "M326", "M336"] {
            assert!(statuses.contains(&(id.to_owned(), "pass".to_owned())), "{id} in {statuses:?}");
        }
    }
}

#[test]
fn a_server_that_runs_already_is_checked_and_no_secret_is_kept() {
    let server = Issuing::start();
    let (html, transcript) = (file(&server, "html"), file(&server, "jsonl"));
    let output = proofmark(&[
        "check",
        "authorization",
        "--url",
        &server.origin,
        "--record",
        transcript.to_str().unwrap(),
        "--format",
        "json",
        "--format",
        "html",
        "--output",
        html.to_str().unwrap(),
    ]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    let replayed = proofmark(&["replay", transcript.to_str().unwrap(), "--format", "json"]);
    let again: Value = serde_json::from_slice(&replayed.stdout).unwrap();
    assert_eq!(statuses(&again), statuses(&report));
    for file in [html, transcript] {
        let text = fs::read_to_string(&file).unwrap();
        fs::remove_file(file).unwrap();
        // Access tokens are signed, and begin with what every signed one begins with.
        assert!(!text.contains("eyJ"));
        for name in ["code=", "code_verifier=", "refresh_token="] {
            let mut values = text.split(name).skip(1).peekable();
            assert!(values.peek().is_some(), "{name}");
            assert!(values.all(|value| value.starts_with("redacted")), "{name}");
        }
    }
}

#[test]
fn a_client_that_is_known_beforehand_needs_a_redirect_uri() {
    let words = ["check", "authorization", "--client-id", "a"];
    assert_eq!(proofmark(&words).status.code(), Some(2));
}

#[test]
fn a_client_that_the_server_does_not_know_gets_nothing_and_nothing_is_passed_for_it() {
    let output = proofmark(&[
        "check",
        "authorization",
        "--client-id",
        "nobody",
        "--redirect-uri",
        "http://127.0.0.1:1/callback",
        "--format",
        "json",
    ]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    for id in ["M309", "M326", "M336", "S152", "S181"] {
        let untestable = (id.to_owned(), "untestable".to_owned());
        assert!(statuses(&report).contains(&untestable), "{id} in {report:#}");
    }
}

#[test]
fn a_revision_without_authorization_servers_is_refused() {
    let output = proofmark(&["check", "authorization", "--revision", "2025-03-26"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("2025-06-18"));
}

#[test]
fn a_server_that_is_not_there_cannot_be_checked() {
    let output = proofmark(&["check", "authorization", "--url", "http://127.0.0.1:1"]);
    assert_eq!(output.status.code(), Some(3));
}

/// A file of this server's own.
fn file(server: &Issuing, end: &str) -> PathBuf {
    let port = server.origin.rsplit(':').next().unwrap();
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("authorization-{port}.{end}"))
}

fn statuses(report: &Value) -> Vec<(String, String)> {
    let rows = report["requirements"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    rows.iter().map(|row| (text(&row["id"]), text(&row["status"]))).collect()
}

fn proofmark(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_proofmark")).args(words).output().expect("the binary starts")
}
