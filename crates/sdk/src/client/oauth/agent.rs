//! What brings a person to the authorization server and back, and what vouches for a client.

use std::sync::Arc;

use url::Url;

use super::Secret;
use crate::BoxFuture;

/// Why someone outside did not do what a client needs for a token. The text is shown to people.
pub type CallbackError = Box<dyn std::error::Error + Send + Sync>;

/// Brings people to authorization servers.
pub trait UserAgent: Send + Sync {
    /// Gets ready to hear of a response, before the user is sent anywhere. `preferred` is the address that the client was registered with, if
    /// it was; at another one it has to be registered again.
    fn prepare(
        &self,
        preferred: Option<Url>,
    ) -> BoxFuture<'_, Result<Box<dyn Visit>, CallbackError>>;
}

/// One visit to an authorization server.
pub trait Visit: Send {
    /// Where responses can be sent.
    fn redirect(&self) -> &Url;

    /// Shows the person the page, and gives the whole address that they were sent back to.
    ///
    /// The page is an `https` URL, or `http` on this machine; it was checked.
    fn visit(self: Box<Self>, url: Url) -> BoxFuture<'static, Result<String, CallbackError>>;
}

/// Where assertions come from: a platform that vouches for its workloads, or an identity provider that knows its people.
///
/// Functions of the audience are sources.
pub trait AssertionSource: Send + Sync {
    /// A JWT that is fresh enough to be shown to the audience, an issuer, at once.
    fn assertion(&self, audience: String) -> BoxFuture<'_, Result<Secret, CallbackError>>;
}

type Visiting = dyn Fn(Url) -> BoxFuture<'static, Result<String, CallbackError>> + Send + Sync;

/// A program that does it all by itself.
pub(super) struct Callback {
    redirect: Url,
    visit: Arc<Visiting>,
}

impl Callback {
    pub(super) fn new<F, R>(redirect: Url, visit: F) -> Self
    where
        F: Fn(Url) -> R + Send + Sync + 'static,
        R: Future<Output = Result<String, CallbackError>> + Send + 'static,
    {
        Self { redirect, visit: Arc::new(move |url| Box::pin(visit(url))) }
    }
}

impl UserAgent for Callback {
    fn prepare(&self, _: Option<Url>) -> BoxFuture<'_, Result<Box<dyn Visit>, CallbackError>> {
        let visit = Self { redirect: self.redirect.clone(), visit: self.visit.clone() };
        Box::pin(async { Ok(Box::new(visit) as Box<dyn Visit>) })
    }
}

impl Visit for Callback {
    fn redirect(&self) -> &Url {
        &self.redirect
    }

    fn visit(self: Box<Self>, url: Url) -> BoxFuture<'static, Result<String, CallbackError>> {
        (self.visit)(url)
    }
}
