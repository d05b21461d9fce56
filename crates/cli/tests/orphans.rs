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
