//! `proofmark add`, `remove` and `undo`, with files in a home folder of the test's own.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]
#![cfg(unix)]

#[path = "helpers/issuing.rs"]
mod issuing;

use std::{
    env, fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Instant,
};

use issuing::Issuing;

const BEFORE: &str = "{\n\t// mine\n\t\"mcpServers\": {},\n\t\"other\": 1\n}\n";

#[test]
fn a_server_is_tried_shown_written_and_undone() {
    let home = Home::with_cursor(BEFORE);
    let added =
        home.run(&[&["add", "notes", "--to", "cursor", "--yes", "--"], &EVERYTHING[..]].concat());
    assert_eq!(added.status.code(), Some(0), "{}", complaint(&added));
    assert!(complaint(&added).contains("answers, and has"), "{}", complaint(&added));
    assert!(text(&added.stdout).contains("+\t\t\"notes\": {"), "{}", text(&added.stdout));
    assert!(home.cursor().contains("\"everything\"") && home.cursor().contains("// mine"));
    let undone = home.run(&["undo", "--yes"]);
    assert_eq!(undone.status.code(), Some(0), "{}", complaint(&undone));
    assert_eq!(home.cursor(), BEFORE);
}

#[test]
fn without_a_person_at_the_terminal_nothing_is_written_unless_told() {
    let home = Home::with_cursor(BEFORE);
    let shown = home.run(&["add", "notes", "--to", "cursor", "--no-try", "--", "notes-server"]);
    assert_eq!(shown.status.code(), Some(2));
    assert!(text(&shown.stdout).contains("+++ "), "{}", text(&shown.stdout));
    assert!(complaint(&shown).contains("--yes writes it"), "{}", complaint(&shown));
    let shown = home.run(&["add", "notes", "--to", "cursor", "--dry-run", "--", "notes-server"]);
    assert_eq!(shown.status.code(), Some(0));
    assert_eq!(home.cursor(), BEFORE);
}

#[test]
fn a_server_that_does_not_answer_is_not_added() {
    let home = Home::with_cursor(BEFORE);
    let tried = home.run(&["add", "notes", "--to", "cursor", "--yes", "--", "no-such-server"]);
    assert_eq!(tried.status.code(), Some(3));
    assert!(complaint(&tried).contains("no-such-server"), "{}", complaint(&tried));
    assert_eq!(home.cursor(), BEFORE);
}

#[test]
fn a_server_that_wants_a_login_is_there() {
    let issuing = Issuing::start();
    let home = Home::with_cursor(BEFORE);
    let url = format!("{}/mcp", issuing.origin);
    let added = home.run(&["add", "notes", "--to", "cursor", "--yes", &url]);
    assert_eq!(added.status.code(), Some(0), "{}", complaint(&added));
    assert!(complaint(&added).contains("wants a login"), "{}", complaint(&added));
    assert!(home.cursor().contains(&url), "{}", home.cursor());
}

#[test]
fn a_server_that_is_broken_is_not_added_when_it_is_judged_first() {
    let home = Home::with_cursor(BEFORE);
    let words = ["add", "notes", "--to", "cursor", "--yes", "--check", "--"];
    let judged = home.run(&[&words[..], &EVERYTHING].concat());
    assert_eq!(judged.status.code(), Some(0), "{}", complaint(&judged));
    assert!(complaint(&judged).contains("judged: conformant, score 100"), "{}", complaint(&judged));
    assert_eq!(home.run(&["undo", "--yes"]).status.code(), Some(0));
    // Answers everything with the same empty result.
    let script = "while read line; do id=$(printf %s \"$line\" | sed -n 's/.*\"id\":\\([0-9]*\\).*/\\1/p'); \
        printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{\"name\":\"a\",\"version\":\"1\"}}}\\n' \"$id\"; done";
    let judged = home.run(&[&words[..], &["sh", "-c", script]].concat());
    assert_eq!(judged.status.code(), Some(1), "{}", complaint(&judged));
    assert!(complaint(&judged).contains("  FAIL M"), "{}", complaint(&judged));
    assert_eq!(home.cursor(), BEFORE);
}

#[test]
fn what_a_client_cannot_do_is_said_before_anything_is_written() {
    let home = Home::with_cursor(BEFORE);
    let url = "https://notes.example/mcp";
    let both =
        home.run(&["add", "notes", "--to", "cursor,claude-desktop", "--no-try", "--yes", url]);
    assert_eq!(both.status.code(), Some(2));
    assert!(
        complaint(&both).contains("Claude Desktop: it takes remote servers"),
        "{}",
        complaint(&both)
    );
    assert_eq!(home.cursor(), BEFORE);
}

#[test]
fn a_file_that_was_changed_since_is_not_undone() {
    let home = Home::with_cursor(BEFORE);
    home.add("notes");
    let touched = home.cursor().replace("\"other\": 1", "\"other\": 2");
    fs::write(home.cursor_file(), &touched).unwrap();
    let undone = home.run(&["undo", "--yes"]);
    assert_eq!(undone.status.code(), Some(2));
    assert!(complaint(&undone).contains("was changed since"), "{}", complaint(&undone));
    assert_eq!(home.cursor(), touched);
}

