//! One outcome with everything in it, in every format.

use std::{path::Path, time::Duration};

use proofmark_check::report::pretty::Colours;

use super::*;
use crate::{
    outcome::{Breach, Failure, TestOutcome, Verdict},
    yaml::Place,
};

#[test]
fn every_format_names_what_failed_and_obeys_nothing_of_the_server() {
    let outcome = example();
    for (format, text) in [
        ("pretty", pretty::write(&outcome, Colours::Off)),
        ("json", json::write(&outcome)),
        ("junit", junit::write(&outcome).unwrap()),
        ("tap", tap::write(&outcome)),
        ("markdown", markdown::write(&outcome)),
        ("github", github::write(&outcome, Path::new("proofmark.yaml"))),
        ("html", html::write(&outcome)),
    ] {
        assert!(text.contains("M022"), "{format}:\n{text}");
        assert!(text.contains("is another"), "{format}:\n{text}");
        assert!(!text.contains('\u{1b}'), "{format}:\n{text}");
        assert!(!text.contains("\n::set-env"), "{format}:\n{text}");
        let marked_up = matches!(format, "html" | "junit" | "markdown");
        assert!(!marked_up || !text.contains("<script>"), "{format}:\n{text}");
    }
}

#[test]
fn colours_come_only_when_asked_for() {
    assert!(pretty::write(&example(), Colours::On).contains("\u{1b}[31mFAIL\u{1b}[0m"));
}

#[test]
fn tap_counts_and_skips() {
    let text = tap::write(&example());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..3], ["TAP version 14", "1..4", "ok 1 - s › passes"]);
    assert!(text.contains("\nnot ok 2 - s › fails <script>\n  ---\n"), "{text}");
    assert!(text.contains("\nok 3 - s › skipped # SKIP not \\# now\n"), "{text}");
}

#[test]
fn json_has_a_version_and_counts() {
    let value: serde_json::Value = serde_json::from_str(&json::write(&example())).unwrap();
    assert_eq!(value["proofmark-test"], 1);
    assert_eq!(value["summary"]["failed"], 1);
    assert_eq!(value["summary"]["flaky"], 1);
    assert_eq!(
        value["tests"][1]["failures"][0]["what"],
        "the result is another\n::set-env name=a::b"
    );
}

#[test]
fn annotations_of_github_point_to_the_line() {
    let text = github::write(&example(), Path::new("a,b.yaml"));
    assert!(text.starts_with("::error file=a%2Cb.yaml,line=7,title="), "{text}");
}

fn example() -> RunOutcome {
    let test = |name: &str, verdict| TestOutcome {
        name: name.to_owned(),
        server: "s".to_owned(),
        place: Some(Place { line: 7, column: 3 }),
        tags: vec!["quick".to_owned()],
        verdict,
        attempts: 1,
        duration: Duration::from_millis(12),
        stderr: String::new(),
    };
    let failure = Failure {
        step: "call x".to_owned(),
        what: "the result is another\n::set-env name=a::b".to_owned(),
        detail: vec!["- 1".to_owned(), "+ \u{1b}[2J".to_owned()],
    };
    let failed = TestOutcome {
        stderr: "boom\n::set-env name=a::b\n".to_owned(),
        ..test("fails <script>", Verdict::Failed(vec![failure]))
    };
    let breach = Breach {
        server: "s".to_owned(),
        id: "M022".to_owned(),
        level: "MUST".to_owned(),
        status: "fail".to_owned(),
        text: "Ids come back.".to_owned(),
        expected: "1".to_owned(),
        actual: "2".to_owned(),
        proof: Vec::new(),
    };
    RunOutcome {
        seed: 7,
        duration: Duration::from_secs(1),
        tests: vec![
            test("passes", Verdict::Passed),
            failed,
            test("skipped", Verdict::Skipped("not # now".to_owned())),
            TestOutcome { attempts: 2, ..test("flaky", Verdict::Passed) },
        ],
        breaches: vec![breach],
        ..RunOutcome::default()
    }
}
