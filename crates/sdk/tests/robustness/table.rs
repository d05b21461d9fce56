//! Which status each situation gets, in each legacy revision: one test for each.

use proofmark_sdk::{
    core::{revision::Revision, streamable_http::Sessions},
    transport::http::HttpSettings,
};
use serde_json::{Value, json};

use crate::common::{
    Client, HttpTest, LEGACY, call, code, followed, http, initialize, notification, quick, request,
};

/// Looks in a session of each legacy revision, and that the session is as good as before afterwards.
async fn in_each(look: impl AsyncFn(&HttpTest, &Client, Revision)) {
    let test = http(quick()).await;
    for version in LEGACY {
        let client = test.client.begin(version).await;
        look(&test, &client, version.parse().unwrap()).await;
        assert_eq!(client.post(&ping()).await.status, 200, "{version}");
    }
    test.stop().await;
}

fn ping() -> Value {
    request("ping", "ping", json!({}))
}

#[tokio::test]
async fn a_request_that_is_answered_at_once_gets_200_and_json() {
    in_each(async |_, client, version| {
        let answer = client.post(&call(1, "echo", json!({ "text": "a" }))).await;
        let kind = answer.header("content-type");
        assert_eq!((answer.status, kind), (200, Some("application/json")), "{version}");
    })
    .await;
}

#[tokio::test]
async fn a_request_with_something_to_say_first_gets_200_and_a_stream() {
    in_each(async |_, client, version| {
        let answer = client.post(&followed(1, "p", "steps", json!({ "count": 1 }))).await;
        let kind = answer.header("content-type");
        assert_eq!((answer.status, kind), (200, Some("text/event-stream")), "{version}");
    })
    .await;
}

#[tokio::test]
async fn a_notification_gets_202_and_nothing_else() {
    in_each(async |_, client, version| {
        let told = notification("notifications/roots/list_changed", json!({}));
        let answer = client.post(&told).await;
        assert_eq!((answer.status, answer.body.len()), (202, 0), "{version}");
    })
    .await;
}

