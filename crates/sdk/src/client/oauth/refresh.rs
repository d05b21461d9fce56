//! Renewing a token without asking anyone.

use url::Url;

use super::{
    Grant, OAuthError, Registration, Settings,
    dpop::DpopKey,
    registration::{Identity, Source, by_document},
    token::{Fields, TokenRequest, Tokens},
};

/// The request that renews a grant; `None` if it cannot be renewed by this client. `kept` is what is kept about the client under the
/// grant's issuer. The refresh token goes back to the very endpoint that it came from.
pub(crate) fn request(
    grant: &Grant,
    settings: &Settings,
    kept: Option<Registration>,
) -> Option<TokenRequest> {
    let refresh = grant.refresh_token.as_ref()?;
    let endpoint = Url::parse(&grant.token_endpoint).ok()?;
    let fields = Fields::grant("refresh_token")
        .with("refresh_token", refresh.expose())
        .with_some("resource", grant.resource.as_deref());
    let client = identity(grant, settings, kept)?;
    let dpop = grant.dpop_key.as_ref().and_then(DpopKey::restore);
    Some(TokenRequest::new(endpoint, grant.issuer.clone(), client, fields, dpop))
}

/// The grant with what a renewal has brought. A refresh token that was replaced is never used again; one that was not stays good.
pub(crate) fn renewed(grant: &Grant, tokens: Tokens) -> Result<Grant, OAuthError> {
    let dpop = grant.dpop_key.as_ref().and_then(DpopKey::restore);
    Ok(Grant {
        kind: tokens.usable(&grant.issuer, dpop.as_ref())?,
        access_token: tokens.access,
        refresh_token: tokens.refresh.or_else(|| grant.refresh_token.clone()),
        expires_at: tokens.expires_at,
        ..grant.clone()
    })
}

/// Whether a token is as good as over.
pub(crate) fn is_due(grant: &Grant, now: u64) -> bool {
    grant.expires_at.is_some_and(|end| end <= now.saturating_add(EARLY))
}

/// The client that the grant was given to, and no other.
fn identity(grant: &Grant, settings: &Settings, kept: Option<Registration>) -> Option<Identity> {
    if let Some(known) = settings.known_as(&grant.client_id, &grant.issuer, grant.authentication) {
        return Some(known);
    }
    if let Some(document) = settings.document.as_ref().filter(|url| url.as_str() == grant.client_id)
    {
        return Some(by_document(document));
    }
    let registration = kept.filter(|kept| kept.client_id == grant.client_id)?;
    Some(Identity { registration, key: None, source: Source::Recalled })
}

/// In seconds: what may pass between a look at the clock and the server's.
const EARLY: u64 = 30;
