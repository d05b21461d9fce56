//! Servers that break one promise each.

use http::StatusCode;
use proofmark_everything::auth::{
    AuthorizationServer, Documents, Iss, Offer, Pkce, State, Variant,
};
use serde_json::json;

use super::support::*;

#[tokio::test]
async fn the_metadata_are_found_in_every_form_and_lead_to_the_rest() {
    let server = server();
    for path in ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"] {
        let (status, metadata) = told(&get(&server, path).await);
        assert_eq!(status, StatusCode::OK);
        assert_eq!(metadata["issuer"], ISSUER);
        assert_eq!(metadata["authorization_endpoint"], format!("{ISSUER}/authorize"));
        assert_eq!(metadata["authorization_response_iss_parameter_supported"], true);
        assert_eq!(metadata["code_challenge_methods_supported"], json!(["S256"]));
        assert_eq!(metadata["jwks_uri"], format!("{ISSUER}/jwks.json"));
    }
    let (_, keys) = told(&get(&server, "/jwks.json").await);
    assert_eq!(keys["keys"][0]["kty"], "EC");
    assert!(keys["keys"][0].get("d").is_none(), "the private part stays here");
}

#[tokio::test]
async fn metadata_can_be_hidden_in_all_places_but_one() {
    let server = variant(Variant { documents: Documents::OpenIdBelow, ..Variant::default() });
    let oauth = get(&server, "/.well-known/oauth-authorization-server").await;
    assert_eq!(oauth.status(), StatusCode::NOT_FOUND);
    let below = get(&server, "/.well-known/openid-configuration").await;
    assert_eq!(below.status(), StatusCode::OK);
}

#[tokio::test]
async fn the_issuer_and_the_state_of_a_response_can_be_wrong_or_missing() {
    let evil = "https://evil.example".to_owned();
    for (iss, state, expected) in [
        (Iss::Right, State::Right, (Some(ISSUER), Some("xyz"))),
        (Iss::Absent, State::Absent, (None, None)),
        (Iss::Forgotten, State::Right, (None, Some("xyz"))),
        (Iss::Other(evil.clone()), State::Other("abc".into()), (Some(&*evil), Some("abc"))),
    ] {
        let server = variant(Variant { iss, state, ..Variant::default() });
        let client = public_client(&server).await;
        let sent_to = location(&authorize(&server, &request(&client)).await);
        let found = (parameter(&sent_to, "iss"), parameter(&sent_to, "state"));
        assert_eq!((found.0.as_deref(), found.1.as_deref()), expected);
    }
}

#[tokio::test]
async fn a_server_that_does_not_mention_pkce_demands_it_all_the_same() {
    let server = variant(Variant { pkce: Pkce::Unmentioned, ..Variant::default() });
    let client = public_client(&server).await;
    let bare = with(request(&client), "code_challenge", None);
    let sent_to = location(&authorize(&server, &bare).await);
    assert_eq!(parameter(&sent_to, "error").as_deref(), Some("invalid_request"));
}

#[tokio::test]
async fn tokens_can_be_for_somebody_else() {
    let elsewhere = "https://elsewhere.example/mcp";
    let server = variant(Variant { audience: Some(elsewhere.into()), ..Variant::default() });
    let client = public_client(&server).await;
    let code = code(&server, &client).await;
    let (_, tokens) = token(&server, &redemption(&client, &code)).await;
    assert_eq!(claims(&tokens["access_token"])["aud"], elsewhere);
}

#[tokio::test]
async fn a_server_without_registration_has_no_place_for_it() {
    let server = variant(Variant { registration: Offer::NotMade, ..Variant::default() });
    let request = http::Request::post("/register").body(bytes::Bytes::from_static(b"{}")).unwrap();
    assert_eq!(server.answer(request).await.status(), StatusCode::NOT_FOUND);
}

fn variant(variant: Variant) -> AuthorizationServer {
    let mut settings = settings();
    settings.variant = variant;
    AuthorizationServer::new(settings).unwrap()
}
