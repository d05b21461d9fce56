//! Servers from the configuration of a client, whatever its format, or from a registry's `server.json`.

use std::collections::BTreeMap;

use proofmark_clients::{Client, Format, Machine, PlanError, Scope, read_document};
use serde_json::{Map, Value, json};

use crate::server::{Origin, Over, Reach, ServerEntry};

/// Why there are no servers in a text.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{client} has no file here")]
    NoFile { client: &'static str },
    #[error("it is no JSON, no TOML and no YAML: {0}")]
    NotRead(String),
    #[error("it has none of {}, with servers by name", KEYS.join(" "))]
    NoServers,
    #[error("{0}")]
    Place(#[from] PlanError),
    #[error("the server {name} has neither a command nor a url")]
    Unreachable { name: String },
}

/// The servers of a configuration, in its order of names. `${NAME}` and `${env:NAME}` stand for variables of the environment.
pub fn read(
    text: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Vec<ServerEntry>, ConfigError> {
    let whole = document(text)?;
    let found = KEYS.iter().find_map(|key| whole.pointer(key)?.as_object());
    let registry = registry(&whole);
    let servers = found
        .or_else(|| bare(&whole))
        .or_else(|| registry.as_ref()?.as_object())
        .ok_or(ConfigError::NoServers)?;
    servers.iter().map(|(name, entry)| server(name, entry, &variable)).collect()
}

/// The servers that a client of this machine has in the file of its user.
pub fn of_client(
    client: &'static Client,
    machine: &Machine,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Vec<ServerEntry>, ConfigError> {
    let path = client.locate(&Scope::User, machine)?;
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|_| ConfigError::NoFile { client: client.name })?;
    read(&text, variable)
}

/// JSON, also with comments, or else TOML, or else YAML.
fn document(text: &str) -> Result<Value, ConfigError> {
    let json = read_document(Format::Json, text);
    let others = [Format::Toml, Format::Yaml].into_iter();
    let mut others = others.filter_map(|it| read_document(it, text).ok().filter(Value::is_object));
    match json {
        Ok(whole) => Ok(whole),
        Err(why) => others.next().ok_or_else(|| ConfigError::NotRead(why.to_string())),
    }
}

/// One way to run a server of a registry: a remote if there is one, else its first package.
fn registry(whole: &Value) -> Option<Value> {
    let name = whole.get("name")?.as_str()?;
    if let Some(remote) = whole.pointer("/remotes/0") {
        return Some(json!({name: remote}));
    }
    let package = whole.pointer("/packages/0")?;
    let text = |key: &str| package.get(key).and_then(Value::as_str);
    let (mut words, joint) = match text("registryType")? {
        "npm" => (vec!["npx", "-y"], "@"),
        "pypi" => (vec!["uvx"], "=="),
        "oci" => (vec!["docker", "run", "-i", "--rm"], ":"),
        _ => return None,
    };
    let identifier = text("identifier")?;
    let package = text("version")
        .map_or_else(|| identifier.to_owned(), |it| format!("{identifier}{joint}{it}"));
    words.push(&package);
    Some(json!({name: {"command": words}}))
}

/// Servers by name without a key around them, as people copy them.
fn bare(whole: &Value) -> Option<&Map<String, Value>> {
    let servers = whole.as_object()?;
    let is_server = |entry: &Value| {
        ["command", "cmd", "url", "serverUrl", "httpUrl"].iter().any(|key| entry.get(key).is_some())
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
    let url = ["url", "serverUrl", "httpUrl", "uri"].into_iter().find_map(text);
    let words = words(entry, variable);
    let reach = match (url, words) {
        (Some(url), _) => {
            let is_sse = ["type", "transport"]
                .iter()
                .any(|key| entry.get(key).is_some_and(|it| it == "sse"));
            let over = if is_sse { Over::Sse } else { Over::StreamableHttp };
            Reach::Url { url, over, headers: [pairs("headers"), pairs("http_headers")].concat() }
        }
        (None, Some(words)) => {
            let environment = ["env", "envs", "environment"].into_iter().flat_map(pairs);
            let environment: BTreeMap<_, _> = environment.collect();
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
    let mut words = match entry.get("command").or_else(|| entry.get("cmd"))? {
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

const KEYS: [&str; 7] = [
    "/mcpServers",
    "/servers",
    "/context_servers",
    "/mcp_servers",
    "/extensions",
    "/mcp/servers",
    "/mcp",
];

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
            ("hello", "no JSON"),
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

    #[test]
    fn other_formats_and_registries_are_read() {
        for (text, name, target) in [
            ("[mcp_servers.a]\ncommand = \"x\"\nargs = [\"y\"] # comment\n", "a", "x y"),
            ("extensions:\n  b:\n    cmd: x\n    args: [y]\n", "b", "x y"),
            (
                "{\"mcp\": {\"servers\": {\"c\": {\"url\": \"http://a.example/\"}}}} // comment",
                "c",
                "http://a.example/",
            ),
            (
                r#"{"name": "io/d", "packages": [{"registryType": "npm", "identifier": "d", "version": "1"}]}"#,
                "io/d",
                "npx -y d@1",
            ),
            (
                r#"{"name": "e", "remotes": [{"type": "sse", "url": "http://e.example/"}]}"#,
                "e",
                "http://e.example/",
            ),
        ] {
            let read = read(text, |_| None).unwrap();
            assert_eq!(
                (read[0].name.as_str(), read[0].target()),
                (name, target.to_owned()),
                "{text}"
            );
        }
    }
}
