//! Clients that need not know which revision they speak.

use std::time::Duration;

use proofmark_sdk::{
    client::{Client, ResultOrTask},
    core::{
        revision::{Revision, TaskOptIn},
        types::TaskSupport,
    },
    server::{Server, resource, tool},
};
use tokio::time::timeout;

#[tokio::test]
async fn a_resource_is_watched_in_every_revision() {
    let server = Server::builder("s", "1")
        .add_resource(resource("notes://a", "a").text("a"))
        .add_resource(resource("notes://b", "b").text("b"))
        .build()
        .unwrap();
    for revision in Revision::ALL.iter().copied() {
        let client = Client::in_memory(&server).revision(revision).await.unwrap();
        let mut watch = client.watch("notes://a").await.unwrap();
        server.resource_updated("notes://b");
        server.resource_updated("notes://a");
        let news = timeout(Duration::from_secs(20), watch.changed()).await;
        assert!(news.expect("the news came").unwrap(), "{revision}");
        watch.end().await.unwrap();
        client.close().await;
    }
}

#[tokio::test]
async fn a_call_is_a_task_where_the_revision_has_tasks() {
    let server = Server::builder("s", "1")
        .add_tool(tool("build").task(TaskSupport::Optional).handler(async || "built"))
        .tool("plain", "", async || "plain")
        .build()
        .unwrap();
    for revision in Revision::ALL.iter().copied() {
        let builder = Client::builder("c", "1").tasks();
        let client = Client::in_memory(&server).with(builder).revision(revision).await.unwrap();
        assert_eq!(client.call::<String>("build", ()).task().await.unwrap(), "built");
        assert_eq!(client.call::<String>("plain", ()).task().await.unwrap(), "plain");
        let answered = client.call_tool("build", ()).task().result_or_task().await.unwrap();
        let became = match answered {
            ResultOrTask::Result(_) => None,
            ResultOrTask::Task(_) => Some(TaskOptIn::Parameter),
            ResultOrTask::ExtensionTask(_) => Some(TaskOptIn::Server),
        };
        assert_eq!(became, revision.rules().tasks.map(|tasks| tasks.opt_in), "{revision}");
        client.close().await;
    }
}

#[tokio::test]
async fn more_than_a_pipe_holds_goes_both_ways_in_memory() {
    let server = Server::builder("s", "1")
        .tool("echo", "", async |texts: proofmark_sdk::server::Arguments<Texts>| texts.0.texts)
        .build()
        .unwrap();
    let client = Client::in_memory(&server).await.unwrap();
    let large = "x".repeat(300_000);
    let calls = (0..4).map(|_| client.call_tool("echo", serde_json::json!({"texts": large})));
    let results = futures_util::future::join_all(calls.map(IntoFuture::into_future)).await;
    assert!(results.iter().all(Result::is_ok));
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Texts {
    texts: String,
}

#[tokio::test]
async fn a_token_that_no_header_can_hold_is_refused_before_anything_is_sent() {
    let client = Client::builder("c", "1").bearer("with\nline").connect("http://127.0.0.1:9/mcp");
    let error = client.await.err().unwrap().to_string();
    assert!(error.starts_with("not authorized"), "{error}");
}

#[tokio::test]
async fn a_refusal_over_http_names_the_scopes_that_are_needed() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = vec![0; 4096];
            let _read = stream.read(&mut head).await;
            let refusal = "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\
                www-authenticate: Bearer error=\"insufficient_scope\", scope=\"notes:read notes:write\"\r\n\r\n";
            let _written = stream.write_all(refusal.as_bytes()).await;
        }
    });
    let client = Client::builder("c", "1").bearer("token");
    let error = client.connect(&*format!("http://{address}/mcp")).await.err().unwrap();
    assert_eq!(error.needed_scopes(), ["notes:read", "notes:write"], "{error}");
}
