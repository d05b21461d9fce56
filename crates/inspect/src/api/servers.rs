//! Servers: added, connected, asked, removed.

use std::collections::BTreeMap;

use proofmark_core::revision::Revision;
use proofmark_web::axum::{
    Json,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Inspector, NotDone, config, doctor as examine,
    server::{Origin, Over, Reach, ServerEntry},
};

type Answered = Result<Json<Value>, NotDone>;

pub(super) async fn state(State(inspector): State<Inspector>) -> Json<Value> {
    Json(json!({"servers": inspector.summaries(), "questions": inspector.0.questions.all()}))
}

/// A server as it is typed in.
#[derive(Deserialize)]
pub(super) struct Typed {
    name: String,
    /// Words separated by spaces, with quotes around those that have some.
    #[serde(default)]
    command: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    sse: bool,
    #[serde(default)]
    revision: String,
    #[serde(default)]
    headers: Vec<(String, String)>,
}

pub(super) async fn add(State(inspector): State<Inspector>, Json(typed): Json<Typed>) -> Answered {
    let reach = match (typed.command.trim(), typed.url.trim()) {
        ("", "") => return Err(NotDone("a command or an address is wanted".into())),
        (command, "") => Reach::Command {
            words: words(command)?,
            environment: BTreeMap::default(),
            folder: None,
        },
        ("", url) => {
            let over = if typed.sse { Over::Sse } else { Over::StreamableHttp };
            Reach::Url { url: url.to_owned(), over, headers: typed.headers }
        }
        _ => return Err(NotDone("either a command or an address, not both".into())),
    };
    let mut entry =
        ServerEntry { origin: Origin::Page, ..ServerEntry::new(typed.name.trim(), reach) };
    if !typed.revision.is_empty() {
        let known = Revision::ALL.iter().find(|it| it.as_str() == typed.revision);
        entry.revision = Some(*known.ok_or_else(|| NotDone("there is no such revision".into()))?);
    }
    if entry.name.is_empty() {
        entry.name = entry.target().chars().take(40).collect();
    }
    let confirm = entry.to_confirm();
    let id = inspector.add(entry);
    Ok(Json(json!({"id": id, "confirm": confirm})))
}

#[derive(Deserialize)]
pub(super) struct Text {
    #[serde(default)]
    name: String,
    text: String,
}

pub(super) async fn import(
    State(inspector): State<Inspector>,
    Json(given): Json<Text>,
) -> Answered {
    let entries = config::read(&given.text, |name| std::env::var(name).ok());
    let entries = entries.map_err(|error| NotDone(error.to_string()))?;
    let ids: Vec<u32> = entries.into_iter().map(|entry| inspector.add(entry)).collect();
    Ok(Json(json!({"ids": ids})))
}

pub(super) async fn open_transcript(
    State(inspector): State<Inspector>,
    Json(given): Json<Text>,
) -> Answered {
    let opened = tokio::task::spawn_blocking(move || {
        inspector.open_transcript(&given.name, given.text.as_bytes())
    })
    .await;
    let id = opened.map_err(|_| NotDone("the transcript cannot be read".into()))??;
    Ok(Json(json!({"id": id})))
}

#[derive(Deserialize)]
pub(super) struct Confirmed {
    confirm: Option<String>,
}

pub(super) async fn connect(
    State(inspector): State<Inspector>,
    Path(id): Path<u32>,
    Json(confirmed): Json<Confirmed>,
) -> Answered {
    let wanted = inspector.with(id, |server| server.entry.to_confirm())?;
    if wanted.is_some() && wanted != confirmed.confirm {
        return Ok(Json(json!({"confirm": wanted})));
    }
    inspector.begin(move |inspector| async move {
        // The state of the server says what came of it.
        let _told = inspector.connect(id, confirmed.confirm.as_deref()).await;
    });
    Ok(Json(json!({})))
}

pub(super) async fn disconnect(
    State(inspector): State<Inspector>,
    Path(id): Path<u32>,
) -> Answered {
    inspector.disconnect(id).await;
    Ok(Json(json!({})))
}

pub(super) async fn remove(State(inspector): State<Inspector>, Path(id): Path<u32>) -> Answered {
    inspector.remove(id).await;
    Ok(Json(json!({})))
}

pub(super) async fn refresh(State(inspector): State<Inspector>, Path(id): Path<u32>) -> Answered {
    inspector.refresh(id).await;
    Ok(Json(json!({})))
}

pub(super) async fn check(State(inspector): State<Inspector>, Path(id): Path<u32>) -> Answered {
    if inspector.with(id, |server| server.entry.to_confirm())?.is_some() {
        return Err(NotDone("connect the server first, which confirms its command".into()));
    }
    inspector.begin(move |inspector| async move {
        let _told = inspector.check(id).await;
    });
    Ok(Json(json!({})))
}

pub(super) async fn doctor(State(inspector): State<Inspector>, Path(id): Path<u32>) -> Answered {
    let entry = inspector.with(id, |server| server.entry.clone())?;
    if entry.to_confirm().is_some() {
        return Err(NotDone("connect the server first, which confirms its command".into()));
    }
    let examined = examine::examine(&entry).await;
    Ok(Json(serde_json::to_value(examined).unwrap_or_default()))
}

pub(super) async fn roots(
    State(inspector): State<Inspector>,
    Path(id): Path<u32>,
    Json(roots): Json<Vec<proofmark_core::types::Root>>,
) -> Answered {
    inspector.with(id, |server| server.roots.clone_from(&roots))?;
    if let Ok(connected) = inspector.connected(id) {
        connected.client.set_roots(roots);
    }
    Ok(Json(json!({})))
}

/// Splits a command as people type it; there is no shell, and nothing is expanded.
fn words(text: &str) -> Result<Vec<String>, NotDone> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return Err(NotDone("a quote is not closed".into()));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_split_as_it_is_typed() {
        assert_eq!(words(r#"a  'b c' "" d"e f"g"#).unwrap(), ["a", "b c", "", "de fg"]);
        assert_eq!(words("a; rm $HOME").unwrap(), ["a;", "rm", "$HOME"]);
        assert!(words("a 'b").is_err());
    }
}
