//! A session together with what it needs to be carried out: running handlers, open questions and places to send to.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use proofmark_core::{
    json::Raw,
    jsonrpc::Id,
    revision::NotificationMethod,
    session::{
        Declared, Time,
        server::{
            Ask, AskError, AskId, Call, Change, HandlerNotification, Input, Outcome, Output,
            ServerSession, Transmit,
        },
    },
    types::{ServerRequest, ServerResult},
};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{
    Context, Server,
    handoff::HandlerFuture,
    scope::{Answered, Scope},
};
use crate::{
    caller::{Caller, Principal},
    clock,
    store::NewsMark,
};

/// One client's conversation, in the hands of its driver and of the handlers that run for it.
pub(crate) struct Conversation {
    pub(crate) server: Server,
    /// Whom the tasks belong to that begin here.
    pub(crate) owner: Principal,
    /// The conversation is over.
    closed: OnceLock<CancellationToken>,
    /// For what belongs to no request.
    sink: Arc<dyn MessageSink>,
    state: Mutex<State>,
}

/// Takes the messages of a session for one client, one response or one stream. Never waits.
pub(crate) trait MessageSink: Send + Sync {
    fn put(&self, transmit: Transmit);

    /// The same for news that all servers tell which hold the session.
    fn put_marked(&self, transmit: Transmit, _mark: Option<NewsMark>) {
        self.put(transmit);
    }

    /// Ends the connection that carries the messages, but not the request; the client comes back for the rest.
    fn pause(&self) {}
}

struct State {
    session: ServerSession,
    scopes: Vec<Arc<Scope>>,
    questions: Vec<Question>,
    next_question: u64,
    roots_handler: RootsHandler,
    /// Of the news that the session is being told.
    mark: Option<NewsMark>,
}

/// The handler that is told of changed roots runs once at a time, however often a client sends such news.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RootsHandler {
    Idle,
    Running,
    /// The roots changed again meanwhile, and the handler runs once more.
    RunningAndAgain,
}

struct Question {
    ask: AskId,
    answer: oneshot::Sender<Result<Raw, AskError>>,
}

/// What is still to be done after the session was told something.
#[derive(Default)]
pub(crate) struct Fed<'a> {
    /// Requests for handlers.
    pub(crate) calls: Calls<'a>,
    /// The handshake is complete.
    pub(crate) initialized: bool,
    /// The handler for that is to be told.
    pub(crate) roots_changed: bool,
}

/// Requests in the order in which they came: one, unless it was a batch.
#[derive(Default)]
pub(crate) struct Calls<'a> {
    first: Option<Box<Call<'a>>>,
    #[expect(clippy::vec_box, reason = "a call is large and goes through many hands")]
    others: Vec<Box<Call<'a>>>,
}

impl<'a> Calls<'a> {
    fn push(&mut self, call: Box<Call<'a>>) {
        if self.first.is_none() {
            self.first = Some(call);
        } else {
            self.others.push(call);
        }
    }
}

impl<'a> IntoIterator for Calls<'a> {
    type Item = Box<Call<'a>>;
    type IntoIter =
        std::iter::Chain<std::option::IntoIter<Self::Item>, std::vec::IntoIter<Self::Item>>;

    fn into_iter(self) -> Self::IntoIter {
        self.first.into_iter().chain(self.others)
    }
}

impl Conversation {
    pub(crate) fn new(
        server: Server,
        session: ServerSession,
        owner: Principal,
        sink: Arc<dyn MessageSink>,
    ) -> Arc<Self> {
        let state = State {
            session,
            scopes: Vec::new(),
            questions: Vec::new(),
            next_question: 0,
            roots_handler: RootsHandler::Idle,
            mark: None,
        };
        Arc::new(Self { server, owner, closed: OnceLock::new(), sink, state: Mutex::new(state) })
    }

