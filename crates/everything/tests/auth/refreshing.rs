//! Refresh tokens, and clients that need no person.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use proofmark_everything::auth::{AuthorizationServer, KnownClient};
use serde_json::{Value, json};

use super::support::*;

#[tokio::test]
async fn a_refresh_token_is_replaced_at_each_use() {
    let server = server();
    let client = public_client(&server).await;
    let first = refresh_token(&server, &client).await;
    let (status, tokens) = token(&server, &refresh(&client, &first)).await;
    assert_eq!(status, StatusCode::OK, "{tokens}");
    assert_eq!(claims(&tokens["access_token"])["aud"], RESOURCE);
    let second = text(&tokens["refresh_token"]);
    assert_ne!(first, second);
    assert_eq!(token(&server, &refresh(&client, &second)).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_refresh_token_that_comes_twice_was_stolen_and_ends_its_successors() {
    let server = server();
    let client = public_client(&server).await;
    let first = refresh_token(&server, &client).await;
    let (_, tokens) = token(&server, &refresh(&client, &first)).await;
    let second = text(&tokens["refresh_token"]);
    assert_eq!(token(&server, &refresh(&client, &first)).await.1["error"], "invalid_grant");
    assert_eq!(token(&server, &refresh(&client, &second)).await.1["error"], "invalid_grant");
    // Those of another approval go on.
    let other = refresh_token(&server, &client).await;
    assert_eq!(token(&server, &refresh(&client, &other)).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_refresh_token_is_worth_nothing_to_another_client_and_survives_mistakes() {
    let server = server();
    let client = public_client(&server).await;
    let other = public_client(&server).await;
    let token_ = refresh_token(&server, &client).await;
    assert_eq!(token(&server, &refresh(&other, &token_)).await.1["error"], "invalid_grant");
    let wider = with(refresh(&client, &token_), "scope", Some("mcp everything"));
    assert_eq!(token(&server, &wider).await.1["error"], "invalid_scope");
    assert_eq!(token(&server, &refresh(&client, &token_)).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_client_with_a_secret_gets_a_token_for_itself() {
    let (server, known) = with_secret();
    let parameters = [("grant_type", "client_credentials".to_owned())];
    let basic =
        |id: &str, secret: &str| format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")));
    let good = basic(&known.id, "canary");
    let (status, tokens) = token_with(&server, &parameters, Some(&good)).await;
    assert_eq!(status, StatusCode::OK, "{tokens}");
    assert_eq!(claims(&tokens["access_token"])["sub"], known.id);
    assert_eq!(tokens.get("refresh_token"), None);

    let wrong = basic(&known.id, "guess");
    let (status, answer) = token_with(&server, &parameters, Some(&wrong)).await;
    assert_eq!((status, &answer["error"]), (StatusCode::UNAUTHORIZED, &json!("invalid_client")));
    assert!(!answer.to_string().contains("guess"));
}

#[tokio::test]
async fn a_public_client_gets_no_token_for_itself() {
    let server = server();
    let client = public_client(&server).await;
    let parameters = [("grant_type", "client_credentials".to_owned()), ("client_id", client)];
    assert_eq!(token(&server, &parameters).await.1["error"], "unauthorized_client");
}

#[test]
fn secrets_are_not_shown() {
    let (_, known) = with_secret();
    assert!(!format!("{known:?}").contains("canary"));
}

fn with_secret() -> (AuthorizationServer, KnownClient) {
    let known = KnownClient {
        id: "machine".into(),
        secret: Some("canary".into()),
        redirect_uris: Vec::new(),
    };
    let mut settings = settings();
    settings.clients.push(known.clone());
    assert!(!format!("{settings:?}").contains("canary"));
    (AuthorizationServer::new(settings).unwrap(), known)
}

async fn refresh_token(server: &AuthorizationServer, client: &str) -> String {
    let code = code(server, client).await;
    let (_, tokens) = token(server, &redemption(client, &code)).await;
    text(&tokens["refresh_token"])
}

fn refresh(client: &str, token: &str) -> Vec<(&'static str, String)> {
    [("grant_type", "refresh_token"), ("client_id", client), ("refresh_token", token)]
        .map(|(name, value)| (name, value.to_owned()))
        .to_vec()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
