//! Which variables a server sees that was started by a command.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::{
    fs,
    process::{Command, Output},
};

#[test]
fn credentials_stay_with_the_command_unless_they_are_named() {
    for (number, command) in [&["list"] as &[_], &["check", "server"]].into_iter().enumerate() {
        let (output, seen) = started(number, command, &[]);
        assert!(seen.contains("PROOFMARK_SETTING=loud"), "{seen}");
        assert!(!seen.contains("hunter2"), "{seen}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("PROOFMARK_PASSWORD"), "{said}");
        assert!(said.contains("--env NAME"), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
        for options in [&["--env", "PROOFMARK_PASSWORD"] as &[_], &["--inherit-env"]] {
            let (_, seen) = started(number, command, options);
            assert!(seen.contains("PROOFMARK_PASSWORD=hunter2"), "{options:?}: {seen}");
        }
    }
}

#[test]
fn a_variable_that_is_not_set_cannot_be_passed_on() {
    let (output, _) = started(9, &["list"], &["--env", "PROOFMARK_NO_SUCH"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no variable"));
}

/// Runs a command with a server that writes its environment down and goes. It is started more than once, and the last one may be ended at once.
fn started(number: usize, command: &[&str], options: &[&str]) -> (Output, String) {
    let file =
        std::env::temp_dir().join(format!("proofmark-environment-{number}-{}", std::process::id()));
    let output = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(command)
        .args(options)
        .args(["--", "sh", "-c", &format!("env >> {}", file.display())])
        .env("PROOFMARK_SETTING", "loud")
        .env("PROOFMARK_PASSWORD", "hunter2")
        .output()
        .unwrap();
    let seen = fs::read_to_string(&file).unwrap_or_default();
    let _ = fs::remove_file(&file);
    (output, seen)
}
