//! Conversations with a peer. A scenario talks; it asserts nothing.
//!
//! Scenarios adapt to what the peer declares, and one conversation serves many requirements. What each request was for is its [`Topic`],
//! by which judges find it again.

mod answers;
mod authorization;
mod bare;
mod cancelling;
mod claims;
pub(crate) mod dress;
mod garbage;
mod headers;
mod issuer;
mod leaving;
mod listening;
mod manner;
mod mirroring;
mod modern;
mod older;
mod probe;
mod rounds;
mod streams;
mod task_extension;
mod tasks;
mod tokens;
mod tour;
mod unanswered;
mod versions;

pub use answers::{Asking, answers};
pub(crate) use authorization::{authorization, parameter};
pub use bare::bare;
pub use cancelling::{LEAST_DURATION, SlowCall, cancelling};
pub use claims::claims;
pub use dress::Marked;
pub use garbage::garbage;
pub use headers::headers;
pub(crate) use issuer::{FOREIGN_REDIRECT, Issued, WRONG as WRONG_VERIFIER, documents, issuer};
pub use leaving::leaving;
pub use listening::listening;
pub use manner::{MISFITS, Manner, Obstinacy};
pub(crate) use manner::{RELATED_TASK, TASK_PAUSE, TASKS_EXTENSION};
pub use mirroring::{Callable, mirroring};
pub use modern::modern_tour;
pub use older::older;
pub use probe::{Expect, HttpWay, Probe, ProbeSettings, Trouble};
use proofmark_core::revision::Revision;
pub use rounds::rounds;
use serde::{Deserialize, Serialize};
use serde_json::Value;
pub use streams::streams;
pub use task_extension::extension_tasks;
pub(crate) use tasks::OWN_ID as OWN_TASK;
pub use tasks::{Candidate, tasks, tasks_of_others};
pub(crate) use tokens::{Entry, enter};
pub use tour::{Policy, tour};
pub use unanswered::unanswered;
pub use versions::versions;

use crate::{
    evidence::{Event, What},
    hosted::Act,
};

/// What a conversation was about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// Everything that a well-behaved client could ask.
    Tour,
    /// A handshake with this protocol version.
    Version(&'static str),
    /// What is not JSON, not a message, or not a request.
    Garbage,
    /// A request that is cancelled while it runs.
    Cancelling,
    /// Sessions, methods and headers of HTTP.
    Headers,
    /// Between two strangers.
    Overheard,
    /// A client whose users are no help.
    Answers,
    /// A client without any capability.
    Bare,
    /// A client that leaves a question open.
    Unanswered,
    /// Two streams of one session.
    Streams,
    /// Who may talk to the server at all.
    Authorization,
    /// Getting tokens for a server that demands them.
    Tokens,
    /// Asking an authorization server for tokens.
    Issuer,
    /// Clients that an authorization server knows by a document.
    Documents,
    /// Requests that say too little about themselves.
    Claims,
    /// Headers that contradict the body.
    Mirroring,
    /// Requests of several rounds.
    Rounds,
    /// A subscription to some changes.
    Listening,
    /// A client that goes away while its request runs.
    Leaving,
    /// What clients of earlier revisions say.
    Older,
    /// Requests that go on as tasks.
    Tasks,
    /// Another client, which began no task.
    TasksOfOthers,
    /// A client at a hosted server.
    Hosted(Act),
}

