//! A client of the authorization server that can also be an attacker.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use proofmark_everything::auth::{AuthorizationServer, Settings};
use serde_json::{Value, json};
use url::{Url, form_urlencoded};

pub(crate) const ISSUER: &str = "http://127.0.0.1:3000";
pub(crate) const RESOURCE: &str = "http://127.0.0.1:3000/mcp";
pub(crate) const CALLBACK: &str = "http://127.0.0.1:4000/callback";
/// The example of RFC 7636.
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(crate) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

pub(crate) fn settings() -> Settings {
    Settings::new(ISSUER, RESOURCE)
}

pub(crate) fn server() -> AuthorizationServer {
    AuthorizationServer::new(settings()).unwrap()
}

pub(crate) async fn get(server: &AuthorizationServer, target: &str) -> Response<Bytes> {
    server.answer(Request::get(target).body(Bytes::new()).unwrap()).await
}

/// The status and the JSON of what registration says.
pub(crate) async fn register(
    server: &AuthorizationServer,
    metadata: &Value,
) -> (StatusCode, Value) {
    let request = Request::post("/register")
        .header(header::CONTENT_TYPE, "application/json")
        .body(metadata.to_string().into());
    told(&server.answer(request.unwrap()).await)
}

/// A public client that may refresh; its id.
pub(crate) async fn public_client(server: &AuthorizationServer) -> String {
    let metadata = json!({
        "redirect_uris": [CALLBACK],
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"],
    });
    let (status, registration) = register(server, &metadata).await;
    assert_eq!(status, StatusCode::CREATED, "{registration}");
    registration["client_id"].as_str().unwrap().to_owned()
}

/// The parameters of a good authorization request.
pub(crate) fn request(client: &str) -> Vec<(&'static str, String)> {
    [
        ("response_type", "code"),
        ("client_id", client),
        ("redirect_uri", CALLBACK),
        ("state", "xyz"),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("resource", RESOURCE),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .to_vec()
}

/// The same with one parameter replaced, or left out.
pub(crate) fn with(
    mut parameters: Vec<(&'static str, String)>,
    name: &'static str,
    value: Option<&str>,
) -> Vec<(&'static str, String)> {
    parameters.retain(|(existing, _)| *existing != name);
    parameters.extend(value.map(|value| (name, value.to_owned())));
    parameters
}

pub(crate) async fn authorize(
    server: &AuthorizationServer,
    parameters: &[(&'static str, String)],
) -> Response<Bytes> {
    get(server, &format!("/authorize?{}", encoded(parameters))).await
}

/// Where the browser is sent.
pub(crate) fn location(response: &Response<Bytes>) -> Url {
    assert_eq!(response.status(), StatusCode::FOUND, "{:?}", response.body());
    response.headers()[header::LOCATION].to_str().unwrap().parse().unwrap()
}

pub(crate) fn parameter(url: &Url, name: &str) -> Option<String> {
    let mut found = url.query_pairs().filter(|(key, _)| key == name);
    let first = found.next().map(|(_, value)| value.into_owned());
    assert_eq!(found.next(), None, "{name} is there twice");
    first
}

pub(crate) async fn code(server: &AuthorizationServer, client: &str) -> String {
    let sent_to = location(&authorize(server, &request(client)).await);
    parameter(&sent_to, "code").unwrap()
}

/// The parameters with which a public client redeems a code.
pub(crate) fn redemption(client: &str, code: &str) -> Vec<(&'static str, String)> {
    [
        ("grant_type", "authorization_code"),
        ("client_id", client),
        ("code", code),
        ("redirect_uri", CALLBACK),
        ("code_verifier", VERIFIER),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .to_vec()
}

pub(crate) async fn token(
    server: &AuthorizationServer,
    parameters: &[(&'static str, String)],
) -> (StatusCode, Value) {
    token_with(server, parameters, None).await
}

pub(crate) async fn token_with(
    server: &AuthorizationServer,
    parameters: &[(&'static str, String)],
    authorization: Option<&str>,
) -> (StatusCode, Value) {
    let mut request =
        Request::post("/token").header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    if let Some(authorization) = authorization {
        request = request.header(header::AUTHORIZATION, authorization);
    }
    let answer = server.answer(request.body(encoded(parameters).into()).unwrap()).await;
    assert_eq!(answer.headers()[header::CACHE_CONTROL], "no-store");
    told(&answer)
}

/// What an access token claims.
pub(crate) fn claims(access_token: &Value) -> Value {
    let part = access_token.as_str().unwrap().split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

pub(crate) fn told(answer: &Response<Bytes>) -> (StatusCode, Value) {
    assert_eq!(answer.headers()[header::CONTENT_TYPE], "application/json");
    (answer.status(), serde_json::from_slice(answer.body()).unwrap())
}

pub(crate) fn encoded(parameters: &[(&'static str, String)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish()
}
