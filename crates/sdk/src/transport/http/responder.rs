//! Carries a request out and writes its answer, wherever the client is by then.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::Stream;
use proofmark_core::{
    jsonrpc::{ErrorCode, ErrorObject, Id, write},
    revision::{Disconnect, Resumption, Revision},
    session::server::Input,
};
use tokio::time::Instant;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::{
    background::Background,
    events::{self, Append, Appended, EventRules, EventSource, Mend, Next, answered},
    holders::Charge,
    load::Share,
    service::Endpoint,
    sessions::{InUse, Session},
};
use crate::{
    caller::Principal,
    server::{
        conversation::{Conversation, MessageSink},
        handoff::Handlers,
    },
    store::{EventId, EventLog, SessionId, StreamKey, StreamKind},
    transport::queue::{self, Message, MessageQueue},
};

/// One POST that is being answered.
///
/// It is polled by the connection that asked. If that goes away, and the revision says that nothing is cancelled by it, the rest moves to a
/// task of its own, and what is said from there on is only kept for a client that comes back.
pub(super) struct Responder {
    state: Option<State>,
}

/// The requests of one POST, and what runs for them.
pub(super) struct Exchange {
    pub(super) conversation: Arc<Conversation>,
    pub(super) queue: Arc<MessageQueue>,
    pub(super) handlers: Handlers,
    pub(super) revision: Revision,
    /// For the session to hear of a lost connection.
    pub(super) requests: Vec<Id<'static>>,
    /// What the handlers were sent.
    pub(super) _share: Option<Share>,
    /// Whom it is counted for.
    pub(super) _charge: Charge,
}

struct State {
    exchange: Exchange,
    log: Option<Log>,
    /// The first message of the queue, on its way into the log.
    append: Append,
    rules: EventRules,
    /// Something could not be kept, and is not said.
    failing: bool,
    background: Background,
    /// The answer was taken for writing.
    finished: bool,
    /// The stream has begun, so that what is said from here on belongs into the log.
    streaming: bool,
    /// The connection that asked is gone.
    alone: bool,
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
    /// The last event that is known to be there.
    last: Option<EventId>,
}

/// The form that the answer to a POST takes.
#[expect(clippy::large_enum_variant, reason = "taken apart as soon as it is made")]
pub(super) enum Form {
    /// One body: the whole answer, and nothing was said before it.
    Body(Message),
    Events(Responder),
}

impl Responder {
    pub(super) fn new(
        exchange: Exchange,
        session: Option<&Arc<Session>>,
        endpoint: &Endpoint,
    ) -> Self {
        let log = endpoint.settings.event_log.clone().zip(session).map(|(events, session)| Log {
            events,
            session: session.id.clone(),
            owner: session.owner.clone(),
            stream: None,
            last: None,
        });
        Self {
            state: Some(State {
                exchange,
                log,
                append: Append::default(),
                rules: EventRules::of(&endpoint.settings),
                failing: false,
                background: endpoint.background.clone(),
                finished: false,
                streaming: false,
                alone: false,
                _busy: endpoint.background.busy(),
                _in_use: session.map(InUse::new),
            }),
        }
    }

