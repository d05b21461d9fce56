//! Conversations with an authorization server: what it publishes, and what it gives to whom.

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::{
    oauth::{
        AuthorizationRequest, AuthorizationResponse, CLIENT_DOCUMENTS, ClientCredentials,
        CodeChallenge, CodeRedemption, DocumentHost, Endpoints, HttpClient, OAuthClient, authorize,
        document_host::{BROKEN, FOREIGN, FRESH, KEPT, MOVED, NAMELESS, THIN},
        redeem, refresh, register,
    },
    peer::IssuerPeer,
};
use proofmark_record::pkce::Pkce;
use proofmark_record::scenario::ScenarioName;
use proofmark_record::topic::Topic;

/// One kind of conversation with an authorization server. Each is in [`AuthorizationScenario::ALL`].
#[derive(Clone, Copy, Debug)]
pub struct AuthorizationScenario {
    /// As transcripts have it.
    pub name: &'static str,
    pub title: &'static str,
    /// Whether there is anything to be seen of it, given the server's metadata.
    pub applies: fn(&Value) -> bool,
    pub talk: for<'t> fn(&'t mut AuthorizationTalk<'_>) -> BoxFuture<'t, ()>,
}

/// One such scenario under way.
pub struct AuthorizationTalk<'t> {
    pub http_client: HttpClient,
    pub peer: &'t IssuerPeer,
    /// What the authorization server says about itself; null if nothing.
    pub metadata: &'t Value,
    /// Documents about clients, which the authorization server may fetch.
    pub document_host: &'t DocumentHost,
}

impl AuthorizationScenario {
    /// In the order in which they are held.
    pub const ALL: &'static [Self] = &[Self::ISSUER, Self::DOCUMENTS];

    const ISSUER: Self = Self {
        name: "issuer",
        title: "asking for tokens, rightly and wrongly",
        applies: |_| true,
        talk: |talk| Box::pin(issuer(talk)),
    };

    pub const DOCUMENTS: Self = Self {
        name: "documents",
        title: "clients that are known by a document",
        applies: |metadata| metadata.get(CLIENT_DOCUMENTS) == Some(&Value::Bool(true)),
        talk: |talk| {
            Box::pin(documents(&mut talk.http_client, talk.peer, talk.metadata, talk.document_host))
        },
    };

    pub fn label(&self) -> ScenarioName {
        ScenarioName::new(self.name)
    }

    pub fn named(name: &ScenarioName) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.name == name.as_str())
    }
}

/// Registers, asks for tokens as a well-behaved client does, and then in ways that are to be refused.
async fn issuer(talk: &mut AuthorizationTalk<'_>) {
    let AuthorizationTalk { http_client, peer, metadata, document_host } = talk;
    let redirect_uri = &document_host.redirect_uri();
    let endpoints = Endpoints::of(metadata);
    let client = match &peer.client {
        Some(known) => Some(ClientCredentials::known(known)),
        None => register(http_client, Topic::Register, &endpoints, redirect_uri).await,
    };
    let Some(client) = client else { return };
    let mut oauth = OAuthClient {
        endpoints,
        client,
        browser: peer.headers.clone(),
        resource: resource(peer, metadata),
        scope: peer.scope.clone().or_else(|| offered_scopes(metadata)),
    };
    if rightly(http_client, &mut oauth).await.is_some() {
        wrong_redemptions(http_client, &oauth).await;
    }
    wrong_requests(http_client, &oauth).await;
}

/// A whole authorization, and the renewal of what came of it.
async fn rightly(http_client: &mut HttpClient, oauth: &mut OAuthClient) -> Option<()> {
    let redirect_uri = oauth.client.redirect_uri.clone();
    let mut pkce = Pkce::new().ok()?;
    let mut response = authorize(http_client, oauth, right(&redirect_uri, &pkce)).await;
    if response == AuthorizationResponse::Error && oauth.scope.take().is_some() {
        // Not every client may have every scope.
        pkce = Pkce::new().ok()?;
        response = authorize(http_client, oauth, right(&redirect_uri, &pkce)).await;
    }
    let AuthorizationResponse::Code(code) = response else { return None };
    let right =
        CodeRedemption { code: &code, verifier: &pkce.verifier, redirect_uri: &redirect_uri };
    let tokens = redeem(http_client, Topic::Redeem, oauth, right).await?;
    if let Some(token) = &tokens.refresh
        && refresh(http_client, Topic::Refresh, oauth, token).await.is_some()
    {
        refresh(http_client, Topic::RefreshAgain, oauth, token).await;
    }
    Some(())
}

