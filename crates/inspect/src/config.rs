//! Servers from the configuration of a client: JSON with an object of servers by name.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::server::{Origin, Over, Reach, ServerEntry};

/// Why there are no servers in a text.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("it is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("it has none of {}, with servers by name", KEYS.join(", "))]
    NoServers,
    #[error("the server {name} has neither a command nor a url")]
    Unreachable { name: String },
}

/// The servers of a configuration, in its order of names. `${NAME}` and `${env:NAME}` stand for variables of the environment.
pub fn read(
    text: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Vec<ServerEntry>, ConfigError> {
    let whole: Value = serde_json::from_str(text)?;
    let found = KEYS.iter().find_map(|key| whole.get(key)?.as_object());
    let servers = found.or_else(|| bare(&whole)).ok_or(ConfigError::NoServers)?;
    servers.iter().map(|(name, entry)| server(name, entry, &variable)).collect()
}

/// Servers by name without a key around them, as people copy them.
fn bare(whole: &Value) -> Option<&Map<String, Value>> {
    let servers = whole.as_object()?;
    let is_server = |entry: &Value| {
        ["command", "url", "serverUrl", "httpUrl"].iter().any(|key| entry.get(key).is_some())
    };
    (!servers.is_empty() && servers.values().all(is_server)).then_some(servers)
}

fn server(
    name: &str,
    entry: &Value,
    variable: &impl Fn(&str) -> Option<String>,
) -> Result<ServerEntry, ConfigError> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(|it| expand(it, variable));
    let pairs = |key: &str| -> Vec<(String, String)> {
        let members = entry.get(key).and_then(Value::as_object).into_iter().flatten();
        members
            .filter_map(|(name, value)| Some((name.clone(), expand(value.as_str()?, variable))))
            .collect()
    };
    let url = text("url").or_else(|| text("serverUrl")).or_else(|| text("httpUrl"));
    let words = words(entry, variable);
    let reach = match (url, words) {
        (Some(url), _) => {
            let is_sse = ["type", "transport"]
                .iter()
                .any(|key| entry.get(key).is_some_and(|it| it == "sse"));
            let over = if is_sse { Over::Sse } else { Over::StreamableHttp };
            Reach::Url { url, over, headers: pairs("headers") }
        }
        (None, Some(words)) => {
            let environment: BTreeMap<_, _> = pairs("env").into_iter().collect();
            Reach::Command { words, environment, folder: text("cwd").map(Into::into) }
        }
        (None, None) => return Err(ConfigError::Unreachable { name: name.to_owned() }),
    };
    Ok(ServerEntry { origin: Origin::Configuration, ..ServerEntry::new(name, reach) })
}

/// A program and its arguments, in one list or in two.
fn words(entry: &Value, variable: &impl Fn(&str) -> Option<String>) -> Option<Vec<String>> {
    let list = |value: &Value| -> Vec<String> {
        let items = value.as_array().into_iter().flatten();
        items.filter_map(Value::as_str).map(|it| expand(it, variable)).collect()
    };
    let mut words = match entry.get("command")? {
        Value::String(program) => vec![expand(program, variable)],
        other => list(other),
    };
    words.extend(entry.get("args").map(list).unwrap_or_default());
    (!words.is_empty()).then_some(words)
}

/// A variable that has no value stays as it was written.
fn expand(text: &str, variable: &impl Fn(&str) -> Option<String>) -> String {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        whole.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            rest = &rest[before.len()..];
            break;
        };
        match variable(name.strip_prefix("env:").unwrap_or(name)) {
            Some(value) => whole.push_str(&value),
            None => whole.extend(["${", name, "}"]),
        }
        rest = behind;
    }
    whole + rest
}

const KEYS: [&str; 4] = ["mcpServers", "servers", "context_servers", "mcp"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_of_several_clients_are_read() {
        let text = r#"{"mcpServers": {
            "local": {"command": "npx", "args": ["-y", "thing"], "env": {"KEY": "${TOKEN}"}},
            "old": {"type": "sse", "url": "https://a.example/sse"},
            "remote": {"serverUrl": "https://a.example/mcp", "headers": {"authorization": "Bearer ${env:TOKEN} ${NONE}"}},
            "listed": {"command": ["node", "a.js"]}}}"#;
        let read = read(text, |name| (name == "TOKEN").then(|| "secret".to_owned())).unwrap();
        let shown: Vec<_> =
            read.iter().map(|it| (it.name.as_str(), it.transport(), it.target())).collect();
        assert_eq!(
            shown,
            [
                ("listed", "stdio", "node a.js".to_owned()),
                ("local", "stdio", "npx -y thing".to_owned()),
                ("old", "sse", "https://a.example/sse".to_owned()),
                ("remote", "http", "https://a.example/mcp".to_owned()),
            ]
        );
        assert!(
            matches!(&read[1].reach, Reach::Command { environment, .. } if environment["KEY"] == "secret")
        );
        assert!(
            matches!(&read[3].reach, Reach::Url { headers, .. } if headers[0].1 == "Bearer secret ${NONE}")
        );
        assert_eq!(read[1].to_confirm().as_deref(), Some("npx -y thing"));
        assert_eq!(read[3].to_confirm(), None);
    }

    #[test]
    fn what_has_no_servers_is_refused_with_the_reason() {
        for (text, why) in [
            ("{", "no JSON"),
            ("{}", "none of"),
            ("[1]", "none of"),
            (r#"{"servers": {"a": {}}}"#, "neither"),
        ] {
            let error = read(text, |_| None).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
        assert_eq!(read(r#"{"a": {"command": "b"}}"#, |_| None).unwrap().len(), 1);
        assert_eq!(expand("a ${b", &|_| None), "a ${b");
    }
}
