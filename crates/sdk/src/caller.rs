//! Who a client proved to be.

use std::sync::Arc;

/// The identity behind a request, as a token proved it. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller(Arc<Facts>);

#[derive(Debug, PartialEq, Eq)]
struct Facts {
    principal: String,
    scopes: Vec<String>,
}

impl Caller {
    pub fn new(principal: impl Into<String>, scopes: Vec<String>) -> Self {
        Self(Arc::new(Facts { principal: principal.into(), scopes }))
    }

    /// Stays the same when a token is renewed.
    pub fn principal(&self) -> &str {
        &self.0.principal
    }

    pub fn scopes(&self) -> &[String] {
        &self.0.scopes
    }
}
