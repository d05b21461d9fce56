//! Configurations of other programs as files of tests: of clients, which name servers, and of mcp-jest, which tests one.

mod jest;
mod json;

use serde_json::{Map, Value, json};

/// A file of tests, and what of the original has no form in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    pub document: Value,
    /// For a person, one sentence each.
    pub notes: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum NotImported {
    #[error("this is no JSON: {0}")]
    NoJson(serde_json::Error),
    #[error(
        "no servers are found: a configuration has `mcpServers`, `servers`, `context_servers` or `mcp`, and one of mcp-jest has `server`"
    )]
    NoServers,
}

/// Reads the configuration of a client or of mcp-jest; comments and commas that are left over do no harm.
pub fn import(text: &str) -> Result<Imported, NotImported> {
    let root: Value = serde_json::from_str(&json::plain(text)).map_err(NotImported::NoJson)?;
    if root.get("server").is_some_and(Value::is_object) {
        return jest::import(&root).ok_or(NotImported::NoServers);
    }
    let found = PLACES.iter().find_map(|place| root.pointer(place)?.as_object());
    let found =
        found.filter(|found| found.values().any(is_server)).ok_or(NotImported::NoServers)?;
    let mut notes = Vec::new();
    let mut servers = Map::new();
    let mut tests = Vec::new();
    for (name, entry) in found {
        if let Some(why) = off(entry) {
            notes.push(format!("the server {name} is left out: {why}"));
            continue;
        }
        let Some(server) = server(name, entry, &mut notes) else {
            notes
                .push(format!("the server {name} is left out: it has neither a command nor a URL"));
            continue;
        };
        servers.insert(name.clone(), server);
        tests.push(json!({"name": "lists its tools", "server": name, "list": "tools"}));
    }
    if servers.is_empty() {
        return Err(NotImported::NoServers);
    }
    let document = json!({"servers": servers, "tests": tests});
    Ok(Imported { document, notes })
}

fn is_server(entry: &Value) -> bool {
    KEYS.iter().any(|key| entry.get(key).is_some())
}

fn off(entry: &Value) -> Option<&'static str> {
    let is = |key: &str, value: bool| entry.get(key).and_then(Value::as_bool) == Some(value);
    (is("disabled", true) || is("enabled", false)).then_some("it is switched off")
}

/// A server as a file of tests names it.
fn server(name: &str, entry: &Value, notes: &mut Vec<String>) -> Option<Value> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let mut made = Map::new();
    let url = ["url", "serverUrl", "httpUrl", "uri"].iter().find_map(|key| text(key));
    if let Some(url) = url {
        made.insert("url".to_owned(), json!(filled(url, notes)));
        if [text("type"), text("transport")].contains(&Some("sse")) {
            made.insert("transport".to_owned(), json!("sse"));
        }
        copy(name, entry, &["headers", "http_headers"], "headers", &mut made, notes);
        return Some(Value::Object(made));
    }
    let command = entry.get("command").or_else(|| entry.get("cmd"))?;
    let first: Vec<&Value> = match command {
        Value::Array(words) => words.iter().collect(),
        Value::Object(command) => command.get("path").into_iter().collect(),
        other => vec![other],
    };
    let rest = entry.get("args").or_else(|| command.get("args")).and_then(Value::as_array);
    let words = first.into_iter().chain(rest.into_iter().flatten());
    let words: Vec<String> =
        words.filter_map(Value::as_str).map(|word| filled(word, notes)).collect();
    if words.is_empty() {
        return None;
    }
    made.insert("command".to_owned(), json!(words));
    copy(name, entry, &["env", "environment", "envs"], "env", &mut made, notes);
    if let Some(folder) = text("cwd") {
        made.insert("cwd".to_owned(), json!(filled(folder, notes)));
    }
    if entry.get("envFile").is_some() {
        notes.push(format!("{name}: the variables of its envFile have to be in the environment"));
    }
    Some(Value::Object(made))
}

/// Takes over a mapping of texts. What looks like a secret becomes a variable of the environment, because files of tests are shared.
fn copy(
    server: &str,
    entry: &Value,
    keys: &[&str],
    into: &str,
    made: &mut Map<String, Value>,
    notes: &mut Vec<String>,
) {
    let found = keys.iter().find_map(|key| entry.get(key)?.as_object());
    let mut members = Map::new();
    for (name, value) in found.into_iter().flatten() {
        let Some(text) = value.as_str().map(str::to_owned).or_else(|| number(value)) else {
            continue;
        };
        let mut text = filled(&text, notes);
        if is_secret(name) && !text.contains("${") && !text.is_empty() {
            let variable = variable(name);
            notes.push(format!(
                "{server}: {name} holds a secret, which is not copied: set {variable} in the environment"
            ));
            text = format!("${{{variable}}}");
        }
        members.insert(name.clone(), json!(text));
    }
    if !members.is_empty() {
        made.insert(into.to_owned(), Value::Object(members));
    }
}

fn number(value: &Value) -> Option<String> {
    (value.is_number() || value.is_boolean()).then(|| value.to_string())
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let words = ["TOKEN", "SECRET", "PASSWORD", "API_KEY", "APIKEY", "API-KEY", "AUTHORIZATION"];
    words.iter().any(|word| name.contains(word)) || name.ends_with("_KEY")
}