impl Scenario {
    pub fn title(self) -> &'static str {
        match self {
            Self::Tour => "a tour of everything declared",
            Self::Version(_) => "a handshake with another version",
            Self::Garbage => "messages that are none",
            Self::Cancelling => "a request that is cancelled",
            Self::Headers => "sessions, methods and headers of HTTP",
            Self::Overheard => "between two strangers",
            Self::Answers => "users who are no help",
            Self::Bare => "a client that has nothing to offer",
            Self::Unanswered => "a question that is not answered",
            Self::Streams => "two streams of one session",
            Self::Authorization => "requests without a token and with a wrong one",
            Self::Tokens => "getting tokens for the server",
            Self::Issuer => "asking for tokens, rightly and wrongly",
            Self::Documents => "clients that are known by a document",
            Self::Claims => "requests that say too little about themselves",
            Self::Mirroring => "headers that contradict the body",
            Self::Rounds => "requests of several rounds",
            Self::Listening => "a subscription to some changes",
            Self::Leaving => "a connection that is closed while a request runs",
            Self::Older => "what clients of earlier revisions say",
            Self::Tasks => "requests that go on as tasks",
            Self::TasksOfOthers => "a client that began no task",
            Self::Hosted(act) => act.title(),
        }
    }

    /// As transcripts have it.
    pub fn name(self) -> String {
        let name = match self {
            Self::Tour => "tour",
            Self::Version(version) => return format!("{VERSION_PREFIX}{version}"),
            Self::Garbage => "garbage",
            Self::Cancelling => "cancelling",
            Self::Headers => "headers",
            Self::Answers => "answers",
            Self::Bare => "bare",
            Self::Unanswered => "unanswered",
            Self::Streams => "streams",
            Self::Authorization => "authorization",
            Self::Tokens => "tokens",
            Self::Issuer => "issuer",
            Self::Documents => "documents",
            Self::Claims => "claims",
            Self::Mirroring => "mirroring",
            Self::Rounds => "rounds",
            Self::Listening => "listening",
            Self::Leaving => "leaving",
            Self::Older => "older",
            Self::Tasks => "tasks",
            Self::TasksOfOthers => "tasks-of-others",
            Self::Hosted(act) => return format!("{HOSTED_PREFIX}{}", act.full_name()),
            Self::Overheard => "overheard",
        };
        name.to_owned()
    }

    pub fn named(name: &str) -> Option<Self> {
        if let Some(version) = name.strip_prefix(VERSION_PREFIX) {
            let mut known = Revision::ALL.iter().map(|it| it.as_str()).chain([NONSENSE_VERSION]);
            return known.find(|known| *known == version).map(Self::Version);
        }
        if let Some(act) = name.strip_prefix(HOSTED_PREFIX) {
            return Act::named(act).map(Self::Hosted);
        }
        let plain = [
            Self::Tour,
            Self::Garbage,
            Self::Cancelling,
            Self::Headers,
            Self::Answers,
            Self::Bare,
            Self::Unanswered,
            Self::Streams,
            Self::Authorization,
            Self::Tokens,
            Self::Issuer,
            Self::Documents,
            Self::Claims,
            Self::Mirroring,
            Self::Rounds,
            Self::Listening,
            Self::Leaving,
            Self::Older,
            Self::Tasks,
            Self::TasksOfOthers,
            Self::Overheard,
        ];
        plain.into_iter().find(|scenario| scenario.name() == name)
    }
}

