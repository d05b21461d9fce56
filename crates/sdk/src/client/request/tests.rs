use proofmark_core::{revision::Era, session::client::Preference, types::CallToolParams};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split},
    task::JoinSet,
};

use super::*;
use crate::client::Target;

#[tokio::test]
async fn a_request_has_the_same_result_on_the_fast_path_and_off_it() {
    let legacy = Preference::Legacy(Revision::newest(Era::Legacy));
    for preference in [legacy, Preference::Modern] {
        let (client, _serving) = connect(preference).await;
        for name in ["fine", "refused", "odd", "nothing", "task"] {
            let fast = client.call_tool(name, json!({"name": name}));
            assert!(fast.parts.is_plain());
            // Who wants to hear of progress is not on the fast path.
            let slow = client.call_tool(name, json!({"name": name})).on_progress(|_| {});
            assert!(!slow.parts.is_plain());
            let (fast, slow) = (fast.result_or_task().await, slow.result_or_task().await);
            assert_eq!(format!("{fast:?}"), format!("{slow:?}"), "{name}");
        }
    }
}

#[tokio::test]
async fn meta_is_put_in_front_of_the_other_params() {
    let (client, _serving) = connect(Preference::Modern).await;
    for (params, expected) in [
        (Raw::new(&()), json!({"_meta": {"a": 1}})),
        (Raw::new(&json!({})), json!({"_meta": {"a": 1}})),
        (
            CallToolParams::written("b", &json!({"c": [{}]}), None),
            json!({"_meta": {"a": 1}, "name": "b", "arguments": {"c": [{}]}}),
        ),
    ] {
        let mut parts = RequestParts::new(&client, RequestMethod::ToolsCall, params);
        parts.insert_meta("a", &1);
        let meta = parts.meta.take().unwrap();
        parts.write_meta(&meta).unwrap();
        assert_eq!(parts.call.params.unwrap().decode::<Value>().unwrap(), expected);
    }
}

/// A client of a server whose tools end in every way that a call can end.
async fn connect(preference: Preference) -> (Client, JoinSet<()>) {
    let (ours, theirs) = duplex(64 * 1024);
    let (reader, writer) = split(ours);
    let (from_client, mut to_client) = split(theirs);
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        let mut lines = BufReader::new(from_client).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let message: Value = serde_json::from_str(&line).unwrap();
            let Some(mut answer) = answer(&message) else { continue };
            answer["jsonrpc"] = "2.0".into();
            answer["id"] = message["id"].clone();
            to_client.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        }
    });
    let client = Client::builder("test", "1").preference(preference).tasks();
    (client.connect(Target::streams(reader, writer)).await.unwrap(), serving)
}

fn answer(message: &Value) -> Option<Value> {
    let params = &message["params"];
    Some(match (message["method"].as_str()?, params["name"].as_str()) {
        ("initialize", _) => json!({"result": {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "test", "version": "1"},
        }}),
        ("server/discover", _) => json!({"result": {
            "supportedVersions": [Revision::newest(Era::Modern).as_str()],
            "capabilities": {"tools": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}},
            "resultType": "complete",
            "ttlMs": 0,
            "cacheScope": "private",
        }}),
        ("tools/call", Some("fine")) => json!({"result": {
            "content": [{"type": "text", "text": "fine"}],
            "resultType": "complete",
        }}),
        ("tools/call", Some("refused")) => json!({"error": {"code": -32602, "message": "no"}}),
        ("tools/call", Some("odd")) => json!({"result": {"content": 7, "resultType": "complete"}}),
        ("tools/call", Some("task")) => json!({"result": {
            "taskId": "one",
            "status": "working",
            "createdAt": "2026-01-01T00:00:00Z",
            "lastUpdatedAt": "2026-01-01T00:00:00Z",
            "ttlMs": 1000,
            "resultType": "task",
        }}),
        ("tools/call", _) => json!({"result": []}),
        _ => return None,
    })
}
