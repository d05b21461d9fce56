//! What happens to a client's session, and what it wants done.

use std::{sync::Arc, time::Duration};

use super::Transmit;
use crate::{
    json::Raw,
    jsonrpc::{ErrorObject, Id, Incoming, NotAMessage},
    revision::{
        ClientCapability, NotificationMethod, RequestMethod, Revision, ServerCapability,
        SseFallback,
    },
    types::{
        CreateTaskResult, ExtensionTask, Implementation, ServerCapabilities, ServerNotification,
        ServerRequest,
    },
};

/// What happened.
#[derive(Debug)]
pub enum Input<'a> {
    /// A handler has the answer to what the server asked.
    Answered { ask: AskId, outcome: Result<Raw, ErrorObject> },
    /// Ask the server for something.
    Call(&'a Call),
    /// The caller does not wait for this call any more.
    Cancel(CallId),
    /// The connection is gone.
    Closed,
    /// The HTTP response that was to bring the answer to this request ended without it, and cannot be resumed.
    Disconnected(Id<'static>),
    /// A frame held a message or a batch.
    Received { incoming: Incoming<'a>, http: Option<HttpFacts> },
    /// A frame held neither.
    Refused(NotAMessage),
    /// The HTTP response to this request has a status and no message.
    Rejected { request: Id<'static>, status: u16 },
    /// Our roots are not what they were.
    RootsChanged,
    /// Begin the conversation.
    Start,
    /// The moment of [`ClientSession::next_deadline`](super::ClientSession::next_deadline) has come.
    TimePassed,
}

/// What is known of a message that came over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpFacts {
    /// Of the response that the message came in.
    pub status: u16,
    /// The request that the response answers; `None` for a stream that belongs to no request.
    pub request: Option<Id<'static>>,
}

/// Names a call; the driver chooses it and never uses one twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(pub u64);

/// Names a question of the server; the session chooses it and never uses one twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AskId(pub u64);

/// A request to the server.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub call: CallId,
    pub method: RequestMethod,
    /// An object. The session adds to its `_meta` what the protocol wants there; a `progressToken` of the caller's is replaced.
    pub params: Option<Raw>,
    /// How long to wait without a sign of life; `None` for the usual time.
    pub patience: Option<Duration>,
    pub progress: ProgressWish,
}

/// Whether a caller wants to hear how far its call has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProgressWish {
    #[default]
    Unwanted,
    Wanted,
}

impl Call {
    pub fn new(call: CallId, method: RequestMethod, params: Option<Raw>) -> Self {
        Self { call, method, params, patience: None, progress: ProgressWish::Unwanted }
    }
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Close the HTTP response that was to bring the answer to this request: that is how it is cancelled.
    Abandon(Id<'static>),
    /// Have a handler answer this.
    Ask {
        ask: AskId,
        /// The call that cannot go on without the answer; `None` where the server does not say.
        call: Option<CallId>,
        what: ServerRequest,
    },
    /// Nothing to do, but worth a line in a log: the server did what it should not.
    Breach(Breach),
    /// The call is over.
    Completed {
        call: CallId,
        /// How often the server asked back before. A result that needed that must not be cached.
        rounds: u32,
        outcome: Result<Completion, CallError>,
    },
    /// Calls can be made now.
    Connected(Arc<Server>),
    /// Close the connection.
    Disconnect,
    /// The conversation did not come about.
    Failed(Failure),
    /// The server tells something.
    Notified {
        notification: ServerNotification,
        /// The `subscriptions/listen` call that asked for it.
        subscription: Option<CallId>,
    },
    /// How far a call has come.
    Progress { call: CallId, progress: f64, total: Option<f64>, message: Option<String> },
    /// Send this.
    Transmit(Transmit),
    /// The answer to this is not wanted any more.
    Withdrawn(AskId),
}

/// The server, as it presented itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// What the conversation speaks.
    pub revision: Revision,
    /// Legacy servers always say who they are, modern ones should.
    pub info: Option<Implementation>,
    /// `None` if the server could not be asked; then nothing is known to be missing either.
    pub capabilities: Option<ServerCapabilities>,
    pub instructions: Option<String>,
}

/// How a call succeeds.
#[derive(Clone, Debug, PartialEq)]
pub enum Completion {
    /// A subscription came to its end.
    Ended,
    /// The call became a task of the extension.
    ExtensionTask(Box<ExtensionTask>),
    Result(Raw),
    /// The call became a task of the experimental kind, as it asked for.
    Task(Box<CreateTaskResult>),
}

