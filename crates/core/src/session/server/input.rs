//! What happens to a server's session, and what it wants done.

use std::time::Duration;

use super::{Change, Transmit};
use crate::{
    json::Raw,
    jsonrpc::{ErrorObject, Id, Incoming, NotAMessage},
    revision::{ClientCapability, NotificationMethod, RequestMethod, Revision},
    session::Declared,
    types::{ClientRequest, LoggingLevel, RequestMeta, ServerRequest, ServerResult, Task},
};

/// What happened.
#[derive(Debug)]
pub enum Input<'a> {
    /// A handler wants to know something from the client.
    Ask(Ask),
    /// Something changed that clients may have asked to hear about.
    Changed(Change),
    /// The connection is gone in both directions.
    Closed,
    /// The connection that a request came on is gone, but not the conversation.
    Disconnected(Id<'static>),
    /// The server is going down and says goodbye to its subscribers.
    EndSubscriptions,
    /// A handler is done.
    Finished { id: Id<'static>, outcome: Outcome },
    /// Nothing more will be received, but what was received is still to be answered.
    InputEnded,
    /// A handler has something to tell while it runs.
    Notify { request: Id<'static>, notification: HandlerNotification },
    /// A frame held a message or a batch.
    Received(Incoming<'a>),
    /// A frame held neither.
    Refused(NotAMessage),
    /// The status of a task of the experiment changed.
    TaskChanged(Box<Task>),
    /// Nothing more will be said on behalf of this task.
    TaskEnded { task: String },
    /// A handler that runs as a task has something to tell.
    TaskNotify { task: String, notification: HandlerNotification },
    /// The moment of [`ServerSession::next_deadline`](super::ServerSession::next_deadline) has come.
    TimePassed,
    /// A handler does not wait for its answer any more.
    Withdrawn(AskId),
}

/// How a handler ends.
pub type Outcome = Result<ServerResult, ErrorObject>;

/// Names a handler's question; the driver chooses it and finds it in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AskId(pub u64);

/// A handler's question.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    pub ask: AskId,
    /// The request on whose behalf it is asked; its stream carries the question.
    pub request: Option<Id<'static>>,
    /// The task on whose behalf it is asked, instead of a request.
    pub task: Option<String>,
    pub what: ServerRequest,
    /// How long to wait without a sign of life.
    pub patience: Duration,
}

/// What a handler tells while it runs.
#[derive(Clone, Debug, PartialEq)]
pub enum HandlerNotification {
    /// The user is done at the page of a URL elicitation.
    ElicitationComplete {
        elicitation_id: String,
    },
    Log {
        level: LoggingLevel,
        logger: Option<String>,
        data: Raw,
    },
    Progress {
        progress: f64,
        total: Option<f64>,
        message: Option<String>,
    },
}

/// What to do.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "outputs are used at once; a box for each would cost more than the space"
)]
pub enum Output<'a> {
    /// Nothing to do, but worth a line in a log: the client did what it should not.
    Breach(Breach),
    /// Stop the handler of this request; its answer is not wanted.
    Cancel(Id<'static>),
    /// Run the handler of this request.
    Dispatch(Box<Call<'a>>),
    /// The handshake is complete; the server may now speak first.
    Initialized,
    /// `initialize` was answered: the conversation speaks this revision.
    Negotiated(Revision),
    /// The client's roots are not what they were.
    RootsChanged,
    /// Give this to the handler that asked.
    Settled { ask: AskId, outcome: Result<Raw, AskError> },
    /// Send this.
    Transmit(Transmit),
}

/// A request for a handler.
#[derive(Debug)]
pub struct Call<'a> {
    pub id: Id<'static>,
    pub method: RequestMethod,
    pub revision: Revision,
    /// What the client can be asked for.
    pub declared: Declared,
    pub request: ClientRequest<'a>,
    pub meta: Option<Box<RequestMeta<'a>>>,
}

/// Why a handler's question has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AskError {
    #[error("the request on whose behalf it was asked is over")]
    Cancelled,
    #[error("the connection is closed")]
    Closed,
    #[error("the client did not declare `{}`", .0.as_str())]
    NotDeclared(ClientCapability),
    /// In particular, the modern era has no requests from servers: what a handler needs to know ends its run as `input_required`.
    #[error("the client's revision does not let a server send `{}`", .0.as_str())]
    NotInRevision(RequestMethod),
    #[error("the client has not finished its handshake")]
    NotInitialized,
    #[error("the client refused: {}", .0.message)]
    Refused(ErrorObject),
    #[error("the client did not answer in time")]
    TimedOut,
    #[error("more than {limit} questions are open")]
    TooMany { limit: usize },
}

/// What a client did that the specification does not allow, where no answer can tell it so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Breach {
    #[error("the params of `{}` could not be read", .0.as_str())]
    BadNotification(NotificationMethod),
    #[error("an error that belongs to no request: {}", .0.message)]
    ErrorWithoutId(ErrorObject),
    #[error("an answer to {0}, which is not open")]
    UnknownAnswer(Id<'static>),
    #[error("an unknown notification `{0}`")]
    UnknownNotification(String),
}
