//! Servers from elsewhere: configurations of clients, a registry's `server.json`, folders with such files, lists of URLs.

use std::{fs, path::Path};

use proofmark_clients::{Format, Value, is_secret, read_document};
use serde_json::Value as Json;

/// A server that was found, as it would stand in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub name: String,
    pub entry: Vec<(String, Value)>,
    /// What a person should know.
    pub notes: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("{path} has no servers that are understood")]
    Nothing { path: String },
    #[error("{path} is not understood: {why}")]
    NotRead { path: String, why: String },
}

/// What a file or a folder has.
pub fn find(path: &Path) -> Result<Vec<Found>, ImportError> {
    let mut found = Vec::new();
    if path.is_dir() {
        folder(path, DEPTH, &mut found);
    } else {
        found = file(path)?;
    }
    if found.is_empty() {
        return Err(ImportError::Nothing { path: path.display().to_string() });
    }
    found.dedup_by(|one, other| one.name == other.name);
    Ok(found)
}

/// The files of projects that name servers, in a folder and those in it.
fn folder(path: &Path, depth: usize, found: &mut Vec<Found>) {
    for name in PROJECT_FILES {
        let file = path.join(name);
        if file.is_file() {
            found.extend(self::file(&file).unwrap_or_default());
        }
    }
    if depth == 0 {
        return;
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut folders: Vec<_> = entries
        .filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|it| it.path())
        .filter(|it| {
            let name = it.file_name().unwrap_or_default().to_string_lossy();
            !name.starts_with('.') && name != "node_modules" && name != "target"
        })
        .collect();
    folders.sort();
    for one in folders {
        folder(&one, depth - 1, found);
    }
}

fn file(path: &Path) -> Result<Vec<Found>, ImportError> {
    let wrong = |why: String| ImportError::NotRead { path: path.display().to_string(), why };
    let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let end = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let format = match end.as_str() {
        "toml" => Format::Toml,
        "yaml" | "yml" => Format::Yaml,
        "txt" | "list" => return Ok(urls(&text)),
        _ => Format::Json,
    };
    let document = read_document(format, &text).map_err(|error| wrong(error.to_string()))?;
    Ok(servers(&document))
}

fn urls(text: &str) -> Vec<Found> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|it| it.starts_with("http://") || it.starts_with("https://"));
    let found = lines.map(|url| Found {
        name: name_of(url.split("://").nth(1).unwrap_or(url)),
        entry: vec![("url".to_owned(), url.into())],
        notes: Vec::new(),
    });
    found.collect()
}

fn servers(document: &Json) -> Vec<Found> {
    for key in ["mcpServers", "servers", "context_servers", "mcp_servers"] {
        if let Some(entries) = document.get(key).and_then(Json::as_object) {
            return entries.iter().filter_map(|(name, it)| of_client(name, it)).collect();
        }
    }
    if let Some(projects) = document.get("mcp").and_then(|it| it.get("servers")) {
        return servers(&serde_json::json!({"servers": projects}));
    }
    of_registry(document).into_iter().collect()
}

fn of_client(name: &str, entry: &Json) -> Option<Found> {
    let text = |key: &str| entry.get(key).and_then(Json::as_str);
    let mut notes = Vec::new();
    let mut members: Vec<(String, Value)> = Vec::new();
    if let Some(command) = text("command") {
        let arguments = entry.get("args").and_then(Json::as_array).into_iter().flatten();
        let words = std::iter::once(command).chain(arguments.filter_map(Json::as_str));
        members.push(("command".to_owned(), Value::List(words.map(literal).collect())));
        if let Some(folder) = text("cwd") {
            members.push(("cwd".to_owned(), literal(folder)));
        }
        pairs(entry, "env", &mut members, &mut notes);
    } else {
        let url = ["url", "httpUrl", "serverUrl"].into_iter().find_map(text)?;
        members.push(("url".to_owned(), literal(url)));
        if text("type") == Some("sse") {
            members.push(("transport".to_owned(), "sse".into()));
        }
        pairs(entry, "headers", &mut members, &mut notes);
    }
    Some(Found { name: name_of(name), entry: members, notes })
}

