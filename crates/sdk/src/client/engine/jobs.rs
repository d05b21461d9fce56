//! What a conversation wants its driver to do.

use http::{HeaderName, HeaderValue};
use proofmark_core::{
    jsonrpc::Id,
    session::client::{AskId, Failure, Transmit},
    types::ServerRequest,
};

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
    Ask { generation: Generation, ask: AskId, what: ServerRequest },
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
