//! What a server asks and tells during a call, for callers that pass it on to clients of their own.

use proofmark_core::{
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject},
    types::{ElicitParams, ElicitResult, LoggingMessageParams, ServerNotification, ServerRequest},
};
use tokio::sync::{mpsc, oneshot};

use super::request::Request;

/// Where to pass on what belongs to a call.
#[derive(Clone, Debug)]
pub(crate) struct RelayTo {
    pub(crate) heard: mpsc::Sender<Relayed>,
    /// The same for calls on behalf of the same client.
    pub(crate) client: usize,
    /// Pages that must be visited before a call are asked for, because the refusal that names them means nothing to the client.
    pub(crate) visits: bool,
}

/// What a server says during a call.
#[derive(Debug)]
pub(crate) enum Relayed {
    ElicitationComplete(String),
    Log(LoggingMessageParams),
    Question(RelayedQuestion),
}

/// A question of the server, which waits for the answer.
#[derive(Debug)]
pub(crate) struct RelayedQuestion {
    pub(crate) what: ServerRequest,
    pub(crate) answer: Answer,
}

type Answer = oneshot::Sender<Result<Raw, ErrorObject>>;

impl RelayTo {
    /// Passes a question on; it is given back if the caller does not listen.
    pub(super) fn ask(
        &self,
        what: ServerRequest,
    ) -> Result<oneshot::Receiver<Result<Raw, ErrorObject>>, ServerRequest> {
        let Ok(place) = self.heard.try_reserve() else { return Err(what) };
        let (answer, receiver) = oneshot::channel();
        place.send(Relayed::Question(RelayedQuestion { what, answer }));
        Ok(receiver)
    }

    /// Has the caller's client visit a page.
    pub(super) async fn elicit(&self, page: ElicitParams) -> Result<ElicitResult, ErrorObject> {
        let over = || ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the call is over");
        let answer = self.ask(ServerRequest::Elicit(Box::new(page))).map_err(|_| over())?;
        let answer = answer.await.map_err(|_| over())??;
        answer.decode().map_err(|_| over())
    }

    /// Passes on what a call's own client is to hear.
    pub(super) fn tell(&self, notification: &ServerNotification) {
        let told = match notification {
            ServerNotification::Message(log) => Relayed::Log(log.clone()),
            ServerNotification::ElicitationComplete(done) => {
                Relayed::ElicitationComplete(done.elicitation_id.clone())
            }
            _ => return,
        };
        // A caller that is too slow can do without it.
        let _full = self.heard.try_send(told);
    }
}

impl<T: Send + 'static> Request<'_, T> {
    /// Has all that the server asks and tells during the call passed on.
    pub(crate) fn relay(mut self, to: RelayTo) -> Self {
        self.relay_to(to);
        self
    }
}
