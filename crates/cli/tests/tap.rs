//! `proofmark tap` between processes and sockets, and `proofmark replay` of what it wrote.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::Arc,
    thread,
};

use serde_json::{Value, json};

#[test]
fn every_byte_passes_both_ways_as_it_is() {
    let place = Place::new("bytes");
    let mut tap = place.tap(&["cat"]);
    let mut sent = b"{\"a\":1}\r\n\n\xff\xfe no text\n".to_vec();
    sent.extend((0..3_000_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8));
    let mut input = tap.stdin.take().unwrap();
    let bytes = sent.clone();
    let writer = thread::spawn(move || input.write_all(&bytes).unwrap());
    let mut heard = Vec::new();
    tap.stdout.take().unwrap().read_to_end(&mut heard).unwrap();
    writer.join().unwrap();
    assert!(tap.wait().unwrap().success());
    assert!(heard == sent, "{} bytes of {} came back", heard.len(), sent.len());
}

#[test]
fn a_server_decides_the_exit_code_and_its_complaints_are_passed_on() {
    let place = Place::new("code");
    let tap = place.tap(&["sh", "-c", "echo oh dear >&2; exit 7"]);
    let output = tap.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(7));
    assert!(String::from_utf8_lossy(&output.stderr).contains("oh dear"));
    assert!(place.transcript().contains("oh dear"));
}

#[test]
fn messages_are_shown_while_they_pass_without_their_secrets() {
    let place = Place::new("show");
    let server =
        "read a; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"access_token\":\"s3cret\"}}'";
    let mut tap = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["tap", "--show", "--output", place.directory.join("shown.jsonl").to_str().unwrap()])
        .args(["--", "sh", "-c", server])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let asked = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    tap.stdin.as_mut().unwrap().write_all(asked).unwrap();
    let said = String::from_utf8(tap.wait_with_output().unwrap().stderr).unwrap();
    let asked = said.find("→ {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    let answered = said.find("← {\"jsonrpc\":\"2.0\",\"id\":1,\"result\"");
    assert!(asked.is_some() && asked < answered, "{said}");
    assert!(!said.contains("s3cret"), "{said}");
}

#[test]
fn a_server_that_takes_its_time_is_not_blamed_meanwhile() {
    let place = Place::new("slow");
    let server = "read a; sleep 1.5; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'";
    let mut tap = place.tap(&["sh", "-c", server]);
    let asked = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    tap.stdin.as_mut().unwrap().write_all(asked).unwrap();
    let said = String::from_utf8(tap.wait_with_output().unwrap().stderr).unwrap();
    // What the client said proves its own defect at once.
    assert!(said.contains("proofmark tap: fail client M039"), "{said}");
    assert!(!said.contains("server M013"), "{said}");
}

