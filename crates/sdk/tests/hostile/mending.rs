//! Refusals that say what is missing, eras that are remembered, and loops that a server would like.

use std::collections::BTreeMap;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use proofmark_sdk::client::{Client, Eras};
use proofmark_sdk::core::types::{ElicitResult, ElicitUrlParams};
use serde_json::{Value, json};

use crate::script::{Asked, Script, answer, builder, write};

#[tokio::test]
async fn tools_are_looked_up_again_when_the_server_misses_a_header() {
    let listed = Arc::new(AtomicUsize::new(0));
    let script = modern(move |body| {
        let header = match listed.load(Ordering::SeqCst) {
            0 | 1 => "Old",
            _ => "New",
        };
        match body["method"].as_str().unwrap() {
            "tools/list" => {
                let count = listed.fetch_add(1, Ordering::SeqCst);
                let header = if count == 0 { "Old" } else { "New" };
                Ok(json!({"tools": [{"name": "read", "inputSchema": {"type": "object",
                    "properties": {"place": {"type": "string", "x-mcp-header": header}}}}],
                    "ttlMs": 0, "cacheScope": "private"}))
            }
            _ if header == "New" => Ok(json!({"content": []})),
            _ => Err((-32020, json!(null))),
        }
    })
    .await;
    let client = Client::connect(&*script.url).await.unwrap();
    client.call_tool("read", json!({"place": "here"})).await.unwrap();
    let asked = script.asked.lock().unwrap();
    let calls: Vec<&Asked> = asked.iter().filter(|it| it.body.contains("\"tools/call\"")).collect();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].header("mcp-param-old"), Some("here"));
    assert_eq!(calls[1].header("mcp-param-new"), Some("here"));
}

#[tokio::test]
async fn a_server_that_always_misses_a_header_is_asked_twice_and_no_more() {
    let script = modern(|body| match body["method"].as_str().unwrap() {
        "tools/list" => Ok(json!({"tools": [{"name": "read", "inputSchema": {"type": "object"}}],
            "ttlMs": 0, "cacheScope": "private"})),
        _ => Err((-32020, json!(null))),
    })
    .await;
    let client = Client::connect(&*script.url).await.unwrap();
    let error = client.call_tool("read", json!({})).await.unwrap_err();
    assert_eq!(error.refusal().unwrap().code.0, -32020, "{error}");
    assert_eq!(count(&script, "\"tools/call\""), 2);
}

#[tokio::test]
async fn a_server_that_asks_back_without_end_is_given_up() {
    let script = modern(|body| match body["method"].as_str().unwrap() {
        "tools/list" => Ok(json!({"tools": [], "ttlMs": 0, "cacheScope": "private"})),
        _ => Ok(json!({"resultType": "input_required", "requestState": "again"})),
    })
    .await;
    let mut settings = proofmark_sdk::client::ClientSettings::default();
    settings.session.retry_pause = std::time::Duration::from_millis(1);
    let client = Client::builder("test", "1").settings(settings).connect(&*script.url).await;
    let error = client.unwrap().call_tool("read", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("10"), "{error}");
    assert_eq!(count(&script, "\"tools/call\""), 11);
}

