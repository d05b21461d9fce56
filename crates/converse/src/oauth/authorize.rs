//! Requests to the authorization endpoint, as a browser would carry them.

use super::{ClientCredentials, Endpoints, HttpClient};
use proofmark_record::{event::Headers, topic::Topic, wire::Url};
use proofmark_record::{
    form,
    pkce::{Pkce, random},
};

/// Where the checker asks, as whom, and for what.
#[derive(Clone)]
pub struct OAuthClient {
    pub endpoints: Endpoints,
    pub client: ClientCredentials,
    /// For the browser's requests alone: they may show that a person has logged in. Never written down.
    pub browser: Headers,
    /// What the tokens are for.
    pub resource: Option<String>,
    pub scope: Option<String>,
}

/// One request for authorization.
#[derive(Clone, Copy)]
pub struct AuthorizationRequest<'a> {
    pub topic: Topic,
    pub redirect_uri: &'a str,
    pub response_type: &'a str,
    pub challenge: CodeChallenge<'a>,
}

/// What is said of the verifier.
#[derive(Clone, Copy)]
pub enum CodeChallenge<'a> {
    None,
    S256(&'a Pkce),
}

/// What the browser was sent back with.
#[derive(Clone, PartialEq, Eq)]
pub enum AuthorizationResponse {
    Code(String),
    Error,
    /// It was not sent back: a person has to do something there first, or the server has refused.
    Nothing,
}

/// Visits the authorization endpoint, and follows redirects on the same host until one leads to the redirect URI.
pub async fn authorize(
    http_client: &mut HttpClient,
    oauth: &OAuthClient,
    request: AuthorizationRequest<'_>,
) -> AuthorizationResponse {
    let (Some(endpoint), Ok(state)) = (&oauth.endpoints.authorization, random()) else {
        return AuthorizationResponse::Nothing;
    };
    let mut pairs = vec![
        ("response_type", request.response_type),
        ("client_id", &*oauth.client.id),
        ("redirect_uri", request.redirect_uri),
        ("state", &*state),
    ];
    if let CodeChallenge::S256(pkce) = request.challenge {
        pairs.push(("code_challenge", &pkce.challenge));
        pairs.push(("code_challenge_method", "S256"));
    }
    pairs.extend(oauth.scope.as_deref().map(|scope| ("scope", scope)));
    pairs.extend(oauth.resource.as_deref().map(|resource| ("resource", resource)));
    let path = form::with_query(&endpoint.path, &form::encode(pairs));
    let mut url = Url { path, ..endpoint.clone() };
    let mut topic = request.topic;
    let mut cookies: Vec<(String, String)> = Vec::new();
    for _ in 0..MOST_REDIRECTS {
        let Some(response) = http_client.get(topic, &url, &browser(oauth, &cookies)).await else {
            return AuthorizationResponse::Nothing;
        };
        for (name, value) in response.cookies() {
            cookies.retain(|(known, _)| known != name);
            if !value.is_empty() {
                cookies.push((name.to_owned(), value.to_owned()));
            }
        }
        let Some(location) =
            response.header("location").filter(|_| (300..400).contains(&response.status))
        else {
            return AuthorizationResponse::Nothing;
        };
        if form::base(location) == form::base(request.redirect_uri) {
            let parameters = form::query(location);
            let code = form::one(&parameters, "code").map(str::to_owned);
            return code.map_or(AuthorizationResponse::Error, AuthorizationResponse::Code);
        }
        let Some(next) = url.join(location) else { return AuthorizationResponse::Nothing };
        (url, topic) = (next, Topic::Redirected);
    }
    AuthorizationResponse::Nothing
}

fn browser(oauth: &OAuthClient, cookies: &[(String, String)]) -> Headers {
    let mut headers = oauth.browser.clone();
    let own: Vec<String> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if own.is_empty() {
        return headers;
    }
    match headers.iter_mut().find(|(name, _)| name == "cookie") {
        Some((_, value)) => *value = format!("{value}; {}", own.join("; ")),
        None => headers.push(("cookie".to_owned(), own.join("; "))),
    }
    headers
}

/// Pages that lead to each other on the way.
const MOST_REDIRECTS: usize = 6;
