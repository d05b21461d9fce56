//! `proofmark fleet` as a person or a CI job uses it: exit codes, what is killed, and what servers say to do harm.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
    thread::sleep,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use serde_json::Value;

#[test]
fn an_inventory_that_is_wrong_is_told_with_its_places() {
    let place =
        Place::new("lint", "servers:\n  a: {comand: x}\n  b: {command: y, min_score: 200}\n");
    let output = place.run(&["lint"]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("fleet.yaml:2:7: the server a has no `comand`"), "{told}");
    assert!(told.contains(":3:30: a score is a number from 0 to 100"), "{told}");
}

#[test]
fn servers_that_cannot_be_reached_harm_no_others() {
    let place = Place::new(
        "hostile",
        &format!(
            "servers:\n  gone: {{command: /no/such/program}}\n  \
             forks: {{command: [sh, -c, \"{FORKS}\"], limits: {{processes: 20, time: 20s}}}}\n"
        ),
    );
    let output = place.run(&["run", "--format", "json"]);
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let verdict = |name: &str| {
        let results = told["results"].as_array().unwrap();
        results.iter().find(|it| it["server"] == name).unwrap()["verdict"].clone()
    };
    assert_eq!(verdict("gone"), "unreachable");
    assert_eq!(verdict("forks"), "exceeded");
    let left = Command::new("pgrep").args(["-f", MARK]).output().unwrap();
    assert_eq!(String::from_utf8(left.stdout).unwrap(), "");
}

/// Runs are killed without a chance to say goodbye and resumed until they are finished; `PROOFMARK_KILLS` says how often.
#[test]
fn a_run_that_is_killed_is_finished_with_nothing_lost_or_doubled() {
    let kills: u32 =
        std::env::var("PROOFMARK_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(3);
    let servers: Vec<String> =
        (0..8).map(|number| format!("  s{number}: {{command: /no/such/program}}\n")).collect();
    let place = Place::new("killed", &format!("servers:\n{}", servers.concat()));
    let (mut killed, mut runs, mut random) = (0, 0, seed());
    while killed < kills {
        runs += 1;
        let mut resumes: &[&str] = &["run"];
        loop {
            let mut child = place.command(resumes).spawn().unwrap();
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let until = Instant::now() + Duration::from_millis(random >> 33 & 0x7ff);
            let mut status = child.try_wait().unwrap();
            while status.is_none() && (killed >= kills || Instant::now() < until) {
                sleep(Duration::from_millis(5));
                status = child.try_wait().unwrap();
            }
            if let Some(status) = status {
                // A run that was killed before it began leaves nothing to resume.
                assert!(matches!(status.code(), Some(2 | 3)), "{status}");
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            killed += 1;
            resumes = &["run", "--resume"];
        }
    }
    let output = place.run(&["history", "--last", "1000", "--format", "json"]);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let all = told["runs"].as_array().unwrap();
    assert!(!all.is_empty() && all.len() <= runs, "{} of {runs}", all.len());
    for run in all {
        assert!(run["finished"].is_string(), "{run}");
        assert_eq!((&run["jobs"], &run["failed"]), (&8.into(), &8.into()), "{run}");
    }
}

#[test]
fn what_servers_say_is_text_in_terminal_and_files() {
    let place =
        Place::new("words", "servers:\n  evil: {command: python3 evil.py, limits: {time: 60s}}\n");
    fs::write(place.folder.join("evil.py"), EVIL_SERVER).unwrap();
    let run = place.run(&["run"]);
    assert!(matches!(run.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&run.stderr));
    let html = place.folder.join("pages");
    let html = html.to_str().unwrap();
    for words in [
        &["history", "evil"][..],
        &["diff"],
        &["report", "--format", "csv"],
        &["report", "--format", "json"],
        &["report", "--format", "junit"],
        &["report", "--format", "markdown"],
        &["report", "--format", "openmetrics"],
        &["report", "--format", "sarif"],
        &["report", "--format", "badge", "--server", "evil"],
        &["report", "--format", "html", "--output", html],
    ] {
        let output = place.run(words);
        is_text(&output.stdout, words);
        is_text(&output.stderr, words);
    }
    is_text(&run.stdout, &["run"]);
    for page in ["index.html", "server-1.html"] {
        let text = fs::read_to_string(place.folder.join("pages").join(page)).unwrap();
        is_text(text.as_bytes(), &[page]);
        assert!(!text.contains("<script"), "{text}");
        assert!(text.len() < 1_000_000, "{}", text.len());
    }
}

/// Nothing that a terminal obeys, and nothing that turns text around.
#[track_caller]
fn is_text(bytes: &[u8], what: &[&str]) {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let bad =
        text.chars().find(|it| it.is_control() && !"\r\n\t".contains(*it) || *it == '\u{202e}');
    assert_eq!(bad, None, "{what:?}");
}

fn seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::from(now.subsec_nanos())
}

/// A folder with an inventory, gone with the test.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn new(name: &str, inventory: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("proofmark-fleet-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("fleet.yaml"), inventory).unwrap();
        Self { folder }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
        command.arg("fleet").args(words).current_dir(&self.folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// In the command of processes that must not be left behind.
const MARK: &str = "sleep 7351.25";
const FORKS: &str = "while :; do setsid sleep 7351.25 & sleep 0.01; done";

/// A server whose names and errors are markup, escapes, marks that turn text around, and a megabyte.
const EVIL_SERVER: &str = r#"
import sys, json
evil = "<script>alert(1)</script>\x1b]0;x\x07\x9b31m\u202e::error::x" + "A" * 1000000
for line in sys.stdin:
    try: message = json.loads(line)
    except ValueError: continue
    if not isinstance(message, dict) or "id" not in message: continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    if message.get("method") == "initialize":
        answer["result"] = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": evil, "version": evil}, "instructions": evil[:100]}
    elif message.get("method") == "tools/list":
        answer["result"] = {"tools": [{"name": evil[:200], "description": evil[:200], "inputSchema": {"type": "object"}}]}
    else:
        answer["error"] = {"code": 1, "message": evil[:500]}
    print(json.dumps(answer), flush=True)
"#;
