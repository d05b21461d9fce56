//! Keys that are fetched: how often, by whom, and what if they cannot be had.

use futures_util::FutureExt as _;

use super::server::KeyServer;
use super::*;

const ALWAYS: Refetch = Refetch { interval: Duration::ZERO, max_age: Duration::ZERO };
const RARELY: Refetch = Refetch { interval: EVER, max_age: EVER };
/// Again for unknown keys, but not for age.
const WHEN_UNKNOWN: Refetch = Refetch { interval: Duration::ZERO, max_age: EVER };

fn document(pens: &[Pen]) -> Vec<u8> {
    jwks(&pens.iter().map(Pen::jwk).collect::<Vec<_>>())
}

fn fetching(url: &str, refetch: Refetch) -> JwtVerifier {
    let keys = Keys::fetched_with(url, refetch).unwrap();
    JwtVerifier::new(JwtRules::new(ISSUER, RESOURCE), keys)
}

fn start(refetch: Refetch) -> (KeyServer, JwtVerifier) {
    let server = KeyServer::start(&document(&[Pen::p256()]));
    let verifier = fetching(&server.url(), refetch);
    (server, verifier)
}

#[tokio::test]
async fn keys_are_fetched_once_and_kept() {
    let (server, verifier) = start(RARELY);
    for _ in 0..3 {
        verifier.verify(&Pen::p256().sign(&claims())).await.unwrap();
    }
    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn a_token_that_cannot_be_accepted_fetches_nothing() {
    let (server, verifier) = start(ALWAYS);
    for bad in [claims_with("exp", json!(1)), claims_with("aud", json!("x")), claims_without("iss")]
    {
        verifier.verify(&Pen::p256().sign(&bad)).await.unwrap_err();
    }
    assert_eq!(server.requests(), 0);
}

#[tokio::test]
async fn many_who_need_keys_at_once_share_one_fetch() {
    let (server, verifier) = start(WHEN_UNKNOWN);
    let token = Pen::p256().sign(&claims());
    let all = futures_util::future::join_all((0..20).map(|_| verifier.verify(&token))).await;
    assert!(all.iter().all(Result::is_ok));
    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn a_new_key_is_found_when_a_token_names_it() {
    let (server, verifier) = start(WHEN_UNKNOWN);
    verifier.verify(&Pen::p256().sign(&claims())).await.unwrap();
    server.publish(&document(&[Pen::p256(), Pen::other()]));
    verifier.verify(&Pen::other().sign(&claims())).await.unwrap();
    assert_eq!(server.requests(), 2);
}

#[tokio::test]
async fn unknown_keys_do_not_flood_the_authorization_server() {
    let (server, verifier) = start(RARELY);
    verifier.verify(&Pen::p256().sign(&claims())).await.unwrap();
    for kid in 0..50 {
        let token = Pen::other().sign_as(Some(&format!("made-up-{kid}")), &claims());
        assert_eq!(verifier.verify(&token).await, Err(TokenError::UnknownKey));
    }
    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn a_key_that_was_withdrawn_stops_working_when_keys_are_renewed() {
    let (server, verifier) = start(ALWAYS);
    let token = Pen::p256().sign(&claims());
    verifier.verify(&token).await.unwrap();
    server.publish(&document(&[Pen::other()]));
    assert_eq!(verifier.verify(&token).await, Err(TokenError::UnknownKey));
}

#[tokio::test]
async fn a_key_swapped_under_its_name_replaces_the_old_one() {
    let (server, verifier) = start(ALWAYS);
    let (old, new) = (Pen::p256(), Pen { kid: "p256", ..Pen::other() });
    verifier.verify(&old.sign(&claims())).await.unwrap();
    server.publish(&document(&[Pen { kid: "p256", ..Pen::other() }]));
    verifier.verify(&new.sign(&claims())).await.unwrap();
    assert_eq!(verifier.verify(&old.sign(&claims())).await, Err(TokenError::Signature));
}

#[tokio::test]
async fn known_keys_work_while_the_authorization_server_is_down() {
    let (server, verifier) = start(ALWAYS);
    let token = Pen::p256().sign(&claims());
    verifier.verify(&token).await.unwrap();
    server.go_down();
    verifier.verify(&token).await.unwrap();
    server.answer("/jwks", "500 Oh", "x: y", b"");
    verifier.verify(&token).await.unwrap();
    server.publish(b"{\"keys\":[]}");
    verifier.verify(&token).await.unwrap();
    assert_eq!(server.requests(), 4);
    let unknown = verifier.verify(&Pen::other().sign(&claims())).await;
    assert_eq!(unknown, Err(TokenError::UnknownKey));
}

#[tokio::test]
async fn without_any_keys_it_is_not_the_tokens_fault() {
    let (server, verifier) = start(RARELY);
    server.answer("/jwks", "503 Down", "x: y", b"");
    let token = Pen::p256().sign(&claims());
    for _ in 0..3 {
        let refusal = verifier.verify(&token).await;
        assert_eq!(refusal, Err(TokenError::Keys(KeysUnavailable::Status(503))));
    }
    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn one_who_leaves_does_not_take_the_fetch_along() {
    let (server, verifier) = start(RARELY);
    let token = Pen::p256().sign(&claims());
    assert!(verifier.verify(&token).now_or_never().is_none());
    verifier.verify(&token).await.unwrap();
    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn keys_can_be_loaded_before_they_are_needed() {
    let (server, verifier) = start(RARELY);
    verifier.keys().load().await.unwrap();
    verifier.keys().load().await.unwrap();
    verifier.verify(&Pen::p256().sign(&claims())).await.unwrap();
    assert_eq!(server.requests(), 1);
    server.go_down();
    let other = fetching(&server.url(), RARELY);
    assert!(matches!(other.keys().load().await, Err(KeysUnavailable::Unreachable(_))));
}

#[tokio::test]
async fn a_document_without_end_is_not_read_to_it() {
    let (server, verifier) = start(RARELY);
    server.publish(&vec![b' '; (1 << 20) + 1]);
    assert_eq!(verifier.keys().load().await, Err(KeysUnavailable::TooLarge));
}

#[tokio::test]
async fn a_document_of_the_largest_size_is_read() {
    let (server, verifier) = start(RARELY);
    let mut document = document(&[Pen::p256()]);
    document.resize(1 << 20, b' ');
    server.publish(&document);
    assert_eq!(verifier.keys().load().await, Ok(()));
}

#[tokio::test]
async fn a_redirect_to_another_place_is_not_followed() {
    let (server, verifier) = start(RARELY);
    let elsewhere = KeyServer::start(&document(&[Pen::p256()]));
    server.answer("/jwks", "302 Found", &format!("location: {}", elsewhere.url()), b"");
    assert_eq!(verifier.keys().load().await, Err(KeysUnavailable::Status(302)));
    assert_eq!(elsewhere.requests(), 0);
}

#[tokio::test]
async fn a_redirect_within_the_place_is_followed_a_few_times() {
    let (server, _) = start(RARELY);
    server.answer("/old", "301 Moved", "location: /jwks", b"");
    assert_eq!(fetching(&server.at("/old"), RARELY).keys().load().await, Ok(()));
    server.answer("/round", "302 Found", "location: /round", b"");
    let before = server.requests();
    let round = fetching(&server.at("/round"), RARELY).keys().load().await;
    assert_eq!(round, Err(KeysUnavailable::Status(302)));
    assert_eq!(server.requests() - before, 4);
}

#[tokio::test]
async fn https_is_never_spoken_without_tls() {
    let (server, _) = start(RARELY);
    let url = server.url().replace("http:", "https:");
    let failure = fetching(&url, RARELY).keys().load().await.unwrap_err();
    assert!(
        matches!(failure, KeysUnavailable::Unreachable(_) | KeysUnavailable::Tls(_)),
        "{failure}"
    );
}

#[test]
fn keys_come_over_https_or_from_this_machine() {
    assert!(Keys::fetched("https://login.example.com/jwks").is_ok());
    assert!(Keys::fetched("http://login.example.com/jwks").is_err());
    assert!(Keys::fetched("file:///etc/jwks").is_err());
}
