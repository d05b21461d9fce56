//! What belongs to one principal, and what others get who try to use it: the answer for what is not there.

mod challenges;
mod shares;

use std::sync::Arc;

use proofmark_sdk::{
    auth::{Authorization, Identity, Scopes, TokenError, verifier_fn},
    core::types::TaskSupport,
    server::{Context, NoArguments, Server, tool},
    store::{MemoryEventLog, MemorySessionStore},
    transport::http::HttpSettings,
};
use serde_json::{Value, json};

use crate::common::{
    Client, HttpTest, NEWEST_LEGACY, Probe, Response, builder, call, code, followed, http_with,
    modern, quick, request, text,
};

/// Tokens are `SUBJECT.CLIENT`, and `SUBJECT.CLIENT.SCOPES` after they were renewed.
pub(crate) fn demanding() -> HttpSettings {
    let verifier = verifier_fn(|token: &str| {
        let mut parts = token.split('.');
        let identity = match (parts.next(), parts.next()) {
            (Some(subject), Some(client)) => {
                let mut identity = Identity::new(ISSUER, subject);
                identity.client_id = Some(client.to_owned());
                identity.scopes = Scopes::parse(parts.next().unwrap_or_default()).unwrap();
                Ok(identity)
            }
            _ => Err(TokenError::Inactive),
        };
        async move { identity }
    });
    let authorization = Authorization::new("http://127.0.0.1/mcp", [ISSUER], verifier).unwrap();
    HttpSettings { authorization: Some(authorization), ..quick() }
}

pub(crate) fn server() -> Server {
    let waits = tool("waits").task_support(TaskSupport::Optional).as_task(TaskSupport::Optional);
    builder(&Probe::default())
        .add_tool(waits.handler(async |_: Context, _: NoArguments| {
            std::future::pending::<()>().await;
            "never"
        }))
        .build()
        .unwrap()
}

pub(crate) async fn test(settings: HttpSettings) -> HttpTest {
    http_with(server(), Probe::default(), "127.0.0.1:0", settings).await
}

pub(crate) fn with(client: &Client, token: &str) -> Client {
    Client { authorization: Some(format!("Bearer {token}")), ..client.clone() }
}

/// Everything in an answer that a client can see, but for the time.
fn seen(response: &Response) -> (u16, Vec<(String, String)>, String) {
    let headers = response.headers.iter().filter(|(name, _)| name != "date").cloned().collect();
    (response.status, headers, String::from_utf8_lossy(&response.body).into_owned())
}

#[tokio::test]
async fn a_session_of_one_principal_does_not_exist_for_others() {
    let test = test(demanding()).await;
    let alice = with(&test.client, "alice.app").begin(NEWEST_LEGACY).await;
    for other in ["bob.app", "alice.other", "bob.app.more"] {
        let thief = with(&alice, other);
        let missing = Client { session: Some("0".repeat(32)), ..thief.clone() };
        let ping = request(1, "ping", json!({}));
        let stolen = thief.post(&ping).await;
        assert_eq!((stolen.status, seen(&stolen)), (404, seen(&missing.post(&ping).await)));
        for (method, extra) in [("GET", ""), ("GET", LAST_EVENT), ("DELETE", "")] {
            let stolen = thief.bodiless(method, extra).await;
            let unknown = missing.bodiless(method, extra).await;
            assert_eq!((stolen.status, seen(&stolen)), (404, seen(&unknown)), "{method} {extra}");
        }
    }
    let without = Client { authorization: None, ..alice.clone() };
    assert_eq!(without.post(&request(2, "ping", json!({}))).await.status, 401);
    assert_eq!(alice.post(&request(3, "ping", json!({}))).await.status, 200);
    test.stop().await;
}

#[tokio::test]
async fn a_session_of_one_principal_does_not_exist_for_others_at_any_server() {
    let settings = HttpSettings {
        session_store: Some(Arc::new(MemorySessionStore::default())),
        event_log: Some(Arc::new(MemoryEventLog::default())),
        ..demanding()
    };
    let (one, other) = tokio::join!(test(settings.clone()), test(settings));
    let alice = with(&one.client, "alice.app").begin(NEWEST_LEGACY).await;
    let there = Client { address: other.client.address, ..alice.clone() };
    let ping = request(1, "ping", json!({}));
    assert_eq!(with(&there, "bob.app").post(&ping).await.status, 404);
    assert_eq!(with(&there, "bob.app").bodiless("DELETE", "").await.status, 404);
    assert_eq!(there.post(&ping).await.status, 200);
    assert_eq!(with(&there, "bob.app").post(&ping).await.status, 404);
    tokio::join!(one.stop(), other.stop());
}

