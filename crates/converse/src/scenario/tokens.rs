//! Tokens for a server that demands them, had from its own authorization server: right ones, and ones that it should not take.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use proofmark_core::revision::{AuthorizationServerDiscovery, Revision};
use serde_json::Value;

use super::{
    Scenario, Turn,
    authorization::{LOOPBACK, RESOURCE, parameter},
    issuer::{documents, foreign, right},
};
use crate::{
    oauth::{
        AuthorizationRequest, AuthorizationResponse, CLIENT_DOCUMENTS, CodeRedemption,
        DocumentHost, Endpoints, HttpClient, HttpClientSettings, Lookup, OAuthClient, Tokens,
        authorize, discover, redeem, refresh, register,
    },
    peer::IssuerPeer,
};
use proofmark_record::pkce::Pkce;
use proofmark_record::topic::Topic;
use proofmark_record::{
    event::{Event, EventKind, header},
    wire::{Scheme, Url},
};

impl Scenario {
    pub const TOKENS: Self = Self {
        name: "tokens",
        title: "getting tokens for the server",
        turn: Turn::WhenRefused,
        needs_tour: true,
        ..Self::USUAL
    };
}

/// Access to a server that demands tokens: the authorization server, and the token that it gave.
pub struct TokenAccess {
    http_client: HttpClient,
    oauth: OAuthClient,
    server: Url,
    /// What the authorization server says about itself; null if nothing.
    metadata: Value,
    /// The scopes that the server asks for.
    needed: Vec<String>,
    /// The token for everything.
    pub token: String,
}

/// Gets a token as a client does whose request was refused. `None` if that was not for want of a token, or there is no way without a person.
pub async fn obtain_token(
    settings: HttpClientSettings,
    server: &Url,
    refused: &[Event],
    revision: Revision,
) -> Option<TokenAccess> {
    let rules = revision.rules().authorization?;
    let challenge = refused.iter().find_map(|event| match &event.kind {
        EventKind::Responded { status: 401, headers, .. } => {
            Some(header(headers, "www-authenticate").unwrap_or_default())
        }
        _ => None,
    })?;
    let mut http_client = HttpClient::new(settings);
    let resource = resource(&mut http_client, server, challenge).await;
    let text = |path: &str| resource.as_ref()?.pointer(path)?.as_str();
    let named = text("/authorization_servers/0").and_then(|url| url.parse::<Url>().ok());
    let named = named.filter(|url| may_be_asked(url, server));
    let at_origin = rules.discovery == AuthorizationServerDiscovery::ServerOrigin;
    let origin = Url { path: "/".to_owned(), ..server.clone() };
    let mut metadata = None;
    for issuer in at_origin.then_some(&origin).into_iter().chain(&named) {
        metadata = discover(&mut http_client, issuer, Lookup::First).await;
        if metadata.is_some() {
            break;
        }
    }
    let endpoints = match &metadata {
        Some(document) => Endpoints::of(document),
        None if at_origin => Endpoints::default_of(&origin),
        None => return None,
    };
    if !endpoints.all().all(|url| may_be_asked(url, server)) {
        return None;
    }
    let client = register(&mut http_client, Topic::Register, &endpoints, REDIRECT).await?;
    let scope = parameter(challenge, "scope");
    let needed = scope.iter().flat_map(|it| it.split(' ')).map(str::to_owned).collect();
    let oauth = OAuthClient {
        endpoints,
        client,
        browser: Vec::new(),
        resource: text("/resource").map(str::to_owned),
        scope,
    };
    let (asked, redeemed) = (Topic::Authorize, Topic::Redeem);
    let tokens = tokens(&mut http_client, &oauth, asked, redeemed).await?;
    if let Some(token) = &tokens.refresh {
        refresh(&mut http_client, Topic::Refresh, &oauth, token).await;
    }
    let (server, metadata) = (server.clone(), metadata.unwrap_or(Value::Null));
    Some(TokenAccess { http_client, oauth, server, metadata, needed, token: tokens.access })
}

impl TokenAccess {
    /// What was said to the authorization server.
    pub fn finish(self) -> Vec<Event> {
        self.http_client.finish()
    }

