//! Whom a request comes from, as the authorization server says.

use std::fmt;
use std::time::SystemTime;

use proofmark_core::json::Raw;

use super::Scopes;
use crate::caller::{Caller, Principal};

/// Whom a verified token stands for, and what it allows.
///
/// `Debug` shows the issuer and nothing that came from the token: names and claims are for those who ask for them.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// The authorization server that vouches; subjects and clients are its own names and mean nothing elsewhere.
    pub issuer: String,
    pub subject: String,
    /// The program that acts for the subject, where the token tells.
    pub client_id: Option<String>,
    pub scopes: Scopes,
    /// When the token stops being valid, without any leeway. A stream that outlives it is the transport's to end.
    pub expires: Option<SystemTime>,
    /// All that the token says, a JSON object, where it says anything.
    pub claims: Option<Raw>,
}

impl Identity {
    /// An identity without client, scopes, expiry and claims; they are public fields to be filled in.
    pub fn new(issuer: impl Into<String>, subject: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            subject: subject.into(),
            client_id: None,
            scopes: Scopes::default(),
            expires: None,
            claims: None,
        }
    }

    /// To whom things belong that this token is used for. The same before and after a token is refreshed, whatever scopes the new one has.
    pub fn principal(&self) -> Principal {
        Principal::user(&*self.issuer, &*self.subject, self.client_id.as_deref())
    }
}

impl From<Identity> for Caller {
    fn from(identity: Identity) -> Self {
        let scopes = identity.scopes.iter().map(str::to_owned).collect();
        Self::new(identity.principal(), scopes, identity.claims)
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refreshed_token_has_the_same_principal() {
        let old = Identity::new("https://a", "s");
        let mut new = old.clone();
        new.scopes = Scopes::of(["more"]);
        new.expires = Some(SystemTime::UNIX_EPOCH);
        assert_eq!(old.principal(), new.principal());
    }
}