#[tokio::test]
async fn a_renewed_token_keeps_the_session_and_its_streams() {
    let test = test(demanding()).await;
    let alice = with(&test.client, "alice.app").begin(NEWEST_LEGACY).await;
    let mut steps = alice.stream(&followed(1, "p", "steps", json!({ "count": 2 }))).await;
    steps.next().await.unwrap();
    let primer = steps.last_id.clone().unwrap();
    drop(steps);
    let renewed = with(&alice, "alice.app.more");
    let rest = renewed.listen(Some(&primer)).await.messages().await;
    assert_eq!(text(rest.last().unwrap()), "all steps");
    assert_eq!(renewed.bodiless("DELETE", "").await.status, 204);
    test.stop().await;
}

#[tokio::test]
async fn events_of_one_principal_are_not_replayed_to_another() {
    let test = test(demanding()).await;
    let alice = with(&test.client, "alice.app").begin(NEWEST_LEGACY).await;
    let bob = with(&test.client, "bob.app").begin(NEWEST_LEGACY).await;
    let mut steps = alice.stream(&followed(1, "p", "steps", json!({ "count": 2 }))).await;
    steps.next().await.unwrap();
    let hers = format!("Last-Event-ID: {}\r\n", steps.last_id.clone().unwrap());
    assert_eq!(text(steps.messages().await.last().unwrap()), "all steps");
    let stolen = bob.bodiless("GET", &hers).await;
    assert_eq!((stolen.status, seen(&stolen)), (400, seen(&bob.bodiless("GET", LAST_EVENT).await)));
    assert!(
        !alice
            .listen(hers.trim().strip_prefix("Last-Event-ID: "))
            .await
            .messages()
            .await
            .is_empty()
    );
    test.stop().await;
}

#[tokio::test]
async fn a_standalone_stream_is_taken_over_by_its_own_principal_only() {
    let test = test(demanding()).await;
    let alice = with(&test.client, "alice.app").begin(NEWEST_LEGACY).await;
    let mut first = alice.listen(None).await;
    first.next().await.unwrap();
    assert_eq!(with(&alice, "bob.app").bodiless("GET", "").await.status, 404);
    assert!(test.server.remove_prompt("a"));
    assert_eq!(first.message().await.unwrap()["method"], "notifications/prompts/list_changed");
    let mut second = with(&alice, "alice.app.more").listen(None).await;
    second.next().await.unwrap();
    assert!(first.messages().await.is_empty());
    test.stop().await;
}

#[tokio::test]
async fn no_principal_posts_to_the_stream_of_another() {
    let test = test(demanding()).await;
    let open = |token: &str| {
        let client = with(&test.client, token);
        let head = client.head("GET").replace("/mcp", "/sse");
        async move {
            let mut events = client.raw(format!("{head}\r\n").as_bytes()).await.events().await;
            let address = events.next().await.unwrap().data.unwrap();
            (events, address)
        }
    };
    let (mut events, address) = open("alice.app").await;
    let post = |token: &str, address: &str| {
        let bytes = with(&test.client, token)
            .post_bytes("", request(1, "ping", json!({})).to_string().as_bytes());
        let bytes = String::from_utf8(bytes).unwrap().replacen("/mcp", address, 1);
        let client = test.client.clone();
        async move { client.answer(bytes.as_bytes()).await }
    };
    let unknown = address.replace(|it: char| it.is_ascii_hexdigit() && it.is_numeric(), "0");
    let stolen = post("bob.app", &address).await;
    assert_eq!((stolen.status, seen(&stolen)), (404, seen(&post("bob.app", &unknown).await)));
    assert_eq!(post("alice.app.more", &address).await.status, 202);
    assert_eq!(events.message().await.unwrap()["result"], json!({}));
    test.stop().await;
}

#[tokio::test]
async fn a_task_of_one_principal_does_not_exist_for_others() {
    let test = test(demanding()).await;
    let alice = with(&test.client, "alice.app").begin(NEWEST_LEGACY).await;
    let bob = with(&test.client, "bob.app").begin(NEWEST_LEGACY).await;
    let waits = request(1, "tools/call", json!({ "name": "waits", "arguments": {}, "task": {} }));
    let begun = alice.post(&waits).await.json();
    let task = begun["result"]["task"]["taskId"].as_str().unwrap();
    let unknown = "0".repeat(32);
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        let ask = |task: &str| request(2, method, json!({ "taskId": task }));
        let stolen = bob.post(&ask(task)).await;
        assert_eq!(code(&stolen.json()), -32602, "{method}");
        assert_eq!(seen(&stolen), seen(&bob.post(&ask(&unknown)).await), "{method}");
    }
    let list = request(3, "tasks/list", json!({}));
    assert_eq!(bob.post(&list).await.json()["result"]["tasks"], json!([]));
    // Hers from any of her sessions, by whichever token.
    let elsewhere = with(&test.client, "alice.app.more").begin(NEWEST_LEGACY).await;
    assert_eq!(elsewhere.post(&list).await.json()["result"]["tasks"][0]["taskId"], task);
    let get = request(4, "tasks/get", json!({ "taskId": task }));
    assert_eq!(elsewhere.post(&get).await.json()["result"]["status"], "working");
    test.stop().await;
}