#[tokio::test]
async fn a_response_gets_202_and_nothing_else() {
    in_each(async |_, client, version| {
        for response in [
            json!({ "jsonrpc": "2.0", "id": 1, "result": {} }),
            json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -1, "message": "no" } }),
        ] {
            let answer = client.post(&response).await;
            assert_eq!((answer.status, answer.body.len()), (202, 0), "{version}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_notification_or_response_that_is_none_gets_400_and_an_error_without_an_id() {
    in_each(async |_, client, version| {
        for bad in [
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized", "params": [] }),
            json!({ "jsonrpc": "2.0", "method": 1 }),
            json!({ "jsonrpc": "2.0", "result": {} }),
            json!({ "method": "notifications/initialized" }),
        ] {
            let answer = client.post(&bad).await;
            assert_eq!((answer.status, code(&answer.json())), (400, -32600), "{version} {bad}");
            assert_eq!(answer.json().get("id"), None, "{version} {bad}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_error_of_a_request_gets_200() {
    in_each(async |_, client, version| {
        let answer = client.post(&call(1, "no such tool", json!({}))).await;
        assert_eq!((answer.status, code(&answer.json())), (200, -32602), "{version}");
    })
    .await;
}

#[tokio::test]
async fn an_unknown_method_gets_200() {
    in_each(async |_, client, version| {
        let answer = client.post(&request(1, "no/such", json!({}))).await;
        assert_eq!((answer.status, code(&answer.json())), (200, -32601), "{version}");
    })
    .await;
}

#[tokio::test]
async fn a_version_that_is_not_known_is_countered_in_the_answer_to_initialize() {
    in_each(async |test, _, _| {
        for offered in ["1999-01-01", "2026-07-28", "nonsense", ""] {
            let answer = test.client.post(&initialize(offered)).await;
            let agreed = answer.json()["result"]["protocolVersion"].clone();
            assert_eq!((answer.status, agreed), (200, json!("2025-11-25")), "{offered:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_version_header_that_is_not_known_gets_400_where_there_is_that_header() {
    in_each(async |_, client, version| {
        let odd = Client { version: Some("1999-01-01".into()), ..client.clone() };
        let has_header = !["2024-11-05", "2025-03-26"].contains(&version.as_str());
        let expected = if has_header { 400 } else { 200 };
        assert_eq!(odd.post(&ping()).await.status, expected, "{version}");
    })
    .await;
}

#[tokio::test]
async fn a_version_header_that_is_missing_is_not_missed() {
    in_each(async |_, client, version| {
        let silent = Client { version: None, ..client.clone() };
        assert_eq!(silent.post(&ping()).await.status, 200, "{version}");
    })
    .await;
}

#[tokio::test]
async fn a_session_id_that_is_missing_gets_400() {
    in_each(async |_, client, version| {
        let missing = Client { session: None, ..client.clone() };
        assert_eq!(missing.post(&ping()).await.status, 400, "{version}");
        for verb in ["GET", "DELETE"] {
            assert_eq!(missing.bodiless(verb, "").await.status, 400, "{version} {verb}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_session_that_is_over_or_never_was_gets_404() {
    in_each(async |test, client, version| {
        let over = test.client.begin(version.as_str()).await;
        over.bodiless("DELETE", "").await;
        let never = Client { session: Some("0".repeat(32)), ..client.clone() };
        for gone in [over, never] {
            assert_eq!(gone.post(&ping()).await.status, 404, "{version}");
            for verb in ["GET", "DELETE"] {
                assert_eq!(gone.bodiless(verb, "").await.status, 404, "{version} {verb}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_session_that_is_ended_gets_204() {
    in_each(async |test, _, version| {
        let client = test.client.begin(version.as_str()).await;
        let answer = client.bodiless("DELETE", "").await;
        assert_eq!((answer.status, answer.body.len()), (204, 0), "{version}");
    })
    .await;
}

#[tokio::test]
async fn get_and_delete_get_405_where_there_are_no_sessions() {
    let test = http(HttpSettings { sessions: Sessions::Off, ..quick() }).await;
    for version in LEGACY {
        let client = Client { version: Some(version.into()), ..test.client.clone() };
        for verb in ["GET", "DELETE"] {
            let answer = client.bodiless(verb, "").await;
            assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{version}");
        }
        assert_eq!(client.post(&ping()).await.status, 200, "{version}");
    }
    test.stop().await;
}

#[tokio::test]
async fn a_server_without_sessions_promises_nothing_that_takes_one() {
    let on = http(quick()).await;
    let off = http(HttpSettings { sessions: Sessions::Off, ..quick() }).await;
    for version in LEGACY {
        let declared = async |test: &HttpTest| {
            let answer = test.client.post(&initialize(version)).await.json();
            answer["result"]["capabilities"].clone()
        };
        let (full, less) = (declared(&on).await, declared(&off).await);
        assert_eq!(full["resources"]["subscribe"], true, "{version}");
        assert_eq!(full["resources"]["listChanged"], true, "{version}");
        assert_eq!(less["resources"], json!({}), "{version}");
        assert_eq!((&less["tools"], &less["prompts"]), (&json!({}), &json!({})), "{version}");
        let client = Client { version: Some(version.into()), ..off.client.clone() };
        let watch = request(1, "resources/subscribe", json!({ "uri": "test://one" }));
        assert_eq!(code(&client.post(&watch).await.json()), -32601, "{version}");
    }
    on.stop().await;
    off.stop().await;
}

#[tokio::test]
async fn a_foreign_origin_gets_403() {
    in_each(async |_, client, version| {
        for origin in ["https://evil.test", "null"] {
            let extra = format!("Origin: {origin}\r\n");
            let bytes = client.post_bytes(&extra, ping().to_string().as_bytes());
            assert_eq!(client.answer(&bytes).await.status, 403, "{version}");
            for verb in ["GET", "DELETE"] {
                assert_eq!(client.bodiless(verb, &extra).await.status, 403, "{version} {verb}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_accepted_gets_406() {
    in_each(async |_, client, version| {
        let bytes = client.post_bytes("", ping().to_string().as_bytes());
        let bytes = String::from_utf8(bytes).unwrap().replace(", text/event-stream", "");
        assert_eq!(client.answer(bytes.as_bytes()).await.status, 406, "{version}");
    })
    .await;
}

#[tokio::test]
async fn a_body_that_is_not_said_to_be_json_gets_415() {
    in_each(async |_, client, version| {
        let bytes = client.post_bytes("", ping().to_string().as_bytes());
        let bytes = String::from_utf8(bytes).unwrap();
        let plain = bytes.replace("Content-Type: application/json", "Content-Type: text/plain");
        let silent = bytes.replace("Content-Type: application/json\r\n", "");
        for bytes in [plain, silent] {
            assert_eq!(client.answer(bytes.as_bytes()).await.status, 415, "{version}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_body_that_is_not_json_gets_400_and_a_parse_error() {
    in_each(async |_, client, version| {
        for body in [&b"{"[..], b"", b"\xff", b"\xef\xbb\xbf{}", b"{\"a\":\"\0\"}"] {
            let answer = client.post_text(body).await;
            assert_eq!((answer.status, code(&answer.json())), (400, -32700), "{version}");
        }
        // Half of a character is JSON, but no text.
        let half = br#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#;
        let answer = client.post_text(half).await;
        assert_eq!((answer.status, code(&answer.json())), (400, -32600), "{version}");
    })
    .await;
}

#[tokio::test]
async fn an_array_gets_400_where_there_are_no_batches() {
    in_each(async |_, client, version| {
        let answer = client.post(&json!([ping()])).await;
        if version.rules().batches.accepted() {
            assert_eq!((answer.status, &answer.json()[0]["id"]), (200, &json!("ping")));
        } else {
            assert_eq!((answer.status, code(&answer.json())), (400, -32600), "{version}");
        }
    })
    .await;
}
