//! How long people wait.

use std::{
    fmt::Write,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use super::Place;

#[test]
fn a_thousand_quick_tests_take_less_than_five_seconds() {
    let place = Place::new("thousand");
    let mut tests = "tests:\n".to_owned();
    for number in 0..1000 {
        let _ = writeln!(
            tests,
            "  - {{name: t{number}, call: greet, arguments: {{name: n{number}}}, expect: {{text: n{number}}}}}"
        );
    }
    place.file(&tests);
    // A machine that does something else besides may need another try.
    let mut seconds = f64::INFINITY;
    for _ in 0..3 {
        let (code, said, told) = place.test(&["--format", "json"]);
        assert_eq!(code, Some(0), "{told}");
        let report: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(report["summary"]["passed"], 1000);
        seconds = seconds.min(report["seconds"].as_f64().unwrap());
        if seconds < 5.0 {
            return;
        }
    }
    panic!("1,000 tests took {seconds} s at best");
}

#[test]
fn a_failure_is_told_within_a_second() {
    let place = Place::new("at-once");
    place.file("tests:\n  - {name: bad, call: test_error_handling}\n  - {name: slow, call: test_slow, arguments: {durationMs: 4000}}");
    let mut child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .arg("test")
        .current_dir(&place.folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let told = Instant::now();
    assert!(line.contains("FAIL own › bad"), "{line}");
    assert_eq!(child.wait().unwrap().code(), Some(1));
    // The slow test begins when the other has failed, and takes four seconds.
    assert!(told.elapsed() > Duration::from_secs(3), "{:?} before the end", told.elapsed());
}
