//! Who a client is: the principal to whom things belong, and what a token proved about the caller.

mod principal;

use std::{fmt, sync::Arc};

use proofmark_core::json::Raw;

pub use self::principal::{Principal, User};

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
        let key = principal.key();
        Self(Arc::new(Facts { principal, key, scopes, claims }))
    }

    /// A caller known by a name, without scopes, whose name is its own in this server: for tests, and for layers that know their users by
    /// other means than OAuth.
    ///
    /// ```
    /// use proofmark_sdk::caller::Caller;
    ///
    /// let ada = Caller::named("ada").with_scopes(["notes:read", "notes:write"]);
    /// assert!(ada.has_scope("notes:read"));
    /// ```
    pub fn named(name: impl Into<String>) -> Self {
        Self::new(Principal::user("", name, None), Vec::new(), None)
    }

    /// The same caller with other scopes.
    pub fn with_scopes(&self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let scopes = scopes.into_iter().map(Into::into).collect();
        Self::new(self.principal().clone(), scopes, self.claims().cloned())
    }

    /// Whether the caller was given this scope.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes().iter().any(|given| given == scope)
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
