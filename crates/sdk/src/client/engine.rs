//! A conversation and the calls that wait for something in it.
//!
//! Callers and the driver share it. What is to be sent or done waits as [`Job`]s until the driver takes them; only to a pipe that
//! is free a caller writes by itself ([`pipe`]).

mod calls;
mod jobs;
mod outputs;
mod pause;
mod pipe;

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use proofmark_core::{
    cache::{AuthorizationContext, ResponseCache},
    json::Raw,
    jsonrpc::{ErrorObject, Id, Incoming, NotAMessage, parse},
    revision::{RequestMethod, Revision},
    session::client::{
        AskId, Call, CallId, ClientSession, HttpFacts, Input, Output, Profile, Server,
    },
    types::{ServerNotification, SubscribeParams},
};
use tokio::{
    sync::{Notify, broadcast, watch},
    time::Instant,
};

use self::{calls::Calls, pause::Pauses, pipe::Pipe};
pub(super) use self::{
    calls::{CallExtras, CallOutcome, PendingCall},
    jobs::{Asked, Generation, Job},
    pause::Pause,
    pipe::Opened,
};
use super::{
    Error, Lost, handlers::Handlers, http::Authorizer, settings::ClientSettings, tools::KnownTools,
};

/// One client's conversation, over all of its connections.
pub(super) struct Engine {
    pub(super) settings: ClientSettings,
    pub(super) handlers: Handlers,
    profile: Profile,
    state: Mutex<State>,
    /// Where lines go. Locked before the state, if both are; with the state locked, only `try_lock`.
    pipe: Mutex<Option<Pipe>>,
    /// There are jobs.
    pub(super) work: Notify,
    connection: watch::Sender<ConnectionState>,
    notices: broadcast::Sender<ServerNotification>,
    pub(super) tools: Mutex<KnownTools>,
    pub(super) cache: Mutex<ResponseCache>,
    pub(super) authorizer: Option<Arc<dyn Authorizer>>,
}

/// How far the conversation is.
#[derive(Clone)]
pub(super) enum ConnectionState {
    Connecting,
    Ready(Arc<Server>),
    Over(Arc<Lost>),
}

struct State {
    session: ClientSession,
    generation: Generation,
    /// Sessions that the server has forgotten, with calls that may still be answered.
    retired: Vec<(Generation, ClientSession)>,
    calls: Calls,
    /// How many calls were open when the last one ended, with it.
    open_at_last_end: usize,
    next_call: u64,
    jobs: VecDeque<Job>,
    /// Room for what a session decides.
    outputs: Vec<Output>,
    pauses: Pauses,
    /// Where calls that the driver cannot deliver go from here on.
    lost: Option<Arc<Lost>>,
    /// What may be the reason that an answer never comes.
    note: Option<Arc<str>>,
    /// Resources to watch again as soon as there is a session.
    to_watch: Vec<String>,
    /// What was spoken last.
    revision: Option<Revision>,
    /// Over HTTP, the request on whose response the last message came.
    came_with: Option<Id<'static>>,
}

impl Engine {
    pub(super) fn new(
        settings: ClientSettings,
        profile: Profile,
        handlers: Handlers,
        authorizer: Option<Arc<dyn Authorizer>>,
    ) -> Arc<Self> {
        let (notices, _) = broadcast::channel(settings.notifications.max(1));
        Arc::new(Self {
            tools: Mutex::new(KnownTools::new(settings.tools, settings.schemas.clone())),
            cache: Mutex::new(ResponseCache::new(settings.cache)),
            state: Mutex::new(State {
                session: ClientSession::new(Arc::new(profile.clone())),
                generation: Generation::default(),
                retired: Vec::new(),
                calls: Calls::default(),
                open_at_last_end: 0,
                next_call: 1,
                jobs: VecDeque::new(),
                outputs: Vec::new(),
                pauses: Pauses::default(),
                lost: None,
                note: None,
                to_watch: Vec::new(),
                revision: None,
                came_with: None,
            }),
            pipe: Mutex::default(),
            connection: watch::Sender::new(ConnectionState::Connecting),
            work: Notify::new(),
            authorizer,
            settings,
            handlers,
            profile,
            notices,
        })
    }

