//! Messages that are too large for an event.

use proofmark_sdk::{
    core::types::{ElicitFormParams, ElicitParams, LoggingLevel},
    server::{Context, Error, Server},
    transport::http::HttpSettings,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::common::{
    HttpTest, NEWEST_LEGACY, Probe, call, code, followed, http_with, initialize, quick, text,
};

const LIMIT: usize = 2000;

#[tokio::test]
async fn an_event_may_have_the_longest_length_and_not_one_byte_more() {
    let test = serve().await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let answer = async |bytes: usize| {
        let says = followed("a", "p", "says", json!({ "bytes": bytes }));
        let messages = client.stream(&says).await.messages().await;
        assert_eq!(messages[0]["method"], "notifications/progress");
        assert_eq!((messages.len(), &messages[1]["id"]), (2, &json!("a")));
        messages[1].clone()
    };
    let around = answer(0).await.to_string().len();
    for bytes in [LIMIT - around - 1, LIMIT - around] {
        assert_eq!(text(&answer(bytes).await).len(), bytes);
    }
    let refused = answer(LIMIT - around + 1).await;
    assert_eq!(code(&refused), -32603);
    let said = refused["error"]["message"].as_str().unwrap();
    assert!(said.contains("2001 bytes") && said.contains("2000"), "{said}");
    // An answer that is a body is not an event.
    let body = client.post(&call("b", "says", json!({ "bytes": LIMIT }))).await;
    assert_eq!(text(&body.json()).len(), LIMIT);
    test.stop().await;
}

#[tokio::test]
async fn the_older_transport_has_the_same_limit() {
    let test = serve().await;
    let (mut events, path) = test.client.open_sse().await;
    test.client.post_to(&path, &initialize("2024-11-05")).await;
    events.message().await.unwrap();
    for (bytes, refused) in [(10, false), (LIMIT, true)] {
        test.client.post_to(&path, &call("a", "says", json!({ "bytes": bytes }))).await;
        let answer = events.message().await.unwrap();
        assert_eq!(answer.get("error").is_some(), refused, "{answer}");
    }
    test.stop().await;
}

#[tokio::test]
async fn a_question_that_is_too_large_is_refused_and_not_waited_for() {
    let test = serve().await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let asks = call(1, "asks_at_length", json!({ "bytes": LIMIT }));
    let messages = client.stream(&asks).await.messages().await;
    assert_eq!((messages.len(), text(&messages[0])), (1, "refused"), "{messages:?}");
    test.stop().await;
}

#[tokio::test]
async fn a_notification_that_is_too_large_is_left_out_and_nothing_else_is() {
    let test = serve().await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let logs = call(1, "logs", json!({ "bytes": LIMIT }));
    let messages = client.stream(&logs).await.messages().await;
    let logged: Vec<&Value> = messages.iter().map(|it| &it["params"]["data"]).collect();
    assert_eq!(logged, [&json!("before"), &json!("after"), &Value::Null]);
    assert_eq!(text(&messages[2]), "logged");
    test.stop().await;
}

#[derive(Deserialize, JsonSchema)]
struct Length {
    bytes: usize,
}

async fn says(context: Context, Length { bytes }: Length) -> String {
    context.progress(1.0, None, None);
    tokio::task::yield_now().await;
    "a".repeat(bytes)
}

async fn asks_at_length(context: Context, Length { bytes }: Length) -> Result<String, Error> {
    let form = ElicitFormParams { message: "a".repeat(bytes), ..ElicitFormParams::default() };
    let answer = context.elicit(ElicitParams::Form(form)).await;
    Ok(if answer.is_err() { "refused" } else { "asked" }.to_owned())
}

async fn logs(context: Context, Length { bytes }: Length) -> &'static str {
    for data in ["before", &"a".repeat(bytes), "after"] {
        context.log(LoggingLevel::Error, &data);
        tokio::task::yield_now().await;
    }
    "logged"
}

async fn serve() -> HttpTest {
    let server = Server::builder("large", "1")
        .tool("says", "", says)
        .tool("asks_at_length", "", asks_at_length)
        .tool("logs", "", logs)
        .build()
        .unwrap();
    let settings = HttpSettings { max_event: LIMIT, ..quick() };
    http_with(server, Probe::default(), "127.0.0.1:0", settings).await
}
