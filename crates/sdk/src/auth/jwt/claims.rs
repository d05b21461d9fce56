//! What a token says, and whether it says it to us, now.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proofmark_core::json::Raw;
use serde::Deserialize;
use url::Url;

use super::JwtRules;
use crate::auth::{Identity, Scopes, TokenError};

pub(super) struct Claims {
    known: Known,
    all: Raw,
}

impl Claims {
    pub(super) fn read(payload: &[u8]) -> Result<Self, TokenError> {
        let text = str::from_utf8(payload).map_err(|_| TokenError::Malformed)?;
        let all = Raw::from_json(text).map_err(|_| TokenError::Malformed)?;
        let known = all.decode().map_err(|_| TokenError::Malformed)?;
        Ok(Self { known, all })
    }

    /// Whom the claims name, if they hold for these rules at this time. The signature is another matter.
    pub(super) fn check(self, rules: &JwtRules, now: SystemTime) -> Result<Identity, TokenError> {
        let Self { known, all } = self;
        if known.iss.as_deref() != Some(&*rules.issuer) {
            return Err(TokenError::Issuer);
        }
        let audiences = strings(known.aud.as_ref())?;
        if audiences.is_empty() {
            return Err(TokenError::AudienceMissing);
        }
        let ours = |audience: &String| rules.audiences.iter().any(|own| same(own, audience));
        if !audiences.iter().any(ours) {
            return Err(TokenError::Audience);
        }
        let expires = instant(known.exp.ok_or(TokenError::Malformed)?)?;
        if now >= later(expires, rules.leeway)? {
            return Err(TokenError::Expired);
        }
        if let Some(begins) = known.nbf
            && later(now, rules.leeway)? < instant(begins)?
        {
            return Err(TokenError::NotYetValid);
        }
        // Without a subject all such tokens of an issuer would be one and the same principal.
        let subject =
            known.sub.filter(|subject| !subject.is_empty()).ok_or(TokenError::Malformed)?;
        let scopes = strings(known.scope.as_ref().or(known.scp.as_ref()))?;
        let mut identity = Identity::new(&*rules.issuer, subject);
        identity.client_id = known.client_id.or(known.azp).filter(|client| !client.is_empty());
        identity.scopes = Scopes::granted(scopes.iter().flat_map(|scope| scope.split(' ')));
        identity.expires = Some(expires);
        identity.claims = Some(all);
        Ok(identity)
    }
}

#[derive(Deserialize)]
struct Known {
    iss: Option<String>,
    sub: Option<String>,
    aud: Option<Raw>,
    exp: Option<f64>,
    nbf: Option<f64>,
    client_id: Option<String>,
    /// What OpenID Connect calls the client.
    azp: Option<String>,
    scope: Option<Raw>,
    /// What some authorization servers call `scope`.
    scp: Option<Raw>,
}

/// One string, or a list of them; `null` is none.
fn strings(value: Option<&Raw>) -> Result<Vec<String>, TokenError> {
    let Some(value) = value else { return Ok(Vec::new()) };
    match value.decode::<Option<String>>() {
        Ok(one) => Ok(one.into_iter().collect()),
        Err(_) => value.decode().map_err(|_| TokenError::Malformed),
    }
}

fn same(own: &str, audience: &str) -> bool {
    if own == audience {
        return true;
    }
    match (Url::parse(own), Url::parse(audience)) {
        (Ok(own), Ok(audience)) => {
            own == audience
                && own.has_host()
                && own.username().is_empty()
                && own.password().is_none()
        }
        _ => false,
    }
}

fn instant(seconds: f64) -> Result<SystemTime, TokenError> {
    let since = Duration::try_from_secs_f64(seconds).map_err(|_| TokenError::Malformed)?;
    later(UNIX_EPOCH, since)
}

fn later(time: SystemTime, by: Duration) -> Result<SystemTime, TokenError> {
    time.checked_add(by).ok_or(TokenError::Malformed)
}