fn variable(name: &str) -> String {
    let letters = name
        .chars()
        .map(|it| if it.is_ascii_alphanumeric() { it.to_ascii_uppercase() } else { '_' });
    letters.collect()
}

/// References to variables in our form: `${env:NAME}` and `${NAME}` are `${NAME}`, and an input that a person is asked for is one too.
fn filled(text: &str, notes: &mut Vec<String>) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        made.push_str(&rest[..at]);
        rest = &rest[at + 2..];
        let Some(end) = rest.find('}') else {
            made.push_str("$${");
            continue;
        };
        let inside = &rest[..end];
        rest = &rest[end + 1..];
        let simple = inside.split(":-").next().unwrap_or_default();
        let is_name = |it: &str| {
            !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
        };
        match inside.split_once(':') {
            Some(("env", name)) => reference(&mut made, name),
            Some(("input", name)) => {
                let variable = variable(name);
                notes.push(format!(
                    "what a person is asked for as {name} is the variable {variable} of the environment"
                ));
                reference(&mut made, &variable);
            }
            _ if matches!(inside, "workspaceFolder" | "workspaceRoot" | "cwd") => made.push('.'),
            _ if inside == "userHome" => made.push_str("${HOME}"),
            _ if is_name(simple) => reference(&mut made, inside),
            _ => {
                notes.push(format!("${{{inside}}} is not understood, and stands as it is"));
                made.push('$');
                reference(&mut made, inside);
            }
        }
    }
    made.push_str(rest);
    made
}

fn reference(made: &mut String, inside: &str) {
    made.extend(["${", inside, "}"]);
}

/// Where clients have their servers: Claude, Cursor, MCP Inspector and most others; VS Code; Zed; `OpenCode`.
const PLACES: [&str; 6] =
    ["/mcpServers", "/servers", "/mcp/servers", "/context_servers", "/extensions", "/mcp"];
const KEYS: [&str; 7] = ["command", "cmd", "url", "serverUrl", "httpUrl", "uri", "disabled"];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn servers(text: &str) -> (Value, Vec<String>) {
        let imported = import(text).unwrap();
        (imported.document["servers"].clone(), imported.notes)
    }

    #[test]
    fn configurations_of_clients_become_servers() {
        // Claude, Cursor, MCP Inspector.
        let (made, notes) = servers(
            r#"{"mcpServers": {
                "files": {"command": "npx", "args": ["-y", "files", "${workspaceFolder}"], "env": {"MODE": "x", "API_TOKEN": "s3cret"}},
                "remote": {"type": "sse", "url": "https://example.com/sse", "headers": {"Authorization": "Bearer ${env:TOKEN}"}},
                "old": {"command": "x", "disabled": true}
            }}"#,
        );
        assert_eq!(
            made,
            json!({
                "files": {"command": ["npx", "-y", "files", "."], "env": {"MODE": "x", "API_TOKEN": "${API_TOKEN}"}},
                "remote": {"url": "https://example.com/sse", "transport": "sse", "headers": {"Authorization": "Bearer ${TOKEN}"}},
            })
        );
        assert!(notes.iter().any(|it| it.contains("API_TOKEN holds a secret")), "{notes:?}");
        assert!(notes.iter().any(|it| it.contains("old is left out")), "{notes:?}");
        // VS Code, with comments and a comma too many.
        let (made, notes) = servers(
            "{\n// mine\n\"inputs\": [{\"id\": \"api-key\", \"type\": \"promptString\"}], /* the servers */ \"servers\": {\"s\": {\"type\": \"stdio\", \"command\": \"node\", \"args\": [\"http://x // no comment\"], \"env\": {\"KEY\": \"${input:api-key}\"},},},}",
        );
        assert_eq!(
            made,
            json!({"s": {"command": ["node", "http://x // no comment"], "env": {"KEY": "${API_KEY}"}}})
        );
        assert_eq!(notes.len(), 1, "{notes:?}");
        // OpenCode and Zed.
        let (made, _) = servers(r#"{"mcp": {"a": {"type": "local", "command": ["x", "y"]}}}"#);
        assert_eq!(made["a"]["command"], json!(["x", "y"]));
        let (made, _) =
            servers(r#"{"context_servers": {"a": {"command": {"path": "x", "args": ["y"]}}}}"#);
        assert_eq!(made["a"]["command"], json!(["x", "y"]));
    }

    #[test]
    fn what_is_imported_is_a_file_of_tests() {
        let text = r#"{"mcpServers": {"a b": {"command": "x", "args": ["{{odd}}", "$${y}"]}, "c": {"url": "http://127.0.0.1:1/mcp"}}}"#;
        let imported = import(text).unwrap();
        let path =
            std::env::temp_dir().join(format!("proofmark-import-{}.yaml", std::process::id()));
        std::fs::write(&path, crate::yaml::write(&imported.document)).unwrap();
        let suite = crate::file::load(&path, &|_| Some("v".to_owned()));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(suite.unwrap_or_else(|why| panic!("{why}")).tests.len(), 2);
    }

    #[test]
    fn what_is_no_configuration_is_refused() {
        for text in
            ["", "[]", "{}", r#"{"mcpServers": {}}"#, r#"{"servers": {"a": {"x": 1}}}"#, "{\"a\""]
        {
            assert!(import(text).is_err(), "{text}");
        }
    }
}
