use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::{Value, json};

use super::*;

const RESOURCE: &str = "https://mcp.example.com/mcp";
const ISSUER: &str = "https://login.example.com";
const METADATA: &str =
    "resource_metadata=\"https://mcp.example.com/.well-known/oauth-protected-resource/mcp\"";

/// Knows the token `good`, whose scopes are these, and that `later` cannot be decided on.
fn authorization(scopes: &'static str) -> Authorization {
    let verifier = verifier_fn(move |token| {
        let answer = match token {
            "good" => {
                let mut identity = Identity::new(ISSUER, "user-1");
                identity.scopes = Scopes::parse(scopes).unwrap();
                Ok(identity)
            }
            "later" => Err(TokenError::Unavailable),
            "keyless" => Err(TokenError::Keys(KeysUnavailable::Timeout)),
            _ => Err(TokenError::Inactive),
        };
        async move { answer }
    });
    Authorization::new(RESOURCE, [ISSUER], verifier).unwrap()
}

async fn check(authorization: &Authorization, header: &'static str) -> Result<Identity, Challenge> {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::from_static(header));
    authorization.check(&headers).await
}

#[track_caller]
fn says(challenge: &Challenge, status: StatusCode, value: &str) {
    assert_eq!(challenge.status, status);
    assert_eq!(challenge.www_authenticate.as_ref().unwrap(), value);
}

#[tokio::test]
async fn a_good_token_is_let_in() {
    assert_eq!(check(&authorization(""), "Bearer good").await.unwrap().subject, "user-1");
}

#[tokio::test]
async fn without_a_token_the_challenge_names_no_error() {
    let guard = authorization("").require(Scopes::of(["a", "b"]));
    let value = format!("Bearer scope=\"a b\", {METADATA}");
    let nothing = guard.check(&HeaderMap::new()).await.unwrap_err();
    says(&nothing, StatusCode::UNAUTHORIZED, &value);
    let other_scheme = check(&guard, "Basic Z29vZDpnb29k").await.unwrap_err();
    says(&other_scheme, StatusCode::UNAUTHORIZED, &value);
}

#[tokio::test]
async fn a_bad_token_is_called_invalid() {
    let guard = authorization("").require(Scopes::of(["a"])).realm("notes");
    let challenge = check(&guard, "Bearer bad").await.unwrap_err();
    let value = format!(
        "Bearer realm=\"notes\", error=\"invalid_token\", \
         error_description=\"the access token is expired, revoked, or not meant for this server\", \
         scope=\"a\", {METADATA}"
    );
    says(&challenge, StatusCode::UNAUTHORIZED, &value);
}

#[tokio::test]
async fn a_header_that_cannot_be_read_is_a_bad_request() {
    let challenge = check(&authorization(""), "Bearer good good").await.unwrap_err();
    let value = format!(
        "Bearer error=\"invalid_request\", \
         error_description=\"the Authorization header is malformed\", {METADATA}"
    );
    says(&challenge, StatusCode::BAD_REQUEST, &value);
}

