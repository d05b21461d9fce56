//! Who a client proved to be.

use std::{fmt, sync::Arc};

use proofmark_core::json::Raw;

use crate::store::Principal;

/// Whom a request comes from, as a token proved it. Cheap to clone.
///
/// `Debug` shows nothing of it: names and claims are for those who ask for them.
#[derive(Clone, PartialEq, Eq)]
pub struct Caller(Arc<Facts>);

#[derive(PartialEq, Eq)]
struct Facts {
    principal: Principal,
    /// The principal as text, different for different ones.
    key: String,
    scopes: Vec<String>,
    claims: Option<Raw>,
}

impl Caller {
    pub fn new(principal: Principal, scopes: Vec<String>, claims: Option<Raw>) -> Self {
        let key = match &principal {
            Principal::Anonymous => String::new(),
            Principal::Local => "local".into(),
            Principal::Session(session) => format!("session {}", session.as_str()),
            Principal::User(user) => {
                format!("{:?}", (&user.issuer, &user.subject, &user.client_id))
            }
        };
        Self(Arc::new(Facts { principal, key, scopes, claims }))
    }

    /// Stays the same when a token is renewed.
    pub fn principal(&self) -> &Principal {
        &self.0.principal
    }

    pub fn scopes(&self) -> &[String] {
        &self.0.scopes
    }

    /// All that the token says, a JSON object, where it says anything.
    pub fn claims(&self) -> Option<&Raw> {
        self.0.claims.as_ref()
    }

    pub(crate) fn key(&self) -> &str {
        &self.0.key
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").finish_non_exhaustive()
    }
}

#[cfg(feature = "oauth")]
impl From<crate::auth::Identity> for Caller {
    fn from(identity: crate::auth::Identity) -> Self {
        let client_id = identity.client_id.unwrap_or_default();
        let scopes = identity.scopes.iter().map(str::to_owned).collect();
        Self::new(
            Principal::user(identity.issuer, identity.subject, client_id),
            scopes,
            identity.claims,
        )
    }
}
