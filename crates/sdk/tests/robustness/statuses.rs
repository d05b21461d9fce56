//! How each revision's clients are answered over HTTP when something is wrong.

use proofmark_sdk::core::revision::{Era, Revision};
use serde_json::{Value, json};

use crate::common::{
    Client, HttpTest, LEGACY, call, code, http, modern, notification, quick, request,
};

/// Runs a check in a session of each legacy revision.
async fn each(check: impl AsyncFn(&HttpTest, &Client, Revision)) {
    let test = http(quick()).await;
    for version in LEGACY {
        let client = test.client.begin(version).await;
        assert_eq!(client.version.as_deref(), Some(version));
        check(&test, &client, version.parse().unwrap()).await;
        // Whatever was wrong, the next request is answered.
        let pong = client.post(&request("after", "ping", json!({}))).await;
        assert_eq!((pong.status, &pong.json()["id"]), (200, &json!("after")), "{version}");
    }
    test.stop().await;
}

#[test]
fn every_legacy_revision_is_tested() {
    let all: Vec<_> = Revision::of(Era::Legacy).map(Revision::as_str).collect();
    assert_eq!(all, LEGACY);
}

#[tokio::test]
async fn what_is_not_json_is_a_parse_error() {
    each(async |_, client, version| {
        for body in [
            "",
            " ",
            "{",
            "nonsense",
            "{\"jsonrpc\":\"2.0\"}}",
            "{\"a\":\u{0}1}",
            "\u{feff}{}",
            "{'a':1}",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"",
        ] {
            let response = client.post_text(body.as_bytes()).await;
            assert_eq!(
                (response.status, code(&response.json())),
                (400, -32700),
                "{version} {body:?}"
            );
            assert_eq!(response.json().get("id"), None, "{version} {body:?}");
        }
        let response =
            client.post_text(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}").await;
        assert_eq!((response.status, code(&response.json())), (400, -32700));
    })
    .await;
}

