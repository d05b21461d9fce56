//! Every way to be a hosted server without demanding tokens.

use proofmark_core::revision::{Dialect, Era, Revision};
use serde_json::json;

use super::{
    behaviour::{Behaviour, asking},
    fixtures,
    scenario::{
        Calls, Declares, HostedScenario, InputRequests, Pages, Refusal, ResultType, Stream,
        Variation,
    },
};
use crate::well_known::NONSENSE_VERSION;
use proofmark_record::transport::Transport;

impl HostedScenario {
    pub(super) const PLAIN: &'static [Self] = &[
        Self::BEHAVE,
        Self::ASK,
        Self::FEW,
        Self::PAGES,
        Self::STREAMS,
        Self::RESUME,
        Self::FORGET,
        Self::REFUSE,
        Self::SLOW,
        Self::BATCH,
        Self::CANCEL,
        Self::ROOTS,
        Self::UNINVITED,
        Self::MARKS,
        Self::UNFIT,
        Self::UNKNOWN,
        Self::UNTYPED,
        Self::EXPIRE,
        Self::LISTEN,
        Self::ANCIENT,
        Self::TASKS,
        Self::STALE,
        Self::BABBLE,
        Self::RESTART,
        Self::CACHE,
    ];

    /// Servers that know nothing of the era without handshakes.
    pub(super) const OLDER_SERVERS: &'static [Self] = &[
        Self::older(Refusal::Code(-32601)),
        Self::older(Refusal::Code(-32602)),
        Self::older(Refusal::Code(-32000)),
        Self::SILENT,
        Self::older_over_http(400),
        Self::older_over_http(404),
        Self::older_over_http(405),
    ];

    /// Whole bodies, no standing stream, everything declared.
    pub const BEHAVE: Self = Self {
        name: "behave",
        title: "a server that behaves",
        official: "tools_call",
        context: || None,
        applies: |_, _, _| true,
        variation: Variation::Only,
        authorization: None,
        hides_revision: false,
        declares: Declares::Everything,
        has_sessions: true,
        forgets_session: false,
        has_standing_stream: false,
        stream: Stream::Json,
        has_odd_events: false,
        has_odd_headers: false,
        is_sse_only: false,
        pages: Pages::No,
        tools: |_| fixtures::tools(),
        calls: Calls::Answered,
        has_tasks: false,
        questions: |_| Vec::new(),
        input: None,
        result_type: ResultType::True,
        dies: false,
        counts_results: false,
    };

    /// Asks the client for everything that a server can ask, declared or not, and tells it all kinds of news.
    pub const ASK: Self = Self {
        name: "ask",
        title: "a server that asks for everything",
        has_standing_stream: true,
        questions: Behaviour::everything,
        input: Some(InputRequests::Declared),
        ..Self::BEHAVE
    };

    /// Declares tools and nothing else, and has no sessions.
    pub const FEW: Self = Self {
        name: "few",
        title: "a server that has nothing but tools",
        has_sessions: false,
        declares: Declares::Tools,
        tools: |behaviour| {
            if behaviour.spoken_rules().schema_dialect != Dialect::Draft2020_12 {
                return fixtures::tools();
            }
            let remote = behaviour.host.as_deref().filter(|_| behaviour.modern);
            let remote = remote.map(fixtures::remote_tool);
            fixtures::referring_tools().into_iter().chain(remote).collect()
        },
        ..Self::BEHAVE
    };

    /// Lists come in pages.
    pub const PAGES: Self = Self {
        name: "pages",
        title: "a server whose lists have pages",
        stream: Stream::Events,
        pages: Pages::OfOne,
        ..Self::BEHAVE
    };

    /// Event streams with every quirk that their format allows.
    pub const STREAMS: Self = Self {
        name: "streams",
        title: "a server whose streams are odd",
        applies: |_, _, transport| transport == Transport::Http,
        has_standing_stream: true,
        stream: Stream::Events,
        has_odd_events: true,
        ..Self::BEHAVE
    };

    /// The stream of a call breaks off, and goes on for a client that comes back.
    pub const RESUME: Self = Self {
        name: "resume",
        title: "a server whose streams break off",
        official: "sse-retry",
        applies: |_, _, transport| transport == Transport::Http,
        stream: Stream::Events,
        calls: Calls::BrokenOff,
        ..Self::BEHAVE
    };

    /// The session is forgotten after the first call.
    pub const FORGET: Self = Self {
        name: "forget",
        title: "a server that forgets the session",
        applies: |_, revision, transport| {
            revision.era() == Era::Legacy && transport == Transport::Http
        },
        forgets_session: true,
        ..Self::BEHAVE
    };

    /// Refuses calls and lists with errors.
    pub const REFUSE: Self = Self {
        name: "refuse",
        title: "a server that refuses",
        calls: Calls::Refused,
        ..Self::BEHAVE
    };

    /// Takes so long that the client has something to cancel or to give up.
    pub const SLOW: Self =
        Self { name: "slow", title: "a server that is slow", calls: Calls::Slow, ..Self::BEHAVE };

    /// Two requests in one array.
    pub const BATCH: Self = Self {
        name: "batch",
        title: "a server that sends batches",
        applies: |_, revision, _| revision.rules().batches.accepted(),
        has_standing_stream: true,
        questions: |_| asking::batch(),
        ..Self::BEHAVE
    };

    /// Cancels what it asked the client for.
    pub const CANCEL: Self = Self {
        name: "cancel",
        title: "a server that changes its mind",
        applies: |_, revision, _| revision.era() == Era::Legacy,
        has_standing_stream: true,
        questions: Behaviour::cancelled_question,
        ..Self::BEHAVE
    };

    /// Asks for roots now and later.
    pub const ROOTS: Self = Self {
        name: "roots",
        title: "a server that asks for roots twice",
        applies: |_, revision, _| revision.era() == Era::Legacy,
        has_standing_stream: true,
        calls: Calls::AskingForRoots,
        questions: |_| asking::roots(),
        ..Self::BEHAVE
    };

    /// Asks the client for what it did not declare.
    pub const UNINVITED: Self = Self {
        name: "uninvited",
        title: "a server that asks for what was not declared",
        applies: is_modern,
        input: Some(InputRequests::Undeclared),
        ..Self::BEHAVE
    };

    /// Marks arguments of tools, to be repeated in headers.
    pub const MARKS: Self = Self {
        name: "marks",
        title: "a server that marks arguments for headers",
        official: "http-custom-headers",
        context: || Some(json!({ "toolCalls": fixtures::marked_calls() })),
        applies: is_modern_http,
        has_odd_headers: true,
        tools: |_| fixtures::marked_tools(),
        ..Self::BEHAVE
    };

    /// Has tools whose marks are wrong.
    pub const UNFIT: Self = Self {
        name: "unfit",
        title: "a server whose marks are wrong",
        official: "http-invalid-tool-headers",
        applies: is_modern_http,
        tools: |_| fixtures::unfit_tools(),
        ..Self::BEHAVE
    };

    /// Lists tools in a result of a kind that does not exist.
    pub const UNKNOWN: Self = Self {
        name: "unknown",
        title: "a server with a kind of result of its own",
        applies: is_modern,
        result_type: ResultType::Unknown,
        ..Self::BEHAVE
    };

    /// Does not say of what kind its results are.
    pub const UNTYPED: Self = Self {
        name: "untyped",
        title: "a server that does not say what kind its results are",
        applies: is_modern,
        result_type: ResultType::Absent,
        ..Self::BEHAVE
    };

    /// Refuses a cursor that it gave, once.
    pub const EXPIRE: Self = Self {
        name: "expire",
        title: "a server whose cursors expire",
        applies: is_modern,
        pages: Pages::Expiring,
        ..Self::BEHAVE
    };

    /// Tells of changes to clients that listen.
    pub const LISTEN: Self = Self {
        name: "listen",
        title: "a server that tells of changes",
        applies: is_modern,
        ..Self::BEHAVE
    };

    /// Knows HTTP+SSE and nothing newer.
    pub const ANCIENT: Self = Self {
        name: "ancient",
        title: "a server of the older transport",
        official: "initialize",
        applies: |_, _, transport| transport == Transport::Http,
        hides_revision: true,
        has_sessions: false,
        is_sse_only: true,
        ..Self::BEHAVE
    };

    /// Makes tasks of calls, and has the client make some.
    pub const TASKS: Self = Self {
        name: "tasks",
        title: "a server that makes tasks of calls",
        applies: |_, revision, _| revision.rules().tasks.is_some(),
        has_standing_stream: true,
        tools: |_| [fixtures::tools(), fixtures::jobs()].concat(),
        has_tasks: true,
        questions: Behaviour::task_requests,
        ..Self::BEHAVE
    };

    /// Refuses the first call, because the marks of its tool have changed since it was listed.
    pub const STALE: Self = Self {
        name: "stale",
        title: "a server whose marks change",
        applies: is_modern_http,
        tools: |behaviour| {
            if behaviour.refused { fixtures::remarked_tools() } else { fixtures::tools() }
        },
        calls: Calls::StaleAtFirst,
        ..Self::BEHAVE
    };

    /// Says what is no message.
    pub const BABBLE: Self = Self {
        name: "babble",
        title: "a server that babbles",
        applies: |_, revision, _| revision.era() == Era::Legacy,
        has_standing_stream: true,
        questions: Behaviour::babble,
        ..Self::BEHAVE
    };

    /// Dies as soon as a client listens, and is there again for a client that starts it once more.
    pub const RESTART: Self = Self {
        name: "restart",
        title: "a server that dies",
        applies: |_, revision, transport| {
            revision.era() == Era::Modern && transport == Transport::Stdio
        },
        dies: true,
        ..Self::BEHAVE
    };

    /// Says how long its results may be kept, and has the client report which one it used.
    pub const CACHE: Self = Self {
        name: "cache",
        title: "a server whose results may be kept",
        applies: is_modern,
        counts_results: true,
        ..Self::BEHAVE
    };

    /// Of a version that is another in each variation.
    pub const VERSION: Self = Self {
        name: "version",
        title: "a server of another version",
        official: "initialize",
        applies: |own, revision, _| match own.variation {
            // One that a client may know, and one that does not exist.
            Variation::Version(version) if revision.era() == Era::Modern => {
                version == NONSENSE_VERSION || version == Revision::newest(Era::Legacy).as_str()
            }
            _ => true,
        },
        hides_revision: true,
        has_sessions: false,
        ..Self::BEHAVE
    };

    /// Answers with another error, or another status, in each variation.
    pub const OLDER: Self = Self {
        name: "older",
        title: "a server that knows nothing newer than handshakes",
        official: "initialize",
        applies: is_modern,
        hides_revision: true,
        has_sessions: false,
        ..Self::BEHAVE
    };

    /// Does not answer what it does not know.
    const SILENT: Self = Self {
        name: "silent",
        variation: Variation::Refusal(Refusal::Silence),
        applies: |_, revision, transport| {
            revision.era() == Era::Modern && transport == Transport::Stdio
        },
        ..Self::OLDER
    };

    const fn older(refusal: Refusal) -> Self {
        Self { variation: Variation::Refusal(refusal), ..Self::OLDER }
    }

    const fn older_over_http(status: u16) -> Self {
        Self { applies: is_modern_http, ..Self::older(Refusal::Status(status)) }
    }
}

fn is_modern(_: &HostedScenario, revision: Revision, _: Transport) -> bool {
    revision.era() == Era::Modern
}

fn is_modern_http(_: &HostedScenario, revision: Revision, transport: Transport) -> bool {
    revision.era() == Era::Modern && transport != Transport::Stdio
}
