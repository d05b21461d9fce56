//! Authorization codes: who gets one, and what it is good for.

use std::time::Duration;

use http::StatusCode;
use serde_json::json;

use super::support::*;

#[tokio::test]
async fn a_code_brings_a_token_for_the_resource_that_was_asked_for() {
    let server = server();
    let client = public_client(&server).await;
    let sent_to = location(&authorize(&server, &request(&client)).await);
    assert!(sent_to.as_str().starts_with(&format!("{CALLBACK}?")));
    assert_eq!(parameter(&sent_to, "state").as_deref(), Some("xyz"));
    assert_eq!(parameter(&sent_to, "iss").as_deref(), Some(ISSUER));
    let code = parameter(&sent_to, "code").unwrap();

    let (status, tokens) = token(&server, &redemption(&client, &code)).await;
    assert_eq!(status, StatusCode::OK, "{tokens}");
    assert_eq!(tokens["token_type"], "Bearer");
    assert_eq!(tokens["scope"], "mcp");
    assert_eq!(tokens["expires_in"], 300);
    let claims = claims(&tokens["access_token"]);
    assert_eq!(claims["aud"], RESOURCE);
    assert_eq!(claims["iss"], ISSUER);
    assert_eq!(claims["client_id"], client);
}

#[tokio::test]
async fn a_code_works_once_and_takes_its_refresh_token_along_when_it_is_shown_again() {
    let server = server();
    let client = public_client(&server).await;
    let code = code(&server, &client).await;
    let (_, tokens) = token(&server, &redemption(&client, &code)).await;
    let (status, again) = token(&server, &redemption(&client, &code)).await;
    assert_eq!((status, &again["error"]), (StatusCode::BAD_REQUEST, &json!("invalid_grant")));
    let refresh = [
        ("grant_type", "refresh_token".to_owned()),
        ("client_id", client),
        ("refresh_token", tokens["refresh_token"].as_str().unwrap().to_owned()),
    ];
    assert_eq!(token(&server, &refresh).await.1["error"], "invalid_grant");
}

#[tokio::test(start_paused = true)]
async fn a_code_expires() {
    let server = server();
    let client = public_client(&server).await;
    for (wait, expected) in [(59, StatusCode::OK), (60, StatusCode::BAD_REQUEST)] {
        let code = code(&server, &client).await;
        tokio::time::advance(Duration::from_secs(wait)).await;
        let (status, answer) = token(&server, &redemption(&client, &code)).await;
        assert_eq!(status, expected, "after {wait} s: {answer}");
    }
}

#[tokio::test]
async fn a_code_that_was_shown_wrongly_is_gone() {
    let server = server();
    let client = public_client(&server).await;
    let other = public_client(&server).await;
    let wrong_verifier = "a".repeat(43);
    for (name, value) in [
        ("client_id", &*other),
        ("redirect_uri", "http://127.0.0.1:4000/other"),
        ("code_verifier", &*wrong_verifier),
    ] {
        let code = code(&server, &client).await;
        let good = redemption(&client, &code);
        let (status, answer) = token(&server, &with(good.clone(), name, Some(value))).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{name}");
        assert_eq!(answer["error"], "invalid_grant", "{name}");
        assert_eq!(token(&server, &good).await.1["error"], "invalid_grant", "{name}");
    }
}

#[tokio::test]
async fn pkce_cannot_be_left_out_or_weakened() {
    let server = server();
    let client = public_client(&server).await;
    for (name, value) in [
        ("code_challenge", None),
        ("code_challenge", Some("too-short")),
        ("code_challenge_method", None),
        ("code_challenge_method", Some("plain")),
    ] {
        let sent_to = location(&authorize(&server, &with(request(&client), name, value)).await);
        assert_eq!(parameter(&sent_to, "error").as_deref(), Some("invalid_request"), "{name}");
        assert_eq!(parameter(&sent_to, "code"), None, "{name}");
        assert_eq!(parameter(&sent_to, "state").as_deref(), Some("xyz"), "{name}");
        assert_eq!(parameter(&sent_to, "iss").as_deref(), Some(ISSUER), "{name}");
    }
    let code = code(&server, &client).await;
    let (_, answer) =
        token(&server, &with(redemption(&client, &code), "code_verifier", None)).await;
    assert_eq!(answer["error"], "invalid_request");
}

