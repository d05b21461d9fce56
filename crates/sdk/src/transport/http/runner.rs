//! Carries a request out and writes its answer, wherever the client is by then.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream::FuturesUnordered};
use proofmark_core::{
    framing::sse,
    jsonrpc::{ErrorCode, ErrorObject, Id, write},
    revision::{Disconnect, Resumption, Revision},
    session::server::Input,
};
use tokio::time::{Instant, sleep_until};
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::{
    Unkept,
    drive::Tasks,
    exchange::{Exchange, Message, Next},
    fitting::{answered, fitted},
    get::event,
    keeping::Keeping,
    sessions::InUse,
    stand::finish,
};
use crate::{
    caller::Principal,
    clock,
    server::{
        conversation::Conversation,
        scope::{Outlet, Work},
    },
    store::{EventLog, SessionId, StreamKey, StreamKind},
};

/// One POST that is being answered.
///
/// It is polled by the connection that asked. If that goes away, and the revision says that nothing is cancelled by it, the rest moves to a
/// task of its own and what is said from there on is only kept for whoever comes back.
pub(super) struct Runner {
    state: Option<State>,
}

struct State {
    conversation: Arc<Conversation>,
    exchange: Arc<Exchange>,
    works: FuturesUnordered<Work>,
    revision: Revision,
    /// The ids of the requests, for the session to hear of a lost connection.
    requests: Vec<Id<'static>>,
    log: Option<Log>,
    /// The first message of the exchange, on its way into the log.
    keeping: Keeping,
    unkept: Unkept,
    max_event: usize,
    /// Something could not be kept, and is not said.
    failing: bool,
    keep_alive: Duration,
    retry: Duration,
    tasks: Tasks,
    /// The answer was taken for writing.
    finished: bool,
    /// The stream has begun, so that what is said from here on belongs into the log.
    streaming: bool,
    /// Tells the server that a request is being answered.
    _busy: TaskTrackerToken,
    _in_use: Option<InUse>,
}

/// Where a stream is kept.
struct Log {
    events: Arc<dyn EventLog>,
    session: SessionId,
    owner: Principal,
    stream: Option<StreamKey>,
}

/// What a POST is to be answered with.
#[expect(clippy::large_enum_variant, reason = "taken apart as soon as it is made")]
pub(super) enum Begin {
    /// The whole answer, and nothing was said before it.
    Answer(Message),
    Stream(Runner),
}

pub(super) struct RunnerParts {
    pub(super) conversation: Arc<Conversation>,
    pub(super) exchange: Arc<Exchange>,
    pub(super) works: FuturesUnordered<Work>,
    pub(super) revision: Revision,
    pub(super) requests: Vec<Id<'static>>,
    /// The session and its owner, if its streams are kept.
    pub(super) log: Option<(Arc<dyn EventLog>, SessionId, Principal)>,
    pub(super) unkept: Unkept,
    pub(super) max_event: usize,
    pub(super) keep_alive: Duration,
    pub(super) retry: Duration,
    pub(super) tasks: Tasks,
    pub(super) in_use: Option<InUse>,
}

impl Runner {
    pub(super) fn new(parts: RunnerParts) -> Self {
        let RunnerParts {
            conversation,
            exchange,
            works,
            revision,
            requests,
            log,
            unkept,
            max_event,
            keep_alive,
            retry,
            tasks,
            in_use,
        } = parts;
        let log = log.map(|(events, session, owner)| Log { events, session, owner, stream: None });
        let busy = tasks.busy();
        Self {
            state: Some(State {
                conversation,
                exchange,
                works,
                revision,
                requests,
                log,
                keeping: Keeping::default(),
                unkept,
                max_event,
                failing: false,
                keep_alive,
                retry,
                tasks,
                finished: false,
                streaming: false,
                _busy: busy,
                _in_use: in_use,
            }),
        }
    }

    /// Waits for the first thing to be said.
    pub(super) async fn begin(mut self) -> Option<Begin> {
        let state = self.state.as_mut()?;
        loop {
            if let Some(answer) = state.exchange.take_only_answer() {
                state.finished = true;
                return Some(Begin::Answer(answer));
            }
            if !state.exchange.is_idle() {
                return Some(Begin::Stream(self));
            }
            if state.is_over() {
                state.finished = true;
                return None;
            }
            state.step(None).await;
        }
    }

    /// The events of the answer.
    pub(super) fn into_stream(self) -> impl Stream<Item = Bytes> + Send {
        futures_util::stream::unfold(self, |mut runner| async move {
            let state = runner.state.as_mut()?;
            let bytes = state.next_event().await?;
            Some((bytes, runner))
        })
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        let Some(mut state) = self.state.take() else { return };
        if state.finished {
            return;
        }
        if state.revision.rules().http.disconnect == Disconnect::Cancels
            || state.tasks.stopped.is_cancelled()
        {
            for id in std::mem::take(&mut state.requests) {
                state.conversation.feed(Input::Disconnected(id), None);
            }
            return;
        }
        let tasks = state.tasks.clone();
        tasks.keep_running(async move { state.run_alone().await });
    }
}

impl State {
    /// Nothing more will be said: the requests were cancelled. A subscription stays open without a handler.
    fn is_over(&self) -> bool {
        self.works.is_empty()
            && self
                .conversation
                .with_session(|session| !self.requests.iter().any(|id| session.is_running(id)))
    }

