//! Conversations with an authorization server: what it publishes, and what it gives to whom.

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::{
    oauth::{
        Ask, Back, CLIENT_DOCUMENTS, Challenge, Client, Desk, Endpoints, Library, Redeem, Teller,
        authorize,
        library::{BROKEN, FOREIGN, FRESH, KEPT, MOVED, NAMELESS, THIN},
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
    pub teller: Teller,
    pub peer: &'t IssuerPeer,
    /// What the authorization server says about itself; null if nothing.
    pub metadata: &'t Value,
    /// Documents about clients, which the authorization server may fetch.
    pub library: &'t Library,
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
        talk: |talk| Box::pin(documents(&mut talk.teller, talk.peer, talk.metadata, talk.library)),
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
    let AuthorizationTalk { teller, peer, metadata, library } = talk;
    let redirect_uri = &library.redirect_uri();
    let endpoints = Endpoints::of(metadata);
    let client = match &peer.client {
        Some(known) => Some(Client::known(known)),
        None => register(teller, Topic::Register, &endpoints, redirect_uri).await,
    };
    let Some(client) = client else { return };
    let mut desk = Desk {
        endpoints,
        client,
        browser: peer.headers.clone(),
        resource: resource(peer, metadata),
        scope: peer.scope.clone().or_else(|| offered_scopes(metadata)),
    };
    if rightly(teller, &mut desk).await.is_some() {
        wrong_redemptions(teller, &desk).await;
    }
    wrong_requests(teller, &desk).await;
}

/// A whole authorization, and the renewal of what came of it.
async fn rightly(teller: &mut Teller, desk: &mut Desk) -> Option<()> {
    let redirect_uri = desk.client.redirect_uri.clone();
    let mut pkce = Pkce::new().ok()?;
    let mut back = authorize(teller, desk, right(&redirect_uri, &pkce)).await;
    if back == Back::Error && desk.scope.take().is_some() {
        // Not everybody may have every scope.
        pkce = Pkce::new().ok()?;
        back = authorize(teller, desk, right(&redirect_uri, &pkce)).await;
    }
    let Back::Code(code) = back else { return None };
    let right = Redeem { code: &code, verifier: &pkce.verifier, redirect_uri: &redirect_uri };
    let tokens = redeem(teller, Topic::Redeem, desk, right).await?;
    if let Some(token) = &tokens.refresh
        && refresh(teller, Topic::Refresh, desk, token).await.is_some()
    {
        refresh(teller, Topic::RefreshAgain, desk, token).await;
    }
    Some(())
}

/// A code with a verifier that does not fit, and one that was used.
async fn wrong_redemptions(teller: &mut Teller, desk: &Desk) {
    let redirect_uri = desk.client.redirect_uri.clone();
    for topic in [Topic::WrongVerifier, Topic::RedeemAgain] {
        let Ok(pkce) = Pkce::new() else { return };
        let Back::Code(code) = authorize(teller, desk, right(&redirect_uri, &pkce)).await else {
            return;
        };
        let right = Redeem { code: &code, verifier: &pkce.verifier, redirect_uri: &redirect_uri };
        let wrong = format!("{WRONG}{}", &pkce.verifier[WRONG.len()..]);
        if topic == Topic::WrongVerifier {
            redeem(teller, topic, desk, Redeem { verifier: &wrong, ..right }).await;
        } else {
            redeem(teller, Topic::Redeem, desk, right).await;
            redeem(teller, topic, desk, right).await;
        }
    }
}

/// Requests after which the browser must not be sent anywhere, or not with a code.
async fn wrong_requests(teller: &mut Teller, desk: &Desk) {
    let redirect_uri = desk.client.redirect_uri.clone();
    let Ok(pkce) = Pkce::new() else { return };
    let right = right(&redirect_uri, &pkce);
    for foreign in foreign(&redirect_uri) {
        let ask = Ask { topic: Topic::ForeignRedirect, redirect_uri: &foreign, ..right };
        authorize(teller, desk, ask).await;
    }
    let ask = Ask { topic: Topic::WithoutChallenge, challenge: Challenge::None, ..right };
    authorize(teller, desk, ask).await;
    let ask = Ask { topic: Topic::UnknownResponseType, response_type: "proofmark", ..right };
    authorize(teller, desk, ask).await;
}

/// Authorization requests of clients that are known by a document: good ones twice, to see which are fetched again, and bad ones.
pub(super) async fn documents(
    teller: &mut Teller,
    peer: &IssuerPeer,
    metadata: &Value,
    library: &Library,
) {
    tokio::select! {
        () = library.attend() => {}
        () = ask_with_documents(teller, peer, metadata, library) => {}
    }
}

async fn ask_with_documents(
    teller: &mut Teller,
    peer: &IssuerPeer,
    metadata: &Value,
    library: &Library,
) {
    let right_uri = library.redirect_uri();
    let foreign_uri = foreign(&right_uri).swap_remove(0);
    let Ok(pkce) = Pkce::new() else { return };
    let rightly = [KEPT, KEPT, FRESH, FRESH, FOREIGN, BROKEN, THIN, NAMELESS, MOVED];
    let asked = rightly.map(|name| (name, &right_uri)).into_iter().chain([(KEPT, &foreign_uri)]);
    for (name, redirect_uri) in asked {
        let desk = Desk {
            endpoints: Endpoints::of(metadata),
            client: Client::public(&library.id(name), &right_uri),
            browser: peer.headers.clone(),
            resource: resource(peer, metadata),
            scope: None,
        };
        let ask = Ask { topic: Topic::AuthorizeDocument, ..right(redirect_uri, &pkce) };
        authorize(teller, &desk, ask).await;
        library.tell(teller);
    }
}

pub(super) fn right<'a>(redirect_uri: &'a str, pkce: &'a Pkce) -> Ask<'a> {
    let challenge = Challenge::S256(pkce);
    Ask { topic: Topic::Authorize, redirect_uri, response_type: "code", challenge }
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
/// Nobody registers this, and nothing is there.
pub const FOREIGN_REDIRECT: &str = "https://proofmark.invalid/callback";
const MOST_SCOPES: usize = 16;