#[test]
fn a_link_stays_a_link_and_the_mode_stays() {
    let home = Home::new();
    let real = home.0.join("dotfiles.json");
    fs::write(&real, BEFORE).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir_all(home.0.join(".cursor")).unwrap();
    symlink(&real, home.cursor_file()).unwrap();
    home.add("notes");
    assert!(fs::symlink_metadata(home.cursor_file()).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::read_to_string(&real).unwrap().contains("notes"));
    let folder: Vec<_> = fs::read_dir(&home.0).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert!(!folder.iter().any(|it| it.to_string_lossy().contains("proofmark-")), "{folder:?}");
}

#[test]
fn of_many_at_once_none_is_lost() {
    let home = Home::with_cursor(BEFORE);
    let names: Vec<String> = (0..8).map(|number| format!("server-{number}")).collect();
    thread::scope(|scope| {
        for name in &names {
            scope.spawn(|| home.add(name));
        }
    });
    for name in &names {
        assert!(home.cursor().contains(&format!("\"{name}\"")), "{}", home.cursor());
    }
}

#[test]
fn a_process_that_is_killed_leaves_the_old_file_or_the_new_one() {
    let home = Home::with_cursor(&large());
    let before = home.cursor();
    let begun = Instant::now();
    home.add("notes");
    let whole = begun.elapsed();
    let after = home.cursor();
    let (mut old, mut new) = (0, 0);
    for round in 0..60 {
        fs::write(home.cursor_file(), &before).unwrap();
        let mut child = home
            .command(&["add", "notes", "--to", "cursor", "--yes", "--no-try", "--", "notes-server"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Spread over the time that such a process takes, and a little more.
        thread::sleep(whole * round / 40);
        child.kill().unwrap();
        child.wait().unwrap();
        match home.cursor() {
            now if now == before => old += 1,
            now if now == after => new += 1,
            now => panic!("{} bytes, neither the old nor the new file", now.len()),
        }
    }
    assert!(old > 0 && new > 0, "{old} times the old file, {new} times the new one");
    // The journal of the killed ones is no obstacle.
    fs::write(home.cursor_file(), &before).unwrap();
    home.add("notes");
    assert_eq!(home.cursor(), after);
    assert_eq!(home.run(&["undo", "--yes"]).status.code(), Some(0));
    assert_eq!(home.cursor(), before);
}

#[test]
fn clients_and_their_servers_are_listed() {
    let home = Home::with_cursor(BEFORE);
    home.add("notes");
    let listed = home.run(&["list", "--clients", "--json"]);
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["clients"][0]["id"], "cursor");
    assert_eq!(listed["clients"][0]["files"][0]["servers"]["notes"], "notes-server");
}

#[test]
fn a_tap_can_stand_in_front() {
    let home = Home::with_cursor(BEFORE);
    let added = home.run(&[
        "add",
        "notes",
        "--to",
        "cursor",
        "--yes",
        "--no-try",
        "--tap",
        "--",
        "notes-server",
    ]);
    assert_eq!(added.status.code(), Some(0), "{}", complaint(&added));
    let now = home.cursor();
    assert!(
        now.contains("\"tap\", \"--output\", ") && now.contains("\"--\", \"notes-server\""),
        "{now}"
    );
    assert!(home.0.join("state/proofmark/taps").is_dir());
}

const EVERYTHING: [&str; 3] = [env!("CARGO_BIN_EXE_proofmark"), "everything", "--stdio"];

/// A home folder; gone when it is dropped.
struct Home(PathBuf);

impl Home {
    fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("proofmark-add-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(fs::canonicalize(path).unwrap())
    }

    fn with_cursor(text: &str) -> Self {
        let home = Self::new();
        fs::create_dir_all(home.0.join(".cursor")).unwrap();
        fs::write(home.cursor_file(), text).unwrap();
        home
    }

    fn cursor_file(&self) -> PathBuf {
        self.0.join(".cursor/mcp.json")
    }

    fn cursor(&self) -> String {
        fs::read_to_string(self.cursor_file()).unwrap()
    }

    #[track_caller]
    fn add(&self, name: &str) {
        let words = ["add", name, "--to", "cursor", "--yes", "--no-try", "--", "notes-server"];
        let added = self.run(&words);
        assert_eq!(added.status.code(), Some(0), "{}", complaint(&added));
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).stdin(Stdio::null()).output().unwrap()
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
        command.args(words).current_dir(&self.0).env_clear();
        command.env("HOME", &self.0).env("XDG_STATE_HOME", self.0.join("state"));
        command.env("PATH", env::var_os("PATH").unwrap_or_default());
        command
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(Path::new(&self.0));
    }
}

/// Large enough that writing it takes a while.
fn large() -> String {
    let filler: Vec<_> = (0..2_000).map(|number| format!("\t\"key{number}\": \"value\"")).collect();
    format!("{{\n\t\"mcpServers\": {{}},\n{}\n}}\n", filler.join(",\n"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn complaint(output: &Output) -> String {
    text(&output.stderr)
}
