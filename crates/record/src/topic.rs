//! Why something was sent, by which judges find it again.

use serde::{Deserialize, Serialize};

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
    /// With an id of an unusual form.
    PingById,
    /// Right after a call that takes long.
    BusyPing,
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
    /// A resource once more, after everything else.
    ReadAgain,
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
    /// A notification that makes no sense.
    OddNotification,
    /// A ping to see whether the peer still lives after something odd.
    StillThere,
    NotJson,
    NotARequest,
    NullId,
    WrongParams,
    Batch,
    BatchOfNotifications,
    EmptyBatch,
    /// A batch that has something else than messages in it, or where there are no batches.
    OddBatch,
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
    /// With a token that was tampered with.
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
    /// With a redirect URI without TLS, at which any machine on the way could listen.
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
    /// A call that announces something after the subscription was ended.
    AfterUnsubscribe,
    /// A call of something that logs, without asking for logs.
    QuietCall,
    /// A call of something that logs, which asks for emergencies only.
    EmergencyCall,
    /// A call of something that logs, under a level that was set or that it names.
    LevelCall,
    /// A call of something that reports progress, under a token of an unusual form or without one.
    TokenCall,
    /// A request that is to become a task, or may.
    CreateTask,
    /// A call without a task of a tool that could be one.
    TaskNotWanted,
    /// A request for a task that names an id of its own.
    OwnTaskId,
    /// A request for a task of what cannot be one.
    ForbiddenTask,
    /// A request for a task from a peer that declared none.
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
    /// Something in the session of another user.
    OthersSession,
    /// Something about a task of another user.
    OthersTask,
    /// The list of tasks, while another user has one.
    OthersTaskList,
    /// A retry with a state that another user was given.
    OthersState,
    /// A look at a task of a user by a client without a token.
    TaskWithoutToken,
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
    /// The end of a visit that was never asked for.
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