#[tokio::test]
async fn a_task_of_one_principal_does_not_exist_for_others_in_the_modern_era() {
    let test = test(demanding()).await;
    let (alice, bob) = (with(&test.client, "alice.app"), with(&test.client, "bob.app"));
    let begun =
        alice.ask(&knowing("tools/call", json!({ "name": "waits", "arguments": {} }))).await;
    let begun = begun.json();
    let task = begun["result"]["taskId"].as_str().unwrap_or_else(|| panic!("{begun}"));
    let unknown = "0".repeat(32);
    for (method, mut params) in [
        ("tasks/get", json!({})),
        ("tasks/update", json!({ "inputResponses": {} })),
        ("tasks/cancel", json!({})),
    ] {
        let mut ask = |task: &str| {
            params["taskId"] = json!(task);
            knowing(method, params.clone())
        };
        let (theirs, unknowns) = (ask(task), ask(&unknown));
        let stolen = bob.ask(&theirs).await;
        assert_eq!(code(&stolen.json()), -32602, "{method}");
        assert_eq!(seen(&stolen), seen(&bob.ask(&unknowns).await), "{method}");
    }
    let get = knowing("tasks/get", json!({ "taskId": task }));
    let renewed = with(&test.client, "alice.app.more");
    assert_eq!(renewed.ask(&get).await.json()["result"]["status"], "working");
    test.stop().await;
}

#[tokio::test]
async fn a_request_state_of_one_principal_is_refused_to_another() {
    let test = test(demanding()).await;
    let (alice, bob) = (with(&test.client, "alice.app"), with(&test.client, "bob.app"));
    let asks = json!({ "name": "asks", "arguments": {} });
    let asked = alice.ask(&knowing("tools/call", asks.clone())).await.json();
    let mut retry = asks;
    retry["requestState"] = asked["result"]["requestState"].clone();
    retry["inputResponses"] = json!({ "input-1": { "action": "accept", "content": {} } });
    let retry = knowing("tools/call", retry);
    assert_eq!(code(&bob.ask(&retry).await.json()), -32602);
    assert_eq!(code(&with(&test.client, "alice.other").ask(&retry).await.json()), -32602);
    let renewed = with(&test.client, "alice.app.more").ask(&retry).await.json();
    assert_eq!(text(&renewed), "accepted");
    test.stop().await;
}

#[tokio::test]
async fn a_cursor_of_one_principal_is_refused_to_another() {
    let test = test(demanding()).await;
    let (alice, bob) = (with(&test.client, "alice.app"), with(&test.client, "bob.app"));
    let list = |cursor: Option<&Value>| {
        let params = cursor.map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        modern(1, "prompts/list", params)
    };
    let first = alice.ask(&list(None)).await.json();
    let cursor = &first["result"]["nextCursor"];
    assert_eq!(code(&bob.ask(&list(Some(cursor))).await.json()), -32602);
    let renewed = with(&test.client, "alice.app.more");
    let second = renewed.ask(&list(Some(cursor))).await.json();
    assert_eq!(second["result"]["prompts"][0]["name"], "c");
    // The principal that asks next for the same page does not get her cursor.
    let his = bob.ask(&list(None)).await.json();
    assert_eq!(his["result"]["prompts"], first["result"]["prompts"]);
    assert_eq!(bob.ask(&list(Some(&his["result"]["nextCursor"]))).await.status, 200);
    test.stop().await;
}

#[tokio::test]
async fn a_token_is_asked_for_before_the_body_is_read() {
    let test = test(demanding()).await;
    let head = test.client.head("POST");
    let promised = format!("{head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n");
    let mut connection = test.client.raw(promised.as_bytes()).await;
    assert_eq!(connection.response().await.unwrap().status, 401);
    let alice = with(&test.client, "alice.app").begin(NEWEST_LEGACY).await;
    assert_eq!(alice.post(&call(1, "echo", json!({ "text": "a" }))).await.status, 200);
    test.stop().await;
}

/// A request of a client that knows tasks and can be asked.
fn knowing(method: &str, params: Value) -> Value {
    let mut message = modern(1, method, params);
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({ "elicitation": {}, "extensions": { "io.modelcontextprotocol/tasks": {} } });
    message
}

const ISSUER: &str = "https://login.test";
/// Of no stream.
const LAST_EVENT: &str = "Last-Event-ID: 00000000000000000000000000000001\r\n";
