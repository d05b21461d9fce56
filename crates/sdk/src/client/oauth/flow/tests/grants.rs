//! Tokens without a person, and tokens that are bound to a key.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{rand::SystemRandom, signature::Ed25519KeyPair};
use serde_json::{Value, json};
use url::Url;

use super::world::{AS, SERVER, World};
use crate::client::oauth::{
    CallbackError, ClientProof, IdentityProvider, KnownClient, OAuth, OAuthError, Secret,
    SigningKey, TokenKind,
};

fn client(proof: ClientProof) -> KnownClient {
    KnownClient { issuer: None, id: "robot".into(), proof }
}

async fn nothing(_: String) -> Result<Secret, CallbackError> {
    Err("not asked".into())
}

fn claims(jwt: &str) -> Value {
    let part = jwt.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

#[test]
fn a_program_shows_its_own_secret() {
    let oauth = OAuth::client_credentials(client(ClientProof::Secret("the secret".into())));
    let mut world = World { oauth, ..World::default() };
    let grant = world.authorize().unwrap();
    assert_eq!(world.visits, 0);
    let form = world.form("/token");
    assert_eq!(form["grant_type"], "client_credentials");
    assert_eq!(form["resource"], SERVER);
    let authorization = &world.fetches.last().unwrap().headers["authorization"];
    assert_eq!(authorization, "Basic cm9ib3Q6dGhlK3NlY3JldA==", "robot:the+secret");
    assert_eq!(grant.client_id, "robot");
}

#[test]
fn a_program_signs_for_one_authorization_server_and_a_few_minutes() {
    let der = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    let key = SigningKey::from_pkcs8(der.as_ref()).unwrap();
    let oauth = OAuth::client_credentials(client(ClientProof::Key(key)));
    let mut world = World { oauth, ..World::default() };
    world.authorize().unwrap();
    let form = world.form("/token");
    let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    assert_eq!(form["client_assertion_type"], kind);
    let claims = claims(&form["client_assertion"]);
    assert_eq!((&claims["iss"], &claims["sub"]), (&json!("robot"), &json!("robot")));
    assert_eq!(claims["aud"], AS);
}

#[test]
fn a_platform_vouches_for_its_workload() {
    let oauth = OAuth::workload(client(ClientProof::None), nothing);
    let mut world = World { oauth, ..World::default() };
    world.authorize().unwrap();
    let form = world.form("/token");
    assert_eq!(form["grant_type"], "urn:ietf:params:oauth:grant-type:jwt-bearer");
    assert_eq!(form["assertion"], format!("for {AS}"));
    world.answers.insert("/token", vec![(400, json!({"error": "invalid_grant"}))]);
    assert!(matches!(world.authorize(), Err(OAuthError::TokenRefused { .. })));
    assert_eq!(world.fetches.len(), 3, "asked once, in one way");
}

#[test]
fn an_organization_vouches_for_its_people() {
    let id_jag = "urn:ietf:params:oauth:token-type:id-jag";
    let provider = IdentityProvider {
        issuer: "https://idp.example".into(),
        token_endpoint: Url::parse("https://idp.example/exchange").unwrap(),
        client_id: "at the provider".into(),
        proof: ClientProof::None,
    };
    let secret = ClientProof::Secret("the-secret".into());
    let oauth = OAuth::enterprise(client(secret), provider, nothing);
    let mut world = World { oauth, ..World::default() };
    let mut exchanged =
        json!({"access_token": "jag", "token_type": "N_A", "issued_token_type": id_jag});
    world.answers.insert("/exchange", vec![(200, exchanged.clone())]);
    world.authorize().unwrap();
    let exchange = world.form("/exchange");
    assert_eq!(exchange["subject_token"], "for https://idp.example");
    assert_eq!(exchange["audience"], AS);
    assert_eq!(exchange["resource"], SERVER);
    assert_eq!(exchange["requested_token_type"], id_jag);
    assert_eq!(exchange["client_id"], "at the provider");
    assert_eq!(world.form("/token")["assertion"], "jag");
    exchanged["issued_token_type"] = json!("urn:ietf:params:oauth:token-type:access_token");
    world.answers.insert("/exchange", vec![(200, exchanged)]);
    assert!(matches!(world.authorize(), Err(OAuthError::TokenUnusable { .. })));
    assert_eq!(world.fetches.len(), 3, "another token is not shown");
}

#[test]
fn a_server_that_wants_bound_tokens_gets_them_where_they_are_offered() {
    let mut world = World::default();
    world.challenge.dpop = true;
    world.authorize().unwrap();
    assert!(!world.fetches.last().unwrap().headers.contains_key("dpop"), "not offered");
    world.server_metadata()["dpop_signing_alg_values_supported"] = json!(["ES256"]);
    world.answers.get_mut("/token").unwrap()[0].1["token_type"] = json!("DPoP");
    let grant = world.authorize().unwrap();
    assert_eq!(grant.kind, TokenKind::Dpop);
    assert!(grant.dpop_key.is_some());
    let proof = world.fetches.last().unwrap().headers["dpop"].to_str().unwrap().to_owned();
    assert_eq!(claims(&proof)["htu"], format!("{AS}/token"));
    world.challenge.dpop = false;
    world.answers.get_mut("/token").unwrap()[0].1["token_type"] = json!("Bearer");
    world.authorize().unwrap();
    assert!(!world.fetches.last().unwrap().headers.contains_key("dpop"), "not wanted");
}

#[test]
fn a_nonce_is_put_into_a_new_proof_once() {
    let mut world = World { nonce: Some("n1"), ..World::default() };
    world.challenge.dpop = true;
    world.server_metadata()["dpop_signing_alg_values_supported"] = json!(["ES256"]);
    let mut token = world.answers["/token"][0].clone();
    token.1["token_type"] = json!("DPoP");
    let wanted = (400, json!({"error": "use_dpop_nonce"}));
    world.answers.insert("/token", vec![wanted.clone(), token]);
    world.authorize().unwrap();
    let proofs: Vec<Value> = world
        .fetches
        .iter()
        .filter_map(|fetch| fetch.headers.get("dpop"))
        .map(|proof| claims(proof.to_str().unwrap()))
        .collect();
    assert_eq!(proofs.len(), 2);
    assert_eq!((&proofs[0]["nonce"], &proofs[1]["nonce"]), (&Value::Null, &json!("n1")));
    assert_ne!(proofs[0]["jti"], proofs[1]["jti"]);
    world.answers.insert("/token", vec![wanted]);
    assert!(matches!(world.authorize(), Err(OAuthError::TokenRefused { .. })), "not for ever");
}