    /// Begins a conversation in place of the one there is, whose calls stay open until the driver says otherwise.
    pub(super) fn begin(&self, adjust: impl FnOnce(&mut Profile)) -> Generation {
        let generation = self.reserve(adjust);
        self.feed(generation, Input::Start);
        generation
    }

    /// As [`Self::begin`], but the first word is left to the driver.
    pub(super) fn reserve(&self, adjust: impl FnOnce(&mut Profile)) -> Generation {
        let mut profile = self.profile.clone();
        adjust(&mut profile);
        let mut state = self.lock();
        let session = ClientSession::new(Arc::new(profile));
        let old = std::mem::replace(&mut state.session, session);
        let generation = state.generation;
        if old.calls() > 0 {
            state.retired.push((generation, old));
        }
        state.generation = generation.next();
        state.lost = None;
        state.note = None;
        let generation = state.generation;
        drop(state);
        self.connection.send_replace(ConnectionState::Connecting);
        self.forget_lists();
        generation
    }

    /// Asks the new session to watch what the old one did, once it can be asked. The outcome is not waited for.
    pub(super) fn watch_again(&self, watched: Vec<String>) {
        self.lock().to_watch = watched;
    }

    /// Tells a session what happened, and does what it says.
    pub(super) fn feed(&self, generation: Generation, input: Input<'_>) {
        self.feed_because(generation, input, None);
    }

    /// As [`Self::feed`]; `why` is told to callers that lose a call by it.
    pub(super) fn feed_because(
        &self,
        generation: Generation,
        input: Input<'_>,
        why: Option<&Arc<str>>,
    ) {
        let mut state = self.lock();
        if let Input::Received { http: Some(facts), .. } = &input {
            state.came_with.clone_from(&facts.request);
        }
        let outputs = state.decide(generation, input);
        if self.carry_out_fast(state, generation, outputs, why) {
            self.work.notify_one();
        }
    }

    /// Fast path of [`Self::carry_out`]: nearly always a call was answered, and that is all.
    ///
    /// Equivalence: `lines::tests::an_answer_that_comes_alone_is_the_same_as_one_that_comes_with_others`.
    fn carry_out_fast(
        &self,
        mut state: MutexGuard<'_, State>,
        generation: Generation,
        mut outputs: Vec<Output>,
        why: Option<&Arc<str>>,
    ) -> bool {
        if let [Output::Completed { .. }] = outputs.as_slice()
            && state.retired.is_empty()
            && state.to_watch.is_empty()
            && let Some(Output::Completed { call, rounds, outcome }) = outputs.pop()
        {
            state.outputs = outputs;
            let ended = state.completed(call, rounds, outcome, why);
            let busy = !state.jobs.is_empty();
            drop(state);
            if let Some((caller, outcome)) = ended {
                // The caller may have gone.
                let _gone = caller.send(outcome);
            }
            return busy;
        }
        self.carry_out(state, generation, outputs, why)
    }

    /// Does what a session has decided, and says whether there is something to do for the driver.
    // Out of line, so that an answered call does not go through code that it does not need.
    #[inline(never)]
    fn carry_out(
        &self,
        mut state: MutexGuard<'_, State>,
        generation: Generation,
        mut outputs: Vec<Output>,
        why: Option<&Arc<str>>,
    ) -> bool {
        let mut ended = Vec::new();
        for output in outputs.drain(..) {
            self.act(&mut state, generation, output, why, &mut ended);
        }
        outputs.shrink_to(FEW);
        state.outputs = outputs;
        state.retired.retain(|(_, session)| session.calls() > 0);
        let watch = if state.to_watch.is_empty() || self.server().is_none() {
            Vec::new()
        } else {
            std::mem::take(&mut state.to_watch)
        };
        let busy = !state.jobs.is_empty();
        drop(state);
        for (caller, outcome) in ended {
            let _gone = caller.send(outcome);
        }
        for uri in watch {
            self.watch(generation, &uri);
        }
        busy
    }