/// A code with a verifier that does not fit, and one that was used.
async fn wrong_redemptions(http_client: &mut HttpClient, oauth: &OAuthClient) {
    let redirect_uri = oauth.client.redirect_uri.clone();
    for topic in [Topic::WrongVerifier, Topic::RedeemAgain] {
        let Ok(pkce) = Pkce::new() else { return };
        let AuthorizationResponse::Code(code) =
            authorize(http_client, oauth, right(&redirect_uri, &pkce)).await
        else {
            return;
        };
        let right =
            CodeRedemption { code: &code, verifier: &pkce.verifier, redirect_uri: &redirect_uri };
        let wrong = format!("{WRONG}{}", &pkce.verifier[WRONG.len()..]);
        if topic == Topic::WrongVerifier {
            redeem(http_client, topic, oauth, CodeRedemption { verifier: &wrong, ..right }).await;
        } else {
            redeem(http_client, Topic::Redeem, oauth, right).await;
            redeem(http_client, topic, oauth, right).await;
        }
    }
}

/// Requests after which the browser must not be sent anywhere, or not with a code.
async fn wrong_requests(http_client: &mut HttpClient, oauth: &OAuthClient) {
    let redirect_uri = oauth.client.redirect_uri.clone();
    let Ok(pkce) = Pkce::new() else { return };
    let right = right(&redirect_uri, &pkce);
    for foreign in foreign(&redirect_uri) {
        let request =
            AuthorizationRequest { topic: Topic::ForeignRedirect, redirect_uri: &foreign, ..right };
        authorize(http_client, oauth, request).await;
    }
    let request = AuthorizationRequest {
        topic: Topic::WithoutChallenge,
        challenge: CodeChallenge::None,
        ..right
    };
    authorize(http_client, oauth, request).await;
    let request = AuthorizationRequest {
        topic: Topic::UnknownResponseType,
        response_type: "proofmark",
        ..right
    };
    authorize(http_client, oauth, request).await;
}

/// Authorization requests of clients that are known by a document: good ones twice, to see which are fetched again, and bad ones.
pub(super) async fn documents(
    http_client: &mut HttpClient,
    peer: &IssuerPeer,
    metadata: &Value,
    document_host: &DocumentHost,
) {
    tokio::select! {
        () = document_host.listen() => {}
        () = ask_with_documents(http_client, peer, metadata, document_host) => {}
    }
}

async fn ask_with_documents(
    http_client: &mut HttpClient,
    peer: &IssuerPeer,
    metadata: &Value,
    document_host: &DocumentHost,
) {
    let right_uri = document_host.redirect_uri();
    let foreign_uri = foreign(&right_uri).swap_remove(0);
    let Ok(pkce) = Pkce::new() else { return };
    let rightly = [KEPT, KEPT, FRESH, FRESH, FOREIGN, BROKEN, THIN, NAMELESS, MOVED];
    let asked = rightly.map(|name| (name, &right_uri)).into_iter().chain([(KEPT, &foreign_uri)]);
    for (name, redirect_uri) in asked {
        let oauth = OAuthClient {
            endpoints: Endpoints::of(metadata),
            client: ClientCredentials::public(&document_host.id(name), &right_uri),
            browser: peer.headers.clone(),
            resource: resource(peer, metadata),
            scope: None,
        };
        let request =
            AuthorizationRequest { topic: Topic::AuthorizeDocument, ..right(redirect_uri, &pkce) };
        authorize(http_client, &oauth, request).await;
        document_host.record_requests(http_client);
    }
}

pub(super) fn right<'a>(redirect_uri: &'a str, pkce: &'a Pkce) -> AuthorizationRequest<'a> {
    let challenge = CodeChallenge::S256(pkce);
    AuthorizationRequest { topic: Topic::Authorize, redirect_uri, response_type: "code", challenge }
}

/// Redirect URIs that are not this one: on another host, and two that only begin like it.
pub(super) fn foreign(registered: &str) -> Vec<String> {
    vec![FOREIGN_REDIRECT.to_owned(), format!("{registered}/more"), format!("{registered}?more=1")]
}

/// What tokens are asked for: what the user says, or what the server names first.
fn resource(peer: &IssuerPeer, metadata: &Value) -> Option<String> {
    let named = metadata.pointer("/protected_resources/0").and_then(Value::as_str);
    peer.resource.clone().or_else(|| named.map(str::to_owned))
}

/// Everything on offer, as far as that is not too much.
fn offered_scopes(metadata: &Value) -> Option<String> {
    let scopes = metadata.get("scopes_supported")?.as_array()?;
    let scopes: Vec<&str> = scopes.iter().filter_map(Value::as_str).take(MOST_SCOPES).collect();
    (!scopes.is_empty()).then(|| scopes.join(" "))
}

/// What a verifier begins with that fits no challenge.
pub const WRONG: &str = "wrong-";
/// This is never registered, and nothing is there.
pub const FOREIGN_REDIRECT: &str = "https://proofmark.invalid/callback";
const MOST_SCOPES: usize = 16;
