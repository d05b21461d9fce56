//! What clients and servers agree on, and how answers find their way back.

use proofmark_sdk::transport::{LineSettings, connect_in_memory};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::common::{
    Client, LEGACY, LineClient, NEWEST_LEGACY, call, code, http, initialize, notification, quick,
    request, server, soon, text,
};

#[tokio::test]
async fn every_revision_is_agreed_on_over_every_transport_and_nonsense_is_countered() {
    let test = http(quick()).await;
    for asked in LEGACY.into_iter().chain(["1999-01-01", "", "nonsense", "2026-07-28"]) {
        let expected = if LEGACY.contains(&asked) { asked } else { NEWEST_LEGACY };
        let agreed =
            |answer: &Value| answer["result"]["protocolVersion"].as_str().unwrap().to_owned();
        let answer = test.client.post(&initialize(asked)).await.json();
        assert_eq!(agreed(&answer), expected, "HTTP, {asked}");

        let mut line = LineClient::connect(&test.server, LineSettings::default());
        let answer = line.ask(&initialize(asked)).await;
        assert_eq!(agreed(&answer), expected, "lines, {asked}");

        let (mut events, path) = test.client.open_sse().await;
        assert_eq!(test.client.post_to(&path, &initialize(asked)).await.status, 202);
        let answer = events.message().await.unwrap();
        assert_eq!(agreed(&answer), expected, "HTTP+SSE, {asked}");
    }
    test.stop().await;
}

#[tokio::test]
async fn nothing_but_a_ping_is_answered_before_the_handshake() {
    let (server, probe) = server();
    let mut line = LineClient::connect(&server, LineSettings::default());
    line.assert_alive().await;
    for method in ["tools/list", "tools/call", "logging/setLevel", "prompts/list"] {
        assert_eq!(code(&line.ask(&request(method, method, json!({}))).await), -32600);
    }
    line.ask(&initialize(NEWEST_LEGACY)).await;
    line.send(&notification("notifications/initialized", json!({}))).await;
    assert_eq!(code(&line.ask(&initialize(NEWEST_LEGACY)).await), -32600);
    assert_eq!(text(&line.ask(&call(1, "echo", json!({ "text": "now" }))).await), "now");
    assert_eq!(probe.started(), 1);
}

/// Ids as they are spelled.
const IDS: [&str; 12] = [
    "0",
    "-7",
    "1.0",
    "1",
    "\"1\"",
    "\"\"",
    "\"a b\"",
    "\"é\"",
    "\"\u{1f600}\"",
    "-0",
    "9007199254740993",
    "123456789012345678901234567890",
];

#[tokio::test]
async fn ids_come_back_exactly_as_they_were_spelled() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let (near, serving) = connect_in_memory(&test.server);
    let serving = tokio::spawn(serving);
    let (reader, mut writer) = tokio::io::split(near);
    let mut lines = BufReader::new(reader).lines();
    for id in IDS {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let expected = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        let response = client.post_text(body.as_bytes()).await;
        assert_eq!(String::from_utf8(response.body).unwrap(), expected);
        writer.write_all(format!("{body}\n").as_bytes()).await.unwrap();
        assert_eq!(soon(lines.next_line()).await.unwrap().unwrap(), expected);
    }
    writer.shutdown().await.unwrap();
    soon(serving).await.unwrap().unwrap();
    test.stop().await;
}

#[tokio::test]
async fn one_in_three_spellings_runs_three_times_at_once() {
    let (server, _) = server();
    let mut line = LineClient::begin(&server, NEWEST_LEGACY).await;
    for (id, said) in [("1", "integer"), ("1.0", "number"), ("\"1\"", "string")] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{said}","delay_ms":20}}}}}}"#
        );
        line.send_line(body.as_bytes()).await;
    }
    let mut said: Vec<String> = Vec::new();
    for _ in 0..3 {
        said.push(text(&line.message().await).to_owned());
    }
    said.sort();
    assert_eq!(said, ["integer", "number", "string"]);
}

#[tokio::test]
async fn an_id_in_use_is_refused_to_the_second_request() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let first = client.clone();
    let first = tokio::spawn(async move {
        first.post(&call(1, "echo", json!({ "text": "first", "delay_ms": 300 }))).await
    });
    crate::common::until(|| test.probe.started() == 1).await;
    for again in [
        call(1, "echo", json!({ "text": "second" })),
        request(1, "ping", json!({})),
        request(1, "no/such", json!({})),
        request(1, "tools/call", json!({})),
    ] {
        let refused = client.post(&again).await;
        assert_eq!(refused.status, 200, "{again}");
        assert!(refused.json().get("error").is_some(), "{again}");
    }
    let first = soon(first).await.unwrap();
    assert_eq!(first.header("content-type"), Some("application/json"));
    assert_eq!(text(&first.json()), "first");
    assert_eq!(test.probe.started(), 1);
    test.stop().await;
}