    /// Asks for a code with redirect URIs that were not registered, and tries to register one that any program could listen at.
    pub async fn ask_wrongly(&mut self) {
        let Ok(pkce) = Pkce::new() else { return };
        for uri in foreign(REDIRECT) {
            let request =
                AuthorizationRequest { topic: Topic::ForeignRedirect, ..right(&uri, &pkce) };
            authorize(&mut self.http_client, &self.oauth, request).await;
        }
        let endpoints = &self.oauth.endpoints;
        register(&mut self.http_client, Topic::RegisterOpen, endpoints, OPEN_REDIRECT).await;
    }

    /// Lets the authorization server read documents about clients, if it says that it does so and is near enough to reach them.
    pub async fn show_documents(&mut self) {
        let near = LOOPBACK.contains(&self.server.host.as_str());
        if !near || self.metadata.get(CLIENT_DOCUMENTS) != Some(&Value::Bool(true)) {
            return;
        }
        let Ok(document_host) = DocumentHost::bind().await else { return };
        let resource = self.oauth.resource.clone();
        let peer = IssuerPeer { resource, ..IssuerPeer::new(self.server.clone()) };
        documents(&mut self.http_client, &peer, &self.metadata, &document_host).await;
    }

    /// The token for everything, with one character changed: of its signature, if it has one.
    pub fn altered(&self) -> String {
        let begin = self.token.rfind('.').map_or(0, |dot| dot + 1);
        // Not the last one, some of whose bits may mean nothing.
        let middle = begin + (self.token.len() - begin) / 2;
        let change = |(at, char)| match char {
            'A' if at == middle => 'B',
            _ if at == middle => 'A',
            other => other,
        };
        self.token.char_indices().map(change).collect()
    }

    /// A token that says that it is for another resource.
    pub async fn foreign(&mut self) -> Option<String> {
        let own = self.oauth.resource.clone()?;
        let other = Url { path: OTHER.to_owned(), ..self.server.clone() };
        let oauth = OAuthClient { resource: Some(other.to_string()), ..self.oauth.clone() };
        let token = self.other(&oauth).await?.access;
        let is_foreign = audience(&token).is_some_and(|it| !it.is_empty() && !it.contains(&own));
        is_foreign.then_some(token)
    }

    /// A token that was asked for under a name in upper case.
    pub async fn in_upper_case(&mut self) -> Option<String> {
        let own = self.oauth.resource.clone()?;
        let (scheme, rest) = own.split_once("://")?;
        let end = rest.find('/').unwrap_or(rest.len());
        let (host, path) = rest.split_at(end);
        let name = format!("{}://{}{path}", scheme.to_uppercase(), host.to_uppercase());
        let oauth = OAuthClient { resource: Some(name), ..self.oauth.clone() };
        Some(self.other(&oauth).await?.access)
    }

    /// A token with every scope on offer, if there is more than what is needed.
    pub async fn broad(&mut self) -> Option<String> {
        let mut scopes = self.needed.clone();
        scopes.extend(self.offered());
        if self.needed.is_empty() || scopes.len() == self.needed.len() {
            return None;
        }
        Some(self.with_scope(&scopes.join(" ")).await?.access)
    }

    /// A token with a scope that is not enough. `None` if the server does not say what is.
    pub async fn narrow(&mut self) -> Option<String> {
        if self.needed.is_empty() {
            return None;
        }
        for scope in self.offered().into_iter().take(MOST_TRIES) {
            let Some(tokens) = self.with_scope(&scope).await else { continue };
            let granted = tokens.scope.unwrap_or(scope);
            let has = |needed: &String| granted.split(' ').any(|it| it == needed);
            if !self.needed.iter().all(has) {
                return Some(tokens.access);
            }
        }
        None
    }

    /// Tokens with these scopes.
    pub async fn with_scope(&mut self, scope: &str) -> Option<Tokens> {
        let oauth = OAuthClient { scope: Some(scope.to_owned()), ..self.oauth.clone() };
        self.other(&oauth).await
    }

    async fn other(&mut self, oauth: &OAuthClient) -> Option<Tokens> {
        tokens(&mut self.http_client, oauth, Topic::AuthorizeOther, Topic::RedeemOther).await
    }