#[tokio::test]
async fn two_headers_are_a_bad_request_even_if_both_are_good() {
    let mut headers = HeaderMap::new();
    headers.append(AUTHORIZATION, HeaderValue::from_static("Bearer good"));
    headers.append(AUTHORIZATION, HeaderValue::from_static("Bearer good"));
    let challenge = authorization("").check(&headers).await.unwrap_err();
    assert_eq!(challenge.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_token_that_cannot_be_decided_on_is_not_blamed() {
    for header in ["Bearer later", "Bearer keyless"] {
        let challenge = check(&authorization(""), header).await.unwrap_err();
        assert_eq!(challenge.status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(challenge.www_authenticate, None);
    }
}

#[tokio::test]
async fn a_token_that_lacks_a_scope_is_told_all_scopes_at_once() {
    let guard = authorization("b").require(Scopes::of(["a", "b", "offline_access"]));
    let challenge = check(&guard, "Bearer good").await.unwrap_err();
    let value = format!(
        "Bearer error=\"insufficient_scope\", \
         error_description=\"the access token lacks a scope that is needed\", \
         scope=\"a b\", {METADATA}"
    );
    says(&challenge, StatusCode::FORBIDDEN, &value);
}

#[tokio::test]
async fn offline_access_is_never_asked_for() {
    let guard = authorization("").require(Scopes::of(["offline_access"]));
    assert!(check(&guard, "Bearer good").await.is_ok());
    let challenge = guard.check(&HeaderMap::new()).await.unwrap_err();
    says(&challenge, StatusCode::UNAUTHORIZED, &format!("Bearer {METADATA}"));
}

#[tokio::test]
async fn an_operation_may_need_more_than_the_rest() {
    let guard =
        authorization("read").require(Scopes::of(["read"])).require_for(|operation| {
            match (operation.method, operation.name) {
                ("tools/call", Some("delete")) => Scopes::of(["write", "admin"]),
                _ => Scopes::default(),
            }
        });
    let identity = check(&guard, "Bearer good").await.unwrap();
    let list = Operation { method: "tools/list", name: None };
    assert_eq!(guard.check_operation(&identity, &list), Ok(()));
    let delete = Operation { method: "tools/call", name: Some("delete") };
    let challenge = guard.check_operation(&identity, &delete).unwrap_err();
    let value = format!(
        "Bearer error=\"insufficient_scope\", \
         error_description=\"the access token lacks a scope that is needed\", \
         scope=\"read write admin\", {METADATA}"
    );
    says(&challenge, StatusCode::FORBIDDEN, &value);
}

#[tokio::test]
async fn a_broader_scope_may_stand_for_a_narrower_one() {
    let guard = authorization("notes").require(Scopes::of(["notes:read"]));
    assert!(check(&guard, "Bearer good").await.is_err());
    let guard = guard.implies(|granted, needed| {
        needed.strip_prefix(granted).is_some_and(|rest| rest.starts_with(':'))
    });
    assert!(check(&guard, "Bearer good").await.is_ok());
}

#[test]
fn the_metadata_lies_under_two_paths_and_no_other() {
    let guard = authorization("")
        .scopes_supported(&Scopes::of(["a", "offline_access"]))
        .resource_name("Notes");
    let paths =
        ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"];
    for path in paths {
        let body: Value = serde_json::from_slice(&guard.metadata_response(path).unwrap()).unwrap();
        let expected = json!({
            "resource": RESOURCE,
            "authorization_servers": [ISSUER],
            "scopes_supported": ["a"],
            "bearer_methods_supported": ["header"],
            "resource_name": "Notes",
        });
        assert_eq!(body, expected);
    }
    for path in [
        "/.well-known/oauth-protected-resource/",
        "/.well-known/oauth-protected-resource/other",
        "/mcp",
        "",
    ] {
        assert_eq!(guard.metadata_response(path), None, "{path}");
    }
}

#[tokio::test]
async fn a_resource_without_a_path_is_described_at_the_root() {
    let inactive = || verifier_fn(|_| async { Err(TokenError::Inactive) });
    for resource in ["https://mcp.example.com:8443", "https://mcp.example.com:8443/"] {
        let guard = Authorization::new(resource, [ISSUER], inactive()).unwrap();
        let body = guard.metadata_response("/.well-known/oauth-protected-resource").unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["resource"], resource);
        assert_eq!(body.get("scopes_supported"), None);
        let challenge = guard.check(&HeaderMap::new()).await.unwrap_err();
        let value = "Bearer resource_metadata=\"https://mcp.example.com:8443/.well-known/oauth-protected-resource\"";
        says(&challenge, StatusCode::UNAUTHORIZED, value);
    }
}

#[test]
fn what_cannot_be_published_is_refused_at_the_start() {
    let inactive = || verifier_fn(|_| async { Err(TokenError::Inactive) });
    let made = |resource: &str, servers: &[&str]| {
        Authorization::new(resource, servers.iter().copied(), inactive()).err()
    };
    assert_eq!(made(RESOURCE, &[]), Some(BadUrl::NoAuthorizationServer));
    assert!(matches!(made("http://mcp.example.com", &[ISSUER]), Some(BadUrl::NotSecure(_))));
    assert!(matches!(made("https://mcp.example.com/#a", &[ISSUER]), Some(BadUrl::Fragment(_))));
    assert!(matches!(made("mcp.example.com", &[ISSUER]), Some(BadUrl::NotAbsolute(_))));
    assert!(matches!(made(RESOURCE, &["http://login.example.com"]), Some(BadUrl::NotSecure(_))));
    assert_eq!(made("http://127.0.0.1:3000/mcp", &["http://localhost:9000"]), None);
}

#[tokio::test]
async fn a_refused_token_does_not_come_back_in_the_answer() {
    let guard = authorization("").require(Scopes::of(["a"]));
    for header in ["Bearer canary", "Bearer canary canary", "Bearer \"canary\"", "canary/ canary"] {
        let challenge = check(&guard, header).await.unwrap_err();
        assert!(!format!("{challenge:?} {guard:?}").contains("canary"), "{header}");
    }
}