/// Secrets become references to the environment.
fn pairs(entry: &Json, key: &str, members: &mut Vec<(String, Value)>, notes: &mut Vec<String>) {
    let Some(given) = entry.get(key).and_then(Json::as_object) else { return };
    let mut kept = Vec::new();
    for (name, value) in given {
        let Some(value) = value.as_str() else { continue };
        if is_secret(name, value) || value.contains("${") {
            let variable: String = name
                .chars()
                .map(|it| if it.is_ascii_alphanumeric() { it.to_ascii_uppercase() } else { '_' })
                .collect();
            notes.push(format!("{name} is taken from the environment variable {variable}"));
            kept.push((name.clone(), format!("${{{variable}:-}}").into()));
        } else {
            kept.push((name.clone(), literal(value)));
        }
    }
    if !kept.is_empty() {
        members.push((key.to_owned(), Value::Map(kept)));
    }
}

/// One way to run a server of a registry: a remote if there is one, else its first package.
fn of_registry(document: &Json) -> Option<Found> {
    let name = name_of(document.get("name")?.as_str()?);
    let text = |value: &Json, key: &str| value.get(key).and_then(Json::as_str).map(str::to_owned);
    if let Some(remote) = document.get("remotes").and_then(|it| it.get(0)) {
        let mut entry = vec![("url".to_owned(), literal(&text(remote, "url")?))];
        if text(remote, "type").as_deref() == Some("sse") {
            entry.push(("transport".to_owned(), "sse".into()));
        }
        return Some(Found { name, entry, notes: Vec::new() });
    }
    let package = document.get("packages")?.get(0)?;
    let (id, version) = (text(package, "identifier")?, text(package, "version"));
    let (command, joint): (&[&str], &str) = match text(package, "registryType")?.as_str() {
        "npm" => (&["npx", "-y"], "@"),
        "pypi" => (&["uvx"], "=="),
        "oci" => (&["docker", "run", "-i", "--rm"], ":"),
        _ => return None,
    };
    let package = version.map_or_else(|| id.clone(), |it| format!("{id}{joint}{it}"));
    let words = command.iter().copied().chain([package.as_str()]).map(literal).collect();
    let entry = vec![("command".to_owned(), Value::List(words))];
    Some(Found { name, entry, notes: Vec::new() })
}

/// A text that says itself, where `${` would stand for the environment.
fn literal(text: &str) -> Value {
    text.replace("${", "$${").into()
}

/// What can be a name on one line.
fn name_of(text: &str) -> String {
    let kept = |it: char| if it.is_alphanumeric() || "-_./@".contains(it) { it } else { '-' };
    let name: String = text.chars().map(kept).take(100).collect();
    name.trim_matches(['-', '/']).to_owned()
}

/// Where projects name their servers.
const PROJECT_FILES: [&str; 5] =
    [".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", ".github/mcp.json", "server.json"];
const DEPTH: usize = 3;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn configurations_registries_and_lists_are_understood() {
        let client = servers(&json!({"mcpServers": {
            "a b": {"command": "npx", "args": ["-y", "${x}"], "env": {"API_KEY": "sk-abcdefgh12345678", "MODE": "fast"}},
            "c": {"type": "sse", "url": "https://example.com/sse"},
            "nothing": {},
        }}));
        assert_eq!(client.len(), 2);
        assert_eq!(client[0].name, "a-b");
        let json = |it: &Found| Value::Map(it.entry.clone()).to_json();
        assert_eq!(
            json(&client[0]),
            json!({"command": ["npx", "-y", "$${x}"], "env": {"API_KEY": "${API_KEY:-}", "MODE": "fast"}})
        );
        assert_eq!(client[0].notes.len(), 1);
        assert_eq!(json(&client[1]), json!({"url": "https://example.com/sse", "transport": "sse"}));
        let registry = servers(&json!({
            "name": "io.github.a/b",
            "packages": [{"registryType": "npm", "identifier": "@a/b", "version": "1.2.3"}],
        }));
        assert_eq!(json(&registry[0]), json!({"command": ["npx", "-y", "@a/b@1.2.3"]}));
        let listed = urls("# ours\nhttps://example.com/mcp\nno url\n");
        assert_eq!((listed.len(), listed[0].name.as_str()), (1, "example.com/mcp"));
    }
}