#[tokio::test]
async fn lists_come_in_pages_and_every_item_comes_once() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut line = LineClient::begin(&test.server, NEWEST_LEGACY).await;
    let mut names = Vec::new();
    let mut cursor = None;
    let mut pages = 0;
    loop {
        let params =
            cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        let page = client.post(&request(1, "prompts/list", params.clone())).await.json();
        assert_eq!(line.ask(&request(1, "prompts/list", params)).await["result"], page["result"]);
        let items = page["result"]["prompts"].as_array().unwrap();
        assert!(items.len() <= 2);
        names.extend(items.iter().map(|item| item["name"].as_str().unwrap().to_owned()));
        pages += 1;
        match page["result"].get("nextCursor") {
            Some(next) => cursor = Some(next.clone()),
            None => break,
        }
    }
    assert_eq!((names.join(""), pages), ("abcde".to_owned(), 3));
    // A cursor of one list is none of another, and one that was changed is none at all.
    let cursor = client.post(&request(1, "prompts/list", json!({}))).await.json();
    let cursor = cursor["result"]["nextCursor"].as_str().unwrap().to_owned();
    let mut changed = cursor.clone().into_bytes();
    let middle = changed.len() / 2;
    changed[middle] = if changed[middle] == b'A' { b'B' } else { b'A' };
    for (method, cursor) in
        [("tools/list", cursor), ("prompts/list", String::from_utf8(changed).unwrap())]
    {
        let answer = client.post(&request(1, method, json!({ "cursor": cursor }))).await.json();
        assert_eq!(code(&answer), -32602, "{method}");
    }
    test.stop().await;
}

#[tokio::test]
async fn a_question_is_asked_on_the_stream_of_its_request_and_nowhere_else() {
    let test = http(quick()).await;
    let client = test.client.begin(NEWEST_LEGACY).await;
    let mut standalone = client.listen(None).await;
    standalone.next().await.unwrap();
    let mut stream = client.stream(&call(1, "asks", json!({}))).await;
    let question = stream.message().await.unwrap();
    assert_eq!(question["method"], "elicitation/create");
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept", "content": {} } });
    // Another client cannot answer it.
    let other = test.client.begin(NEWEST_LEGACY).await;
    assert_eq!(other.post(&answer).await.status, 202);
    assert_eq!(client.post(&answer).await.status, 202);
    assert_eq!(client.post(&answer).await.status, 202, "an answer that comes twice does no harm");
    let rest = stream.messages().await;
    assert_eq!(rest.len(), 1);
    assert_eq!(text(&rest[0]), "accepted");
    test.server.remove_tool("slow");
    let only = standalone.message().await.unwrap();
    assert_eq!(only["method"], "notifications/tools/list_changed");
    test.stop().await;
}

#[tokio::test]
async fn a_question_that_cannot_be_answered_any_more_is_given_up() {
    let (server, _) = server();
    let mut line = LineClient::begin(&server, NEWEST_LEGACY).await;
    line.send(&call(1, "asks", json!({}))).await;
    assert_eq!(line.message().await["method"], "elicitation/create");
    line.end_input().await;
    let answer = line.answer(1).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_eq!(line.try_message().await, None);
}

#[tokio::test]
async fn the_ids_of_one_transport_mean_nothing_on_another_session() {
    let test = http(quick()).await;
    let first = test.client.begin(NEWEST_LEGACY).await;
    let second = test.client.begin(NEWEST_LEGACY).await;
    let bytes = first.post_bytes("", call(1, "slow", json!({})).to_string().as_bytes());
    let _running = first.raw(&bytes).await;
    crate::common::until(|| test.probe.started() == 1).await;
    // Not in use here, and not to be cancelled from here.
    assert_eq!(second.post(&crate::common::cancel(1)).await.status, 202);
    let answer = second.post(&call(1, "echo", json!({ "text": "own" }))).await.json();
    assert_eq!(text(&answer), "own");
    assert_eq!(test.probe.ended(), 1);
    let Client { session, .. } = second;
    assert_ne!(session, first.session);
    test.stop().await;
}