    /// Waits for the first thing to be said. `None` if there will be nothing.
    pub(super) async fn begin(mut self) -> Option<Form> {
        let state = self.state.as_mut()?;
        loop {
            if let Some(answer) = state.exchange.queue.take_only_answer() {
                state.finished = true;
                return Some(Form::Body(answer));
            }
            if !state.exchange.queue.is_idle() {
                return Some(Form::Events(self));
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
        let keep_alive = self.state.as_ref().map(|state| state.rules.keep_alive);
        events::write(self, keep_alive.unwrap_or_default())
    }
}

impl EventSource for Responder {
    async fn next(&mut self) -> Next {
        match &mut self.state {
            Some(state) => state.next().await,
            None => Next::End,
        }
    }

    async fn wait(&mut self, until: Instant) {
        if let Some(state) = &mut self.state {
            state.step(Some(until)).await;
        }
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        let Some(mut state) = self.state.take() else { return };
        if state.finished {
            return;
        }
        let Exchange { conversation, revision, requests, .. } = &mut state.exchange;
        if revision.rules().http.disconnect == Disconnect::Cancels
            || state.background.stopped.is_cancelled()
        {
            for id in std::mem::take(requests) {
                conversation.feed(Input::Disconnected(id), None);
            }
            return;
        }
        let background = state.background.clone();
        background.keep_running(async move { state.run_alone().await });
    }
}

impl State {
    /// Nothing more will be said: the requests were cancelled. A subscription stays open without a handler.
    fn is_over(&self) -> bool {
        let Exchange { conversation, handlers, requests, .. } = &self.exchange;
        handlers.is_empty()
            && conversation
                .with_session(|session| !requests.iter().any(|id| session.is_running(id)))
    }

    /// Whether a client can come back: it was given an id to start with, and something is kept for it.
    fn may_pause(&self) -> bool {
        !self.alone
            && self.exchange.revision.rules().http.resumption == Resumption::Pollable
            && self.log.as_ref().is_some_and(|log| log.stream.is_some())
    }

    /// Lets handlers run until something happens.
    async fn step(&mut self, until: Option<Instant>) {
        let Exchange { conversation, queue, handlers, requests, .. } = &mut self.exchange;
        tokio::select! {
            biased;
            () = handlers.step(conversation, conversation.next_deadline(), until) => {}
            () = queue.filled() => {}
            () = self.background.stopped.cancelled(), if !requests.is_empty() => {
                // No answer will come: what still runs is dropped here, and the rest of the requests with it.
                handlers.clear();
                requests.clear();
            }
        }
    }

    async fn next(&mut self) -> Next {
        if !self.streaming {
            self.streaming = true;
            if let Some(primer) = self.open().await {
                return Next::Frame(primer);
            }
        }
        while !self.finished {
            match self.exchange.queue.next() {
                queue::Next::Message(message) => {
                    if let Some(frame) = self.event(message).await {
                        return Next::Frame(frame);
                    }
                }
                queue::Next::Closed if !self.alone => return Next::End,
                queue::Next::Paused if self.may_pause() => return Next::End,
                queue::Next::Closed | queue::Next::Paused => {}
                queue::Next::Empty if self.is_over() => self.end().await,
                queue::Next::Empty => return Next::Nothing,
            }
        }
        Next::End
    }

    /// Begins to keep the stream. In revisions whose streams can be polled, the first event carries an id and nothing else.
    async fn open(&mut self) -> Option<Bytes> {
        let resumption = self.exchange.revision.rules().http.resumption;
        let log = self.log.as_mut()?;
        if resumption == Resumption::Gone {
            return None;
        }
        match log.events.open(&log.session, &log.owner, StreamKind::Request).await {
            Ok(stream) => {
                let last_words = last_words(&self.exchange.requests);
                let left = log.events.leave_last_words(&stream, last_words).await;
                log.stream = Some(stream);
                if let Err(error) = left {
                    // Should this server break down, the stream would have no end: no client may come back to it.
                    tracing::debug!(%error, "a stream has no last words, and is not kept");
                    self.mend(Vec::new());
                    self.log = None;
                    return None;
                }
            }
            Err(error) => tracing::debug!(%error, "a stream is not kept"),
        }
        let stream = log.stream.as_ref()?;
        if resumption != Resumption::Pollable {
            return None;
        }
        Some(events::primer(stream.beginning(), self.rules.retry))
    }

    /// A message as an event, kept before it is sent; `None` if there is nothing to send for it.
    async fn event(&mut self, message: Message) -> Option<Bytes> {
        if self.failing {
            return self.fail().await;
        }
        let log = self.log.as_ref().and_then(|log| Some((&log.events, log.stream.as_ref()?)));
        let conversation = &self.exchange.conversation;
        match self.append.event(message, log, self.rules, conversation).await {
            Appended::Dropped => {
                self.exchange.queue.advance();
                None
            }
            Appended::Event { frame, is_final, id } => {
                if let (Some(log), Some(_)) = (&mut self.log, id) {
                    log.last = id;
                }
                if is_final && id.is_some() {
                    // The stream has ended with it.
                    self.finished = true;
                } else if is_final {
                    self.end().await;
                }
                self.exchange.queue.advance();
                Some(frame)
            }
            Appended::Refused(error) => {
                tracing::warn!(%error, "a request fails because its stream cannot be kept");
                self.fail().await
            }
        }
    }

    /// Ends the requests with errors in place of all that was still to be said. A client that is not here to be told finds them in the log.
    async fn fail(&mut self) -> Option<Bytes> {
        self.failing = true;
        let Exchange { conversation, queue, handlers, requests, .. } = &mut self.exchange;
        let failed = ErrorObject::new(ErrorCode::INTERNAL_ERROR, "what was said could not be kept");
        let sink: Arc<dyn MessageSink> = queue.clone();
        for id in std::mem::take(requests) {
            if conversation.with_session(|session| session.is_running(&id)) {
                let ended = Input::Finished { id, outcome: Err(failed.clone()) };
                conversation.feed(ended, Some(&sink));
            }
        }
        handlers.clear();
        let mut answers = Vec::new();
        for message in queue.all() {
            if let Some(id) = answered(&message.json) {
                let mut json = Vec::new();
                write::error(&mut json, Some(&id), &failed);
                answers.push((id.into_owned(), Bytes::from(json)));
            }
        }
        let mut out = Vec::new();
        let mut told = answers.clone();
        // If this is dropped meanwhile, whatever was kept by then is found there.
        if let Some(mut mend) = self.ending(answers) {
            match mend.step().await {
                Ok(()) => {
                    if let [(_, last)] = &told[..] {
                        out.extend_from_slice(&events::message(mend.ended_with, last));
                        told.clear();
                    }
                }
                Err(_) => self.background.keep_running(mend.run()),
            }
        }
        for (_, answer) in told {
            out.extend_from_slice(&events::message(None, &answer));
        }
        while let queue::Next::Message(_) = self.exchange.queue.next() {
            self.exchange.queue.advance();
        }
        self.finished = true;
        (!out.is_empty()).then(|| out.into())
    }

    /// Nothing more will be said. A client that follows the stream in the log must hear of that too.
    async fn end(&mut self) {
        if let Some(log) = &self.log
            && let Some(stream) = &log.stream
            && let Err(error) = log.events.finish(stream).await
        {
            tracing::debug!(%error, "the end of a stream is not kept yet");
            self.mend(Vec::new());
        }
        self.finished = true;
    }

    /// Ends the stream in the log, when that does its work again.
    fn mend(&self, answers: Vec<(Id<'static>, Bytes)>) {
        if let Some(mend) = self.ending(answers) {
            self.background.keep_running(mend.run());
        }
    }

    fn ending(&self, answers: Vec<(Id<'static>, Bytes)>) -> Option<Mend> {
        let Log { events, owner, stream, last, .. } = self.log.as_ref()?;
        let stream = stream.clone()?;
        let last = last.unwrap_or_else(|| stream.beginning());
        Some(Mend::new(Arc::clone(events), owner.clone(), stream, last, answers))
    }

    /// Goes on without a connection. What was not streamed before has no place in the log.
    async fn run_alone(mut self) {
        (self.alone, self.streaming) = (true, true);
        loop {
            match self.next().await {
                Next::End => return,
                Next::Frame(_) => {}
                Next::Nothing => self.step(None).await,
            }
        }
    }
}

/// The answer that requests get whose server has broken down.
fn last_words(requests: &[Id<'static>]) -> Bytes {
    let error = ErrorObject::new(
        ErrorCode::INTERNAL_ERROR,
        "the server that carried out the request is gone; try again",
    );
    let mut answers = requests.iter().map(|id| {
        let mut json = Vec::new();
        write::error(&mut json, Some(id), &error);
        json
    });
    if requests.len() == 1 {
        return answers.next().unwrap_or_default().into();
    }
    // What came as a batch is answered as one.
    let mut batch = vec![b'['];
    batch.extend(answers.collect::<Vec<_>>().join(&b','));
    batch.push(b']');
    batch.into()
}