#[tokio::test]
async fn a_browser_is_not_sent_to_a_place_that_was_not_registered() {
    let server = server();
    let client = public_client(&server).await;
    let hostile = "<script>alert(1)</script>";
    for (name, value) in [
        ("redirect_uri", Some("http://127.0.0.1:4000/callback/")),
        ("redirect_uri", Some("https://evil.example/callback")),
        ("redirect_uri", Some("javascript:alert(1)")),
        ("client_id", Some(hostile)),
        ("client_id", None),
    ] {
        let answer = authorize(&server, &with(request(&client), name, value)).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{name} {value:?}");
        assert!(!answer.headers().contains_key("location"));
        let page = String::from_utf8(answer.body().to_vec()).unwrap();
        assert!(page.contains("Not for production"), "{page}");
        assert!(value.is_none_or(|value| !page.contains(value)), "{page}");
    }
    let twice = [request(&client), request(&client)].concat();
    assert_eq!(authorize(&server, &twice).await.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn other_mistakes_are_told_to_the_client() {
    let server = server();
    let client = public_client(&server).await;
    for (name, value, error) in [
        ("response_type", Some("token"), "unsupported_response_type"),
        ("response_type", None, "invalid_request"),
        ("scope", Some("mcp everything"), "invalid_scope"),
        ("resource", Some("https://elsewhere.example/mcp"), "invalid_target"),
    ] {
        let sent_to = location(&authorize(&server, &with(request(&client), name, value)).await);
        assert_eq!(parameter(&sent_to, "error").as_deref(), Some(error), "{name}");
    }
    let mut two = request(&client);
    two.push(("resource", RESOURCE.into()));
    let sent_to = location(&authorize(&server, &two).await);
    assert_eq!(parameter(&sent_to, "error").as_deref(), Some("invalid_target"));
}

#[tokio::test]
async fn a_client_cannot_ask_for_another_resource_than_was_approved() {
    let mut settings = settings();
    settings.resources.push("http://127.0.0.1:3001/mcp".into());
    let server = proofmark_everything::auth::AuthorizationServer::new(settings).unwrap();
    let client = public_client(&server).await;
    let code = code(&server, &client).await;
    let other = with(redemption(&client, &code), "resource", Some("http://127.0.0.1:3001/mcp"));
    assert_eq!(token(&server, &other).await.1["error"], "invalid_target");
}

#[tokio::test]
async fn requests_that_make_no_sense_are_refused() {
    let server = server();
    let client = public_client(&server).await;
    let good = redemption(&client, "no-such-code");
    for (parameters, error) in [
        (good.clone(), "invalid_grant"),
        (with(good.clone(), "grant_type", Some("password")), "unsupported_grant_type"),
        (with(good.clone(), "grant_type", None), "invalid_request"),
        (with(good.clone(), "code", None), "invalid_request"),
        (with(good.clone(), "client_id", Some("stranger")), "invalid_client"),
        (with(good.clone(), "client_id", None), "invalid_client"),
        (with(good.clone(), "client_secret", Some("guess")), "invalid_client"),
        ([good.clone(), good.clone()].concat(), "invalid_request"),
    ] {
        let (status, answer) = token(&server, &parameters).await;
        let expected = if error == "invalid_client" {
            StatusCode::UNAUTHORIZED
        } else {
            StatusCode::BAD_REQUEST
        };
        assert_eq!((status, answer["error"].as_str()), (expected, Some(error)));
    }
}