    /// Whether a client can come back: it was given an id to start with, and something is kept for it.
    fn may_pause(&self) -> bool {
        self.revision.rules().http.resumption == Resumption::Pollable
            && self.log.as_ref().is_some_and(|log| log.stream.is_some())
    }

    /// Lets handlers run until something happens.
    async fn step(&mut self, until: Option<Instant>) {
        let deadline = self.conversation.next_deadline().map(clock::instant);
        let wake = [until, deadline].into_iter().flatten().min();
        tokio::select! {
            biased;
            Some(()) = self.works.next(), if !self.works.is_empty() => {}
            () = self.exchange.filled() => {}
            () = self.tasks.stopped.cancelled(), if !self.requests.is_empty() => {
                // No answer will come: what still runs is dropped here, and the rest of the requests with it.
                self.works.clear();
                self.requests.clear();
            }
            () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {
                if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                    self.conversation.feed(Input::TimePassed, None);
                }
            }
        }
    }

    /// The next event to send; `None` ends the stream.
    async fn next_event(&mut self) -> Option<Bytes> {
        if !self.streaming {
            self.streaming = true;
            if let Some(primer) = self.open().await {
                return Some(primer);
            }
        }
        if self.finished {
            return None;
        }
        let quiet_until = Instant::now() + self.keep_alive;
        loop {
            match self.exchange.next() {
                Next::Message(message) => {
                    if let Some(event) = self.event(message).await {
                        return Some(event);
                    }
                    if self.finished {
                        return None;
                    }
                }
                Next::Closed => return None,
                Next::Paused if self.may_pause() => return None,
                Next::Paused => {}
                Next::Empty if quiet_until <= Instant::now() => {
                    let mut out = Vec::new();
                    sse::comment(&mut out, "");
                    return Some(out.into());
                }
                Next::Empty if self.is_over() => {
                    self.end().await;
                    return None;
                }
                Next::Empty => self.step(Some(quiet_until)).await,
            }
        }
    }

    /// Begins to keep the stream. In revisions whose streams can be polled, the first event carries an id and nothing else.
    async fn open(&mut self) -> Option<Bytes> {
        let resumption = self.revision.rules().http.resumption;
        let log = self.log.as_mut()?;
        if resumption == Resumption::Gone {
            return None;
        }
        match log.events.open(&log.session, &log.owner, StreamKind::Request).await {
            Ok(stream) => log.stream = Some(stream),
            Err(error) => tracing::debug!(%error, "a stream is not kept"),
        }
        let stream = log.stream.as_ref()?;
        if resumption != Resumption::Pollable {
            return None;
        }
        Some(event(Some(stream.beginning()), b"", Some(self.retry)))
    }

    /// A message as an event, kept before it is sent; `None` if there is nothing to send for it.
    async fn event(&mut self, message: Message) -> Option<Bytes> {
        if self.failing {
            return self.fail().await;
        }
        let Some(message) = fitted(message, self.max_event, &self.conversation) else {
            self.exchange.advance();
            return None;
        };
        let kept = match &self.log {
            Some(Log { events, stream: Some(stream), .. }) => {
                Some(self.keeping.keep(events, stream, &message.json).await)
            }
            _ => None,
        };
        let id = match (kept.transpose(), self.unkept) {
            (Ok(id), _) => id,
            (Err(error), Unkept::IsSent) => {
                tracing::warn!(%error, "a message is sent that is not kept");
                None
            }
            (Err(error), Unkept::Fails) => {
                tracing::warn!(%error, "a request fails because its stream cannot be kept");
                return self.fail().await;
            }
        };
        if message.is_final {
            self.end().await;
        }
        self.exchange.advance();
        Some(event(id, &message.json, None))
    }

    /// Ends the requests with errors in place of all that was still to be said. That much may find its place in the log, for a client that
    /// is not here to be told.
    async fn fail(&mut self) -> Option<Bytes> {
        self.failing = true;
        let failed = ErrorObject::new(ErrorCode::INTERNAL_ERROR, "what was said could not be kept");
        let outlet: Arc<dyn Outlet> = self.exchange.clone();
        for id in std::mem::take(&mut self.requests) {
            if self.conversation.with_session(|session| session.is_running(&id)) {
                let ended = Input::Finished { id, outcome: Err(failed.clone()) };
                self.conversation.feed(ended, Some(&outlet));
            }
        }
        self.works.clear();
        let mut out = Vec::new();
        while let Next::Message(message) = self.exchange.next() {
            if let Some(id) = answered(&message.json) {
                let mut json = Vec::new();
                write::error(&mut json, Some(&id), &failed);
                let json = Bytes::from(json);
                let kept = match &self.log {
                    Some(Log { events, stream: Some(stream), .. }) => {
                        events.append(stream, json.clone()).await.ok()
                    }
                    _ => None,
                };
                out.extend_from_slice(&event(kept, &json, None));
            }
            self.exchange.advance();
        }
        self.end().await;
        (!out.is_empty()).then(|| out.into())
    }

    /// Nothing more will be said. Whoever follows the stream in the log must hear of that too.
    async fn end(&mut self) {
        if let Some(log) = &self.log
            && let Some(stream) = &log.stream
        {
            finish(log.events.as_ref(), stream).await;
        }
        self.finished = true;
    }

    /// Goes on without a connection.
    async fn run_alone(mut self) {
        while !self.finished {
            match self.exchange.next() {
                Next::Message(message) => {
                    self.event(message).await;
                }
                Next::Closed | Next::Paused => {}
                Next::Empty if self.is_over() => self.end().await,
                Next::Empty => self.step(None).await,
            }
        }
    }
}
