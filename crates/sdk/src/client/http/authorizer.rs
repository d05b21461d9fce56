//! The seam between requests and what authorizes them.
#![cfg_attr(not(feature = "oauth"), expect(dead_code, reason = "only OAuth authorizes"))]

use std::{error::Error, fmt, sync::Arc};

use http::{HeaderMap, Method, StatusCode, Uri};
use proofmark_core::revision::Revision;

use crate::BoxFuture;

/// Why a request is not authorized, in words for people.
pub(in crate::client) type Unauthorized = Arc<dyn Error + Send + Sync>;

/// Puts tokens on requests, and gets them when the server asks for some.
pub(in crate::client) trait Authorizer: Send + Sync {
    /// Adds what authorizes the request, if there is something.
    fn sign<'a>(
        self: Arc<Self>,
        method: &'a Method,
        uri: &'a Uri,
        headers: &'a mut HeaderMap,
    ) -> BoxFuture<'a, Result<Option<Shown>, Unauthorized>>;

    /// Looks at the head of a response, and does what it takes to have a better one. This may take as long as a person takes.
    fn judge<'a>(
        self: Arc<Self>,
        attempt: &'a mut Attempt,
        shown: Option<&'a Shown>,
        status: StatusCode,
        headers: &'a HeaderMap,
        revision: Option<Revision>,
    ) -> BoxFuture<'a, Result<Verdict, Unauthorized>>;

    /// On whose authority requests are made now; no secret.
    fn context(&self) -> String;
}

/// The token that a request was made with.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::client) struct Shown(pub(in crate::client) String);

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shown(..)")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client) enum Verdict {
    /// Make the request again.
    Again,
    /// The response is what it is.
    Final,
}

/// What was done for one request, so that nothing is done twice.
#[derive(Debug, Default)]
pub(in crate::client) struct Attempt(Vec<Step>);

/// Something that is done at most once for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::client) enum Step {
    Authorization,
    Nonce,
    Renewal,
    /// The token was replaced while the request was under way.
    Stale,
}

impl Attempt {
    /// Whether this is the first time.
    pub(in crate::client) fn once(&mut self, step: Step) -> bool {
        let first = !self.0.contains(&step);
        if first {
            self.0.push(step);
        }
        first
    }
}
