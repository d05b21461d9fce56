//! What those get whose token is missing, bad, too weak or badly sent, in each revision.

use proofmark_sdk::{auth::Scopes, transport::http::HttpSettings};
use serde_json::{Value, json};

use super::{ISSUER, demanding, test, with};
use crate::common::{Client, LEGACY, MODERN, Response, call, modern, request};

/// Only those with the scope `w` may call `slow`.
fn scoped() -> HttpSettings {
    let mut settings = demanding();
    settings.authorization = settings.authorization.map(|authorization| {
        authorization.require_for(|operation| match operation.name {
            Some("slow") => Scopes::of(["w"]),
            _ => Scopes::default(),
        })
    });
    settings
}

/// Has `look` see what a client gets, in a session of each legacy revision and in the modern era.
async fn in_each(look: impl AsyncFn(&Client, &str)) {
    let test = test(scoped()).await;
    for version in LEGACY {
        look(&with(&test.client, "alice.app").begin(version).await, version).await;
    }
    look(&with(&test.client, "alice.app"), MODERN).await;
    test.stop().await;
}

async fn send(client: &Client, message: &Value) -> Response {
    if client.session.is_some() {
        return client.post(message).await;
    }
    let method = message["method"].as_str().unwrap();
    client.ask(&modern(message["id"].clone(), method, message["params"].clone())).await
}

#[tokio::test]
async fn without_a_token_everything_gets_401_and_the_way_to_one() {
    in_each(async |client, version| {
        for bad in [None, Some("Basic YTpi"), Some("Bearer unknown")] {
            let stranger = Client { authorization: bad.map(str::to_owned), ..client.clone() };
            let answer = send(&stranger, &request(1, "tools/list", json!({}))).await;
            let challenge = answer.header("www-authenticate").unwrap_or_default();
            assert_eq!(answer.status, 401, "{version} {bad:?}");
            assert!(challenge.contains("resource_metadata="), "{version} {challenge}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_token_without_the_scope_gets_403_and_the_scopes_that_it_takes() {
    in_each(async |client, version| {
        let answer = send(client, &call(1, "slow", json!({}))).await;
        let challenge = answer.header("www-authenticate").unwrap_or_default();
        assert_eq!(answer.status, 403, "{version}");
        assert!(challenge.contains("insufficient_scope") && challenge.contains("scope=\"w\""));
        let echo = call(2, "echo", json!({ "text": "a" }));
        assert_eq!(send(client, &echo).await.status, 200, "{version}");
    })
    .await;
}

#[tokio::test]
async fn a_token_that_is_sent_badly_gets_400() {
    in_each(async |client, version| {
        for bad in ["Bearer", "Bearer a b", "Bearer alice.app\r\nAuthorization: Bearer bob.app"] {
            let odd = Client { authorization: Some(bad.into()), ..client.clone() };
            let answer = send(&odd, &request(1, "tools/list", json!({}))).await;
            assert_eq!(answer.status, 400, "{version} {bad:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn where_tokens_come_from_is_told_to_those_who_address_the_server_by_its_name() {
    let test = test(demanding()).await;
    let path = "/.well-known/oauth-protected-resource/mcp";
    for (host, status) in [("127.0.0.1", 200), ("localhost:80", 200), ("evil.test", 403)] {
        let asked = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let answer = test.client.answer(asked.as_bytes()).await;
        assert_eq!(answer.status, status, "{host}");
        assert_eq!(String::from_utf8_lossy(&answer.body).contains(ISSUER), status == 200);
    }
    test.stop().await;
}
