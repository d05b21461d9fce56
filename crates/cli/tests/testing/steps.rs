//! Every kind of step, in both eras and over HTTP.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use super::Place;

#[test]
fn tasks_cancels_subscriptions_and_notifications_work_in_both_eras() {
    let place = Place::new("steps");
    let server = env!("CARGO_BIN_EXE_proofmark");
    let more = format!(
        "  old: {{command: [{server}, everything, --stdio], revision: 2025-11-25}}\n  new: {{command: [{server}, everything, --stdio], revision: 2026-07-28}}\n"
    );
    place.file_with(
        &more,
        "tests:
  - name: a task is followed to its end
    servers: [old, new]
    call: slow_compute
    arguments: {seconds: 0, label: sums}
    task: true
    expect: {text: sums}
  - name: a slow call is taken back
    servers: [old, new]
    steps:
      - {call: test_slow, arguments: {durationMs: 20000}, cancel_after: 100ms}
      - {call: test_simple_text, expect: {within: 10s}}
  - name: a subscription brings an update
    servers: [old, new]
    steps:
      - {subscribe: 'test://watched-resource'}
      - {call: test_trigger_resource_update}
      - {wait: resources/updated, params: {uri: 'test://watched-resource'}, within: 20s}
      - {unsubscribe: 'test://watched-resource'}
  - name: what is told comes in order
    servers: [old, new]
    call: test_tool_with_progress
    expect: {notifications: [{method: progress, params: {progress: 0}}, {method: progress, params: {progress: 100}}]}
  - name: completes
    servers: [old, new]
    complete: {prompt: test_prompt_with_arguments, argument: arg1, value: par}
    expect: {names: {type: array}}
  - {name: logs, server: old, steps: [{log_level: debug}, {call: test_tool_with_logging, expect: {notifications: [message, message, message]}}]}
  - {name: waits in vain, server: old, steps: [{wait: resources/updated, within: 100ms}]}
",
    );
    let (code, said, _) = place.test(&["--judge", "off"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("11 passed, 1 failed"), "{said}");
    assert!(said.contains("resources/updated did not come within 100ms"), "{said}");
}

#[test]
fn the_client_answers_what_the_server_asks() {
    let place = Place::new("answers");
    let server = env!("CARGO_BIN_EXE_proofmark");
    let more = format!(
        "  old: {{command: [{server}, everything, --stdio], revision: 2025-11-25, client: {{roots: ['file:///project']}}}}\n  new: {{extends: old, revision: 2026-07-28}}\n"
    );
    place.file_with(
        &more,
        "tests:
  - name: elicitation
    servers: [old, new]
    client: {elicitation: {action: accept, content: {username: Ada, email: ada@example.com}}}
    call: test_elicitation
    arguments: {message: who}
    expect: {text: Ada}
  - name: declined
    servers: [old, new]
    client: {elicitation: decline}
    call: test_elicitation
    arguments: {message: who}
    expect: {is_error: any, text: decline}
  - name: sampling
    servers: [old, new]
    client: {sampling: a model says so}
    call: test_sampling
    arguments: {prompt: why}
    expect: {text: a model says so}
  - {name: roots, servers: [old, new], call: test_list_roots, expect: {text: 'file:///project'}}
  - {name: no answer, servers: [old, new], call: test_sampling, arguments: {prompt: why}, expect: {is_error: any}}
",
    );
    let (code, said, _) = place.test(&["--judge", "off"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("8 passed, 2 failed"), "{said}");
    assert!(said.contains("the test has no answer (`client: sampling:`)"), "{said}");
}

#[test]
fn servers_at_a_url_are_tested_over_both_transports_and_judged() {
    let serving = Serving::start(&["everything", "--http", "127.0.0.1:0"]);
    let place = Place::new("http");
    let origin = &serving.origin;
    let more = format!(
        "  http: {{url: '{origin}/mcp', headers: {{X-Team: tests}}}}\n  sse: {{url: '{origin}/sse', transport: sse}}\n"
    );
    place.file_with(&more, "tests:\n  - {name: text, servers: [http, sse], call: test_simple_text, expect: {text: simple}}\n  - {name: progress, servers: [http, sse], call: test_tool_with_progress, expect: {notifications: [progress]}}\n");
    for judging in ["list", "off"] {
        let (code, said, _) = place.test(&["--judge", judging]);
        assert_eq!(code, Some(0), "{judging}: {said}");
        assert!(said.contains("4 passed"), "{said}");
    }
}

#[test]
fn a_token_comes_from_the_environment_and_is_in_no_report() {
    let (url, heard) = refusing();
    let place = Place::new("token");
    place.file_with(
        &format!(
            "  guarded: {{url: '{url}', token_env: MY_TOKEN, timeout: 5s, start_timeout: 5s}}\n"
        ),
        "tests:\n  - {name: t, server: guarded, call: x}\n",
    );
    let (code, said, told) =
        place.run(&["test", "--judge", "off"], &[("MY_TOKEN", "s3cret-token")]);
    assert_eq!(code, Some(3), "{said}");
    let request = heard.recv_timeout(Duration::from_secs(20)).unwrap().to_lowercase();
    assert!(request.contains("authorization: bearer s3cret-token"), "{request}");
    assert!(!said.contains("s3cret") && !told.contains("s3cret"), "{said}\n{told}");
}

/// A listener that refuses everything, and gives the head of the first request.
fn refusing() -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { break };
            let mut buffer = vec![0; 16 * 1024];
            let read = stream.read(&mut buffer).unwrap_or(0);
            let _ = sender.send(String::from_utf8_lossy(&buffer[..read]).into_owned());
            let _ = stream.write_all(
                b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
            );
        }
    });
    (url, receiver)
}

/// A server of ours that says where it listens.
pub(super) struct Serving {
    child: Child,
    pub(super) origin: String,
}

impl Serving {
    pub(super) fn start(words: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let origin = line.trim().rsplit(' ').next().unwrap().to_owned();
        assert!(origin.starts_with("http://"), "{line}");
        Self { child, origin }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
