//! Servers whose words are meant for the terminal, the log and the CI system of the person who reads them.

use std::process::Command;

use serde_json::{Value, json};

use super::own;

#[test]
fn names_in_lists_are_one_line_of_text() {
    let tool = json!({ "name": EVIL, "description": EVIL, "inputSchema": { "type": "object" } });
    let run = by_hand(&["list", "tools"], &json!({ "result": { "tools": [tool] } }));
    run.is_text();
    assert_eq!(run.said.lines().count(), 2, "{}", run.said);
}

#[test]
fn what_a_tool_says_is_text() {
    let content = json!([
        { "type": "text", "text": EVIL },
        { "type": "image", "data": "", "mimeType": EVIL },
        { "type": "resource_link", "name": EVIL, "uri": EVIL },
    ]);
    let run = by_hand(&["call", "a"], &json!({ "result": { "content": content } }));
    run.is_text();
    assert!(run.said.contains("\\u{1b}]0;"), "{}", run.said);
}

#[test]
fn what_is_read_is_text() {
    let contents = json!([{ "uri": "a:b", "text": EVIL }]);
    by_hand(&["read", "a:b"], &json!({ "result": { "contents": contents } })).is_text();
}

#[test]
fn json_of_a_server_is_printed_with_escapes_and_says_the_same() {
    let content = json!([{ "type": "text", "text": EVIL }]);
    let run = by_hand(&["call", "a", "--json"], &json!({ "result": { "content": content } }));
    run.is_text();
    let printed: Value = serde_json::from_str(&run.said).unwrap();
    assert_eq!(printed["content"][0]["text"], EVIL);
}

#[test]
fn errors_of_a_server_are_text() {
    let run = by_hand(&["call", "a"], &json!({ "error": { "code": 1, "message": EVIL } }));
    run.is_text();
    assert!(run.complaints.contains("\\u{1b}]0;"), "{}", run.complaints);
}

#[test]
fn last_words_of_a_server_that_crashes_are_text() {
    let crash = format!("{PRELUDE}sys.stderr.write({}); sys.exit(3)", json!(EVIL));
    let run = run(&["list"], &crash);
    run.is_text();
    assert!(run.complaints.contains("it said last"), "{}", run.complaints);
}

#[test]
fn what_is_logged_is_text() {
    let noise = format!("{PRELUDE}print({}, flush=True); sys.stdin.readline()", json!(EVIL));
    run(&["list", "--timeout", "1", "--log", "trace"], &noise).is_text();
}

#[test]
fn every_report_is_text_and_junit_is_xml() {
    for format in ["pretty", "github", "html", "json", "junit", "markdown", "sarif"] {
        let answer = json!({ "result": { "tools": [{ "name": EVIL, "inputSchema": 1 }] } });
        let junk = "print(EVIL, flush=True)\nwhile True:";
        let server = serving(&answer).replace("while True:", junk);
        let words = ["check", "server", "--timeout", "1", "--requirements", "2025-11-25"];
        let run = run(&[&words[..], &["--max-time", "20", "--format", format]].concat(), &server);
        assert_eq!(run.code, Some(1), "{}", run.complaints);
        run.is_printable();
        if format == "github" {
            let ours = |line: &str| {
                line.starts_with("::error title=M") || line.starts_with("::warning title=")
            };
            assert!(run.said.lines().all(ours), "{}", run.said);
        } else {
            run.has_no_commands();
        }
        if format == "junit" {
            parse_xml(&run.said);
        }
    }
}

#[track_caller]
fn parse_xml(text: &str) {
    let path = std::env::temp_dir().join(format!("proofmark-words-{}.xml", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let script = "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])";
    let parsed = Command::new("python3").args(["-c", script]).arg(&path).status().unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(parsed.success(), "{text}");
}

struct Run {
    code: Option<i32>,
    said: String,
    complaints: String,
}

impl Run {
    #[track_caller]
    fn is_text(&self) {
        self.is_printable();
        self.has_no_commands();
    }

    #[track_caller]
    fn is_printable(&self) {
        for text in [&self.said, &self.complaints] {
            let bad =
                |it: char| it != '\n' && it != '\t' && (it.is_control() || HIDDEN.contains(it));
            assert!(!text.contains(bad), "{text:?}");
        }
    }

    #[track_caller]
    fn has_no_commands(&self) {
        for line in self.said.lines().chain(self.complaints.lines()) {
            assert!(!line.trim_start().starts_with("::") && !line.contains("##["), "{line}");
        }
    }
}

/// Runs a command with a server that greets and gives this to each other request.
#[track_caller]
fn by_hand(words: &[&str], answer: &Value) -> Run {
    run(words, &serving(answer))
}

#[track_caller]
fn run(words: &[&str], server: &str) -> Run {
    let mut command = Command::new(own());
    let run = command.args(words).args(["--", "python3", "-c", server]).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: run.status.code(), said: text(run.stdout), complaints: text(run.stderr) }
}

fn serving(answer: &Value) -> String {
    let literal = |text: &str| json!(text).to_string();
    format!(
        "{PRELUDE}EVIL = {}
answer = json.loads({})
while True:
    line = sys.stdin.readline()
    if not line: break
    asked = json.loads(line)
    if 'id' not in asked: continue
    said = greeting if asked['method'] == 'initialize' else answer
    print(json.dumps(dict(said, jsonrpc='2.0', id=asked['id'])), flush=True)
sys.exit(0)",
        literal(EVIL),
        literal(&answer.to_string())
    )
}

const PRELUDE: &str = "import json, sys
sys.stdout.reconfigure(encoding='utf-8')
sys.stderr.reconfigure(encoding='utf-8')
greeting = {'result': {'protocolVersion': '2025-11-25', 'capabilities': {'tools': {}, 'resources': {}}, 'serverInfo': {'name': 'a', 'version': '1'}}}
";

/// Titles, clipboards and screens of terminals, commands of CI systems, and what cannot be seen.
const EVIL: &str = "a\u{1b}]0;t\u{7}\u{1b}]52;c;eA==\u{7}\u{1b}[2J\u{9b}2J\u{202e}b\u{200b}c\u{2028}d\u{fffe}e\u{7f}\r\n::error title=x::pwned::\n  ::warning::y\n##[error]z";
const HIDDEN: &str = "\u{202e}\u{200b}\u{2028}\u{fffe}";
