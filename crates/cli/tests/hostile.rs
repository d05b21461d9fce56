//! Servers that misbehave: the run ends, says what happened, stays small, and leaves no process behind.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

#[path = "hostile/clients.rs"]
mod clients;
#[path = "hostile/http.rs"]
mod http;
#[path = "hostile/lists.rs"]
mod lists;
#[path = "hostile/words.rs"]
mod words;

use std::{
    fs,
    io::Read,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use http::Server;

#[test]
fn a_server_that_never_answers_is_given_up() {
    let run = over_stdio("sleep 1000", &[]);
    assert_eq!(run.code, Some(3));
    run.says("initialize was not answered");
    run.says("It was silent until the checker ended it");
}

#[test]
fn a_server_that_stops_answering_is_given_up_with_its_last_words() {
    let run = over_stdio(&format!("{GREETS}; echo so tired >&2; exec sleep 1000"), &[]);
    assert_eq!(run.code, Some(1));
    run.says("it stopped answering during an ordinary conversation");
    run.says("on standard error: so tired");
}

#[test]
fn answers_that_come_byte_by_byte_are_answers() {
    let run = over_stdio(&format!("{} everything --stdio | dd bs=1 2>/dev/null", own()), &[]);
    assert_eq!(run.code, Some(0), "{}", run.complaints);
}

#[test]
fn a_flood_of_messages_is_cut_off() {
    let run = over_stdio(r#"exec yes '{"jsonrpc":"2.0","method":"notifications/a"}'"#, BUSY);
    assert_eq!(run.code, Some(3));
    run.says("it said more than the checker takes in");
}

#[test]
fn a_line_that_never_ends_is_cut_off() {
    let run = over_stdio("exec tr '\\0' a < /dev/zero", BUSY);
    assert_eq!(run.code, Some(3));
    run.says("it said more than the checker takes in");
}

#[test]
fn short_texts_of_very_many_values_are_not_taken_apart() {
    let bomb = "while :; do printf '['; yes 0, | tr -d '\\n' | head -c 6000000; echo '0]'; done";
    let run = over_stdio(bomb, BUSY);
    assert_eq!(run.code, Some(3));
    run.says("it said more than the checker takes in");
}

#[test]
fn a_flood_on_standard_error_is_no_reason_to_fail() {
    let noisy = format!("yes noise >&2 & {} everything --stdio; kill $!", own());
    let run = over_stdio(&noisy, &[]);
    assert_eq!(run.code, Some(0), "{}", run.complaints);
}

#[test]
fn a_server_that_closes_early_is_told_from_one_that_is_silent() {
    let run = over_stdio("read line; exit 0", &[]);
    assert_eq!(run.code, Some(3));
    run.says("it ended its output");
    run.says("exit status: 0");
}

#[test]
fn a_server_that_crashes_at_the_start_is_quoted() {
    let run = over_stdio("printf 'no config' >&2; exit 7", &[]);
    assert_eq!(run.code, Some(3));
    run.says("started sh");
    run.says("on standard error: no config");
    run.says("exit status: 7");
}

#[test]
fn a_server_that_crashes_in_between_is_quoted() {
    let run = over_stdio(&format!("{GREETS}; read a; read b; echo boom >&2; exit 9"), &[]);
    assert_eq!(run.code, Some(1));
    run.says("it hung up during an ordinary conversation");
    run.says("on standard error: boom");
    run.says("exit status: 9");
}

#[test]
fn junk_before_the_first_message_is_a_finding() {
    let run = over_stdio(&format!("echo Welcome; exec {} everything --stdio", own()), &[]);
    assert_eq!(run.code, Some(1));
    assert!(run.report.contains("FAIL M016"), "{}", run.report);
    assert!(run.report.contains("← Welcome"), "{}", run.report);
}

#[test]
fn a_server_may_be_slow_to_start() {
    let slow = format!("sleep 3; exec {} everything --stdio", own());
    assert_eq!(over_stdio(&slow, &["--timeout", "2"]).code, Some(0));
    let run = over_stdio(&slow, &["--timeout", "1", "--start-timeout", "1"]);
    assert_eq!(run.code, Some(3));
    run.says("initialize was not answered");
}

#[test]
fn no_process_is_left_of_a_server_that_ignores_signals_and_starts_others() {
    let mark = format!("9{}", std::process::id());
    let deaf = format!(
        "trap '' TERM INT HUP; sleep {mark}1 & setsid sleep {mark}2 & (setsid sh -c 'sleep {mark}3 & sleep {mark}4') & \
         {} everything --stdio; sleep {mark}5",
        own()
    );
    let run = over_stdio(&deaf, &["--only", "M016"]);
    assert_eq!(run.code, Some(0), "{}", run.complaints);
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

#[test]
fn a_run_that_takes_too_long_ends_with_a_sentence() {
    let slow = format!("{GREETS}; while read line; do sleep 0.2; echo {{}}; done");
    let run = over_stdio(&slow, &["--max-time", "2"]);
    assert_eq!(run.code, Some(1));
    assert!(run.report.contains("FAIL M001"), "{}", run.report);
    run.says("the run took longer than 2 s");
}

#[test]
fn an_http_server_that_never_answers_is_given_up() {
    let run = over_http(&Server::silent());
    assert_eq!(run.code, Some(3));
    run.says("initialize was not answered");
}

#[test]
fn an_http_server_that_hangs_up_is_given_up() {
    let run = over_http(&Server::hangs_up());
    assert_eq!(run.code, Some(3));
    run.says("the connection was closed without an answer");
}

#[test]
fn a_body_of_a_gibibyte_is_not_read_to_the_end() {
    let run = over_http(&Server::endless_body());
    assert_eq!(run.code, Some(3));
    run.says("the body has more than");
}

#[test]
fn an_event_stream_that_never_ends_is_cut_off() {
    let run = over_http(&Server::endless_events());
    assert_eq!(run.code, Some(3));
    run.says("it said more than the checker takes in");
}

#[test]
fn an_event_that_never_ends_is_cut_off() {
    let run = over_http(&Server::endless_event());
    assert_eq!(run.code, Some(3));
    run.says("cannot be checked");
}

#[test]
fn comments_that_never_end_are_no_answer() {
    let run = over_http(&Server::endless_comments());
    assert_eq!(run.code, Some(3));
    run.says("initialize was not answered");
}

#[test]
fn a_head_or_a_chunk_size_that_never_ends_is_cut_off() {
    let run = over_http(&Server::endless_head());
    assert_eq!(run.code, Some(3));
    run.says("the head of the message does not end");
    let run = over_http(&Server::endless_chunk_size());
    assert_eq!(run.code, Some(3));
    run.says("the size of a chunk does not end");
}

#[test]
fn an_http_server_that_wants_a_token_says_so_in_words() {
    let server = Server::wants("authorization: bearer s3cret");
    let url = server.url();
    let run = proofmark(&["--url", &url], &[]);
    assert_eq!(run.code, Some(1));
    assert!(run.report.contains("FAIL M310"), "{}", run.report);
    run.says("it answered with status 401");
    run.says("--token-env");
    let run = proofmark(&["--url", &url, "--token-env", "PROOFMARK_NO_SUCH_TOKEN"], &[]);
    assert_eq!(run.code, Some(2));
    run.says("no token in PROOFMARK_NO_SUCH_TOKEN");
    // With the token it gets further, and is silent afterwards.
    let token = [("PROOFMARK_TEST_TOKEN", "s3cret")];
    let run = proofmark(&["--url", &url, "--token-env", "PROOFMARK_TEST_TOKEN"], &token);
    assert_eq!(run.code, Some(3));
    run.says("initialize was not answered with a result");
    assert!(!run.complaints.contains("status 401"), "{}", run.complaints);
    assert!(!run.complaints.contains("s3cret"), "{}", run.complaints);
}

#[test]
fn a_redirect_is_not_followed() {
    let run = over_http(&Server::redirects("http://127.0.0.1:9/elsewhere"));
    assert_eq!(run.code, Some(3));
    run.says("it answered with status 307");
}

#[test]
fn headers_environment_and_directory_reach_the_server() {
    let server = Server::wants("x-key: abc");
    let run = proofmark(&["--url", &server.url(), "--header", "X-Key: abc"], &[]);
    assert!(!run.complaints.contains("status 401"), "{}", run.complaints);
    let needy = format!("test \"$KEY$PWD\" = abc/ || exit 5; exec {} everything --stdio", own());
    assert_eq!(over_stdio(&needy, &["--env", "KEY=abc", "--cwd", "/"]).code, Some(0));
    over_stdio(&needy, &[]).says("exit status: 5");
}

#[test]
fn nobody_at_the_address_is_told_in_words() {
    let run = proofmark(&["--url", "http://127.0.0.1:1/mcp"], &[]);
    assert_eq!(run.code, Some(3));
    run.says("Nothing listens there");
}

/// Answers `initialize` and the rest not.
const GREETS: &str = r#"read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}'"#;

struct Run {
    code: Option<i32>,
    report: String,
    complaints: String,
}

impl Run {
    #[track_caller]
    fn says(&self, part: &str) {
        assert!(self.complaints.contains(part), "{part:?} is not in:\n{}", self.complaints);
    }
}

fn own() -> &'static str {
    env!("CARGO_BIN_EXE_proofmark")
}

#[track_caller]
fn over_stdio(script: &str, words: &[&str]) -> Run {
    proofmark(&[words, &["--", "sh", "-c", script]].concat(), &[])
}

/// For servers that need a while to say a lot where other tests run beside this one.
const BUSY: &[&str] = &["--start-timeout", "50"];

/// With what `sh` is told, and the words after it.
#[track_caller]
fn client(script: &str, words: &[&str]) -> Run {
    let mut command = Command::new(own());
    command.args(["check", "client", "--timeout", "2", "--start-timeout", "4"]);
    watched(command.args(["--", "sh", "-c", script, "sh"]).args(words))
}

#[track_caller]
fn over_http(server: &Server) -> Run {
    proofmark(&["--url", &server.url()], &[])
}

/// Checks a server with little patience.
#[track_caller]
fn proofmark(words: &[&str], environment: &[(&str, &str)]) -> Run {
    let mut command = Command::new(own());
    command.args(["check", "server"]);
    for (name, value) in [
        ("--timeout", "2"),
        ("--start-timeout", "8"),
        ("--max-time", "60"),
        ("--requirements", "2025-11-25"),
    ] {
        if !words.contains(&name) {
            command.args([name, value]);
        }
    }
    watched(command.args(words).envs(environment.iter().copied()))
}

/// The checker may take no more memory than promised, and has to end by itself.
#[track_caller]
fn watched(command: &mut Command) -> Run {
    watched_below(MOST_KIB, command)
}

#[track_caller]
fn watched_below(most: u64, command: &mut Command) -> Run {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let reading = (thread::spawn(|| all(stdout)), thread::spawn(|| all(stderr)));
    let (code, peak) = watch(&mut child);
    let (report, complaints) = (reading.0.join().unwrap(), reading.1.join().unwrap());
    assert!(peak < most, "{peak} KiB");
    Run { code, report, complaints }
}

/// The exit code, and the largest size in KiB that was seen.
#[track_caller]
fn watch(child: &mut Child) -> (Option<i32>, u64) {
    let began = Instant::now();
    let mut peak = 0;
    loop {
        peak = peak.max(largest_size(child.id()).unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), peak);
        }
        if began.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// The most memory that it has had, without the pages of its program, which in a debug build are many.
fn largest_size(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let size = |name: &str| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().trim_end_matches("kB").trim().parse().ok()
    };
    Some(size("VmHWM:")?.saturating_sub(size("RssFile:")?))
}

/// Command lines of processes that have this in them.
fn processes_with(mark: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|it| fs::read_to_string(it.path().join("cmdline")).ok());
    lines.filter(|line| line.contains(mark)).map(|line| line.replace('\0', " ")).collect()
}

fn all(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What the checker promises.
const MOST_KIB: u64 = 88 * 1024;
/// Far more than a run may take: not a measurement, but an end for one that would never end.
const PATIENCE: Duration = Duration::from_secs(240);
