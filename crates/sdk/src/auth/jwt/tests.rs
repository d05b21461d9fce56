mod fetched;
pub(crate) mod issuer;
mod published;
mod server;

use std::time::{Duration, SystemTime};

use jsonwebtoken::Algorithm as Jws;
use serde_json::{Value, json};

use super::*;
use crate::auth::Scopes;
use issuer::{ISSUER, Pen, RESOURCE, claims, claims_with, claims_without, encode, jwks, now};

#[tokio::test]
async fn a_good_token_tells_who_it_is() {
    let identity = verify(&Pen::p256().sign(&claims())).await.unwrap();
    assert_eq!(identity.issuer, ISSUER);
    assert_eq!(identity.subject, "user-1");
    assert_eq!(identity.client_id.as_deref(), Some("client-1"));
    assert_eq!(identity.scopes, Scopes::of(["notes:read", "notes:list"]));
    let left = identity.expires.unwrap().duration_since(SystemTime::now()).unwrap();
    assert!((590..=600).contains(&left.as_secs()), "{left:?}");
    let all: Value = identity.claims.unwrap().decode().unwrap();
    assert_eq!(all["client_id"], "client-1");
}

#[tokio::test]
async fn every_algorithm_is_verified_with_its_own_kind_of_key() {
    let rsa = [Jws::RS256, Jws::RS384, Jws::RS512, Jws::PS256, Jws::PS384, Jws::PS512];
    let pens = rsa.map(Pen::rsa).into_iter().chain([Pen::p256(), Pen::p384(), Pen::ed25519()]);
    for pen in pens {
        let mut token = pen.sign(&claims());
        let result = verify(&token).await;
        assert!(result.is_ok(), "{:?}: {result:?}", pen.algorithm);
        let last_but_two = token.len() - 3;
        let changed = if token.as_bytes()[last_but_two] == b'A' { "B" } else { "A" };
        token.replace_range(last_but_two..=last_but_two, changed);
        refused(&token, TokenError::Signature).await;
    }
}

#[tokio::test]
async fn a_token_for_another_service_is_refused() {
    for audience in [
        json!("https://other.example.com/mcp"),
        json!("https://mcp.example.com"),
        json!("https://mcp.example.com/mcp/"),
        json!("https://mcp.example.com/mcp2"),
        json!("http://mcp.example.com/mcp"),
        json!(["https://a.example", "https://b.example"]),
        json!(""),
    ] {
        let token = Pen::p256().sign(&claims_with("aud", audience));
        refused(&token, TokenError::Audience).await;
    }
}

#[tokio::test]
async fn a_token_without_an_audience_is_refused() {
    let pen = Pen::p256();
    refused(&pen.sign(&claims_without("aud")), TokenError::AudienceMissing).await;
    refused(&pen.sign(&claims_with("aud", json!([]))), TokenError::AudienceMissing).await;
    refused(&pen.sign(&claims_with("aud", Value::Null)), TokenError::AudienceMissing).await;
    refused(&pen.sign(&claims_with("aud", json!(7))), TokenError::Malformed).await;
}

#[tokio::test]
async fn an_audience_may_be_one_of_several_and_spelled_differently() {
    for audience in [
        json!(["https://a.example", RESOURCE]),
        json!("HTTPS://MCP.example.com/mcp"),
        json!("https://mcp.example.com:443/mcp"),
    ] {
        verify(&Pen::p256().sign(&claims_with("aud", audience))).await.unwrap();
    }
}

#[tokio::test]
async fn a_token_of_another_issuer_is_refused() {
    for issuer in
        [json!("https://login.example.com/"), json!("https://LOGIN.example.com"), Value::Null]
    {
        refused(&Pen::p256().sign(&claims_with("iss", issuer)), TokenError::Issuer).await;
    }
    refused(&Pen::p256().sign(&claims_with("iss", json!([ISSUER]))), TokenError::Malformed).await;
}