#[tokio::test]
async fn a_person_visits_the_pages_that_a_call_needs_and_the_call_is_made_again() {
    let visited = Arc::new(AtomicUsize::new(0));
    let seen = visited.clone();
    let script = Script::start(|asked: Asked, stream| async move {
        let text = match (asked.verb(), asked.count) {
            ("POST", 0) => error_body(
                &asked.body,
                -32042,
                &json!({"elicitations": [{
                "mode": "url", "message": "Log in", "elicitationId": "one",
                "url": "https://bank.example/login"}]}),
            ),
            ("POST", _) => result_body(&asked.body, &json!({"content": []})),
            _ => answer("405 Method Not Allowed", "", ""),
        };
        write(stream, &text).await;
    })
    .await;
    let builder = builder().patience(std::time::Duration::from_millis(200));
    let client = builder.urls(move |page: ElicitUrlParams| {
        assert_eq!(page.url, "https://bank.example/login");
        seen.fetch_add(1, Ordering::SeqCst);
        async { Ok(ElicitResult::accept(BTreeMap::default())) }
    });
    let client = client.connect(&*script.url).await.unwrap();
    client.call_tool("read", json!({})).await.unwrap();
    assert_eq!(visited.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_person_who_does_not_want_to_visit_a_page_gets_the_refusal() {
    let script = Script::start(|asked: Asked, stream| async move {
        let text = match asked.verb() {
            "POST" => error_body(
                &asked.body,
                -32042,
                &json!({"elicitations": [{
                "mode": "url", "message": "Log in", "elicitationId": "one",
                "url": "https://bank.example/login"}]}),
            ),
            _ => answer("405 Method Not Allowed", "", ""),
        };
        write(stream, &text).await;
    })
    .await;
    let client = builder().urls(|_: ElicitUrlParams| async { Ok(ElicitResult::decline()) });
    let client = client.connect(&*script.url).await.unwrap();
    let error = client.call_tool("read", json!({})).await.unwrap_err();
    assert_eq!(error.refusal().unwrap().code.0, -32042, "{error}");
    assert_eq!(count(&script, "\"tools/call\""), 1);
}

#[tokio::test]
async fn a_legacy_server_is_asked_about_its_era_once_by_all_who_share_what_they_know() {
    let script = Script::start(|_, stream| async move {
        write(stream, &answer("400 Bad Request", "", "")).await;
    })
    .await;
    let eras = Eras::default();
    for _ in 0..3 {
        let client = Client::builder("test", "1").eras(eras.clone());
        client.connect(&*script.url).await.unwrap().close().await;
    }
    assert_eq!(count(&script, "\"server/discover\""), 1);
    assert_eq!(count(&script, "\"initialize\""), 3);
    // Who knows nothing asks.
    Client::builder("test", "1").connect(&*script.url).await.unwrap().close().await;
    assert_eq!(count(&script, "\"server/discover\""), 2);
}

#[tokio::test]
async fn a_call_whose_response_breaks_off_is_not_sent_a_second_time() {
    for bytes in ["", "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: hello\n\n"] {
        let script = Script::start(move |asked: Asked, stream| async move {
            match asked.verb() {
                "POST" => write(stream, bytes).await,
                _ => write(stream, &answer("405 Method Not Allowed", "", "")).await,
            }
        })
        .await;
        let client = script.connect().await;
        let error = client.call_tool("pay", json!({})).await.unwrap_err();
        assert!(error.to_string().contains("the response ended without an answer"), "{error}");
        client.close().await;
        assert_eq!(count(&script, "\"tools/call\""), 1);
    }
}

#[tokio::test]
async fn a_server_that_crashes_takes_no_other_connection_along() {
    let good = Script::start(|asked: Asked, stream| async move {
        let text = match asked.verb() {
            "POST" => result_body(&asked.body, &json!({})),
            _ => answer("405 Method Not Allowed", "", ""),
        };
        write(stream, &text).await;
    })
    .await;
    let bad = Script::start(|_, stream| async move { drop(stream) }).await;
    let (well, ill) = (good.connect().await, bad.connect().await);
    ill.ping().await.unwrap_err();
    drop(bad);
    ill.ping().await.unwrap_err();
    well.ping().await.unwrap();
}

/// A server of the modern era that answers as it is told: a result, or a code and data.
async fn modern(
    act: impl Fn(&Value) -> Result<Value, (i64, Value)> + Clone + Send + 'static,
) -> Script {
    Script::start(move |asked: Asked, stream| {
        let act = act.clone();
        async move {
            let body: Value = serde_json::from_str(&asked.body).unwrap();
            let text = match body["method"].as_str().unwrap() {
                "server/discover" => result_body(
                    &asked.body,
                    &json!({
                    "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                    "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}),
                ),
                _ => match act(&body) {
                    Ok(mut result) => {
                        let kind = result.get("resultType").cloned();
                        result["resultType"] = kind.unwrap_or_else(|| "complete".into());
                        result_body(&asked.body, &result)
                    }
                    Err((code, data)) => error_body(&asked.body, code, &data),
                },
            };
            write(stream, &text).await;
        }
    })
    .await
}

fn result_body(request: &str, result: &Value) -> String {
    let request: Value = serde_json::from_str(request).unwrap();
    let body = json!({"jsonrpc": "2.0", "id": request["id"], "result": result}).to_string();
    answer("200 OK", "content-type: application/json\r\n", &body)
}

fn error_body(request: &str, code: i64, data: &Value) -> String {
    let request: Value = serde_json::from_str(request).unwrap();
    let error = json!({"code": code, "message": "no", "data": data});
    let body = json!({"jsonrpc": "2.0", "id": request["id"], "error": error}).to_string();
    let status = if code == -32020 { "400 Bad Request" } else { "200 OK" };
    answer(status, "content-type: application/json\r\n", &body)
}

fn count(script: &Script, part: &str) -> usize {
    script.asked.lock().unwrap().iter().filter(|it| it.body.contains(part)).count()
}
