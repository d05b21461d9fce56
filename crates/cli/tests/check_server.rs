//! `proofmark check server`, `requirements` and `self-test`, as a shell sees them.

use std::{
    fs,
    process::{Command, Output},
};

use serde_json::Value;

#[test]
fn the_built_in_server_is_conformant_over_every_transport() {
    for transport in ["stdio", "http", "sse"] {
        let output = proofmark(&["check", "server", "--transport", transport, "--format", "json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{report:#}");
        assert_eq!(report["score"], 100, "{transport}");
        assert_eq!(report["transport"], transport);
        assert_eq!(report["summary"]["fail"], 0);
    }
}

#[test]
fn a_command_that_does_not_exist_cannot_be_checked() {
    let output = proofmark(&["check", "server", "--", "proofmark-no-such-program"]);
    assert_eq!(output.status.code(), Some(3));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.contains("proofmark-no-such-program cannot be checked"), "{complaint}");
}

#[test]
fn a_server_that_crashes_is_diagnosed_with_what_it_said() {
    let output = proofmark(&["check", "server", "--", "sh", "-c", "echo no config >&2; exit 7"]);
    assert_eq!(output.status.code(), Some(3));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.contains("on standard error: no config"), "{complaint}");
    assert!(complaint.contains("exit status: 7"), "{complaint}");
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let words = ["check", "server", "--timeout", "1", "--start-timeout", "1", "--", "sleep", "60"];
    let output = proofmark(&words);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_broken_requirement_is_told_by_the_exit_code_and_excused_by_the_baseline() {
    let own = env!("CARGO_BIN_EXE_proofmark");
    let noisy = format!("echo banner; exec {own} everything --stdio");
    let check = |more: &[&str]| {
        proofmark(
            &[&["check", "server", "--only", "M016"], more, &["--", "sh", "-c", &noisy]].concat(),
        )
    };
    let output = check(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("FAIL M016"));
    let baseline = std::env::temp_dir().join(format!("proofmark-baseline-{}", std::process::id()));
    fs::write(&baseline, "M016 it greets").unwrap();
    assert_eq!(check(&["--baseline", baseline.to_str().unwrap()]).status.code(), Some(0));
    fs::write(&baseline, "M016").unwrap();
    assert_eq!(check(&["--baseline", baseline.to_str().unwrap()]).status.code(), Some(2));
    fs::remove_file(baseline).unwrap();
}

#[test]
fn a_requirement_is_explained() {
    let output = proofmark(&["requirements", "m022"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("M022 "), "{text}");
    assert!(text.contains("A violation:"), "{text}");
    assert_eq!(proofmark(&["requirements", "X1"]).status.code(), Some(2));
}

#[test]
fn coverage_counts_what_is_observed() {
    let output = proofmark(&["requirements", "--coverage"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("servers:\n  MUST"), "{text}");
}

fn proofmark(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_proofmark")).args(words).output().expect("the binary starts")
}