    /// A frame came.
    pub(super) fn receive(&self, generation: Generation, bytes: &[u8], http: Option<HttpFacts>) {
        match parse(bytes, &self.settings.messages) {
            Ok(incoming) => self.incoming(generation, incoming, http),
            Err(refused) => self.refused(generation, refused),
        }
    }

    pub(super) fn incoming(
        &self,
        generation: Generation,
        incoming: Incoming<'_>,
        http: Option<HttpFacts>,
    ) {
        self.feed(generation, Input::Received { incoming, http });
    }

    pub(super) fn refused(&self, generation: Generation, refused: NotAMessage) {
        self.feed(generation, Input::Refused(refused));
    }

    pub(super) fn answered(
        &self,
        generation: Generation,
        ask: AskId,
        outcome: Result<Raw, ErrorObject>,
    ) {
        self.feed(generation, Input::Answered { ask, outcome });
    }

    /// Lets the sessions see that time has passed.
    pub(super) fn time_passed(&self) {
        let generations: Vec<Generation> = {
            let state = self.lock();
            let retired = state.retired.iter().map(|(generation, _)| *generation);
            retired.chain([state.generation]).collect()
        };
        for generation in generations {
            self.feed(generation, Input::TimePassed);
        }
    }

    /// When the sessions want to see that time has passed.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.lock().deadline()
    }

    /// Stops the sessions' time until the pause is dropped.
    pub(super) fn pause(self: &Arc<Self>) -> Pause {
        Pause::begin(self.clone())
    }

    /// The connection is gone for good, or until the driver begins another. Callers are told why.
    pub(super) fn lose(&self, why: impl Into<Arc<Lost>>) {
        let why = why.into();
        let mut state = self.lock();
        if state.lost.is_none() {
            state.lost = Some(why.clone());
        }
        let generations: Vec<Generation> =
            state.retired.iter().map(|(generation, _)| *generation).collect();
        let current = state.generation;
        drop(state);
        for generation in generations.into_iter().chain([current]) {
            self.feed(generation, Input::Closed);
        }
        self.connection.send_if_modified(|connection| {
            let over = matches!(connection, ConnectionState::Over(_));
            if !over {
                *connection = ConnectionState::Over(why);
            }
            !over
        });
    }

    /// The server sent more than a message may be. If only one call is open, that was its answer; if not, a call that gets none is told.
    pub(super) fn oversized(&self, generation: Generation, limit: usize) {
        tracing::warn!(limit, "a message of the server is too large");
        let why: Arc<str> = format!("the server sent a message of more than {limit} bytes").into();
        let mut state = self.lock();
        state.note = Some(why.clone());
        let mut open = state.calls.iter().filter_map(|open| open.request.as_ref());
        let only = match (open.next(), open.next()) {
            (Some((of, request)), None) if *of == generation => Some(request.clone()),
            _ => None,
        };
        drop(state);
        if let Some(request) = only {
            self.feed_because(generation, Input::Disconnected(request), Some(&why));
        }
    }

    /// The connection is gone, and the driver is about to make another.
    pub(super) fn interrupt(&self, why: impl Into<Arc<Lost>>) {
        self.lose(why);
        self.connection.send_replace(ConnectionState::Connecting);
    }

    pub(super) fn generation(&self) -> Generation {
        self.lock().generation
    }

    pub(super) fn connection(&self) -> watch::Receiver<ConnectionState> {
        self.connection.subscribe()
    }

    /// The server, if calls can be made right now.
    pub(super) fn server(&self) -> Option<Arc<Server>> {
        match &*self.connection.borrow() {
            ConnectionState::Ready(server) => Some(server.clone()),
            ConnectionState::Connecting | ConnectionState::Over(_) => None,
        }
    }

    pub(super) fn is_connecting(&self) -> bool {
        matches!(*self.connection.borrow(), ConnectionState::Connecting)
    }

    /// Waits until calls can be made.
    pub(super) async fn ready(&self) -> Result<Arc<Server>, Error> {
        if let Some(server) = self.server() {
            return Ok(server);
        }
        let mut connection = self.connection();
        let connection = connection
            .wait_for(|connection| !matches!(connection, ConnectionState::Connecting))
            .await;
        match connection.as_deref() {
            Ok(ConnectionState::Ready(server)) => Ok(server.clone()),
            Ok(ConnectionState::Over(lost)) => Err(Error::Lost(lost.clone())),
            Ok(ConnectionState::Connecting) | Err(_) => Err(Error::Lost(Arc::new(Lost::Closed))),
        }
    }

    pub(super) fn notices(&self) -> broadcast::Receiver<ServerNotification> {
        self.notices.subscribe()
    }

    /// The resources that the current session watches.
    pub(super) fn watched(&self) -> Vec<String> {
        self.lock().session.watched().to_vec()
    }

    /// What the conversation speaks or last spoke.
    pub(super) fn last_revision(&self) -> Option<Revision> {
        self.lock().revision
    }

    /// What the conversation speaks, if both sides have agreed on it.
    pub(super) fn agreed_revision(&self) -> Option<Revision> {
        match &*self.connection.borrow() {
            ConnectionState::Ready(server) => Some(server.revision),
            ConnectionState::Connecting | ConnectionState::Over(_) => None,
        }
    }

    /// On whose authority requests are made.
    pub(super) fn authorization_context(&self) -> AuthorizationContext {
        let context = self.authorizer.as_ref().map(|authorizer| authorizer.context());
        AuthorizationContext(context.unwrap_or_default())
    }

    /// What the driver has to do, all of it.
    pub(super) fn take_jobs(&self) -> VecDeque<Job> {
        let mut state = self.lock();
        // An empty queue keeps its room.
        if state.jobs.is_empty() { VecDeque::new() } else { std::mem::take(&mut state.jobs) }
    }

    fn watch(&self, generation: Generation, uri: &str) {
        let Ok(params) = Raw::new(&SubscribeParams { uri: uri.into(), meta: None }) else { return };
        let call = {
            let mut state = self.lock();
            state.next_call += 1;
            CallId(state.next_call - 1)
        };
        let call = Call::new(call, RequestMethod::ResourcesSubscribe, Some(params));
        self.feed(generation, Input::Call(&call));
    }

    /// What is known of tools is out of date.
    pub(super) fn forget_tools(&self) {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner).forget();
        self.forget_lists();
    }

    fn forget_lists(&self) {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// What a session makes of something that happened. A session that is no more makes nothing of it.
    fn decide(&mut self, generation: Generation, input: Input<'_>) -> Vec<Output> {
        let now = self.pauses.now();
        let mut outputs = std::mem::take(&mut self.outputs);
        if let Some(session) = self.session_of(generation) {
            session.handle_into(now, input, &mut outputs);
        }
        outputs
    }

    fn session_of(&mut self, generation: Generation) -> Option<&mut ClientSession> {
        if generation == self.generation {
            return Some(&mut self.session);
        }
        self.retired.iter_mut().find(|(old, _)| *old == generation).map(|(_, session)| session)
    }

    fn deadline(&self) -> Option<Instant> {
        let mut next = self.session.next_deadline();
        for (_, session) in &self.retired {
            next = next.into_iter().chain(session.next_deadline()).min();
        }
        self.pauses.instant(next?)
    }
}

/// Decisions that there is room for all the time.
const FEW: usize = 16;
