//! `proofmark test` and `proofmark generate`, against our own server as a child.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

#[path = "testing/bad_input.rs"]
mod bad_input;
#[path = "testing/mock.rs"]
mod mock;
#[path = "testing/people.rs"]
mod people;
#[path = "testing/speed.rs"]
mod speed;
#[path = "testing/steps.rs"]
mod steps;

use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::Value;

#[test]
fn tests_pass_and_keep_snapshots_that_ci_demands() {
    let place = Place::new("pass");
    place.file("tests:\n  - {name: text, call: test_simple_text, expect: {text: simple, snapshot: true}}\n  - {name: lists, list: tools, expect: {names: {contains: [test_simple_text]}}}\n  - {name: reads, read: 'test://static-text'}\n  - {name: fails, call: test_error_handling, expect: {is_error: true}}");
    let (code, _, said) = place.test_in_ci(&[]);
    assert_eq!(code, Some(1), "{said}");
    let (code, said, _) = place.test(&[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("snapshot written") && said.contains("4 passed"), "{said}");
    let (code, said, _) = place.test_in_ci(&[]);
    assert_eq!(code, Some(0), "{said}");
    let snapshot = place.folder.join("proofmark.snapshots/own/text.yaml");
    let kept = fs::read_to_string(&snapshot).unwrap();
    assert!(kept.contains("This is a simple text response"), "{kept}");
    fs::write(&snapshot, kept.replace("a simple text response", "another response")).unwrap();
    fs::write(snapshot.with_file_name("gone.yaml"), "{}").unwrap();
    let (code, said, _) = place.test(&[]);
    assert_eq!(code, Some(1));
    assert!(
        said.contains("- ") && said.contains("--update") && said.contains("snapshot of no test"),
        "{said}"
    );
    assert_eq!(place.test(&["--update"]).0, Some(0));
    assert_eq!(fs::read_to_string(&snapshot).unwrap(), kept);
}

#[test]
fn what_is_wrong_fails_and_can_be_run_again_by_itself() {
    let place = Place::new("fail");
    place.file("tests:\n  - {name: good, call: test_simple_text}\n  - {name: no error, call: test_simple_text, expect_error: true}\n  - {name: tool error, call: test_error_handling}\n  - {name: other text, call: test_simple_text, expect: {at: {/content/0/text: other}}}\n  - {name: no such tool, call: no_such_tool}\n  - {name: right refusal, call: no_such_tool, expect_error: true}");
    let (code, said, at_once) = place.test(&["--judge", "off"]);
    assert_eq!(code, Some(1), "{said}");
    for part in [
        "an error was expected, and it succeeded",
        "the tool reported an error",
        "+ \"This is a simple text",
        "2 passed, 4 failed",
    ] {
        assert!(said.contains(part), "{part} is not in:\n{said}");
    }
    assert!(at_once.contains("FAIL own › no error"), "{at_once}");
    let (code, said, _) = place.test(&["--failed"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("FAILED: 0 passed, 4 failed"), "{said}");
    let (code, said, _) = place.test(&["--fail-fast"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("1 failed") && said.contains("4 not run"), "{said}");
    let (_, one, _) = place.test(&["--list", "--shard", "1/2"]);
    let (_, other, _) = place.test(&["--list", "--shard", "2/2"]);
    assert_eq!((one.lines().count(), other.lines().count()), (3, 3));
    let (code, said, _) = place.test(&["-k", "good", "--shuffle", "--seed", "5"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("seed 5"), "{said}");
}

#[test]
fn every_format_is_written_where_it_is_wanted() {
    let place = Place::new("formats");
    place.file("tests:\n  - {name: good, tags: quick, call: test_simple_text}\n  - {name: bad, call: test_error_handling}");
    let report = place.folder.join("report.json");
    let path = report.to_str().unwrap();
    let (code, said, _) = place.test(&["--format", "tap", "--format", "json", "--output", path]);
    assert_eq!(code, Some(1));
    assert!(said.starts_with("TAP version 14\n1..2\n"), "{said}");
    let json: Value = serde_json::from_str(&fs::read_to_string(report).unwrap()).unwrap();
    assert_eq!((&json["proofmark-test"], &json["summary"]["failed"]), (&1.into(), &1.into()));
    for (format, part) in [
        ("junit", "<testsuites"),
        ("markdown", "## Tests failed"),
        ("github", "::error file="),
        ("html", "<!doctype html>"),
    ] {
        let (_, said, _) = place.test(&["--format", format]);
        assert!(said.contains(part), "{format}:\n{said}");
    }
}

#[test]
fn a_job_of_github_is_annotated_by_itself() {
    let place = Place::new("job");
    place.file("tests:\n  - {name: bad, call: test_error_handling}");
    let summary = place.folder.join("summary.md");
    let job = [("GITHUB_ACTIONS", "true"), ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap())];
    fs::write(&summary, "what was there\n").unwrap();
    let (code, said, told) = place.run(&["test", "--format", "json"], &job);
    assert_eq!(code, Some(1));
    assert!(serde_json::from_str::<Value>(&said).is_ok(), "{said}");
    assert!(told.contains("::error file=proofmark.yaml"), "{told}");
    let kept = fs::read_to_string(&summary).unwrap();
    assert!(kept.starts_with("what was there\n") && kept.contains("## Tests failed"), "{kept}");
    let words = ["test", "--format", "github", "--format", "markdown", "--output"];
    let (_, said, told) = place.run(&[&words[..], &[summary.to_str().unwrap()]].concat(), &job);
    assert!(said.contains("::error file=") && !told.contains("::error"), "{said}\n{told}");
    assert_eq!(fs::read_to_string(&summary).unwrap().matches("## Tests failed").count(), 1);
    let (_, _, told) = place.run(&["test"], &[]);
    assert!(!told.contains("::error"), "{told}");
}

#[test]
fn mistakes_are_told_with_their_places_and_exit_code_2() {
    let place = Place::new("mistakes");
    let (code, _, said) = place.test(&[]);
    assert_eq!(code, Some(2));
    assert!(said.contains("proofmark.yaml: this file cannot be read"), "{said}");
    place.file("tests:\n  - {name: t, cal: x}");
    let (code, _, said) = place.test(&[]);
    assert_eq!(code, Some(2));
    assert!(said.contains(":4:15: a test has no `cal`: did you mean `call`?"), "{said}");
    place.file("tests:\n  - {name: t, tags: quick, call: test_simple_text}");
    for filter in ["nothing", "tag:slow", "server:other"] {
        let (code, _, said) = place.test(&["-k", filter]);
        assert_eq!(code, Some(2), "{filter}");
        assert!(said.contains("no test fits"), "{said}");
    }
    assert_eq!(place.test(&["-k", "tag:quick & server:own & !name:other"]).0, Some(0));
    assert_eq!(place.test(&["--shard", "3/2"]).0, Some(2));
    assert_eq!(place.test(&["--no-such-flag"]).0, Some(2));
}

#[test]
fn servers_that_cannot_be_reached_do_not_stop_the_others() {
    let place = Place::new("unreachable");
    let more = "  none: {command: no-such-server}\n  ends: {command: [sh, -c, 'echo oh no >&2; exit 3']}\n  silent: {command: [sleep, '100'], timeout: 1s, start_timeout: 1s}\n  floods: {command: ['yes'], timeout: 1s, start_timeout: 1s}\n";
    place.file_with(more, "tests:\n  - {name: good, server: own, call: test_simple_text}\n  - {name: t, servers: [none, ends, silent, floods], call: x}");
    let (code, said, _) = place.test(&[]);
    assert_eq!(code, Some(3), "{said}");
    for part in [
        "`no-such-server` cannot be started",
        "| oh no",
        "silent cannot be reached",
        "floods cannot be reached",
        "1 passed, 4 failed",
    ] {
        assert!(said.contains(part), "{part} is not in:\n{said}");
    }
}

#[test]
fn a_server_that_dies_in_the_middle_fails_one_test_and_is_started_again() {
    let place = Place::new("dies");
    let server = env!("CARGO_BIN_EXE_proofmark");
    let more = format!(
        "  dying: {{command: [sh, -c, 'sed -u 3q | {server} everything --stdio'], timeout: 5s}}\n"
    );
    let tests = [0, 1, 2, 3]
        .map(|it| format!("  - {{name: t{it}, server: dying, call: test_simple_text}}\n"));
    place.file_with(&more, &format!("tests:\n{}", tests.concat()));
    let (code, said, _) = place.test(&["--format", "json"]);
    assert_eq!(code, Some(1), "{said}");
    let json: Value = serde_json::from_str(&said).unwrap();
    let passed = json["summary"]["passed"].as_u64().unwrap();
    assert!((1..4).contains(&passed), "{said}");
    assert!(said.contains("the connection was lost"), "{said}");
}

#[test]
fn an_interface_is_kept_and_what_breaks_callers_fails() {
    let place = Place::new("interface");
    place.file("");
    let (code, said, _) = place.test(&["--interface"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(place.test(&["--interface"]).0, Some(0));
    let kept = place.folder.join("proofmark.snapshots/own/interface.yaml");
    let text = fs::read_to_string(&kept).unwrap();
    fs::write(
        &kept,
        text.replace("  test_simple_text:", "  test_old_tool: {}\n  test_simple_text:"),
    )
    .unwrap();
    let (code, said, _) = place.test(&["--interface"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("the tool test_old_tool is gone"), "{said}");
    assert_eq!(place.test(&["--interface", "--update"]).0, Some(0));
    assert_eq!(place.test(&["--interface"]).0, Some(0));
}

#[test]
fn tests_are_generated_into_a_file_and_pass() {
    let place = Place::new("generate");
    let server = env!("CARGO_BIN_EXE_proofmark");
    let (code, _, said) =
        place.run(&["generate", "--dry-run", "--", server, "everything", "--stdio"], &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("json_schema_2020_12_tool: ") && said.contains(" invalid cases"),
        "{said}"
    );
    assert!(!place.folder.join("proofmark.yaml").exists());
    let words = ["generate", "--", server, "everything", "--stdio"];
    assert_eq!(place.run(&words, &[]).0, Some(0));
    let (code, said, _) =
        place.test(&["-k", "json_schema_2020_12_tool*", "-k", "test_structured_content*"]);
    assert_eq!(code, Some(0), "{said}");
    let before = fs::read_to_string(place.folder.join("proofmark.yaml")).unwrap();
    let (code, _, said) = place.run(&words, &[]);
    assert_eq!(code, Some(0));
    assert!(said.contains("0 tests added, 0 changed, 0 removed"), "{said}");
    assert_eq!(fs::read_to_string(place.folder.join("proofmark.yaml")).unwrap(), before);
}

#[test]
fn what_was_heard_becomes_tests_with_snapshots() {
    let place = Place::new("recorded");
    let server = env!("CARGO_BIN_EXE_proofmark");
    let heard = place.folder.join("heard.jsonl");
    let tap =
        [server, "tap", "--output", heard.to_str().unwrap(), "--", server, "everything", "--stdio"];
    let (code, _, said) = place.run(&[&["call", "test_simple_text", "--"], &tap[..]].concat(), &[]);
    assert_eq!(code, Some(0), "{said}");
    let words = ["generate", "--from", "heard.jsonl", "--", server, "everything", "--stdio"];
    let (code, _, said) = place.run(&words, &[]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said, _) = place.test_in_ci(&[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("passed"), "{said}");
    let (code, _, said) = place.run(&words, &[]);
    assert_eq!(code, Some(2));
    assert!(said.contains("is there already"), "{said}");
}

#[test]
fn the_schema_of_the_file_can_be_had() {
    let place = Place::new("schema");
    let (code, said, _) = place.test(&["--schema"]);
    assert_eq!(code, Some(0));
    let schema: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(schema["title"], "proofmark.yaml");
}

/// A folder of its own, gone afterwards.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("proofmark-testing-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self { folder }
    }

    fn file(&self, tests: &str) {
        self.file_with("", tests);
    }

    fn file_with(&self, servers: &str, tests: &str) {
        let server = env!("CARGO_BIN_EXE_proofmark");
        let text = format!(
            "servers:\n  own: {{command: [{server}, everything, --stdio]}}\n{servers}{tests}"
        );
        fs::write(self.folder.join("proofmark.yaml"), text).unwrap();
    }

    fn test(&self, words: &[&str]) -> (Option<i32>, String, String) {
        self.run(&[&["test"], words].concat(), &[])
    }

    fn test_in_ci(&self, words: &[&str]) -> (Option<i32>, String, String) {
        self.run(&[&["test"], words].concat(), &[("CI", "true")])
    }

    /// With something to say on its standard input.
    fn answered(&self, words: &[&str], input: &str) -> (Option<i32>, String, String) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args(words)
            .current_dir(&self.folder)
            .env_remove("CI")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let run = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (run.status.code(), text(run.stdout), text(run.stderr))
    }

    fn run(&self, words: &[&str], environment: &[(&str, &str)]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
        command
            .args(words)
            .current_dir(&self.folder)
            .env_remove("CI")
            .envs(environment.iter().copied());
        let run = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (run.status.code(), text(run.stdout), text(run.stderr))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
