//! What is for people at a terminal: review, watch, import.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};

use super::Place;

#[test]
fn snapshots_are_reviewed_one_by_one() {
    let place = Place::new("review");
    place.file("tests:\n  - {name: a, call: test_simple_text, expect: {snapshot: true}}\n  - {name: b, call: test_simple_text, expect: {snapshot: true}}\n  - {name: c, call: test_simple_text, expect: {snapshot: true}}\n");
    let (code, said, told) = place.answered(&["test", "--review"], "y\nwhat\nn\nq\n");
    assert_eq!(code, Some(1), "{said}{told}");
    assert!(told.contains("1 of 3: own › a is new") && told.contains("+ "), "{told}");
    assert!(said.contains("1 passed, 2 failed"), "{said}");
    let kept = |name: &str| place.folder.join(format!("proofmark.snapshots/own/{name}.yaml"));
    assert!(kept("a").exists() && !kept("b").exists() && !kept("c").exists());
    let changed = fs::read_to_string(kept("a")).unwrap().replace("simple", "other");
    fs::write(kept("a"), changed).unwrap();
    let (code, said, told) = place.answered(&["test", "--review"], "y\ny\ny\n");
    assert_eq!(code, Some(0), "{said}{told}");
    assert!(told.contains("own › a is different"), "{told}");
    assert_eq!(place.test_in_ci(&[]).0, Some(0));
    // At the end of the input nothing is taken, and in CI there is no one to ask.
    fs::remove_file(kept("c")).unwrap();
    assert_eq!(place.answered(&["test", "--review"], "").0, Some(1));
    assert!(!kept("c").exists());
    assert_eq!(place.test_in_ci(&["--review"]).0, Some(2));
}

#[test]
fn configurations_of_others_become_a_file_of_tests() {
    let place = Place::new("import");
    let server = env!("CARGO_BIN_EXE_proofmark");
    let text = format!(
        "{{\n  // Claude\n  \"mcpServers\": {{\"own\": {{\"command\": \"{server}\", \"args\": [\"everything\", \"--stdio\"]}},}}\n}}\n"
    );
    fs::write(place.folder.join("claude.json"), text).unwrap();
    let (code, _, told) = place.test(&["--import", "claude.json"]);
    assert_eq!(code, Some(0), "{told}");
    let (code, said, _) = place.test(&[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("1 passed"), "{said}");
    let (code, _, told) = place.test(&["--import", "claude.json"]);
    assert_eq!(code, Some(2));
    assert!(told.contains("is there already"), "{told}");
    fs::write(place.folder.join("empty.json"), "{}").unwrap();
    for file in ["empty.json", "none.json"] {
        assert_eq!(place.test(&["other.yaml", "--import", file]).0, Some(2), "{file}");
    }
}

#[cfg(unix)]
#[test]
fn a_change_runs_again_what_it_concerns_until_it_is_quit() {
    let place = Place::new("watch");
    fs::create_dir(place.folder.join("sources")).unwrap();
    let server = env!("CARGO_BIN_EXE_proofmark");
    let text = |name: &str| {
        format!(
            "servers:\n  one: {{command: [{server}, everything, --stdio], watch: sources}}\n  two: {{command: [{server}, everything, --stdio]}}\ntests:\n  - {{name: first, server: one, call: test_simple_text}}\n  - {{name: {name}, server: two, call: test_simple_text}}\n"
        )
    };
    fs::write(place.folder.join("proofmark.yaml"), text("second")).unwrap();
    let mut child = Command::new(server)
        .args(["test", "--watch", "--format", "tap", "--judge", "off"])
        .current_dir(&place.folder)
        .env_remove("CI")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (sender, lines) = mpsc::channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let mut keys = child.stdin.take().unwrap();
    // The names of the tests of the next run.
    let next = |what: &str| -> Vec<String> {
        let deadline = Instant::now() + Duration::from_secs(90);
        let mut names = Vec::new();
        let mut plan = None;
        while plan.is_none_or(|plan| names.len() < plan) {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = lines.recv_timeout(left).unwrap_or_else(|_| panic!("{what}: {names:?}"));
            if let Some(count) = line.strip_prefix("1..") {
                plan = count.trim().parse::<usize>().ok();
            } else if line.starts_with("ok") {
                names.push(line.rsplit(' ').next().unwrap().to_owned());
            }
        }
        names.sort();
        names
    };
    assert_eq!(next("at first"), ["first", "second"]);
    fs::write(place.folder.join("sources/main.rs"), "changed").unwrap();
    assert_eq!(next("a source"), ["first"]);
    fs::write(place.folder.join("proofmark.yaml"), text("third")).unwrap();
    assert_eq!(next("the file"), ["third"]);
    keys.write_all(b"p first\n").unwrap();
    assert_eq!(next("a filter"), ["first"]);
    keys.write_all(b"p\n").unwrap();
    assert_eq!(next("no filter"), ["first", "third"]);
    keys.write_all(b"q\n").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
