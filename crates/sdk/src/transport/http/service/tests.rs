//! What is left of modern requests when they are over: nothing, however they ended.

use std::time::Duration;

use http::{HeaderValue, Response, header};
use http_body_util::{BodyExt, Full};
use proofmark_core::types::{ElicitFormParams, ElicitParams};
use serde_json::{Value, json};

use super::*;
use crate::server::{Context as Handling, Error, NoArguments, tool};

const MODERN: &str = "2026-07-28";

fn service() -> (McpService, Server) {
    let server = Server::builder("s", "1")
        .tool("quick", "", async |_: Handling, NoArguments {}| "quick")
        .tool("waits", "", async |_: Handling, NoArguments {}| {
            std::future::pending::<()>().await;
            "never"
        })
        .tool("tells", "", async |context: Handling, NoArguments {}| {
            context.progress(1.0, None, None);
            std::future::pending::<()>().await;
            "never"
        })
        .tool("panics", "", async |_: Handling, NoArguments {}| -> String {
            tokio::task::yield_now().await;
            panic!("on purpose")
        })
        .add_tool(tool("asks").handler(async |context: Handling, NoArguments {}| {
            context.elicit(ElicitParams::Form(ElicitFormParams::default())).await?;
            Ok::<_, Error>("asked")
        }))
        .build()
        .unwrap();
    (McpService::new(server.clone(), HttpSettings::default()), server)
}

fn request(method: &str, mut params: Value) -> Request<Full<Bytes>> {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        "progressToken": "p",
    });
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let mut request = Request::post("/mcp").body(Full::new(Bytes::from(body))).unwrap();
    let headers = request.headers_mut();
    for (key, value) in [
        ("host", "localhost"),
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
        ("mcp-protocol-version", MODERN),
        ("mcp-method", method),
        ("mcp-name", &name),
    ] {
        let key: header::HeaderName = key.parse().unwrap();
        headers.insert(key, HeaderValue::from_str(value).unwrap());
    }
    if name.is_empty() {
        headers.remove("mcp-name");
    }
    request
}

fn call(tool: &str) -> Request<Full<Bytes>> {
    request("tools/call", json!({"name": tool, "arguments": {}}))
}

async fn answer(service: &mut McpService, request: Request<Full<Bytes>>) -> Response<HttpBody> {
    let Ok(response) = service.call(request).await;
    response
}

/// The whole answer.
async fn text(response: Response<HttpBody>) -> String {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Every conversation, scope, task and stream holds the server; so whatever is kept is counted by who holds it.
#[tokio::test(start_paused = true)]
async fn nothing_is_kept_of_a_request_once_it_is_over() {
    let (mut service, server) = service();
    let before = server.holders();
    for _ in 0..50 {
        assert!(text(answer(&mut service, call("quick")).await).await.contains("quick"));
        assert!(text(answer(&mut service, call("asks")).await).await.contains("input_required"));
        assert!(text(answer(&mut service, call("panics")).await).await.contains("-32603"));
        assert!(text(answer(&mut service, call("unknown")).await).await.contains("-32602"));
        let unknown = request("no/such", json!({}));
        assert_eq!(answer(&mut service, unknown).await.status(), 404);
        let discover = request("server/discover", json!({}));
        assert_eq!(answer(&mut service, discover).await.status(), 200);

        // The client goes away before anything was said.
        let waiting = service.call(call("waits"));
        assert!(timeout(Duration::from_secs(1), waiting).await.is_err());
        // The client goes away in the middle of a stream.
        let mut told = answer(&mut service, call("tells")).await;
        assert!(told.body_mut().frame().await.is_some());
        drop(told);
        // The client has heard enough of what changes.
        let filter = json!({"notifications": {"toolsListChanged": true}});
        let mut changes =
            answer(&mut service, request("subscriptions/listen", filter)).await.into_body();
        assert!(changes.frame().await.is_some());
        assert!(server.holders() > before);
        drop(changes);
    }
    assert_eq!(server.holders(), before);
    assert_eq!((service.sessions(), service.detached()), (0, 0));
}
