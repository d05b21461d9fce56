//! How a client becomes known, and to whom.

use ring::{rand::SystemRandom, signature::Ed25519KeyPair};
use serde_json::json;
use url::Url;

use super::world::{AS, NOW, World};
use crate::client::oauth::{ClientProof, KnownClient, OAuth, OAuthError, SigningKey};

fn by_hand(issuer: Option<&str>) -> KnownClient {
    KnownClient {
        issuer: issuer.map(str::to_owned),
        id: "by hand".into(),
        proof: ClientProof::Secret("the-secret".into()),
    }
}

#[test]
fn a_registration_says_what_kind_of_application_it_is_for() {
    let mut world = World::default();
    world.authorize().unwrap();
    let body = world.registered();
    assert_eq!(body["application_type"], "native");
    assert_eq!(body["grant_types"], json!(["authorization_code", "refresh_token"]));
    assert_eq!(body["redirect_uris"], json!([world.redirect.as_str()]));
    assert_eq!(body["token_endpoint_auth_method"], "none");
    assert_eq!(body["client_name"], "Test");
    let redirect = Url::parse("https://app.example/callback").unwrap();
    let mut world = World { redirect, ..World::default() };
    world.authorize().unwrap();
    assert_eq!(world.registered()["application_type"], "web");
}

#[test]
fn a_registration_is_used_again_with_its_issuer_and_no_other() {
    let mut world = World::default();
    world.authorize().unwrap();
    world.authorize().unwrap();
    assert_eq!(world.fetches.len(), 3, "not registered again");
    let other = "https://other.example";
    world.resource_metadata()["authorization_servers"] = json!([other]);
    let metadata = json!({
        "issuer": other,
        "authorization_endpoint": format!("{other}/authorize"),
        "token_endpoint": format!("{other}/token"),
        "registration_endpoint": format!("{other}/register"),
        "code_challenge_methods_supported": ["S256"],
    });
    world.documents.insert(format!("{other}/.well-known/oauth-authorization-server"), metadata);
    world.answers.insert("/register", vec![(201, json!({"client_id": "another"}))]);
    world.authorize().unwrap();
    assert_eq!(world.visited()["client_id"], "another");
    assert_eq!(world.form("/token")["client_id"], "another");
    let kept: Vec<_> = world.kept.values().map(|kept| kept.client_id.as_str()).collect();
    assert_eq!(kept, ["dynamic", "another"]);
}

#[test]
fn a_client_at_another_address_or_with_an_old_secret_registers_again() {
    let mut world = World::default();
    world.authorize().unwrap();
    world.redirect = Url::parse("http://127.0.0.1:5000/callback").unwrap();
    world.authorize().unwrap();
    assert_eq!(world.fetches.len(), 4);
    world.kept.get_mut(AS).unwrap().secret_expires_at = Some(NOW - 1);
    world.authorize().unwrap();
    assert_eq!(world.fetches.len(), 4);
}

#[test]
fn a_client_that_was_forgotten_registers_again_once() {
    let mut world = World::default();
    world.authorize().unwrap();
    let token = world.answers["/token"][0].clone();
    let forgotten = (401, json!({"error": "invalid_client"}));
    world.answers.insert("/token", vec![forgotten.clone(), token]);
    world.answers.insert("/register", vec![(201, json!({"client_id": "renewed"}))]);
    assert_eq!(world.authorize().unwrap().client_id, "renewed");
    world.answers.insert("/token", vec![forgotten]);
    let error = world.authorize().unwrap_err();
    assert!(matches!(error, OAuthError::TokenRefused { .. }), "{error}");
}

#[test]
fn a_client_that_was_registered_by_hand_comes_first() {
    let mut world = World::default();
    let document = Url::parse("https://app.example/client.json").unwrap();
    world.oauth = world.oauth.client(by_hand(Some(AS))).metadata_document(document).unwrap();
    world.server_metadata()["client_id_metadata_document_supported"] = json!(true);
    world.authorize().unwrap();
    assert_eq!(world.visited()["client_id"], "by hand");
    let token = world.fetches.last().unwrap();
    assert!(token.headers.contains_key("authorization"));
    assert!(!world.form("/token").contains_key("client_secret"));
}

