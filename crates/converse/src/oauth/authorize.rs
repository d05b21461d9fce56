//! Requests to the authorization endpoint, as a browser would carry them.

use super::{Client, Endpoints, Teller};
use proofmark_record::{event::Headers, topic::Topic, wire::Url};
use proofmark_record::{
    form,
    pkce::{Pkce, random},
};

/// Where the checker asks, as whom, and for what.
#[derive(Clone)]
pub struct Desk {
    pub endpoints: Endpoints,
    pub client: Client,
    /// For the browser's requests alone: they may show that a person has logged in. Never written down.
    pub browser: Headers,
    /// What the tokens are for.
    pub resource: Option<String>,
    pub scope: Option<String>,
}

/// One request for authorization.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    pub topic: Topic,
    pub redirect_uri: &'a str,
    pub response_type: &'a str,
    pub challenge: Challenge<'a>,
}

/// What is said of the verifier.
#[derive(Clone, Copy)]
pub enum Challenge<'a> {
    None,
    S256(&'a Pkce),
}

/// What the browser was sent back with.
#[derive(Clone, PartialEq, Eq)]
pub enum Back {
    Code(String),
    Error,
    /// It was not sent back: somebody has to do something there first, or the server has refused.
    Nothing,
}

/// Visits the authorization endpoint, and follows redirects on the same host until one leads to the redirect URI.
pub async fn authorize(teller: &mut Teller, desk: &Desk, ask: Ask<'_>) -> Back {
    let (Some(endpoint), Ok(state)) = (&desk.endpoints.authorization, random()) else {
        return Back::Nothing;
    };
    let mut pairs = vec![
        ("response_type", ask.response_type),
        ("client_id", &*desk.client.id),
        ("redirect_uri", ask.redirect_uri),
        ("state", &*state),
    ];
    if let Challenge::S256(pkce) = ask.challenge {
        pairs.push(("code_challenge", &pkce.challenge));
        pairs.push(("code_challenge_method", "S256"));
    }
    pairs.extend(desk.scope.as_deref().map(|scope| ("scope", scope)));
    pairs.extend(desk.resource.as_deref().map(|resource| ("resource", resource)));
    let path = form::with_query(&endpoint.path, &form::encode(pairs));
    let mut url = Url { path, ..endpoint.clone() };
    let mut topic = ask.topic;
    let mut cookies: Vec<(String, String)> = Vec::new();
    for _ in 0..MOST_REDIRECTS {
        let Some(told) = teller.get(topic, &url, &browser(desk, &cookies)).await else {
            return Back::Nothing;
        };
        for (name, value) in told.cookies() {
            cookies.retain(|(known, _)| known != name);
            if !value.is_empty() {
                cookies.push((name.to_owned(), value.to_owned()));
            }
        }
        let Some(location) = told.header("location").filter(|_| (300..400).contains(&told.status))
        else {
            return Back::Nothing;
        };
        if form::base(location) == form::base(ask.redirect_uri) {
            let parameters = form::query(location);
            let code = form::one(&parameters, "code").map(str::to_owned);
            return code.map_or(Back::Error, Back::Code);
        }
        let Some(next) = url.join(location) else { return Back::Nothing };
        (url, topic) = (next, Topic::Redirected);
    }
    Back::Nothing
}

fn browser(desk: &Desk, cookies: &[(String, String)]) -> Headers {
    let mut headers = desk.browser.clone();
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