#[tokio::test]
async fn a_token_works_until_its_expiry_and_the_leeway_after_it() {
    let pen = Pen::p256();
    verify(&pen.sign(&claims_with("exp", json!(now() - 10)))).await.unwrap();
    refused(&pen.sign(&claims_with("exp", json!(now() - 31))), TokenError::Expired).await;
    refused(&pen.sign(&claims_without("exp")), TokenError::Malformed).await;
    for nonsense in [json!("soon"), json!(-1), json!(1e300), Value::Null] {
        refused(&pen.sign(&claims_with("exp", nonsense)), TokenError::Malformed).await;
    }
}

#[tokio::test]
async fn a_token_works_from_its_beginning_and_the_leeway_before_it() {
    let pen = Pen::p256();
    verify(&pen.sign(&claims_with("nbf", json!(now() + 10)))).await.unwrap();
    refused(&pen.sign(&claims_with("nbf", json!(now() + 60))), TokenError::NotYetValid).await;
}

#[tokio::test]
async fn times_may_have_fractions() {
    let soon = f64::from(u32::try_from(now()).unwrap()) + 60.5;
    verify(&Pen::p256().sign(&claims_with("exp", json!(soon)))).await.unwrap();
}

#[tokio::test]
async fn a_token_without_a_subject_stands_for_no_user() {
    refused(&Pen::p256().sign(&claims_without("sub")), TokenError::Malformed).await;
    refused(&Pen::p256().sign(&claims_with("sub", json!(""))), TokenError::Malformed).await;
}

#[tokio::test]
async fn scopes_are_found_under_both_names_and_in_both_forms() {
    let pen = Pen::p256();
    let mut other_name = claims_without("scope");
    other_name["scp"] = json!(["notes:read", "notes:list"]);
    for claims in [claims_with("scope", json!(["notes:read", "notes:list"])), other_name] {
        let identity = verify(&pen.sign(&claims)).await.unwrap();
        assert_eq!(identity.scopes, Scopes::of(["notes:read", "notes:list"]));
    }
    assert!(verify(&pen.sign(&claims_without("scope"))).await.unwrap().scopes.is_empty());
}

#[tokio::test]
async fn an_unsigned_token_is_refused() {
    for name in ["none", "None", "NONE", ""] {
        let token = format!("{}.{}.", encode(&json!({ "alg": name })), encode(&claims()));
        refused(&token, TokenError::Algorithm).await;
    }
    let token = Pen::p256().sign(&claims());
    let (message, _) = token.rsplit_once('.').unwrap();
    refused(&format!("{message}."), TokenError::Signature).await;
}

#[tokio::test]
async fn a_public_key_is_never_taken_for_a_shared_secret() {
    let rsa = Pen::rsa(Jws::RS256);
    let public = rsa.jwk();
    for secret in [public["n"].as_str().unwrap().to_owned(), public.to_string()] {
        let key = jsonwebtoken::EncodingKey::from_secret(secret.as_bytes());
        for algorithm in [Jws::HS256, Jws::HS384, Jws::HS512] {
            let header = jsonwebtoken::Header {
                kid: Some("rsa".to_owned()),
                ..jsonwebtoken::Header::new(algorithm)
            };
            let token = jsonwebtoken::encode(&header, &claims(), &key).unwrap();
            refused(&token, TokenError::Algorithm).await;
        }
    }
}

#[tokio::test]
async fn an_algorithm_that_is_not_allowed_is_refused() {
    let mut rules = JwtRules::new(ISSUER, RESOURCE);
    rules.algorithms = vec![Algorithm::Es256];
    let verifier = JwtVerifier::new(rules, all_keys());
    verifier.verify(&Pen::p256().sign(&claims())).await.unwrap();
    let refusal = verifier.verify(&Pen::rsa(Jws::RS256).sign(&claims())).await;
    assert_eq!(refusal, Err(TokenError::Algorithm));
}

#[tokio::test]
async fn a_key_in_the_token_itself_is_not_trusted() {
    let pen = Pen::other();
    let header =
        json!({ "alg": "ES256", "kid": "other", "jwk": pen.jwk(), "jku": "https://evil.example/" });
    refused(&pen.sign_under(&header, &claims()), TokenError::UnknownKey).await;
    let header = json!({ "alg": "ES256", "kid": "p256", "jwk": pen.jwk() });
    refused(&pen.sign_under(&header, &claims()), TokenError::Signature).await;
}

