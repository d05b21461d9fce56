//! Commands that log in, with a browser that the test plays.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]
#![cfg(unix)]

#[path = "helpers/issuing.rs"]
mod issuing;

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Command, Output, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use issuing::Issuing;

#[test]
fn a_person_logs_in_once_and_is_known_from_then_on() {
    let place = Place::start("once");
    let first = place.call().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    place.visit();
    let first = first.wait_with_output().unwrap();
    assert!(said(&first).contains("This is a simple text"), "{}", complaint(&first));
    assert!(complaint(&first).contains("visit\n  http://"), "{}", complaint(&first));

    // Nobody has to come again, and nobody is called.
    let second = place.call().output().unwrap();
    assert!(said(&second).contains("This is a simple text"), "{}", complaint(&second));
    assert!(!place.page().exists());
    // Nothing that was said gives the login away.
    let kept = fs::read_to_string(place.folder.join("credentials.json")).unwrap();
    let token = kept.split("eyJ").nth(1).unwrap().split('"').next().unwrap();
    assert!(!complaint(&first).contains(token) && !complaint(&second).contains(token));
}

#[test]
fn where_nobody_can_log_in_the_demand_is_told() {
    let place = Place::start("nobody");
    let run = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["list", "tools", "--url", &place.url()])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(3));
    assert!(complaint(&run).contains("401"), "{}", complaint(&run));
}

/// A server that demands a login, and a folder; both are gone when this is dropped.
struct Place {
    server: Issuing,
    folder: PathBuf,
}

impl Place {
    fn start(name: &str) -> Self {
        let server = Issuing::start();
        let folder = env!("CARGO_TARGET_TMPDIR");
        let folder = PathBuf::from(folder).join(format!("login-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        // A browser that writes down which page it is to show.
        let browser = folder.join("browser");
        let page = folder.join("page");
        let page = page.display();
        let script = format!("#!/bin/sh\nprintf %s \"$1\" > {page}.new; mv {page}.new {page}\n");
        fs::write(&browser, script).unwrap();
        fs::set_permissions(&browser, fs::Permissions::from_mode(0o700)).unwrap();
        Self { server, folder }
    }

    fn call(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
        command
            .args(["call", "test_simple_text", "--url", &self.url(), "--browser"])
            .arg(self.folder.join("browser"))
            .arg("--credentials")
            .arg(self.folder.join("credentials.json"))
            .stdin(Stdio::null());
        command
    }

    fn url(&self) -> String {
        format!("{}/mcp", self.server.origin)
    }

    fn page(&self) -> PathBuf {
        self.folder.join("page")
    }

    /// Does what a browser does: visits the page, and then the address it is sent to.
    fn visit(&self) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while !self.page().exists() {
            assert!(Instant::now() < deadline, "no browser was opened");
            sleep(Duration::from_millis(10));
        }
        let page = fs::read_to_string(self.page()).unwrap();
        fs::remove_file(self.page()).unwrap();
        let answer = get(&page);
        let location = answer.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
        assert!(get(location).starts_with("HTTP/1.1 200"));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.folder);
    }
}

fn get(url: &str) -> String {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn said(run: &Output) -> String {
    String::from_utf8(run.stdout.clone()).unwrap()
}

fn complaint(run: &Output) -> String {
    String::from_utf8(run.stderr.clone()).unwrap()
}
