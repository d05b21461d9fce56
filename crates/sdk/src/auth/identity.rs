//! Whom a request comes from, as the authorization server says.

use std::fmt;
use std::time::SystemTime;

use proofmark_core::json::Raw;

use super::Scopes;
use crate::store;

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

/// Who it is, as far as ownership goes: a session, a task or a stream belongs to one principal.
///
/// The same before and after a token is refreshed, whatever scopes the new one has.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Principal {
    pub issuer: String,
    pub subject: String,
    pub client_id: Option<String>,
}

impl Identity {
    /// Someone without client, scopes, expiry and claims; they are public fields to be filled in.
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

    pub fn principal(&self) -> Principal {
        Principal {
            issuer: self.issuer.clone(),
            subject: self.subject.clone(),
            client_id: self.client_id.clone(),
        }
    }

    /// Whether both are the same principal, without making one.
    pub fn is(&self, principal: &Principal) -> bool {
        self.issuer == principal.issuer
            && self.subject == principal.subject
            && self.client_id == principal.client_id
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

impl Principal {
    /// The principal as bytes, to bind a sealed token to or to key a store with: different principals never have the
    /// same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for part in [Some(&self.issuer), Some(&self.subject), self.client_id.as_ref()] {
            let Some(part) = part else { continue };
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(part.as_bytes());
        }
        bytes
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Principal").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

/// The owner of what is stored. No client becomes an empty name, which no client has.
impl From<Principal> for store::Principal {
    fn from(principal: Principal) -> Self {
        let client_id = principal.client_id.unwrap_or_default();
        Self::user(principal.issuer, principal.subject, client_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn principal(issuer: &str, subject: &str, client: Option<&str>) -> Principal {
        let mut identity = Identity::new(issuer, subject);
        identity.client_id = client.map(str::to_owned);
        identity.principal()
    }

    #[test]
    fn a_refreshed_token_has_the_same_principal() {
        let old = Identity::new("https://a", "s");
        let mut new = old.clone();
        new.scopes = Scopes::of(["more"]);
        new.expires = Some(SystemTime::UNIX_EPOCH);
        assert_eq!(old.principal(), new.principal());
        assert!(new.is(&old.principal()));
    }

    #[test]
    fn a_principal_is_issuer_subject_and_client_together() {
        let one = principal("https://a", "s", Some("c"));
        for other in [
            principal("https://b", "s", Some("c")),
            principal("https://a", "t", Some("c")),
            principal("https://a", "s", Some("d")),
            principal("https://a", "s", None),
            principal("https://as", "", Some("c")),
        ] {
            assert_ne!(one, other);
            assert_ne!(one.to_bytes(), other.to_bytes());
        }
    }

    #[test]
    fn no_client_is_not_a_client_without_a_name() {
        assert_ne!(
            principal("https://a", "s", None).to_bytes(),
            principal("https://a", "s", Some("")).to_bytes()
        );
    }
}