#[tokio::test]
async fn what_a_reader_must_understand_and_does_not_is_refused() {
    let pen = Pen::p256();
    let header = json!({ "alg": "ES256", "kid": "p256", "crit": ["b64"], "b64": false });
    refused(&pen.sign_under(&header, &claims()), TokenError::Malformed).await;
}

#[tokio::test]
async fn another_kind_of_jwt_is_no_access_token() {
    let pen = Pen::p256();
    for kind in ["logout+jwt", "dpop+jwt", "secevent+jwt"] {
        let header = json!({ "alg": "ES256", "kid": "p256", "typ": kind });
        refused(&pen.sign_under(&header, &claims()), TokenError::Malformed).await;
    }
    let header = json!({ "alg": "ES256", "kid": "p256", "typ": "at+jwt" });
    verify(&pen.sign_under(&header, &claims())).await.unwrap();
}

#[tokio::test]
async fn a_claim_said_twice_is_refused() {
    let doubled = claims().to_string().replacen('{', &format!("{{\"aud\":\"{RESOURCE}\","), 1);
    assert!(Claims::read(doubled.as_bytes()).is_err_and(|error| error == TokenError::Malformed));
}

#[tokio::test]
async fn what_is_no_jwt_is_refused() {
    let good = Pen::p256().sign(&claims());
    let (head, rest) = good.split_once('.').unwrap();
    for token in [
        String::new(),
        ".".to_owned(),
        "..".to_owned(),
        "...".to_owned(),
        "opaque".to_owned(),
        format!("{good}.x"),
        format!("{good}="),
        format!("{head}!.{rest}"),
        format!("{}.{rest}", encode(&json!([]))),
        format!("{}.{rest}", encode(&json!({ "kid": "p256" }))),
        format!("{head}.{}.x", encode(&json!("claims"))),
    ] {
        refused(&token, TokenError::Malformed).await;
    }
}

#[tokio::test]
async fn nothing_of_a_token_is_ever_shown() {
    let canaries = ["canary-sub", "canary-claim", "canary-client", "canary-kid", "canary-scope"];
    let mut claims = claims_with("sub", json!("canary-sub"));
    claims["email"] = json!("canary-claim");
    claims["client_id"] = json!("canary-client");
    claims["scope"] = json!("canary-scope");
    let good = Pen::p256().sign(&claims);
    let identity = verify(&good).await.unwrap();
    let mut shown =
        vec![format!("{identity:?} {identity:#?} {:?} {:?}", identity.principal(), verifier())];
    claims["exp"] = json!(1);
    for bad in [
        Pen::p256().sign(&claims),
        Pen::p256().sign_as(Some("canary-kid"), &claims_with("sub", json!("canary-sub"))),
        Pen::other().sign_as(Some("p256"), &claims_with("sub", json!("canary-sub"))),
        format!("{good}x"),
    ] {
        let error = verify(&bad).await.unwrap_err();
        shown.push(format!("{error} {error:?}"));
    }
    let shown = shown.concat();
    for canary in canaries {
        assert!(!shown.contains(canary), "{canary} in {shown}");
    }
    assert!(good.split('.').all(|part| !shown.contains(part)));
}

fn verifier() -> JwtVerifier {
    JwtVerifier::new(JwtRules::new(ISSUER, RESOURCE), all_keys())
}

/// All kinds of keys but [`Pen::other`]'s.
fn all_keys() -> Keys {
    let pens = [Pen::p256(), Pen::p384(), Pen::ed25519(), Pen::rsa(Jws::RS256)];
    Keys::from_jwks(&jwks(&pens.map(|pen| pen.jwk()))).unwrap()
}

async fn verify(token: &str) -> Result<Identity, TokenError> {
    verifier().verify(token).await
}

async fn refused(token: &str, expected: TokenError) {
    assert_eq!(verify(token).await, Err(expected));
}

/// Longer than any test.
const EVER: Duration = Duration::from_secs(3_600);