/// Why the checker sent something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    /// Said by a stranger, for reasons of its own.
    Overheard,
    /// The handshake of the tour.
    Initialize,
    /// The handshake of any other conversation.
    Handshake,
    /// A version of 1999.
    UnknownVersion,
    /// A version that exists.
    KnownVersion,
    Initialized,
    Ping,
    /// With a string as its id.
    PingByString,
    /// A page of a list that the peer declared.
    List,
    /// The same list after everything else.
    ListAgain,
    /// A page once more, by the same cursor.
    CursorAgain,
    BogusCursor,
    /// A method whose capability was not declared.
    Undeclared,
    Call,
    /// A call whose form is filled in with values that do not fit.
    Misfit,
    /// A call whose form is dismissed.
    Dismissed,
    RootsChanged,
    /// A call that asked for roots before they changed.
    AfterRoots,
    /// A call by a client that has no capabilities.
    BareCall,
    /// A call that is known to cause a message on the stream of GET.
    Announcing,
    UnknownTool,
    /// A call by a name whose letters have the other case.
    OtherCase,
    /// One of several requests that were sent at once.
    Interleaved,
    /// A call that another connection was told of.
    OtherConnection,
    /// A call without arguments that the tool requires.
    WrongArguments,
    Read,
    UnknownResource,
    /// A resource by what is no URI.
    OddUri,
    /// A file that is no resource, named by way of one that is.
    Traversal,
    Subscribe,
    Unsubscribe,
    GetPrompt,
    UnknownPrompt,
    MissingArgument,
    Complete,
    CompleteUnknown,
    /// A completion that does not say of what argument.
    CompleteNothing,
    /// A completion of a value that is a number.
    CompleteNumber,
    SetLevel,
    UnknownLevel,
    UnknownMethod,
    UnknownNotification,
    CancelUnknown,
    /// A ping to see whether the peer still lives after something odd.
    StillThere,
    NotJson,
    NotARequest,
    NullId,
    WrongParams,
    Batch,
    BatchOfNotifications,
    /// A request that is to be cancelled.
    Slow,
    /// A request that asks the client something, which does not answer.
    Unanswered,
    LateAnswer,
    Cancel,
    /// A ping right after a cancellation: what comes after its answer came in spite of it.
    AfterCancel,
    /// An answer to a request of the peer.
    Reply,
    OpenStream,
    Resume,
    PostNotification,
    PostResponse,
    WithoutSession,
    EndedSession,
    EndSession,
    UnknownVersionHeader,
    NoVersionHeader,
    ForeignOrigin,
    WithoutToken,
    WrongToken,
    /// Without a token, after others came with one.
    SlipIn,
    ResourceMetadata,
    IssuerMetadata,
    /// With a token that somebody has tampered with.
    AlteredToken,
    /// With a token that is for another resource.
    ForeignToken,
    /// With a token that was asked for under a name in upper case.
    UpperCaseToken,
    /// With a token that allows more than what is needed.
    BroadToken,
    /// With a token that allows too little.
    NarrowToken,
    /// With a token that has the scopes of a challenge.
    ChallengedToken,
    /// A place where something is if the metadata do not say where.
    DefaultEndpoint,
    /// A client registers itself with an authorization server.
    Register,
    /// With a redirect URI that anybody on the way could listen at.
    RegisterOpen,
    /// An authorization request for another token.
    AuthorizeOther,
    RedeemOther,
    /// A person is sent to an authorization server, with nothing wrong about the request.
    Authorize,
    /// Where an authorization server sent the browser in between.
    Redirected,
    /// An authorization request with a redirect URI that was not registered.
    ForeignRedirect,
    WithoutChallenge,
    UnknownResponseType,
    /// An authorization request of a client that is known by a document.
    AuthorizeDocument,
    /// The authorization server reads a document of the checker.
    DocumentFetch,
    /// A code in exchange for tokens.
    Redeem,
    RedeemAgain,
    WrongVerifier,
    Refresh,
    /// A refresh token that was replaced before.
    RefreshAgain,
    /// A client asks an authorization server for a token.
    Token,
    /// A method of an earlier revision.
    Removed,
    /// A request without something that `_meta` must have.
    MetaMissing,
    /// A header that contradicts the body, or is missing.
    BadHeader,
    /// A marked argument that is not there, and so has no header.
    AbsentParam,
    /// GET and DELETE, where no revision that is spoken has them.
    OlderMethod,
    /// A header that meant something in earlier revisions.
    OlderHeader,
    OlderInitialize,
    /// A request whose connection is closed while it runs.
    Leave,
    /// Headers that are right in an unusual way.
    GoodHeader,
    /// A request once more, with what the peer asked for.
    Round,
    TamperedState,
    /// A state of one request with another one.
    ForeignState,
    MissingResponses,
    MalformedResponses,
    UnexpectedResponse,
    Listen,
    /// A call that announces something when nobody listens any more.
    AfterUnsubscribe,
    /// A call of something that logs, without asking for logs.
    QuietCall,
    /// A call of something that logs, which asks for emergencies only.
    EmergencyCall,
    /// A request that is to become a task, or may.
    CreateTask,
    /// A call without a task of a tool that could be one.
    TaskNotWanted,
    /// A request for a task that names an id of its own.
    OwnTaskId,
    /// A request for a task of what cannot be one.
    ForbiddenTask,
    /// A request for a task where nobody promised any.
    UndeclaredTask,
    GetTask,
    /// A look at a task whose time is over.
    GetExpiredTask,
    TaskResult,
    UpdateTask,
    /// An answer to one of several questions.
    PartialUpdate,
    /// Answers to what a task never asked.
    UnaskedUpdate,
    CancelTask,
    CancelEndedTask,
    ListTasks,
    /// The tasks that a client sees which began none.
    ListOthersTasks,
    BogusTaskCursor,
    UnknownTask,
    /// A look at a task whose `_meta` names another one.
    MisleadingTask,
    /// Something about tasks from a client that did not say that it knows them.
    UnclaimedTask,
    /// The same from one that only knows the tasks of an earlier revision.
    OutdatedTaskClaim,
    /// A call with the parameter that asked for tasks in an earlier revision.
    OutdatedTaskParameter,
    /// A request of a client at the endpoint of the hosted server.
    Endpoint,
    /// A request of a client anywhere else.
    Elsewhere,
    /// A notification that a server may send at any time.
    News,
    AskRoots,
    AskSampling,
    AskSamplingTools,
    /// Sampling that uses a tool, without its result.
    MissingToolResult,
    /// Sampling with the result of a tool beside something else.
    MixedToolResult,
    AskElicitation,
    /// An elicitation for a task, on the stream that belongs to no request.
    AskApart,
    /// An elicitation that wants a URL visited.
    AskUrl,
    /// The end of a visit that nobody was asked for.
    CompleteUnknownVisit,
    /// A ping right after that.
    AfterVisit,
}

