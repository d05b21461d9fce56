//! What a mock says by itself: who it is, lists of what it knows, and what one era adds to results.

use proofmark_core::revision::{Era, Revision};
use serde_json::{Map, Value, json};

use super::Book;
use crate::run::for_snapshot;

/// The result of a request that is not in the book and that every server answers; `None` if this one does not.
pub(super) fn answer(
    book: &Book,
    method: &str,
    params: &Value,
    era: Era,
    strict: bool,
) -> Option<Value> {
    let mut result = match method {
        "initialize" => initialized(book, params, strict)?,
        "server/discover" => discovered(book, strict)?,
        "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => json!({}),
        "completion/complete" if !strict => json!({"completion": {"values": []}}),
        _ if params.get("cursor").is_some() => return None,
        "tools/list" => json!({"tools": book.names("tools/call").iter().map(|name| {
            json!({"name": name, "inputSchema": {"type": "object"}})
        }).collect::<Vec<_>>()}),
        "prompts/list" => json!({"prompts": named(book, "prompts/get", "name")}),
        "resources/list" => json!({"resources": book.names("resources/read").iter().map(|uri| {
            json!({"name": uri, "uri": uri})
        }).collect::<Vec<_>>()}),
        "resources/templates/list" => json!({"resourceTemplates": []}),
        _ => return None,
    };
    fit(book, method, &mut result, era);
    Some(result)
}

/// Whether a request asks for work, which takes time and goes wrong.
pub(super) fn is_work(method: &str) -> bool {
    matches!(method, "tools/call" | "resources/read" | "prompts/get" | "completion/complete")
}

/// Gives a result the members that the client's era demands, and takes away those of the other.
pub(super) fn fit(book: &Book, method: &str, result: &mut Value, era: Era) {
    if era == Era::Legacy {
        *result = for_snapshot(std::mem::take(result));
        return;
    }
    let Value::Object(members) = result else { return };
    members.entry("resultType").or_insert_with(|| json!("complete"));
    let cached =
        method.ends_with("/list") || matches!(method, "resources/read" | "server/discover");
    if cached {
        members.entry("ttlMs").or_insert_with(|| json!(0));
        members.entry("cacheScope").or_insert_with(|| json!("private"));
    }
    if let Value::Object(meta) = members.entry("_meta").or_insert_with(|| json!({})) {
        meta.entry("io.modelcontextprotocol/serverInfo").or_insert_with(|| info(book));
    }
}

fn initialized(book: &Book, params: &Value, strict: bool) -> Option<Value> {
    let legacy =
        |said: &str| Revision::ALL.iter().any(|it| it.as_str() == said && it.era() == Era::Legacy);
    let recorded = book.revision.as_deref().filter(|said| legacy(said));
    if strict && book.revision.is_some() && recorded.is_none() {
        return None;
    }
    let asked = params.get("protocolVersion").and_then(Value::as_str).filter(|said| legacy(said));
    let newest = Revision::ALL.iter().filter(|it| it.era() == Era::Legacy).map(|it| it.as_str());
    let chosen = if strict { recorded.or(asked) } else { asked.or(recorded) };
    let chosen = chosen.or_else(|| newest.max())?;
    let mut result = json!({
        "protocolVersion": chosen, "capabilities": capabilities(book), "serverInfo": info(book)
    });
    if let Some(instructions) = &book.instructions {
        result["instructions"] = instructions.clone();
    }
    Some(result)
}

fn discovered(book: &Book, strict: bool) -> Option<Value> {
    let is_legacy =
        |said: &str| Revision::ALL.iter().any(|it| it.as_str() == said && it.era() == Era::Legacy);
    if strict && book.revision.as_deref().is_some_and(is_legacy) {
        return None;
    }
    let all: Vec<&str> = Revision::ALL.iter().map(|it| it.as_str()).collect();
    let mut result = json!({"supportedVersions": all, "capabilities": capabilities(book)});
    if let Some(instructions) = &book.instructions {
        result["instructions"] = instructions.clone();
    }
    Some(result)
}

/// As recorded, or what the questions in the book imply.
fn capabilities(book: &Book) -> Value {
    if let Some(recorded) = &book.capabilities {
        return recorded.clone();
    }
    let has = |prefix: &str| book.entries.iter().any(|it| it.method.starts_with(prefix));
    let mut all = Map::new();
    for (name, prefix) in [
        ("completions", "completion/"),
        ("prompts", "prompts/"),
        ("resources", "resources/"),
        ("tools", "tools/"),
    ] {
        if has(prefix) {
            all.insert(name.to_owned(), json!({}));
        }
    }
    Value::Object(all)
}

fn info(book: &Book) -> Value {
    book.info.clone().unwrap_or_else(|| json!({"name": "mock", "version": "0"}))
}

fn named(book: &Book, method: &str, member: &str) -> Vec<Value> {
    book.names(method).into_iter().map(|name| json!({member: name})).collect()
}