    /// Tells the session what happened and carries out what it decides, except running handlers.
    pub(crate) fn feed<'a>(
        &self,
        input: Input<'a>,
        here: Option<&Arc<dyn MessageSink>>,
    ) -> Fed<'a> {
        self.feed_locked(&mut self.lock(), input, here)
    }

    fn feed_locked<'a>(
        &self,
        state: &mut State,
        input: Input<'a>,
        here: Option<&Arc<dyn MessageSink>>,
    ) -> Fed<'a> {
        let mut fed = Fed::default();
        let outputs = state.session.handle(clock::now(), input);
        for output in outputs {
            match output {
                Output::Dispatch(call) => fed.calls.push(call),
                Output::Transmit(transmit) => {
                    let scope = transmit.about.as_ref().and_then(|id| state.scope(id));
                    match (scope, here) {
                        (Some(scope), _) => scope.sink.put(transmit),
                        // An answer goes back to where its request came from.
                        (None, Some(here)) if transmit.about.is_some() || transmit.is_final() => {
                            here.put(transmit);
                        }
                        (None, _) => self.sink.put_marked(transmit, state.mark),
                    }
                }
                Output::Cancel(id) => {
                    if let Some(scope) = state.take_scope(&id) {
                        scope.cancel();
                    }
                }
                Output::Settled { ask, outcome } => {
                    if let Some(at) =
                        state.questions.iter().position(|question| question.ask == ask)
                    {
                        // A handler that stopped waiting is not interested any more.
                        let _ = state.questions.swap_remove(at).answer.send(outcome);
                    }
                }
                Output::Initialized => fed.initialized = true,
                Output::RootsChanged => fed.roots_changed = true,
                Output::Negotiated(_) => {}
                Output::Breach(breach) => tracing::debug!(%breach, "the client broke a rule"),
            }
        }
        fed
    }

    /// Tells the session of news that other servers may tell its client too.
    pub(super) fn tell(&self, change: Change, mark: Option<NewsMark>) {
        let mut state = self.lock();
        state.mark = mark;
        self.feed_locked(&mut state, Input::Changed(change), None);
        state.mark = None;
    }

    /// Ends the conversation and everything that goes on in it.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        self.feed_locked(&mut state, Input::Closed, None);
        // The session knows of requests alone.
        for scope in state.scopes.iter().filter(|scope| scope.id.is_none()) {
            scope.cancel();
        }
        drop(state);
        self.closed().cancel();
    }

    /// Waits until no client can ask for the tasks of this conversation any more. Those of a client that may come back are never abandoned.
    pub(super) async fn abandoned(&self) {
        match self.owner {
            Principal::Session(_) => self.closed().cancelled().await,
            Principal::Anonymous | Principal::Local | Principal::User(_) => {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Prepares a request for its handler.
    pub(crate) fn begin(
        self: &Arc<Self>,
        call: &Call<'_>,
        sink: Arc<dyn MessageSink>,
        caller: Option<Caller>,
    ) -> Arc<Scope> {
        let scope = Scope::new(call, Arc::clone(self), sink, caller);
        let mut state = self.lock();
        // It may have been cancelled before it could be run.
        if state.session.is_running(&call.id) {
            state.scopes.push(Arc::clone(&scope));
        } else {
            scope.cancel();
        }
        drop(state);
        scope
    }

    /// Begins the handler that is told of changed roots, if the server has one and the client has shaken hands.
    pub(super) fn begin_roots_changed(
        self: &Arc<Self>,
        sink: Arc<dyn MessageSink>,
        caller: Option<Caller>,
    ) -> Option<HandlerFuture> {
        let handler = self.server.roots_changed()?;
        let mut state = self.lock();
        let client = state.session.client()?;
        let declared = Declared::from(&client.capabilities);
        let revision = state.session.negotiated()?;
        if state.roots_handler != RootsHandler::Idle {
            state.roots_handler = RootsHandler::RunningAndAgain;
            return None;
        }
        state.roots_handler = RootsHandler::Running;
        let scope = Scope::of_notification(
            NotificationMethod::RootsListChanged,
            revision,
            declared,
            Arc::clone(self),
            sink,
            caller,
        );
        state.scopes.push(Arc::clone(&scope));
        drop(state);
        let context = Context::new(Arc::clone(&scope), None);
        let handler = Arc::clone(handler);
        let mut running = RunningRoots(Some(Arc::clone(self)));
        let future = async move {
            loop {
                handler(context.clone()).await;
                if !running.again() {
                    return Ok(ServerResult::empty());
                }
            }
        };
        Some(HandlerFuture::new(scope, Box::pin(future)))
    }

    /// A handler is done, or was stopped. What it says after its request was cancelled is not heard, also when the client has used the
    /// id again.
    pub(crate) fn finish(&self, scope: &Scope, outcome: Option<Outcome>) {
        scope.ended(outcome.as_ref());
        let mut answered = Answered::No;
        {
            let mut state = self.lock();
            if state.forget(scope)
                && let Some(outcome) = outcome
                && let Some(id) = scope.id.clone()
            {
                let done = Input::Finished { id, outcome };
                self.feed_locked(&mut state, done, Some(&scope.sink));
                if !scope.is_cancelled() {
                    answered = Answered::Yes;
                }
            }
        }
        scope.over(answered);
    }

    /// A handler has something to tell while it runs.
    pub(crate) fn note(&self, scope: &Scope, note: HandlerNotification) {
        let mut state = self.lock();
        if state.is_running(scope)
            && let Some(request) = scope.id.clone()
        {
            self.feed_locked(
                &mut state,
                Input::Notify { request, notification: note },
                Some(&scope.sink),
            );
        }
    }

    /// Asks the client something on behalf of a request.
    pub(crate) fn ask(self: &Arc<Self>, scope: &Scope, what: ServerRequest) -> OpenQuestion {
        self.ask_for(Some(scope), None, what)
    }

    /// Asks the client something on behalf of a task.
    pub(crate) fn ask_for_task(self: &Arc<Self>, task: &str, what: ServerRequest) -> OpenQuestion {
        self.ask_for(None, Some(task.to_owned()), what)
    }

    fn ask_for(
        self: &Arc<Self>,
        scope: Option<&Scope>,
        task: Option<String>,
        what: ServerRequest,
    ) -> OpenQuestion {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.lock();
        let ask = AskId(state.next_question);
        state.next_question += 1;
        if scope.is_none_or(|scope| state.is_running(scope)) {
            state.questions.push(Question { ask, answer: sender });
            let patience = self.server.ask_patience();
            let request = scope.and_then(|scope| scope.id.clone());
            let question = Input::Ask(Ask { ask, request, task, what, patience });
            self.feed_locked(&mut state, question, scope.map(|scope| &scope.sink));
        } else {
            let _ = sender.send(Err(AskError::Cancelled));
        }
        OpenQuestion { ask, conversation: Arc::clone(self), receiver, settled: false }
    }

    pub(crate) fn next_deadline(&self) -> Option<Time> {
        self.lock().session.next_deadline()
    }

    pub(crate) fn with_session<T>(&self, look: impl FnOnce(&ServerSession) -> T) -> T {
        look(&self.lock().session)
    }

    /// Changes what the session goes by.
    pub(crate) fn edit_session<T>(&self, edit: impl FnOnce(&mut ServerSession) -> T) -> T {
        edit(&mut self.lock().session)
    }

    /// Requests whose handlers run, as tasks or otherwise.
    pub(crate) fn running(&self) -> usize {
        let state = self.lock();
        state.scopes.len() + state.session.tasks()
    }

    /// Made when it is first asked for: most conversations are a single request, whose end is not waited for.
    fn closed(&self) -> &CancellationToken {
        self.closed.get_or_init(CancellationToken::new)
    }

    /// A handler that panics does so outside the lock, so a poisoned one is as good as any.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The handler of changed roots, for as long as it runs. It may run again when this is gone, also after a panic.
struct RunningRoots(Option<Arc<Conversation>>);

impl RunningRoots {
    /// Whether the roots have changed since the handler began.
    fn again(&mut self) -> bool {
        let Some(conversation) = &self.0 else { return false };
        let mut state = conversation.lock();
        let again = state.roots_handler == RootsHandler::RunningAndAgain;
        state.roots_handler = if again { RootsHandler::Running } else { RootsHandler::Idle };
        drop(state);
        if !again {
            self.0 = None;
        }
        again
    }
}

impl Drop for RunningRoots {
    fn drop(&mut self) {
        if let Some(conversation) = &self.0 {
            conversation.lock().roots_handler = RootsHandler::Idle;
        }
    }
}

impl State {
    fn scope(&self, id: &Id<'_>) -> Option<&Arc<Scope>> {
        self.scopes.iter().find(|scope| scope.id.as_ref() == Some(id))
    }

    /// Whether this very request still runs, and not another one under its id.
    fn is_running(&self, scope: &Scope) -> bool {
        self.scopes.iter().any(|running| std::ptr::eq(Arc::as_ptr(running), scope))
    }

    /// `false` if the request was over already.
    fn forget(&mut self, scope: &Scope) -> bool {
        let at = self.scopes.iter().position(|running| std::ptr::eq(Arc::as_ptr(running), scope));
        at.map(|at| self.scopes.swap_remove(at)).is_some()
    }

    fn take_scope(&mut self, id: &Id<'_>) -> Option<Arc<Scope>> {
        let at = self.scopes.iter().position(|scope| scope.id.as_ref() == Some(id))?;
        Some(self.scopes.swap_remove(at))
    }
}

/// The answer to a question, when it comes. Dropping it withdraws the question.
pub(crate) struct OpenQuestion {
    ask: AskId,
    conversation: Arc<Conversation>,
    receiver: oneshot::Receiver<Result<Raw, AskError>>,
    settled: bool,
}

impl OpenQuestion {
    pub(crate) async fn answer(mut self) -> Result<Raw, AskError> {
        let answer = (&mut self.receiver).await.unwrap_or(Err(AskError::Closed));
        self.settled = true;
        answer
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        if !self.settled {
            self.conversation.feed(Input::Withdrawn(self.ask), None);
            let mut state = self.conversation.lock();
            state.questions.retain(|question| question.ask != self.ask);
        }
    }
}
