//! Clients that register themselves.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use proofmark_everything::auth::{AuthorizationServer, Limits};
use serde_json::json;

use super::support::*;

#[tokio::test]
async fn a_client_that_says_nothing_about_it_gets_a_secret_for_the_header() {
    let server = server();
    let (status, registration) = register(&server, &json!({ "redirect_uris": [CALLBACK] })).await;
    assert_eq!(status, StatusCode::CREATED);
    assert_eq!(registration["token_endpoint_auth_method"], "client_secret_basic");
    assert_eq!(registration["grant_types"], json!(["authorization_code"]));
    assert_eq!(registration["client_secret_expires_at"], 0);
    let id = registration["client_id"].as_str().unwrap();
    let secret = registration["client_secret"].as_str().unwrap();

    let good = with(redemption(id, &code(&server, id).await), "client_id", None);
    let header = format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")));
    let (status, tokens) = token_with(&server, &good, Some(&header)).await;
    assert_eq!(status, StatusCode::OK, "{tokens}");
    assert_eq!(tokens.get("refresh_token"), None, "it did not register for one");

    // Neither without it nor in another place.
    let named = redemption(id, &code(&server, id).await);
    assert_eq!(token(&server, &named).await.1["error"], "invalid_client");
    let posted = with(named, "client_secret", Some(secret));
    assert_eq!(token(&server, &posted).await.1["error"], "invalid_client");
}

#[tokio::test]
async fn what_cannot_be_served_is_not_registered() {
    let server = server();
    for (metadata, error) in [
        (json!({}), "invalid_redirect_uri"),
        (json!({ "redirect_uris": ["http://app.example/cb"] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": ["app://cb"] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": vec![CALLBACK; 17] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": CALLBACK }), "invalid_client_metadata"),
        (json!([]), "invalid_client_metadata"),
        (
            json!({ "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "tls_client_auth" }),
            "invalid_client_metadata",
        ),
        (
            json!({ "redirect_uris": [CALLBACK], "grant_types": ["implicit"] }),
            "invalid_client_metadata",
        ),
        (
            json!({ "redirect_uris": [CALLBACK], "response_types": ["token"] }),
            "invalid_client_metadata",
        ),
        (
            json!({ "grant_types": ["client_credentials"], "token_endpoint_auth_method": "none" }),
            "invalid_client_metadata",
        ),
        (
            json!({ "redirect_uris": [CALLBACK], "client_name": "a".repeat(40_000) }),
            "invalid_client_metadata",
        ),
    ] {
        let (status, answer) = register(&server, &metadata).await;
        assert_eq!((status, answer["error"].as_str()), (StatusCode::BAD_REQUEST, Some(error)));
    }
}

#[tokio::test]
async fn those_who_register_endlessly_push_out_the_oldest_and_fill_nothing() {
    let mut settings = settings();
    settings.limits = Limits { clients: 3, ..Limits::default() };
    let server = AuthorizationServer::new(settings).unwrap();
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(public_client(&server).await);
    }
    assert_eq!(authorize(&server, &request(&ids[0])).await.status(), StatusCode::BAD_REQUEST);
    assert_eq!(authorize(&server, &request(&ids[1])).await.status(), StatusCode::FOUND);
    assert_eq!(authorize(&server, &request(&ids[3])).await.status(), StatusCode::FOUND);
}
