//! What a handler knows about its request, and what it can say while it runs.

use std::sync::Arc;

use proofmark_core::{
    json::Raw,
    jsonrpc::Id,
    revision::{ClientCapability, Revision},
    session::server::{AskError, Input, Note},
    types::{
        CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, ListRootsParams,
        ListRootsResult, LoggingLevel, ServerRequest,
    },
};
use serde::{Serialize, de::DeserializeOwned};

use super::{Error, Server, scope::Scope};
use crate::caller::Caller;

/// The request that a handler works on. Cheap to clone.
#[derive(Clone)]
pub struct Context {
    scope: Arc<Scope>,
}

impl Context {
    pub(crate) fn new(scope: Arc<Scope>) -> Self {
        Self { scope }
    }

    /// The revision that the client speaks.
    pub fn revision(&self) -> Revision {
        self.scope.revision
    }

    /// The id of the request.
    pub fn request_id(&self) -> &Id<'static> {
        &self.scope.id
    }

    /// The server that runs the handler, for example to announce a change.
    pub fn server(&self) -> &Server {
        &self.scope.conversation.server
    }

    /// Who the client proved to be, where the server demands a proof.
    pub fn caller(&self) -> Option<&Caller> {
        self.scope.conversation.caller.as_ref()
    }

    /// Whether the client declared that it can be asked for this.
    pub fn client_can(&self, capability: ClientCapability) -> bool {
        self.scope.declared.capabilities.contains(capability)
    }

    /// The request was cancelled. The handler's future is dropped by itself; this is for work that it started elsewhere.
    pub fn is_cancelled(&self) -> bool {
        self.scope.is_cancelled()
    }

    /// Reports how far the request has come, if the client wants to know. Values that do not grow are not sent.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        self.note(Note::Progress { progress, total, message: message.map(str::to_owned) });
    }

    /// Sends a log message, if the client wants this level.
    pub fn log<T: Serialize + ?Sized>(&self, level: LoggingLevel, data: &T) {
        if let Ok(data) = Raw::new(data) {
            self.note(Note::Log { level, logger: None, data });
        }
    }

    /// Has the client's model continue a conversation.
    pub async fn sample(&self, params: CreateMessageParams) -> Result<CreateMessageResult, Error> {
        self.ask(ServerRequest::CreateMessage(Box::new(params))).await
    }

    /// Asks the user.
    pub async fn elicit(&self, params: ElicitParams) -> Result<ElicitResult, Error> {
        self.ask(ServerRequest::Elicit(Box::new(params))).await
    }

    /// Asks for the places that the client works on.
    pub async fn roots(&self) -> Result<ListRootsResult, Error> {
        self.ask(ServerRequest::ListRoots(ListRootsParams::default())).await
    }

    /// Ends the connection that the answer was to come on, where the revision lets a client come back for it later.
    ///
    /// A handler that knows it will be long can so free the connection. Elsewhere this does nothing.
    pub fn pause_stream(&self) {
        self.scope.outlet.pause();
    }

    async fn ask<T: DeserializeOwned>(&self, what: ServerRequest) -> Result<T, Error> {
        let answer = self.scope.conversation.ask(&self.scope, what).answer().await;
        match answer {
            Ok(raw) => Ok(raw.decode()?),
            Err(AskError::Refused(error)) => {
                Err(Error::text(format!("the client refused: {}", error.message)))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn note(&self, note: Note) {
        let request = self.scope.id.clone();
        self.scope.conversation.feed(Input::Notify { request, note }, None);
    }
}
