//! `proofmark lint`, with the Everything Server and with lists from files.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::{
    env, fs,
    path::PathBuf,
    process::{Command, Output},
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};

#[test]
fn a_server_is_looked_at_without_calling_anything() {
    let server = env!("CARGO_BIN_EXE_proofmark");
    let run = proofmark(&["lint", "--json", "--", server, "everything", "--stdio"]);
    let report: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(report["format"], 1);
    assert!(report["tokens"]["inContext"].as_u64().unwrap() > 100, "{report}");
    assert!(report["counts"]["entries"].as_u64().unwrap() > 10, "{report}");
}

#[test]
fn errors_fail_and_warnings_fail_when_strict() {
    let plain = json!({"tools": [{"name": "a", "description": "Adds two numbers.", "inputSchema": {"type": "object", "properties": {}}, "annotations": {"readOnlyHint": true}}]});
    let warned = json!({"tools": [{"name": "a"}]});
    let broken = json!({"tools": [{"name": "a.b"}]});
    for (lists, options, code) in [
        (&plain, &["--strict"][..], 0),
        (&warned, &[], 0),
        (&warned, &["--strict"], 1),
        (&warned, &["--strict", "--allow", "descriptions"], 0),
        (&warned, &["--deny", "L030"], 1),
        (&broken, &[], 1),
        (&broken, &["--allow", "tool-name-characters"], 0),
        (&plain, &["--max-tokens", "2"], 1),
        (&plain, &["--allow", "nope"], 2),
        (&plain, &["--config", "no-such.toml"], 2),
    ] {
        let file = File::new(&lists.to_string());
        let words = [&["lint", "--lists", file.name()], options].concat();
        let run = proofmark(&words);
        assert_eq!(run.status.code(), Some(code), "{options:?}: {}", text(&run.stderr));
    }
}

#[test]
fn a_configuration_is_heeded() {
    let lists = File::new(&json!({"tools": [{"name": "a.b"}]}).to_string());
    let configuration = File::new("[lint]\nallow = [\"names\"]\n");
    let words = ["lint", "--lists", lists.name(), "--config", configuration.name()];
    assert_eq!(proofmark(&words).status.code(), Some(0));
    let wrong = File::new("[lint]\nalow = []\n");
    let words = ["lint", "--lists", lists.name(), "--config", wrong.name()];
    assert_eq!(proofmark(&words).status.code(), Some(2));
}

#[test]
fn what_hides_is_shown_and_never_printed_as_it_is() {
    let hidden = json!({"tools": [{"name": "a\u{202e}", "description": "Adds\u{200b}\u{1b}[2J. <IMPORTANT>\n::error::x"}]});
    let file = File::new(&hidden.to_string());
    for format in ["pretty", "json", "github", "sarif"] {
        let run = proofmark(&["lint", "--lists", file.name(), "--format", format]);
        assert_eq!(run.status.code(), Some(1), "{format}");
        let said = text(&run.stdout);
        assert!(!said.contains(['\u{202e}', '\u{200b}', '\u{1b}']), "{format}: {said}");
        for id in ["L060", "L061", "L062", "L063"] {
            assert!(said.contains(id), "{format}: {id} is not in {said}");
        }
    }
    let said = text(&proofmark(&["lint", "--lists", file.name()]).stdout);
    assert!(said.starts_with("Security: "), "{said}");
}

#[test]
fn sarif_names_its_rules() {
    let file = File::new(&json!({"tools": [{"name": "a.b"}]}).to_string());
    let run = proofmark(&["lint", "--lists", file.name(), "--format", "sarif"]);
    let document: Value = serde_json::from_slice(&run.stdout).unwrap();
    let run = &document["runs"][0];
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
}

#[test]
fn rules_can_be_read() {
    let run = proofmark(&["lint", "--rules"]);
    assert_eq!(run.status.code(), Some(0));
    assert!(text(&run.stdout).contains("L001  error"), "{}", text(&run.stdout));
    let run = proofmark(&["lint", "--rules", "L012"]);
    assert!(text(&run.stdout).contains("Sources:\n  https://"), "{}", text(&run.stdout));
    assert_eq!(proofmark(&["lint", "--rules", "nope"]).status.code(), Some(2));
}

/// A file with a text; gone when it is dropped.
struct File(PathBuf);

impl File {
    fn new(text: &str) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("proofmark-lint-{}-{number}", std::process::id()));
        fs::write(&path, text).unwrap();
        Self(path)
    }

    fn name(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _gone = fs::remove_file(&self.0);
    }
}

fn proofmark(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_proofmark")).args(words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
