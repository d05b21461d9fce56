//! A session that was recorded, said again to the same or to another server, and what is different then.

use proofmark_check::record::transcript::Reader;
use proofmark_core::revision::RequestMethod;
use proofmark_test::recorded::{self, Answered};
use proofmark_web::axum::{
    Json,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{calls, timeline::recorded_text};
use crate::{Inspector, NotDone};

#[derive(Deserialize)]
pub(super) struct From {
    /// The server whose recording is said again.
    from: u32,
}

/// Only what asks for something, and nothing of the handshake: the connection has its own.
pub(super) async fn replay(
    State(inspector): State<Inspector>,
    Path(id): Path<u32>,
    Json(From { from }): Json<From>,
) -> Result<Json<Value>, NotDone> {
    let connected = inspector.connected(id)?;
    let text = recorded_text(&inspector, from)?;
    let mut reader = Reader::new(&text[..]);
    reader.read().map_err(|error| NotDone(format!("the transcript {error}")))?;
    let mut told = Vec::new();
    for exchange in recorded::exchanges(&reader.recordings) {
        let Some(method) = RequestMethod::parse(&exchange.method).filter(|it| SAID.contains(it))
        else {
            continue;
        };
        if told.len() == MOST {
            break;
        }
        let before = match exchange.answer {
            Answered::Error(error) => json!({"error": error}),
            Answered::Result(result) => json!({"result": result}),
        };
        let now = calls::answered(&connected.client, method, exchange.params.clone()).await;
        let differences = differences(&before, &now);
        told.push(json!({
            "method": exchange.method, "params": exchange.params, "differences": differences,
        }));
    }
    Ok(Json(json!({"exchanges": told})))
}

/// Where two answers are not the same, as far as a person wants to read.
fn differences(before: &Value, now: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    walk(before, now, "", &mut found);
    found
}

fn walk(before: &Value, now: &Value, path: &str, found: &mut Vec<Value>) {
    if before == now || path.ends_with("/_meta") || found.len() >= MOST_DIFFERENCES {
        return;
    }
    match (before, now) {
        (Value::Object(one), Value::Object(other)) => {
            for (key, was) in one {
                let is = other.get(key).unwrap_or(&Value::Null);
                walk(was, is, &format!("{path}/{key}"), found);
            }
            for (key, is) in other.iter().filter(|(key, _)| !one.contains_key(*key)) {
                walk(&Value::Null, is, &format!("{path}/{key}"), found);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (at, (was, is)) in one.iter().zip(other).enumerate() {
                walk(was, is, &format!("{path}/{at}"), found);
            }
        }
        _ => found.push(json!({"path": path, "before": short(before), "now": short(now)})),
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

const SAID: [RequestMethod; 8] = [
    RequestMethod::CompletionComplete,
    RequestMethod::PromptsGet,
    RequestMethod::PromptsList,
    RequestMethod::ResourcesList,
    RequestMethod::ResourcesRead,
    RequestMethod::ResourcesTemplatesList,
    RequestMethod::ToolsCall,
    RequestMethod::ToolsList,
];
const MOST: usize = 500;
const MOST_DIFFERENCES: usize = 20;
const LONGEST: usize = 300;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named_by_their_place() {
        let before = json!({"result": {"content": [{"text": "a"}], "gone": 1, "_meta": {"x": 1}}});
        let now = json!({"result": {"content": [{"text": "b"}], "new": 2, "_meta": {"x": 2}}});
        let told = differences(&before, &now);
        let places: Vec<&str> = told.iter().map(|it| it["path"].as_str().unwrap()).collect();
        assert_eq!(places, ["/result/content/0/text", "/result/gone", "/result/new"]);
        assert_eq!(differences(&before, &before), Vec::<Value>::new());
    }
}
