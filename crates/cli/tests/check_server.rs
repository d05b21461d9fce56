//! `proofmark check server`, `requirements` and `self-test`, as a shell sees them.

use std::{
    fs,
    process::{Command, Output},
};

use serde_json::Value;

#[test]
fn the_built_in_server_is_conformant_over_every_transport() {
    // HTTP+SSE is of the era of handshakes.
    let (modern, legacy) = ("2026-07-28", "2025-11-25");
    for (transport, revision) in [("stdio", modern), ("http", modern), ("sse", legacy)] {
        let output = proofmark(&["check", "server", "--transport", transport, "--format", "json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{report:#}");
        assert_eq!(report["score"], 100, "{transport}");
        assert_eq!(report["transport"], transport);
        assert_eq!(report["revision"], revision);
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
fn a_baseline_of_what_is_broken_today_is_written() {
    let own = env!("CARGO_BIN_EXE_proofmark");
    let noisy = format!("echo banner; exec {own} everything --stdio");
    let file = std::env::temp_dir().join(format!("proofmark-written-{}", std::process::id()));
    let path = file.to_str().unwrap();
    let check = |options: [&str; 2]| {
        let words = [&["check", "server", "--only", "M016,M001"][..], &options].concat();
        proofmark(&[&words[..], &["--", "sh", "-c", &noisy]].concat()).status.code()
    };
    assert_eq!(check(["--write-baseline", path]), Some(0));
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.lines().any(|line| line.starts_with("M016 ")), "{text}");
    assert_eq!(check(["--baseline", path]), Some(0));
    fs::remove_file(file).unwrap();
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
fn a_requirement_says_why_it_matters_and_where_to_read_about_it() {
    let output = proofmark(&["requirements", "M022"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in
        ["https://modelcontextprotocol.io/", "Why it matters:", "is checked:", "How to fix it:"]
    {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

#[test]
fn two_revisions_are_compared_in_both_directions() {
    let output = proofmark(&["requirements", "--diff", "2025-03-26", "2025-06-18"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let (new, gone) = text.split_once("demanded by 2025-03-26 and not by 2025-06-18").unwrap();
    // Batches came and went.
    assert!(gone.contains("M011") && !new.contains("M011"), "{text}");
    assert_eq!(proofmark(&["requirements", "--diff", "2025-03-26", "soon"]).status.code(), Some(2));
}

#[test]
fn a_frozen_set_decides_what_is_looked_at() {
    let words = ["check", "server", "--requirements", "2025-06-18", "--format", "json"];
    let output = proofmark(&words);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    assert_eq!(report["revision"], "2025-06-18");
    assert_eq!(report["target"]["description"], "the built-in Everything Server");
    let frozen = proofmark_check::judge::catalogue::frozen::find("2025-06-18").unwrap().ids;
    let rows = report["requirements"].as_array().unwrap();
    assert!(rows.iter().all(|row| frozen.contains(&row["id"].as_str().unwrap())));
    let output = proofmark(&["check", "server", "--requirements", "1999"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn each_report_goes_where_the_output_behind_its_format_says() {
    let file = std::env::temp_dir().join(format!("proofmark-report-{}.json", std::process::id()));
    let name = file.to_str().unwrap();
    let words = [
        "check", "server", "--only", "M016", "--format", "pretty", "--format", "json", "--output",
        name,
    ];
    let output = proofmark(&words);
    assert!(String::from_utf8(output.stdout).unwrap().contains("score 100"));
    let report: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    fs::remove_file(file).unwrap();
    assert_eq!(report["score"], 100);
    // Nobody watches, so nothing moves on standard error.
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_selection_of_nothing_is_a_mistake_on_the_command_line() {
    for (words, part) in [
        (&["--only", "NOPE"][..], "\"NOPE\" is no requirement and no page"),
        (&["--only", "basic/lifecycel"], "\"basic/lifecycle\" comes nearest"),
        (&["--skip", "M9999"], "is no requirement"),
        (&["--only", "M016", "--skip", "M016"], "nothing of what is selected binds a server"),
        (&["--only", "M165"], "nothing of what is selected binds a server over stdio"),
    ] {
        // The server would be a mistake as well, but is not started.
        let words = [&["check", "server"], words, &["--", "proofmark-no-such-program"]].concat();
        let output = proofmark(&words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(complaint.contains(part), "{complaint}");
    }
}

#[test]
fn requirements_are_selected_by_page_and_by_name() {
    for (pattern, id) in [("basic/transports/stdio", "M016"), ("stdout-carries-nothing-*", "M016")]
    {
        let words = ["check", "server", "--only", pattern, "--format", "json"];
        let output = proofmark(&words);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = report["requirements"].as_array().unwrap();
        assert!(rows.iter().any(|row| row["id"] == id), "{pattern}");
        assert!(rows.iter().all(|row| row["page"] == rows[0]["page"]), "{pattern}");
    }
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_the_run() {
    let folder = std::env::temp_dir();
    for (option, path) in [
        ("--output", folder.join("proofmark-no-such-folder").join("report.json")),
        ("--record", folder.join("proofmark-no-such-folder").join("run.jsonl")),
        ("--output", folder),
    ] {
        let path = path.to_str().unwrap();
        // That it cannot be started is found out only by a run.
        let output =
            proofmark(&["check", "server", option, path, "--", "proofmark-no-such-program"]);
        assert_eq!(output.status.code(), Some(2), "{path}");
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(complaint.contains(&format!("cannot write {path}")), "{complaint}");
    }
}

#[test]
fn a_run_that_fails_leaves_no_report_and_keeps_an_earlier_one() {
    let file = std::env::temp_dir().join(format!("proofmark-kept-{}.json", std::process::id()));
    let words =
        ["check", "server", "--output", file.to_str().unwrap(), "--", "proofmark-no-such-program"];
    assert_eq!(proofmark(&words).status.code(), Some(3));
    assert!(!file.exists());
    fs::write(&file, "earlier").unwrap();
    assert_eq!(proofmark(&words).status.code(), Some(3));
    assert_eq!(fs::read_to_string(&file).unwrap(), "earlier");
    fs::remove_file(file).unwrap();
}

#[test]
fn colours_can_be_demanded_and_refused() {
    let own = env!("CARGO_BIN_EXE_proofmark");
    let noisy = format!("echo banner; exec {own} everything --stdio");
    let file = std::env::temp_dir().join(format!("proofmark-colours-{}", std::process::id()));
    let record = file.to_str().unwrap();
    proofmark(&["check", "server", "--record", record, "--", "sh", "-c", &noisy]);
    let coloured = |words: &[&str], variable: (&str, &str)| {
        let mut command = Command::new(own);
        command.env_remove("NO_COLOR").env(variable.0, variable.1);
        command.args(["replay", "--only", "M016"]).args(words).arg(record);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stdout).unwrap().contains("\u{1b}[")
    };
    assert!(!coloured(&[], ("TERM", "xterm")));
    assert!(coloured(&[], ("FORCE_COLOR", "1")));
    assert!(coloured(&["--color", "always"], ("NO_COLOR", "1")));
    assert!(!coloured(&["--color", "never"], ("FORCE_COLOR", "1")));
    fs::remove_file(file).unwrap();
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
