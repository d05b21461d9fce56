//! Which keys of a document are used, and for what.

use super::*;

async fn answer(keys: &[Value], token: &str) -> Result<Identity, TokenError> {
    let keys = Keys::from_jwks(&jwks(keys)).unwrap();
    JwtVerifier::new(JwtRules::new(ISSUER, RESOURCE), keys).verify(token).await
}

fn with(mut jwk: Value, name: &str, value: Value) -> Value {
    jwk[name] = value;
    jwk
}

#[tokio::test]
async fn a_key_that_is_not_published_is_unknown() {
    let token = Pen::other().sign(&claims());
    assert_eq!(answer(&[Pen::p256().jwk()], &token).await, Err(TokenError::UnknownKey));
}

#[tokio::test]
async fn the_name_of_a_key_is_only_compared() {
    for kid in ["../../../../dev/null", "p256/../other", "p256\0", "P256", "http://evil.example/k"]
    {
        let token = Pen::p256().sign_as(Some(kid), &claims());
        assert_eq!(answer(&[Pen::p256().jwk()], &token).await, Err(TokenError::UnknownKey));
    }
}

#[tokio::test]
async fn a_token_that_names_no_key_needs_a_single_one_that_fits() {
    let token = Pen::p256().sign_as(None, &claims());
    let (fits, other, rsa) = (Pen::p256().jwk(), Pen::other().jwk(), Pen::rsa(Jws::RS256).jwk());
    assert!(answer(&[fits.clone(), rsa], &token).await.is_ok());
    assert_eq!(answer(&[fits, other], &token).await, Err(TokenError::UnknownKey));
}

#[tokio::test]
async fn a_key_is_used_for_nothing_but_what_it_is_published_for() {
    let rsa = Pen::rsa(Jws::RS256);
    let token = rsa.sign(&claims());
    let spare = Pen::p256().jwk();
    for (name, value) in [
        ("use", json!("enc")),
        ("key_ops", json!(["encrypt"])),
        ("alg", json!("RS512")),
        ("alg", json!("RSA-OAEP")),
        ("kty", json!("oct")),
    ] {
        let refusal = answer(&[with(rsa.jwk(), name, value), spare.clone()], &token).await;
        assert_eq!(refusal, Err(TokenError::UnknownKey), "{name}");
    }
    for (name, value) in
        [("use", json!("sig")), ("key_ops", json!(["verify"])), ("alg", json!("RS256"))]
    {
        assert!(answer(&[with(rsa.jwk(), name, value)], &token).await.is_ok(), "{name}");
    }
}

#[tokio::test]
async fn two_keys_of_one_name_are_told_apart_by_their_kind() {
    let rsa = with(Pen::rsa(Jws::RS256).jwk(), "kid", json!("p256"));
    assert!(answer(&[rsa, Pen::p256().jwk()], &Pen::p256().sign(&claims())).await.is_ok());
}

#[test]
fn a_short_rsa_key_is_no_key() {
    assert!(Keys::from_jwks(&jwks(&[Pen::short_rsa().jwk()])).is_err());
}

#[tokio::test]
async fn keys_that_cannot_be_are_passed_over() {
    let bad = [
        json!({}),
        json!("key"),
        json!({ "kty": "OKP", "crv": "Ed25519", "x": "AAAA", "kid": "p256" }),
        json!({ "kty": "OKP", "crv": "Ed25519", "kid": "ed" }),
        json!({ "kty": "OKP", "crv": "X25519", "x": Pen::ed25519().jwk()["x"], "kid": "ed" }),
        with(Pen::p256().jwk(), "x", json!("AAAA")),
        with(Pen::p256().jwk(), "y", json!("*")),
        with(Pen::p256().jwk(), "crv", json!("P-521")),
        with(Pen::rsa(Jws::RS256).jwk(), "n", json!("")),
        json!({ "kty": "oct", "k": "c2VjcmV0", "kid": "p256" }),
    ];
    for key in &bad {
        assert!(Keys::from_jwks(&jwks(std::slice::from_ref(key))).is_err(), "{key}");
    }
    let mut keys = bad.to_vec();
    keys.push(Pen::p256().jwk());
    assert!(answer(&keys, &Pen::p256().sign(&claims())).await.is_ok());
}

#[tokio::test]
async fn a_point_that_is_not_on_its_curve_verifies_nothing() {
    let zeros = json!("A".repeat(43));
    let off = with(with(Pen::p256().jwk(), "x", zeros.clone()), "y", zeros);
    assert_eq!(answer(&[off], &Pen::p256().sign(&claims())).await, Err(TokenError::Signature));
}

#[test]
fn what_is_no_document_of_keys_is_refused() {
    for text in ["", "{}", "[]", "null", r#"{"keys":{}}"#, r#"{"keys":[]}"#, "\u{0}"] {
        assert!(Keys::from_jwks(text.as_bytes()).is_err(), "{text}");
    }
}
