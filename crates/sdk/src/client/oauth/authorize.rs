//! Sending a person to the authorization server, and judging who comes back.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};
use url::Url;

use super::{AuthorizationServer, Entropy, OAuthError, Secret, assertion};
use crate::auth::Scopes;

/// One authorization that is under way: what was sent, and what has to come back.
#[derive(Debug)]
pub(crate) struct Pending {
    state: Secret,
    verifier: Secret,
    redirect: Url,
    /// Recorded before the user is sent anywhere.
    issuer: String,
    promised: bool,
}

/// A code, and what it takes to redeem it.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) text: Secret,
    pub(crate) verifier: Secret,
    pub(crate) redirect: Url,
}

/// What is asked for.
#[derive(Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) server: &'a AuthorizationServer,
    pub(crate) endpoint: &'a Url,
    pub(crate) client: &'a str,
    pub(crate) redirect: &'a Url,
    pub(crate) scopes: &'a Scopes,
    pub(crate) resource: Option<&'a str>,
}

impl Pending {
    /// The address to send the person to.
    pub(crate) fn begin(ask: &Ask<'_>, entropy: &mut dyn Entropy) -> (Self, Url) {
        let state = assertion::token(entropy);
        let verifier = assertion::token(entropy);
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
        let mut url = ask.endpoint.clone();
        let mut query = url.query_pairs_mut();
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", ask.client)
            .append_pair("redirect_uri", ask.redirect.as_str())
            .append_pair("state", &state)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        if !ask.scopes.is_empty() {
            query.append_pair("scope", &ask.scopes.to_string());
        }
        if let Some(resource) = ask.resource {
            query.append_pair("resource", resource);
        }
        if ask.scopes.contains(super::step_up::OFFLINE_ACCESS) {
            // Without it, OpenID servers do not give what the scope is for.
            query.append_pair("prompt", "consent");
        }
        drop(query);
        let pending = Self {
            state: state.into(),
            verifier: verifier.into(),
            redirect: ask.redirect.clone(),
            issuer: ask.server.issuer.clone(),
            promised: ask.server.sends_iss,
        };
        (pending, url)
    }

    /// Judges the address that the person was sent back to. Who it is from is looked at before anything else that it says.
    pub(crate) fn finish(self, answer: &str) -> Result<Code, OAuthError> {
        let bad = |why: &str| OAuthError::Response(why.to_owned());
        let url = Url::parse(answer).map_err(|_| bad("not an address"))?;
        let same_place = url.scheme() == self.redirect.scheme()
            && url.host() == self.redirect.host()
            && url.port() == self.redirect.port()
            && url.path() == self.redirect.path();
        if !same_place {
            return Err(bad("it came back to another address"));
        }
        let one = |name: &str| {
            let mut all = url.query_pairs().filter(|(key, _)| key == name);
            match (all.next(), all.next()) {
                (Some(_), Some(_)) => Err(bad("it says the same thing twice")),
                (first, _) => Ok(first.map(|(_, value)| value.into_owned())),
            }
        };
        if one("state")?.as_deref() != Some(self.state.expose()) {
            return Err(OAuthError::StateMismatch);
        }
        match one("iss")? {
            Some(found) if found != self.issuer => {
                return Err(OAuthError::IssMismatch { expected: self.issuer, found });
            }
            None if self.promised => {
                return Err(OAuthError::IssMissing { expected: self.issuer });
            }
            _ => {}
        }
        if let Some(error) = one("error")? {
            return Err(OAuthError::Denied { error, description: one("error_description")? });
        }
        let code = one("code")?.ok_or_else(|| bad("it has no code"))?;
        Ok(Code { text: code.into(), verifier: self.verifier, redirect: self.redirect })
    }
}
