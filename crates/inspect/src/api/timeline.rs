//! What was said, and what can be made of it.

use http::{StatusCode, header};
use proofmark_check::{
    record::transcript::Reader,
    report::{Strictness, html},
};
use proofmark_test::{recorded, yaml};
use proofmark_web::axum::{
    Json,
    extract::{Path, Query, State},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    Inspector, NotDone,
    inspector::Check,
    recorder::Recorder,
    server::{Over, Reach, ServerEntry},
    shared,
};

#[derive(Deserialize)]
pub(super) struct From {
    #[serde(default)]
    after: u64,
    most: Option<usize>,
}

pub(super) async fn after(
    State(inspector): State<Inspector>,
    Query(from): Query<From>,
) -> Json<Value> {
    let (entries, lost) =
        inspector.0.timeline.after(from.after, from.most.unwrap_or(MOST).min(MOST));
    Json(json!({"entries": entries, "lost": lost}))
}

pub(super) async fn entry(State(inspector): State<Inspector>, Path(seq): Path<u64>) -> Response {
    let Some(entry) = inspector.0.timeline.get(seq) else {
        return (StatusCode::NOT_FOUND, Json(json!({"error": "it was let go, or never was"})))
            .into_response();
    };
    let mut value = serde_json::to_value(&*entry).unwrap_or_default();
    value["text"] = json!(entry.text);
    Json(value).into_response()
}

/// All that is broken, by server.
pub(super) async fn verdicts(State(inspector): State<Inspector>) -> Json<Value> {
    let all = inspector.each(|id, server| {
        let overflowed = server.recorder.as_ref().is_some_and(Recorder::is_overflowed);
        json!({"server": id, "name": server.entry.name, "verdicts": server.verdicts, "overflowed": overflowed})
    });
    Json(json!(all))
}

pub(super) async fn transcript(
    State(inspector): State<Inspector>,
    Path(id): Path<u32>,
) -> Result<Response, NotDone> {
    let text = recorded_text(&inspector, id)?;
    Ok(download("application/jsonl", "transcript.jsonl", text))
}

/// The calls that were made, as tests that `proofmark test` runs.
pub(super) async fn tests(
    State(inspector): State<Inspector>,
    Path(id): Path<u32>,
) -> Result<Response, NotDone> {
    let text = recorded_text(&inspector, id)?;
    let entry = inspector.with(id, |server| server.entry.clone())?;
    let mut reader = Reader::new(&text[..]);
    reader.read().map_err(|error| NotDone(format!("the transcript {error}")))?;
    let name = file_name(&entry.name);
    let tests: Vec<Value> = recorded::tests(&recorded::exchanges(&reader.recordings), &name)
        .into_iter()
        .map(|test| {
            let mut value = json!({"name": test.name});
            if let (Value::Object(all), Value::Object(more)) = (&mut value, test.test) {
                all.extend(more);
            }
            value
        })
        .collect();
    let servers: Map<String, Value> = [(name, reach(&entry))].into_iter().collect();
    let file = yaml::write(&json!({"servers": servers, "tests": tests}));
    Ok(download("application/yaml", "proofmark.yaml", file.into_bytes()))
}

/// Everything that was said and what is wrong with it, as one page that needs no program.
pub(super) async fn shared(
    State(inspector): State<Inspector>,
    Path(id): Path<u32>,
) -> Result<Response, NotDone> {
    let entries = inspector.0.timeline.of_server(id);
    let page = inspector.with(id, |server| shared::page(server, &entries))?;
    Ok(download("text/html; charset=utf-8", "proofmark-session.html", page.into_bytes()))
}

/// The whole report of a check, as one page.
pub(super) async fn report(
    State(inspector): State<Inspector>,
    Path(id): Path<u32>,
) -> Result<Response, NotDone> {
    let page = inspector.with(id, |server| match &server.check {
        Check::Done(report) => Ok(html::write(report, Strictness::Failures)),
        _ => Err(NotDone("there is no report yet".into())),
    })??;
    Ok(download("text/html; charset=utf-8", "proofmark-report.html", page.into_bytes()))
}

pub(super) fn recorded_text(inspector: &Inspector, id: u32) -> Result<Vec<u8>, NotDone> {
    let (recorder, opened) =
        inspector.with(id, |server| (server.recorder.clone(), server.opened.clone()))?;
    if let Some(opened) = opened {
        return Ok(opened.to_vec());
    }
    let recorder = recorder.ok_or_else(|| NotDone("nothing was said yet".into()))?;
    recorder
        .transcript()
        .map_err(|error| NotDone(format!("the transcript cannot be read: {error}")))
}

/// How a test reaches the server. Secrets are not written down.
fn reach(entry: &ServerEntry) -> Value {
    match &entry.reach {
        Reach::Command { words, .. } => json!({"command": words}),
        Reach::Url { over: Over::Sse, .. } => json!({"url": entry.target(), "transport": "sse"}),
        Reach::Url { over: Over::StreamableHttp, .. } => json!({"url": entry.target()}),
    }
}

fn file_name(name: &str) -> String {
    let plain: String =
        name.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '-' }).collect();
    let plain = plain.trim_matches('-');
    if plain.is_empty() { "server".to_owned() } else { plain.to_lowercase() }
}

fn download(kind: &'static str, name: &str, text: Vec<u8>) -> Response {
    let head = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    (head, text).into_response()
}

/// As many as are kept.
const MOST: usize = 120_000;