impl Topic {
    /// Whether a request is about how to get a token, rather than about what one gets for it.
    pub fn is_about_tokens(self) -> bool {
        matches!(
            self,
            Self::ResourceMetadata
                | Self::IssuerMetadata
                | Self::DefaultEndpoint
                | Self::Register
                | Self::RegisterOpen
                | Self::AuthorizeOther
                | Self::RedeemOther
                | Self::Authorize
                | Self::Token
                | Self::Redirected
                | Self::ForeignRedirect
                | Self::WithoutChallenge
                | Self::UnknownResponseType
                | Self::AuthorizeDocument
                | Self::DocumentFetch
                | Self::Redeem
                | Self::RedeemAgain
                | Self::WrongVerifier
                | Self::Refresh
                | Self::RefreshAgain
        )
    }
}

/// The resources that were listed so far.
fn listed_uris(events: &[Event]) -> Vec<Value> {
    let lists = events.iter().filter_map(|event| match &event.what {
        What::Received { frame, .. } => frame.json.as_ref().ok(),
        _ => None,
    });
    let resources = lists.filter_map(|message| message.pointer("/result/resources")?.as_array());
    resources
        .flatten()
        .filter_map(|resource| resource.get("uri").cloned())
        .take(MOST_URIS)
        .collect()
}

/// Whether a tool says of itself that calling it changes nothing.
fn is_read_only(tool: &Value) -> bool {
    tool.pointer("/annotations/readOnlyHint") == Some(&Value::Bool(true))
}

const VERSION_PREFIX: &str = "version ";
const MOST_URIS: usize = 8;
const HOSTED_PREFIX: &str = "hosted ";
const CLIENT_NAME: &str = "proofmark";
/// A version that no revision ever had.
pub const NONSENSE_VERSION: &str = "1999-01-01";
