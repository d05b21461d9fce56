//! What programs read is as its published schema says, and the schema knows every member of it.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

#[test]
fn reports_and_transcripts_are_as_their_schemas_say() {
    let folder = folder("schemas-of-checks");
    let (report, transcript) = (folder.join("report.json"), folder.join("transcript.jsonl"));
    let of_reports = validator("report");
    let of_lines = validator("transcript");
    for (words, code) in [
        (&["--only", "M108", "--transport", "http"][..], 0),
        (&["--only", "M108", "--revision", "all"], 0),
        // Something that is no server says what is not MCP.
        (&["--only", "M001,M016", "--timeout", "1", "--", "sh", "-c", SPOILED], 1),
    ] {
        let (options, command) =
            words.split_at(words.iter().position(|it| *it == "--").unwrap_or(words.len()));
        let places = ["--format", "json", "--output", text(&report), "--record", text(&transcript)];
        run(&[&["check", "server"], options, &places, command].concat(), code);
        assert_valid(&of_reports, &read(&report));
    }
    let lines = fs::read_to_string(&transcript).unwrap();
    assert!(lines.lines().count() > 30, "{lines}");
    for line in lines.lines() {
        assert_valid(&of_lines, &serde_json::from_str(line).unwrap());
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn findings_with_excuses_are_as_the_schema_says() {
    let golden =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../check/src/report/golden/report.json");
    assert_valid(&validator("report"), &read(&golden));
}

#[test]
fn lint_reports_are_as_their_schema_says() {
    let folder = folder("schemas-of-lint");
    let lists = folder.join("lists.json");
    let tools = json!({ "tools": [{ "name": "a b", "inputSchema": { "type": "object" } }] });
    fs::write(&lists, tools.to_string()).unwrap();
    let said = run(&["lint", "--lists", text(&lists), "--json"], 1);
    let report: Value = serde_json::from_str(&said).unwrap();
    assert!(!report["findings"].as_array().unwrap().is_empty());
    assert_valid(&validator("lint"), &report);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn reports_of_tests_are_as_their_schema_says() {
    let folder = folder("schemas-of-tests");
    let file = folder.join("proofmark.yaml");
    let own = env!("CARGO_BIN_EXE_proofmark");
    let suite = format!(
        "servers:\n  own: {{command: [{own}, everything, --stdio]}}\n  none: {{command: no-such-server}}\n  \
         odd: {{command: [sh, -c, 'echo hello; echo oh >&2; exec {own} everything --stdio']}}\n\
         tests:\n  - {{name: good, tags: [quick], server: own, call: test_simple_text, expect: {{snapshot: true}}}}\n  \
         - {{name: bad, server: odd, call: test_simple_text, expect: {{text: other}}}}\n  \
         - {{name: later, server: own, skip: not yet, list: tools}}\n  \
         - {{name: unsure, server: own, call: test_error_handling, expect: {{arguments: accepted}}}}\n  \
         - {{name: gone, server: none, list: tools}}\n"
    );
    fs::write(&file, suite).unwrap();
    fs::create_dir_all(folder.join("proofmark.snapshots/own")).unwrap();
    fs::write(folder.join("proofmark.snapshots/own/old.yaml"), "{}").unwrap();
    let report: Value =
        serde_json::from_str(&run(&["test", text(&file), "--format", "json"], 1)).unwrap();
    let summary = &report["summary"];
    let counts = ["passed", "failed", "skipped", "undecided"].map(|it| summary[it].as_u64());
    assert_eq!(counts, [Some(1), Some(2), Some(1), Some(1)], "{report:#}");
    for list in ["breaches", "unreachable"] {
        assert!(!report[list].as_array().unwrap().is_empty(), "no {list}: {report:#}");
    }
    let validator = validator("test");
    assert_valid(&validator, &report);
    let mut other = report.clone();
    other["tests"][0]["status"] = json!("fine");
    assert!(!validator.is_valid(&other));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_published_is_what_is_printed() {
    for name in ["lint", "report", "test", "transcript"] {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/schemas/{name}-1.json"));
        assert_eq!(read(&path), serde_json::from_str::<Value>(&run(&["schema", name], 0)).unwrap());
    }
}

#[test]
fn a_schema_refuses_what_is_of_another_form() {
    let mut report =
        read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../check/src/report/golden/report.json"));
    let validator = validator("report");
    report["score"] = json!("100");
    assert!(!validator.is_valid(&report));
    report["score"] = json!(100);
    report["requirements"][0]["surprise"] = json!(true);
    assert!(!validator.is_valid(&report), "every member is known");
}

/// Answers a handshake with a line that is no message before it, and nothing else.
const SPOILED: &str = r#"read a; echo hello; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}'; cat > /dev/null"#;

/// The printed schema, with no members but those that it names.
fn validator(name: &str) -> jsonschema::Validator {
    let mut schema: Value = serde_json::from_str(&run(&["schema", name], 0)).unwrap();
    close(&mut schema);
    jsonschema::validator_for(&schema).unwrap()
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let is_schema = members.get("properties").is_some_and(Value::is_object)
                && members.contains_key("type");
            members.values_mut().for_each(close);
            if is_schema {
                members.insert("additionalProperties".to_owned(), json!(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

#[track_caller]
fn assert_valid(validator: &jsonschema::Validator, value: &Value) {
    if let Err(error) = validator.validate(value) {
        panic!("{error} at {}\n{value:#}", error.instance_path());
    }
}

#[track_caller]
fn run(words: &[&str], code: i32) -> String {
    // Where `CI` is set, snapshots that are missing are not written.
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
    let done = command.args(words).env_remove("CI").output().unwrap();
    let (said, complaints) =
        (String::from_utf8(done.stdout).unwrap(), String::from_utf8_lossy(&done.stderr));
    assert_eq!(done.status.code(), Some(code), "{words:?}\n{said}\n{complaints}");
    said
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn folder(name: &str) -> PathBuf {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    fs::create_dir_all(&path).unwrap();
    path
}