#[tokio::test]
async fn json_that_is_no_message_is_refused_under_its_id_if_it_has_one() {
    each(async |_, client, version| {
        for (body, id) in [
            (json!({ "id": 7, "method": "ping" }), json!(7)),
            (json!({ "jsonrpc": "1.0", "id": "a", "method": "ping" }), json!("a")),
            (json!({ "jsonrpc": "2.0", "id": 7 }), json!(7)),
            (json!({ "jsonrpc": "2.0", "id": 7, "method": 1 }), json!(7)),
            (json!({ "jsonrpc": "2.0", "id": 7, "method": "ping", "params": [] }), json!(7)),
            (json!({ "jsonrpc": "2.0", "id": null, "method": "ping" }), Value::Null),
            (json!({ "jsonrpc": "2.0", "id": {}, "method": "ping" }), Value::Null),
            (json!({ "jsonrpc": "2.0", "id": 1.5, "method": "ping" }), Value::Null),
            (json!({ "jsonrpc": "2.0", "id": 7, "result": {}, "error": {} }), json!(7)),
            (json!(7), Value::Null),
            (json!("ping"), Value::Null),
            (Value::Null, Value::Null),
        ] {
            let response = client.post(&body).await;
            let answer = response.json();
            assert_eq!((response.status, code(&answer)), (400, -32600), "{version} {body}");
            assert_eq!(answer["id"], id, "{version} {body}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_error_of_the_protocol_comes_with_status_200() {
    each(async |_, client, version| {
        let read = |uri| request(1, "resources/read", json!({ "uri": uri }));
        for (message, expected) in [
            (request(1, "no/such", json!({})), -32601),
            (request(1, "server/discover", json!({})), -32601),
            (request(1, "tools/call", json!({})), -32602),
            (request(1, "tools/call", json!({ "name": 1 })), -32602),
            (call(1, "no such tool", json!({})), -32602),
            (read("test://nowhere"), -32002),
            (request(1, "resources/subscribe", json!({ "uri": "test://nowhere" })), -32002),
            (request(1, "prompts/get", json!({ "name": "unknown" })), -32602),
            (request(1, "tools/list", json!({ "cursor": "made up" })), -32602),
            (request(1, "tools/list", json!({ "cursor": 1 })), -32602),
            (request(1, "logging/setLevel", json!({ "level": "loud" })), -32602),
            (request(1, "initialize", json!({})), -32602),
        ] {
            let response = client.post(&message).await;
            let answer = response.json();
            assert_eq!((response.status, code(&answer)), (200, expected), "{version} {message}");
            assert_eq!(answer["id"], 1);
        }
        assert_eq!(
            client.post(&read("test://nowhere")).await.json()["error"]["data"]["uri"],
            "test://nowhere"
        );
    })
    .await;
}

#[tokio::test]
async fn arguments_that_do_not_fit_never_reach_the_handler() {
    each(async |test, client, version| {
        let before = test.probe.started();
        for arguments in [json!({}), json!({ "text": 1 }), json!({ "text": "a", "delay_ms": -1 })] {
            let answer = client.post(&call(1, "echo", arguments)).await.json();
            let refused = answer["error"]["code"] == -32602 || answer["result"]["isError"] == true;
            assert!(refused, "{version} {answer}");
        }
        assert_eq!(test.probe.started(), before);
    })
    .await;
}

#[tokio::test]
async fn sessions_are_missed_and_mourned() {
    each(async |test, client, version| {
        let ping = request(1, "ping", json!({}));
        let missing = Client { session: None, ..client.clone() };
        assert_eq!(missing.post(&ping).await.status, 400, "{version}");
        assert_eq!(missing.bodiless("GET", "").await.status, 400, "{version}");
        assert_eq!(missing.bodiless("DELETE", "").await.status, 400, "{version}");
        for id in ["0123456789abcdef0123456789abcdef", "made-up", &"x".repeat(300), "a b"] {
            let unknown = Client { session: Some(id.to_owned()), ..client.clone() };
            assert_eq!(unknown.post(&ping).await.status, 404, "{version} {id}");
            assert_eq!(unknown.bodiless("GET", "").await.status, 404, "{version} {id}");
            assert_eq!(unknown.bodiless("DELETE", "").await.status, 404, "{version} {id}");
        }
        let gone = test.client.begin(version.as_str()).await;
        let deleted = gone.bodiless("DELETE", "").await;
        assert_eq!((deleted.status, deleted.body.len()), (204, 0));
        assert_eq!(gone.post(&ping).await.status, 404);
        assert_eq!(gone.bodiless("GET", "").await.status, 404);
        assert_eq!(gone.bodiless("DELETE", "").await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn notifications_and_responses_are_accepted_without_a_word() {
    each(async |_, client, version| {
        for message in [
            notification("notifications/roots/list_changed", json!({})),
            notification("notifications/no/such", json!({})),
            notification("notifications/cancelled", json!({ "requestId": "never" })),
            notification("notifications/cancelled", json!({ "requestId": {} })),
            notification("notifications/progress", json!({})),
            json!({ "jsonrpc": "2.0", "id": 99, "result": {} }),
            json!({ "jsonrpc": "2.0", "id": 99, "error": { "code": 1, "message": "" } }),
        ] {
            let response = client.post(&message).await;
            assert_eq!((response.status, response.body.len()), (202, 0), "{version} {message}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_unknown_version_header_is_refused_where_the_revision_has_that_header() {
    each(async |_, client, version| {
        for (header, served) in [
            (Some("1999-01-01"), false),
            (Some("nonsense"), false),
            (Some(""), false),
            (None, true),
            (Some(version.as_str()), true),
        ] {
            let with = Client { version: header.map(str::to_owned), ..client.clone() };
            let expected =
                if served || version < "2025-06-18".parse().unwrap() { 200 } else { 400 };
            let response = with.post(&request(1, "ping", json!({}))).await;
            assert_eq!(response.status, expected, "{version} {header:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_client_that_does_not_accept_what_is_sent_is_told_so() {
    each(async |_, client, version| {
        let body = request(1, "ping", json!({})).to_string();
        for (accept, status) in [
            ("application/json", 406),
            ("text/event-stream", 406),
            ("text/html", 406),
            ("application/json, text/event-stream;q=0", 406),
            ("*/*", 200),
            ("application/*, text/*", 200),
        ] {
            let bytes = String::from_utf8(client.post_bytes("", body.as_bytes())).unwrap();
            let bytes = bytes.replace("application/json, text/event-stream", accept);
            assert_eq!(client.answer(bytes.as_bytes()).await.status, status, "{version} {accept}");
        }
        let get = client.head("GET").replace(", text/event-stream", "");
        assert_eq!(client.answer(format!("{get}\r\n").as_bytes()).await.status, 406, "{version}");
    })
    .await;
}

#[tokio::test]
async fn an_array_is_a_batch_only_where_there_are_batches() {
    each(async |test, client, version| {
        let before = test.probe.started();
        let batch = json!([
            call(1, "echo", json!({ "text": "one" })),
            notification("notifications/roots/list_changed", json!({})),
            call("2", "echo", json!({ "text": "two" })),
            { "jsonrpc": "2.0", "id": 3 },
        ]);
        let response = client.post(&batch).await;
        if version.rules().batches.accepted() {
            let answers = response.json();
            let ids: Vec<_> = answers.as_array().unwrap().iter().map(|it| &it["id"]).collect();
            assert_eq!(response.status, 200);
            assert_eq!((ids.len(), test.probe.started()), (3, before + 2));
            for id in [json!(1), json!("2"), json!(3)] {
                assert!(ids.contains(&&id), "{ids:?}");
            }
        } else {
            assert_eq!((response.status, code(&response.json())), (400, -32600), "{version}");
            assert_eq!(test.probe.started(), before);
        }
    })
    .await;
}

#[tokio::test]
async fn other_verbs_and_paths_are_not_there() {
    let test = http(quick()).await;
    let client = test.client.begin("2025-11-25").await;
    for verb in ["PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "NONSENSE"] {
        let response = client.raw(format!("{}\r\n", client.head(verb)).as_bytes()).await;
        assert_eq!(response.events().await.status, 405, "{verb}");
    }
    for path in ["/", "/mcp/", "/mcp/x", "/MCP", "//mcp", "/metrics"] {
        let head = client.head("POST").replace(" /mcp ", &format!(" {path} "));
        let response = client.answer(format!("{head}Content-Length: 0\r\n\r\n").as_bytes()).await;
        assert_eq!(response.status, 404, "{path}");
    }
    test.stop().await;
}

#[tokio::test]
async fn a_modern_request_leaves_no_session_behind() {
    let test = http(quick()).await;
    for id in 0..20 {
        let message =
            modern(id, "tools/call", json!({ "name": "echo", "arguments": { "text": "hi" } }));
        let response = test.client.answer(&test.client.modern_bytes(&message)).await;
        assert_eq!(response.status, 200, "{response:?}");
        assert_eq!(response.json()["result"]["content"][0]["text"], "hi");
        let discover = modern(id, "server/discover", json!({}));
        assert_eq!(test.client.answer(&test.client.modern_bytes(&discover)).await.status, 200);
        let unknown = modern(id, "no/such", json!({}));
        assert_eq!(test.client.answer(&test.client.modern_bytes(&unknown)).await.status, 404);
    }
    assert_eq!((test.service.sessions(), test.service.detached()), (0, 0));
    test.stop().await;
}