/// Why a call has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CallError {
    #[error("the server wants input but does not say which")]
    AsksNothing,
    #[error("the caller cancelled it")]
    Cancelled,
    #[error("the connection is closed")]
    Closed,
    #[error("the response ended without an answer")]
    Disconnected,
    #[error("there is no conversation yet")]
    NotConnected,
    #[error("the server did not declare `{}`", .0.as_str())]
    NotDeclared(ServerCapability),
    #[error("the server did not declare the skills extension, or not all of it")]
    NotDeclaredSkills,
    #[error("the server did not declare the tasks extension, or neither did this client")]
    NotDeclaredTasks,
    #[error("the server's revision does not have `{}`", .0.as_str())]
    NotInRevision(RequestMethod),
    #[error("`params` is not an object without duplicate keys: {0}")]
    ParamsNotAnObject(String),
    #[error("the server refused: {}", .0.message)]
    Refused(ErrorObject),
    #[error("the server answered with HTTP status {status}")]
    Rejected { status: u16 },
    #[error("the server did not answer in time")]
    TimedOut,
    #[error("more than {limit} questions of the server are open")]
    TooManyAsks { limit: usize },
    #[error("more than {limit} calls are open")]
    TooManyCalls { limit: usize },
    #[error("the server asked back more than {limit} times")]
    TooManyRounds { limit: u32 },
    #[error("more than {limit} resources are watched")]
    TooManySubscriptions { limit: usize },
    #[error("what the server wanted to know was not answered: {}", .0.message)]
    Unanswered(ErrorObject),
    #[error("the server wants input that needs `{}`, which was not declared", .0.as_str())]
    UndeclaredInput(ClientCapability),
    #[error("`{}` cannot be answered with questions", .0.as_str())]
    UnexpectedInput(RequestMethod),
    #[error("the server made a task of a call that may not become one")]
    UnexpectedTask,
    #[error("a result of unknown type `{0}`")]
    UnknownResultType(String),
    #[error("the answer could not be read: {0}")]
    Unreadable(String),
}

/// Why there is no conversation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    #[error("the connection closed during the handshake")]
    Closed,
    #[error("no version in common: the server speaks {}", .supported.join(", "))]
    NoMutualVersion { supported: Vec<String> },
    #[error("the server does not speak the modern era")]
    NotModern,
    #[error("the server refused: {}", .0.message)]
    Refused(ErrorObject),
    #[error("the server answered `initialize` with HTTP status {status}")]
    Rejected {
        status: u16,
        /// The revision that was offered; its rules say whether to try the older transport.
        offered: Revision,
    },
    #[error("the server did not answer in time")]
    TimedOut,
    #[error("the server's answer could not be read: {0}")]
    Unreadable(String),
    #[error("the server chose version `{0}`, which this client does not speak")]
    VersionNotAccepted(String),
}

impl Failure {
    /// Whether the same address may still be served over HTTP+SSE.
    pub fn suggests_http_sse(&self) -> bool {
        let Self::Rejected { status, offered } = self else { return false };
        match offered.rules().http.sse_fallback {
            SseFallback::AnyClientError => (400..500).contains(status),
            SseFallback::Listed | SseFallback::ListedUnlessModern => {
                matches!(status, 400 | 404 | 405)
            }
        }
    }
}

/// What a server did that the specification does not allow.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Breach {
    #[error("subscription {0} was granted more than it asked for")]
    AcknowledgedMore(Id<'static>),
    #[error("the params of `{}` could not be read", .0.as_str())]
    BadNotification(NotificationMethod),
    #[error("a batch, which is not part of this revision")]
    Batch,
    #[error("a notification of subscription {0} before its acknowledgement")]
    BeforeAcknowledgement(Id<'static>),
    #[error("an error that belongs to no request: {}", .0.message)]
    ErrorWithoutId(ErrorObject),
    #[error("not a message: {0}")]
    NotAMessage(NotAMessage),
    #[error("progress of {0} that does not grow")]
    ProgressNotGrowing(Id<'static>),
    #[error("a request `{0}` before the handshake is complete")]
    RequestTooEarly(String),
    #[error("a request `{0}`, though servers have none in the modern era")]
    ServerRequest(String),
    #[error("an answer to {0}, which is not open")]
    UnknownAnswer(Id<'static>),
    #[error("an unknown notification `{0}`")]
    UnknownNotification(String),
    #[error("`{}` for a subscription that is not open", .0.as_str())]
    UnknownSubscription(NotificationMethod),
    #[error("progress of {0}, which nobody asked for")]
    UnknownToken(Id<'static>),
}
