//! The configuration of mcp-jest: one server, and what its tools, resources and prompts should do.

use regex::Regex;
use serde_json::{Map, Value, json};

use super::Imported;
use crate::file::escape;

pub(super) fn import(root: &Value) -> Option<Imported> {
    let mut notes = Vec::new();
    let entry = root.get("server")?;
    let mut server = super::server("server", entry, &mut notes)?;
    let tests = root.get("tests").unwrap_or(root);
    let timeout = tests.get("timeout").or_else(|| root.get("timeout")).and_then(Value::as_u64);
    if let Some(timeout) = timeout {
        server["timeout"] = json!(format!("{timeout}ms"));
    }
    let mut made = Vec::new();
    for (kind, act, list) in [
        ("tools", "call", "tools"),
        ("resources", "read", "resources"),
        ("prompts", "prompt", "prompts"),
    ] {
        match tests.get(kind) {
            Some(Value::Array(names)) => made.push(listed(list, names)),
            Some(Value::Object(all)) => {
                made.push(listed(list, &present(all)));
                for (name, test) in all {
                    made.extend(one(act, name, test, &mut notes));
                }
            }
            _ => {}
        }
    }
    if made.is_empty() {
        made.push(json!({"name": "lists its tools", "list": "tools"}));
    }
    for key in ["filter", "skip"] {
        if let Some(pattern) = tests.get(key).and_then(Value::as_str) {
            notes.push(format!("`{key}: {pattern}` is --filter on the command line here"));
        }
    }
    let mut document = Map::new();
    document.insert("servers".to_owned(), json!({"server": server}));
    if let Some(retries) = tests.get("maxRetries").and_then(Value::as_u64).filter(|it| *it > 0) {
        document.insert("defaults".to_owned(), json!({"retries": retries}));
    }
    document.insert("tests".to_owned(), Value::Array(made));
    Some(Imported { document: Value::Object(document), notes })
}

/// Names that should be there.
fn present(all: &Map<String, Value>) -> Vec<Value> {
    let wanted = all.iter().filter(|(_, test)| test.get("shouldExist") != Some(&json!(false)));
    wanted.map(|(name, _)| json!(name)).collect()
}

fn listed(list: &str, names: &[Value]) -> Value {
    let names: Vec<Value> = names
        .iter()
        .filter(|name| name.as_str().is_some_and(|name| !name.contains('*')))
        .map(escape)
        .collect();
    json!({"name": format!("has its {list}"), "list": list, "expect": {"names": {"contains": names}}})
}

fn one(act: &str, name: &str, test: &Value, notes: &mut Vec<String>) -> Option<Value> {
    if name.contains('*') {
        notes.push(format!("{act} {name}: a pattern has no test of its own"));
        return None;
    }
    let mut made =
        json!({"name": escape(&json!(format!("{act} {name}"))), act: escape(&json!(name))});
    if let Some(arguments) = test.get("args").filter(|_| act != "read") {
        made["arguments"] = escape(arguments);
    }
    let fails = test.get("shouldThrow") == Some(&json!(true))
        || test.get("shouldExist") == Some(&json!(false));
    if fails {
        made["expect_error"] = json!(true);
        return Some(made);
    }
    let mut expect = Map::new();
    match test.get("expect").and_then(Value::as_str) {
        None | Some("exists") => {}
        Some(said) => match included(said) {
            Some(words) => _ = expect.insert("text".to_owned(), escape(&json!(words))),
            None => notes.push(format!("{act} {name}: `{said}` is JavaScript, and is left out")),
        },
    }
    match test.get("snapshot") {
        None | Some(Value::Bool(false)) => {}
        Some(snapshot) => {
            expect.insert("snapshot".to_owned(), json!(true));
            if snapshot.is_object() {
                notes.push(format!(
                    "{act} {name}: what its snapshot leaves out has to be said by `redact`"
                ));
            }
        }
    }
    if !expect.is_empty() {
        made["expect"] = Value::Object(expect);
    }
    Some(made)
}

/// The text that an expression such as `content[0].text.includes('x')` asks for.
fn included(said: &str) -> Option<String> {
    let pattern = Regex::new(r#"^[\w.\[\]]*\.includes\((?:'([^'\\]*)'|"([^"\\]*)")\)$"#).ok()?;
    let found = pattern.captures(said.trim())?;
    found.get(1).or_else(|| found.get(2)).map(|it| it.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_of_mcp_jest_becomes_tests() {
        let imported = super::super::import(
            r#"{"server": {"command": "node", "args": ["./server.js"]},
                "tests": {"timeout": 5000, "tools": {
                    "echo": {"args": {"message": "hi {{x}}"}, "expect": "content[0].text.includes('hi')", "snapshot": true},
                    "fail": {"shouldThrow": true},
                    "odd": {"expect": "content.length > 1"}},
                  "resources": ["notes://a", "notes://*"], "prompts": {"greet": {"args": {"name": "Ada"}}}}}"#,
        )
        .unwrap();
        let document = &imported.document;
        assert_eq!(
            document["servers"]["server"],
            json!({"command": ["node", "./server.js"], "timeout": "5000ms"})
        );
        let tests = document["tests"].as_array().unwrap();
        let named = |name: &str| tests.iter().find(|it| it["name"] == name).unwrap();
        assert_eq!(named("call echo")["expect"], json!({"text": "hi", "snapshot": true}));
        assert_eq!(named("call fail")["expect_error"], json!(true));
        assert_eq!(named("has its resources")["expect"]["names"]["contains"], json!(["notes://a"]));
        assert_eq!(named("prompt greet")["arguments"], json!({"name": "Ada"}));
        assert_eq!(imported.notes.len(), 1, "{:?}", imported.notes);
        let path = std::env::temp_dir().join(format!("proofmark-jest-{}.yaml", std::process::id()));
        std::fs::write(&path, crate::yaml::write(document)).unwrap();
        let suite = crate::file::load(&path, &|_| None);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(suite.unwrap_or_else(|why| panic!("{why}")).tests.len(), tests.len());
    }
}
