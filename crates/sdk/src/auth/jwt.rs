//! Access tokens that are JWTs, verified with the keys that their issuer publishes.

mod algorithm;
mod claims;
mod fetch;
mod header;
mod key;
mod keys;
mod refetch;

use std::fmt;
use std::time::{Duration, SystemTime};

pub use algorithm::Algorithm;
pub use fetch::KeysUnavailable;
pub use key::NoKeys;
pub use keys::Keys;
pub use refetch::Refetch;

use super::{Identity, TokenError, TokenVerifier};
use crate::BoxFuture;
use claims::Claims;
use header::Parts;

/// Accepts the JWTs of one issuer that were made for this server.
pub struct JwtVerifier {
    rules: JwtRules,
    keys: Keys,
}

/// What a token must say to be accepted; there is no way to leave out the issuer, the audience or the expiry.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JwtRules {
    /// `iss`, compared byte for byte.
    pub issuer: String,
    /// One of them must be in `aud`. URLs are also equal if they differ only in the case of scheme and host, in a
    /// spelled-out default port, or in the slash of an empty path.
    pub audiences: Vec<String>,
    /// The algorithms that the issuer is known to sign with; all by default.
    pub algorithms: Vec<Algorithm>,
    /// How far the issuer's clock may be from ours, for `exp` and `nbf`.
    pub leeway: Duration,
}

impl JwtRules {
    /// `audience` is the resource identifier of this server, unless the authorization server knows it by another name.
    pub fn new(issuer: impl Into<String>, audience: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            audiences: vec![audience.into()],
            algorithms: Algorithm::ALL.to_vec(),
            leeway: LEEWAY,
        }
    }
}

impl JwtVerifier {
    pub fn new(rules: JwtRules, keys: Keys) -> Self {
        Self { rules, keys }
    }

    /// The keys, to [load](Keys::load) them before the first request.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    async fn verify_at(&self, token: &str, now: SystemTime) -> Result<Identity, TokenError> {
        let parts = Parts::split(token)?;
        if !self.rules.algorithms.contains(&parts.header.algorithm) {
            return Err(TokenError::Algorithm);
        }
        // Before the keys are asked for: what can never be accepted is no reason to fetch any.
        let claims = Claims::read(&parts.payload)?;
        let identity = claims.check(&self.rules, now)?;
        let key = self.keys.find(&parts.header).await?;
        if !key.verifies(parts.header.algorithm, parts.message, &parts.signature) {
            return Err(TokenError::Signature);
        }
        Ok(identity)
    }
}

impl TokenVerifier for JwtVerifier {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Identity, TokenError>> {
        Box::pin(self.verify_at(token, SystemTime::now()))
    }
}

impl fmt::Debug for JwtVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JwtVerifier").field("rules", &self.rules).finish_non_exhaustive()
    }
}

const LEEWAY: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests;