    /// Scopes that the authorization server knows and the server does not ask for; those that give no access first.
    fn offered(&self) -> Vec<String> {
        let known = self.metadata.get("scopes_supported").and_then(Value::as_array);
        let known = known.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        let mut scopes: Vec<String> = known.filter(|it| !self.needed.contains(it)).collect();
        scopes.sort_by_key(|scope| !["offline_access", "openid"].contains(&scope.as_str()));
        scopes.truncate(MOST_SCOPES);
        scopes
    }
}

/// A whole authorization.
async fn tokens(
    http_client: &mut HttpClient,
    oauth: &OAuthClient,
    authorizing: Topic,
    redeeming: Topic,
) -> Option<Tokens> {
    let pkce = Pkce::new().ok()?;
    let request = AuthorizationRequest { topic: authorizing, ..right(REDIRECT, &pkce) };
    let AuthorizationResponse::Code(code) = authorize(http_client, oauth, request).await else {
        return None;
    };
    let given = CodeRedemption { code: &code, verifier: &pkce.verifier, redirect_uri: REDIRECT };
    redeem(http_client, redeeming, oauth, given).await
}

/// What the server says about itself as a resource: where the challenge points to, or at the well-known places.
async fn resource(http_client: &mut HttpClient, server: &Url, challenge: &str) -> Option<Value> {
    let path = server.path.split('?').next().unwrap_or_default().trim_end_matches('/');
    let named = parameter(challenge, "resource_metadata");
    let named = named.and_then(|url| server.join(&url)).map(|url| url.path);
    let guesses = [format!("{RESOURCE}{path}"), RESOURCE.to_owned()];
    for place in named.into_iter().chain(guesses) {
        let url = Url { path: place, ..server.clone() };
        let response = http_client.get(Topic::ResourceMetadata, &url, &Vec::new()).await?;
        if response.status == 200 && response.json.is_object() {
            return Some(response.json);
        }
    }
    None
}

/// A server may lead the checker to any host over https, and without it only where the server is itself.
fn may_be_asked(url: &Url, server: &Url) -> bool {
    let local = |url: &Url| LOOPBACK.contains(&url.host.as_str());
    url.scheme == Scheme::Https || url.host == server.host || (local(url) && local(server))
}

/// Whom a signed token is for, if it says so.
fn audience(token: &str) -> Option<Vec<String>> {
    let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    let claims: Value = serde_json::from_slice(&claims).ok()?;
    Some(match claims.get("aud")? {
        Value::String(one) => vec![one.clone()],
        Value::Array(all) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => return None,
    })
}

/// Where the browser is to come back to. Nothing listens there.
const REDIRECT: &str = "http://127.0.0.1:33418/callback";
/// Neither on the machine of the browser nor over https.
const OPEN_REDIRECT: &str = "http://proofmark.invalid/callback";
/// The path of a resource that is not the server.
const OTHER: &str = "/other";
const MOST_TRIES: usize = 3;
const MOST_SCOPES: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_cannot_send_the_checker_into_its_own_network() {
        let of =
            |url: &str, server: &str| may_be_asked(&url.parse().unwrap(), &server.parse().unwrap());
        assert!(of("https://as.example", "https://mcp.example/mcp"));
        assert!(of("http://127.0.0.1:1", "http://localhost:2/mcp"));
        assert!(!of("http://127.0.0.1:1", "https://mcp.example/mcp"));
        assert!(!of("http://169.254.169.254/", "https://mcp.example/mcp"));
    }

    #[test]
    fn the_audience_of_a_token_is_read_where_there_is_one() {
        let token = |claims: &str| format!("e30.{}.x", URL_SAFE_NO_PAD.encode(claims));
        assert_eq!(audience(&token("{\"aud\":\"a\"}")), Some(vec!["a".to_owned()]));
        assert_eq!(audience(&token("{\"aud\":[\"a\",1]}")), Some(vec!["a".to_owned()]));
        for opaque in ["opaque", "a.b.c", &*token("[]"), &*token("{}")] {
            assert_eq!(audience(opaque), None);
        }
    }
}
