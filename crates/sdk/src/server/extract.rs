//! What handlers can take as parameters, besides the arguments of their request.

use std::sync::Arc;

use proofmark_core::{jsonrpc::Id, revision::Revision};

use super::{Context, Error, Server, TraceContext, scope::Scope, state::Needs};
use crate::caller::Caller;

/// A type that handlers of every kind can take as a parameter, made from what is known about the request.
///
/// [`State`](super::State), [`Caller`] and `Option<Caller>` are such types, and so are yours:
///
/// ```
/// use proofmark_sdk::server::{Error, FromRequest, RequestParts, Server};
///
/// struct Admin;
///
/// impl FromRequest for Admin {
///     fn from_request(request: &RequestParts<'_>) -> Result<Self, Error> {
///         let scopes = request.caller().map(|caller| caller.scopes()).unwrap_or_default();
///         let admin = scopes.iter().any(|scope| scope == "admin");
///         admin.then_some(Self).ok_or_else(|| Error::text("only administrators may do this"))
///     }
/// }
///
/// async fn restart(_: Admin) -> &'static str { "restarted" }
///
/// let server = Server::builder("s", "1").tool("restart", "Restarts", restart).build();
/// # assert!(server.is_ok());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of this handler",
    note = "a parameter is `Context`, `State<T>`, `Caller`, `Option<Caller>`, or a type that implements `FromRequest`"
)]
pub trait FromRequest: Sized {
    /// The error is the answer to the request, in place of what the handler would say.
    fn from_request(request: &RequestParts<'_>) -> Result<Self, Error>;

    /// Notes which states a server must have for this.
    #[doc(hidden)]
    fn needs(needs: &mut Needs) {
        let _ = needs;
    }
}

/// What is known about a request before its handler runs.
#[derive(Clone, Copy)]
pub struct RequestParts<'a>(&'a Scope);

impl<'a> RequestParts<'a> {
    pub(crate) fn new(scope: &'a Scope) -> Self {
        Self(scope)
    }

    /// The server that runs the handler.
    pub fn server(&self) -> &'a Server {
        &self.0.conversation.server
    }

    /// What the server was given with [`ServerBuilder::state`](super::ServerBuilder::state).
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.server().states().get()
    }

    /// Who the client proved to be, where the server demands a proof.
    pub fn caller(&self) -> Option<&'a Caller> {
        self.0.caller.as_ref()
    }

    /// The revision that the client speaks.
    pub fn revision(&self) -> Revision {
        self.0.revision
    }

    /// The id of the request; `None` for a notification.
    pub fn request_id(&self) -> Option<&'a Id<'static>> {
        self.0.id.as_ref()
    }

    /// The trace that the request is part of, if the client says so.
    pub fn trace(&self) -> Option<&'a TraceContext> {
        self.0.trace.as_deref()
    }
}

/// Whom the request comes from. Where the server demands no proof, that is a caller without scopes: the process at the other end of the
/// pipe ([`Principal::Local`](crate::caller::Principal::Local)), the session, or an anonymous client.
impl FromRequest for Caller {
    fn from_request(request: &RequestParts<'_>) -> Result<Self, Error> {
        let unproved = || Self::new(request.0.owner().clone(), Vec::new(), None);
        Ok(request.caller().cloned().unwrap_or_else(unproved))
    }
}

/// The caller, if there was a proof.
impl FromRequest for Option<Caller> {
    fn from_request(request: &RequestParts<'_>) -> Result<Self, Error> {
        Ok(request.caller().cloned())
    }
}

/// Ways in which a parameter comes from a request. The compiler finds the right one; no code names them.
#[doc(hidden)]
pub mod via {
    /// The arguments of a tool or prompt, or the variables of a template.
    #[derive(Debug)]
    pub enum Arguments {}
    /// A type that is itself what the request has.
    #[derive(Debug)]
    pub enum Itself {}
    /// [`FromRequest`](super::FromRequest).
    #[derive(Debug)]
    pub enum Request {}
}

/// The context of a request, until a handler takes it.
pub(crate) struct ContextSlot(Option<Context>);

impl ContextSlot {
    pub(crate) fn new(context: Context) -> Self {
        Self(Some(context))
    }

    pub(crate) fn take(&mut self) -> Result<Context, Error> {
        // A handler that takes two does not compile.
        self.0.take().ok_or_else(|| Error::text("the context is taken"))
    }
}
