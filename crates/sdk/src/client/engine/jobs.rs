//! What a conversation wants its driver to do.

use http::{HeaderName, HeaderValue};
use proofmark_core::{
    json::Raw,
    jsonrpc::{ErrorObject, Id},
    session::client::{AskId, Failure, Transmit},
    types::ServerRequest,
};
use tokio::sync::oneshot;

use crate::client::{relay::RelayTo, server_requests::related_task};

/// Tells sessions apart that one client has had with its server, because each counts its requests anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::client) struct Generation(u64);

impl Generation {
    pub(super) fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

#[derive(Debug)]
pub(in crate::client) enum Job {
    /// Close the response that was to bring the answer to this request.
    Abandon { generation: Generation, request: Id<'static> },
    /// Have the handlers answer.
    Ask { generation: Generation, ask: AskId, what: Asked },
    /// Calls can be made.
    Connected(Generation),
    /// The conversation did not come about.
    Failed { generation: Generation, why: Failure, detail: Option<std::sync::Arc<str>> },
    Send {
        generation: Generation,
        transmit: Transmit,
        /// Arguments that headers repeat.
        mirrored: Vec<(HeaderName, HeaderValue)>,
    },
    /// The server does not want the answer any more.
    Withdrawn { generation: Generation, ask: AskId },
}

/// A question of the server, and who answers it.
#[derive(Debug)]
pub(in crate::client) enum Asked {
    /// The caller on whose behalf it is asked, as part of a task if there is one.
    Caller {
        answer: oneshot::Receiver<Result<Raw, ErrorObject>>,
        task: Option<String>,
    },
    Handlers(ServerRequest),
}

impl Asked {
    pub(super) fn of(mut what: ServerRequest, relay: Option<RelayTo>) -> Self {
        let Some(relay) = relay else { return Self::Handlers(what) };
        let task = related_task(&mut what);
        match relay.ask(what) {
            Ok(answer) => Self::Caller { answer, task },
            Err(what) => Self::Handlers(what),
        }
    }
}