#[test]
fn what_a_server_leaves_behind_is_not_waited_for() {
    let place = Place::new("left");
    let mut tap = place.tap(&["sh", "-c", "sleep 600 & echo $!; exit 4"]);
    let mut left = String::new();
    BufReader::new(tap.stdout.as_mut().unwrap()).read_line(&mut left).unwrap();
    assert_eq!(tap.wait().unwrap().code(), Some(4));
    assert!(Command::new("kill").arg(left.trim()).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_transcript_without_a_name_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;

    let folder = std::env::temp_dir().join(format!("proofmark-tap-{}-mode", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["tap", "--no-judge", "--", "true"])
        .current_dir(&folder)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap()).collect();
    let modes: Vec<_> =
        files.iter().map(|file| file.metadata().unwrap().permissions().mode() & 0o777).collect();
    fs::remove_dir_all(&folder).unwrap();
    assert!(status.success());
    assert_eq!(modes, [0o600]);
}

#[test]
fn a_signal_reaches_the_server() {
    let place = Place::new("signal");
    let script = "trap 'echo caught >&2; exit 9' TERM; echo ready; while :; do sleep 0.1; done";
    let mut tap = place.tap(&["sh", "-c", script]);
    let mut line = String::new();
    BufReader::new(tap.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let id = tap.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(tap.wait_with_output().unwrap().status.code(), Some(9));
}

#[test]
fn a_tap_that_is_killed_has_written_all_that_the_other_side_saw() {
    let place = Place::new("killed");
    let mut tap = place.tap(&["cat"]);
    let mut input = tap.stdin.take().unwrap();
    let mut output = BufReader::new(tap.stdout.take().unwrap());
    for number in 0..200 {
        let line = format!("{}\n", json!({ "jsonrpc": "2.0", "id": number, "method": "ping" }));
        input.write_all(line.as_bytes()).unwrap();
        let mut echo = String::new();
        output.read_line(&mut echo).unwrap();
        assert_eq!(echo, line);
    }
    tap.kill().unwrap();
    tap.wait().unwrap();
    let transcript = place.transcript();
    for number in 0..200 {
        let part = format!(r#"\"id\":{number},"#);
        // Once by the client and once by the server.
        assert_eq!(transcript.matches(&part).count(), 2, "{number}");
    }
}

#[test]
fn a_listening_server_gets_every_byte_but_the_name_of_the_host() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = listener.local_addr().unwrap();
    let body = "event: message\r\ndata: {\"x\":1}\n\n: hello\n\n";
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Odd:  two  spaces \r\nTransfer-Encoding: chunked\r\n\r\n{:x};a=b\r\n{body}\r\n0\r\n\r\n",
        body.len()
    );
    let said = answer.clone();
    let place = Arc::new(Place::new("http"));
    let written = place.clone();
    let serving = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = Vec::new();
        while !asked.ends_with(b"{\"id\":1}") {
            let mut buffer = [0; 1024];
            let read = stream.read(&mut buffer).unwrap();
            assert_ne!(read, 0);
            asked.extend_from_slice(&buffer[..read]);
        }
        // Whoever kills it now loses nothing.
        let transcript = written.transcript();
        assert!(transcript.contains(r#"{\"id\":1}"#), "{transcript}");
        stream.write_all(said.as_bytes()).unwrap();
        String::from_utf8(asked).unwrap()
    });
    let url = format!("http://{server}/mcp");
    let mut tap = place.start(&["--listen", "127.0.0.1:0", "--url", &url]);
    let own = listening(&mut tap);
    let mut stream = TcpStream::connect(&own).unwrap();
    let asked = format!(
        "POST /mcp?a=b HTTP/1.1\r\nHost: {own}\r\nAuthorization: Bearer s3cret\r\ncontent-length: 8\r\n\r\n{{\"id\":1}}"
    );
    for piece in asked.as_bytes().chunks(7) {
        stream.write_all(piece).unwrap();
    }
    let mut heard = String::new();
    stream.read_to_string(&mut heard).unwrap();
    assert_eq!(heard, answer);
    let transcript = place.transcript();
    assert!(transcript.contains(r#"{\"x\":1}"#) && !transcript.contains("s3cret"), "{transcript}");
    assert_eq!(serving.join().unwrap(), asked.replace(&own, &server.to_string()));
    let id = tap.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert!(tap.wait().unwrap().success());
}

#[test]
fn a_page_of_a_stranger_does_not_get_through() {
    let place = Place::new("stranger");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let mut tap = place.start(&["--listen", "127.0.0.1:0", "--url", &url]);
    let own = listening(&mut tap);
    let body = "x".repeat(200_000);
    for (host, origin) in
        [("evil.test", "http://evil.test"), (&own, "http://evil.test"), ("evil.test", "null")]
    {
        let mut stream = TcpStream::connect(&own).unwrap();
        let asked = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(asked.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut heard = String::new();
        stream.read_to_string(&mut heard).unwrap();
        assert!(heard.starts_with("HTTP/1.1 403 Forbidden\r\n"), "{heard}");
        let mut passed = String::new();
        listener.accept().unwrap().0.read_to_string(&mut passed).unwrap();
        assert_eq!(passed, "");
    }
    tap.kill().unwrap();
    tap.wait().unwrap();
}

#[test]
fn a_tap_for_other_machines_has_to_be_told_its_name() {
    let place = Place::new("everywhere");
    let tap = place.start(&["--listen", "0.0.0.0:0", "--url", "http://127.0.0.1:1/mcp"]);
    let output = tap.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--allow-host"));
}

#[test]
fn a_defect_is_blamed_on_the_server_that_has_it() {
    let place = Place::new("blamed-server");
    // The answer to the second request has both a result and an error.
    let both = r#"{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":""}}"#;
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    place.converse(&ping, both);
    let (code, report) = place.replay("server");
    assert_eq!(code, Some(1), "{report}");
    assert_eq!(failed(&report), ["M007"]);
    let (code, report) = place.replay("client");
    assert_eq!((code, failed(&report)), (Some(0), Vec::new()), "{report}");
}

#[test]
fn a_defect_is_blamed_on_the_client_that_has_it() {
    let place = Place::new("blamed-client");
    // The id of the handshake, once more.
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    place.converse(&ping, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    let (code, report) = place.replay("client");
    assert_eq!(code, Some(1), "{report}");
    assert_eq!(failed(&report), ["M004"]);
    let (code, report) = place.replay("server");
    assert_eq!((code, failed(&report)), (Some(0), Vec::new()), "{report}");
}

#[test]
fn a_recorded_run_gets_the_same_verdicts_again() {
    for side in ["server", "client"] {
        let place = Place::new(&format!("again-{side}"));
        let output = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args(["check", side, "--format", "json", "--record"])
            .arg(place.file())
            .output()
            .unwrap();
        let mut first: Value = serde_json::from_slice(&output.stdout).unwrap();
        // A transcript does not say when it was.
        assert!(first["started"].take().is_string() && first["duration"].take().is_f64());
        let (code, again) = place.replay(side);
        assert_eq!(code, Some(0), "{side}");
        assert_eq!(first, again);
        assert_eq!(place.compared(&first, &[]), (Some(0), "nothing changed\n".to_owned()));
    }
}

#[test]
fn a_comparison_says_what_changed_and_whether_it_is_about_another_target() {
    let place = Place::new("compared");
    // The answer has both a result and an error.
    let both = r#"{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":""}}"#;
    place.converse(&json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" }), both);
    let (code, mut earlier) = place.replay("server");
    assert_eq!(code, Some(1));
    // What is broken need not have changed.
    assert_eq!(place.compared(&earlier, &[]), (Some(0), "nothing changed\n".to_owned()));
    let row = &mut earlier["requirements"][0];
    let (id, name) = (row["id"].take(), row["name"].take());
    row["id"] = id.clone();
    row["status"] = json!("other");
    earlier["target"]["description"] = json!("another server");
    let (code, said) = place.compared(&earlier, &[]);
    assert_eq!(code, Some(1));
    assert!(said.starts_with("another target: then another server, now "), "{said}");
    assert!(said.contains(&format!("{} other → ", id.as_str().unwrap())), "{said}");
    let file = place.directory.join("changes.json");
    let words = ["--format", "json", "--output", file.to_str().unwrap()];
    assert_eq!(place.compared(&earlier, &words), (Some(1), String::new()));
    let changes: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(changes["changes"][0]["name"], name);
    assert_eq!(changes["target"]["was"], "another server");
    // There is no such report here, and no such form of a comparison.
    assert_eq!(place.compared(&earlier, &["--format", "sarif"]).0, Some(2));
    earlier["transport"] = json!("http");
    assert_eq!(place.compared(&earlier, &[]).0, Some(2));
}

#[test]
fn what_is_no_transcript_is_refused() {
    let place = Place::new("refused");
    fs::write(place.file(), "hello\n").unwrap();
    let (code, _) = place.replayed(&[]);
    assert_eq!(code, Some(2));
}

fn failed(report: &Value) -> Vec<String> {
    let rows = report["requirements"].as_array().unwrap().iter();
    rows.filter(|row| row["status"] == "fail")
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect()
}

/// A directory of its own.
struct Place {
    directory: PathBuf,
}

impl Place {
    fn new(name: &str) -> Self {
        let name = format!("proofmark-tap-test-{}-{name}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        fs::create_dir_all(&directory).unwrap();
        Self { directory }
    }

    fn file(&self) -> PathBuf {
        self.directory.join("transcript.jsonl")
    }

    fn transcript(&self) -> String {
        fs::read_to_string(self.file()).unwrap()
    }

    fn tap(&self, server: &[&str]) -> Child {
        self.start(&[&["--"], server].concat())
    }

    /// A handshake, and then one request and one answer, between a client and a server that do nothing else.
    fn converse(&self, request: &Value, answer: &str) {
        let greeting = json!({ "jsonrpc": "2.0", "id": 1, "result": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": { "name": "odd", "version": "1" },
        }});
        let script = format!("read a; echo '{greeting}'; read b; read c; echo '{answer}'; read d");
        let mut tap = self.tap(&["sh", "-c", &script]);
        let mut input = tap.stdin.take().unwrap();
        let handshake = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" },
        }});
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let mut output = BufReader::new(tap.stdout.take().unwrap());
        let mut line = String::new();
        writeln!(input, "{handshake}").unwrap();
        output.read_line(&mut line).unwrap();
        writeln!(input, "{initialized}\n{request}").unwrap();
        output.read_line(&mut line).unwrap();
        drop(input);
        assert!(tap.wait_with_output().unwrap().status.code().is_some());
    }

    fn start(&self, arguments: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
        command.args(["tap", "--output"]).arg(self.file()).args(arguments);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        piped.spawn().unwrap()
    }

    fn replay(&self, side: &str) -> (Option<i32>, Value) {
        let (code, said) = self.replayed(&["--side", side, "--format", "json"]);
        (code, serde_json::from_str(&said).unwrap())
    }

    /// With an earlier report.
    fn compared(&self, earlier: &Value, arguments: &[&str]) -> (Option<i32>, String) {
        let file = self.directory.join("earlier.json");
        fs::write(&file, earlier.to_string()).unwrap();
        self.replayed(&[&["--diff", file.to_str().unwrap()], arguments].concat())
    }

    fn replayed(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .arg("replay")
            .args(arguments)
            .arg(self.file())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// The host and port that a tap says it listens on.
fn listening(tap: &mut Child) -> String {
    let mut complaints = BufReader::new(tap.stderr.take().unwrap());
    let own = loop {
        let mut line = String::new();
        assert_ne!(complaints.read_line(&mut line).unwrap(), 0);
        if let Some((_, rest)) = line.split_once("http://") {
            break rest.split('/').next().unwrap().to_owned();
        }
    };
    thread::spawn(move || complaints.read_to_string(&mut String::new()));
    own
}