#[test]
fn a_secret_is_shown_only_to_its_issuer() {
    let mut world = World::default();
    world.oauth = world.oauth.client(by_hand(Some("https://elsewhere.example")));
    world.authorize().unwrap();
    assert_eq!(world.visited()["client_id"], "dynamic");
    world.kept.clear();
    world.server_metadata()["registration_endpoint"] = json!(null);
    let error = world.authorize().unwrap_err();
    assert!(matches!(error, OAuthError::RegisteredElsewhere { .. }), "{error}");
}

#[test]
fn a_client_without_an_issuer_belongs_to_the_first_it_meets() {
    let mut world = World::default();
    world.oauth = world.oauth.client(by_hand(None));
    world.authorize().unwrap();
    assert_eq!(world.visited()["client_id"], "by hand");
    let other = "https://other.example";
    let mut metadata = world.server_metadata().clone();
    metadata["issuer"] = json!(other);
    metadata["registration_endpoint"] = json!(null);
    world.documents.insert(format!("{other}/.well-known/oauth-authorization-server"), metadata);
    world.resource_metadata()["authorization_servers"] = json!([other]);
    let error = world.authorize().unwrap_err();
    assert!(matches!(error, OAuthError::RegisteredElsewhere { .. }), "{error}");
}

#[test]
fn a_document_is_the_id_where_that_is_understood() {
    let mut world = World::default();
    let document = Url::parse("https://app.example/client.json").unwrap();
    world.oauth = world.oauth.metadata_document(document.clone()).unwrap();
    world.authorize().unwrap();
    assert_eq!(world.visited()["client_id"], "dynamic");
    world.server_metadata()["client_id_metadata_document_supported"] = json!(true);
    world.authorize().unwrap();
    assert_eq!(world.visited()["client_id"], document.as_str());
    assert_eq!(world.form("/token")["client_id"], document.as_str());
}

#[test]
fn a_client_with_a_document_signs_where_that_is_taken() {
    let der = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    let document = Url::parse("https://app.example/client.json").unwrap();
    let mut world = World::default();
    let key = SigningKey::from_pkcs8(der.as_ref()).unwrap();
    world.oauth = world.oauth.metadata_document(document).unwrap().key(key);
    world.server_metadata()["client_id_metadata_document_supported"] = json!(true);
    world.authorize().unwrap();
    assert!(!world.form("/token").contains_key("client_assertion"));
    let methods = json!(["none", "private_key_jwt"]);
    world.server_metadata()["token_endpoint_auth_methods_supported"] = methods;
    world.authorize().unwrap();
    assert!(world.form("/token").contains_key("client_assertion"));
}

#[test]
fn a_document_has_an_address_that_others_can_read() {
    for bad in ["http://app.example/client.json", "https://app.example", "https://a.example/c#d"] {
        let url = Url::parse(bad).unwrap();
        assert!(OAuth::browser().metadata_document(url).is_err(), "{bad}");
    }
}

#[test]
fn the_authorization_server_decides_how_a_client_authenticates() {
    for (method, header, secret, id) in [
        ("client_secret_basic", true, false, false),
        ("client_secret_post", false, true, true),
        ("none", false, false, true),
    ] {
        let mut world = World::default();
        world.server_metadata()["token_endpoint_auth_methods_supported"] = json!([method]);
        let registration = json!({"client_id": "me", "client_secret": "the-secret"});
        world.answers.insert("/register", vec![(201, registration)]);
        world.authorize().unwrap();
        assert_eq!(world.registered()["token_endpoint_auth_method"], method);
        let form = world.form("/token");
        let request = world.fetches.last().unwrap();
        assert_eq!(request.headers.contains_key("authorization"), header, "{method}");
        assert_eq!(form.contains_key("client_secret"), secret, "{method}");
        assert_eq!(form.contains_key("client_id"), id, "{method}");
    }
}

#[test]
fn a_refused_registration_is_told_in_the_words_of_the_server() {
    let mut world = World::default();
    let refusal = json!({"error": "invalid_redirect_uri", "error_description": "not local"});
    world.answers.insert("/register", vec![(400, refusal)]);
    assert_eq!(
        world.authorize().unwrap_err().to_string(),
        "the authorization server did not register the client: invalid_redirect_uri (not local)"
    );
    world.answers.insert("/register", vec![(201, json!({"nothing": "useful"}))]);
    assert!(matches!(world.authorize(), Err(OAuthError::RegistrationRefused { .. })));
}
