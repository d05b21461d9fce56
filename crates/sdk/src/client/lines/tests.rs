use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::StreamExt;
use proofmark_core::{
    revision::{Era, Revision},
    session::client::{CallError, Preference},
};
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader, BufWriter, DuplexStream, ReadBuf,
        duplex, split,
    },
    time::Instant,
};

use crate::client::{Client, ClientBuilder, Error, Target};

#[tokio::test]
async fn what_the_server_takes_in_pieces_arrives_whole_and_in_order() {
    let client = connect(7).await;
    for round in 0..20 {
        let message = "é".repeat(round * 10);
        let result = client.call_tool("echo", json!({ "message": message })).await.unwrap();
        assert_eq!(result.structured_content.unwrap().as_str(), json!([message]).to_string());
    }
    let calls = (0..20).map(|number| client.call_tool("echo", json!({ "message": number })));
    let all = futures_util::future::join_all(calls.map(IntoFuture::into_future)).await;
    for (number, result) in all.into_iter().enumerate() {
        assert_eq!(result.unwrap().structured_content.unwrap().as_str(), format!("[{number}]"));
    }
}

#[tokio::test]
async fn an_answer_that_comes_alone_is_the_same_as_one_that_comes_with_others() {
    let (ours, theirs) = duplex(1024);
    tokio::spawn(serve(theirs));
    let (reader, writer) = split(ours);
    let batches = Revision::ALL.iter().find(|it| it.rules().batches.accepted()).unwrap();
    let client = Client::builder("test", "1").preference(Preference::Legacy(*batches));
    let client = client.connect(Target::streams(reader, writer)).await.unwrap();
    let mut told = client.notifications();
    for message in [json!("one"), json!({"two": [2]})] {
        let arguments = json!({ "message": message });
        let alone = client.call_tool("echo", &arguments).await.unwrap();
        let with_others = client.call_tool("batched", &arguments).await.unwrap();
        assert_eq!(alone, with_others);
        told.next().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_stream_would_keep_back_is_sent_all_the_same() {
    let (ours, theirs) = duplex(7);
    tokio::spawn(serve(theirs));
    let (reader, writer) = split(ours);
    let client = legacy().connect(Target::streams(reader, BufWriter::new(writer))).await.unwrap();
    for message in 0..3 {
        client.call_tool("echo", json!({ "message": message })).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_runs_out_of_patience_whether_or_not_others_were_made_before() {
    let client = connect(1024).await;
    for patience in [30, 5, 40, 1].map(Duration::from_secs) {
        client.call_tool("echo", json!({ "message": 1 })).await.unwrap();
        let asked = Instant::now();
        let error = client.call_tool("silent", ()).patience(patience).await.unwrap_err();
        assert!(matches!(error, Error::Call { why: CallError::TimedOut, .. }), "{error}");
        assert_eq!(asked.elapsed().as_secs(), patience.as_secs());
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_to_be_tried_again_soon_is_not_put_off_until_another_deadline() {
    let (ours, theirs) = duplex(1024);
    tokio::spawn(serve(theirs));
    let (reader, writer) = split(ours);
    let modern = Client::builder("test", "1").preference(Preference::Modern);
    let client = modern.connect(Target::streams(reader, writer)).await.unwrap();
    let asked = Instant::now();
    client.call_tool("busy", ()).await.unwrap();
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
}

#[tokio::test]
async fn a_stream_that_always_has_more_leaves_others_their_turn() {
    let (ours, _theirs) = duplex(1024);
    let (_, writer) = split(ours);
    let connecting = legacy().connect(Target::streams(Endless, writer));
    let waited = tokio::time::timeout(Duration::from_millis(50), connecting).await;
    assert!(waited.is_err());
}

/// Has always more to say, and nothing.
struct Endless;

impl AsyncRead for Endless {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        buffer.put_slice(b"    ");
        Poll::Ready(Ok(()))
    }
}

/// To a server that takes so many bytes at once.
async fn connect(bytes: usize) -> Client {
    let (ours, theirs) = duplex(bytes);
    tokio::spawn(serve(theirs));
    let (reader, writer) = split(ours);
    legacy().connect(Target::streams(reader, writer)).await.unwrap()
}

fn legacy() -> ClientBuilder {
    let preference = Preference::Legacy(Revision::newest(Era::Legacy));
    Client::builder("test", "1").preference(preference)
}

/// Echoes, is silent when told to be, and is too busy for the first request.
async fn serve(stream: DuplexStream) {
    let (reader, mut writer) = split(stream);
    let mut lines = BufReader::new(reader).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).unwrap();
        let params = &message["params"];
        let result = match (message["method"].as_str().unwrap(), params["name"].as_str()) {
            ("initialize", _) => json!({
                "protocolVersion": params["protocolVersion"],
                "capabilities": { "resources": { "listChanged": true }, "tools": {} },
                "serverInfo": { "name": "test", "version": "1" },
            }),
            ("server/discover", _) => json!({
                "supportedVersions": ["2026-07-28"],
                "capabilities": { "tools": {} },
                "resultType": "complete",
                "ttlMs": 0,
                "cacheScope": "private",
            }),
            ("tools/call", Some("busy")) if params.get("requestState").is_none() => {
                json!({ "resultType": "input_required", "requestState": "later" })
            }
            ("tools/call", Some("busy")) => json!({ "resultType": "complete", "content": [] }),
            ("tools/call", Some("echo" | "batched")) => json!({
                "content": [],
                "structuredContent": [params["arguments"]["message"]],
            }),
            _ => continue,
        };
        let mut answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        if params["name"] == "batched" {
            let changed = json!({
                "jsonrpc": "2.0",
                "method": "notifications/resources/list_changed",
            });
            answer = json!([changed, answer]);
        }
        writer.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
    }
}
