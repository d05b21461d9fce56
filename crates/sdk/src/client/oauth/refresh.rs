//! Renewing a token without asking the user.

use url::Url;

use super::{
    Grant, OAuthError, Registration, Settings,
    dpop::DpopKey,
    registration::{Identity, Source, by_document},
    token::{Authentication, Fields, TokenRequest, Tokens},
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
        let signs = grant.authentication == Authentication::PrivateKeyJwt;
        return Some(by_document(document, settings.key.clone().filter(|_| signs)));
    }
    let registration = kept.filter(|kept| kept.client_id == grant.client_id)?;
    Some(Identity { registration, key: None, source: Source::Recalled })
}

/// In seconds: what may pass between a look at the clock and the server's.
const EARLY: u64 = 30;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::client::oauth::{ClientProof, Fetched, KnownClient, OAuth, discovery::DoneOrFetch};

    fn grant() -> Grant {
        serde_json::from_value(json!({
            "issuer": "https://as.example",
            "access_token": "access-1",
            "kind": "Bearer",
            "refresh_token": "refresh-1",
            "expires_at": 1000,
            "scopes": ["a"],
            "resource": "https://mcp.example/mcp",
            "token_endpoint": "https://as.example/token",
            "client_id": "me",
            "authentication": "client_secret_basic",
            "dpop_key": null,
            "lineage": "one",
        }))
        .unwrap()
    }

    fn me(issuer: &str) -> OAuth {
        OAuth::client_credentials(KnownClient {
            issuer: Some(issuer.into()),
            id: "me".into(),
            proof: ClientProof::Secret("canary".into()),
        })
    }

    fn answer(tokens: &serde_json::Value) -> Fetched {
        let body = tokens.to_string().into();
        Fetched { status: http::StatusCode::OK, headers: http::HeaderMap::new(), body }
    }

    #[test]
    fn a_refresh_token_goes_back_to_where_it_came_from() {
        let request = request(&grant(), &me("https://as.example").settings, None).unwrap();
        let fetch = request.fetch(0, &mut || [0; 32]);
        assert_eq!(fetch.url.as_str(), "https://as.example/token");
        let form = String::from_utf8(fetch.body.to_vec()).unwrap();
        let resource = "resource=https%3A%2F%2Fmcp.example%2Fmcp";
        assert_eq!(form, format!("grant_type=refresh_token&refresh_token=refresh-1&{resource}"));
        assert!(fetch.headers.contains_key("authorization"));
    }

    #[test]
    fn another_client_cannot_renew() {
        assert!(request(&grant(), &me("https://other.example").settings, None).is_none());
        let nothing = Grant { refresh_token: None, ..grant() };
        assert!(request(&nothing, &me("https://as.example").settings, None).is_none());
    }

    #[test]
    fn a_refresh_token_is_replaced_by_a_new_one_and_kept_without() {
        let mut request = request(&grant(), &me("https://as.example").settings, None).unwrap();
        for (given, kept) in [(json!("refresh-2"), "refresh-2"), (json!(null), "refresh-1")] {
            let answer = answer(&json!({
                "access_token": "access-2",
                "token_type": "Bearer",
                "refresh_token": given,
            }));
            let Ok(DoneOrFetch::Done(tokens)) = request.handle(&answer, 0, &mut || [0; 32]) else {
                panic!("refused");
            };
            let renewed = renewed(&grant(), tokens).unwrap();
            assert_eq!(renewed.access_token.expose(), "access-2");
            assert_eq!(renewed.refresh_token.unwrap().expose(), kept);
            assert_eq!(renewed.lineage, "one", "it is the same authorization");
        }
    }

    #[test]
    fn a_token_is_renewed_a_little_early() {
        assert!(!is_due(&grant(), 969));
        assert!(is_due(&grant(), 970));
        assert!(!is_due(&Grant { expires_at: None, ..grant() }, u64::MAX));
    }
}
