//! What becomes of a server whose client is killed without a chance to say goodbye.
#![cfg(target_os = "linux")]

use std::{
    fs,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

#[test]
fn a_server_ends_with_its_input_when_its_client_is_killed() {
    let mark = std::env::temp_dir().join(format!("proofmark-orphan-{}", std::process::id()));
    let file = mark.display();
    let script =
        format!("echo $$ > {file}.new; mv {file}.new {file}; while read -r line; do :; done");
    let mut client = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["list", "--", "sh", "-c", &script])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let server = wait_for(|| fs::read_to_string(&mark).ok());
    client.kill().unwrap();
    client.wait().unwrap();
    let stat = format!("/proc/{}/stat", server.trim());
    wait_for(|| match fs::read_to_string(&stat) {
        Ok(state) if !state.contains(") Z ") => None,
        _ => Some(()),
    });
    fs::remove_file(&mark).unwrap();
}

#[test]
fn a_check_that_is_interrupted_ends_the_server_with_all_that_it_started() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let mark = std::env::temp_dir().join(format!("proofmark-{signal}-{}", std::process::id()));
        let file = mark.display();
        // It ends neither with its input nor when it is asked to.
        let script = format!(
            "trap '' TERM; sleep 1000 & echo $$ $! > {file}.new; mv {file}.new {file}; wait"
        );
        let checker = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args(["check", "server", "--", "sh", "-c", &script])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let started = wait_for(|| fs::read_to_string(&mark).ok());
        let id = checker.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        let output = checker.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(complaint.contains("what was started has been ended"), "{complaint}");
        for process in started.split_whitespace() {
            let stat = fs::read_to_string(format!("/proc/{process}/stat"));
            assert!(stat.is_err(), "{stat:?}");
        }
        fs::remove_file(&mark).unwrap();
    }
}

#[test]
fn what_a_server_started_in_a_session_of_its_own_ends_with_it() {
    let mark = std::env::temp_dir().join(format!("proofmark-session-{}", std::process::id()));
    let file = mark.display();
    let script = format!(
        "setsid sh -c 'echo $$ > {file}.new; mv {file}.new {file}; exec sleep 1000' \
         < /dev/null > /dev/null 2> /dev/null & while [ ! -e {file} ]; do sleep 0.01; done"
    );
    let output = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["list", "--", "sh", "-c", &script])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let started = fs::read_to_string(&mark).unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", started.trim()));
    assert!(stat.is_err(), "{stat:?}");
    fs::remove_file(&mark).unwrap();
}

#[track_caller]
fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "it did not come to pass");
        sleep(Duration::from_millis(10));
    }
}
