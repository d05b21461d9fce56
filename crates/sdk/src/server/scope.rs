//! What is known about a request while its handler runs.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::Waker,
};

use futures_util::task::AtomicWaker;
use proofmark_core::{
    jsonrpc::Id,
    revision::{NotificationMethod, Revision},
    session::{
        Declared,
        server::{Call, Outcome},
    },
};
use tokio::sync::oneshot;
use tracing::{Span, field};

use super::{
    RequestOutcome, Server,
    conversation::{Conversation, MessageSink},
    layer::name_of,
    tasks::TaskChannel,
    trace::TraceContext,
};
use crate::caller::{Caller, Principal};

/// A request that is being carried out, or a notification that a handler was told of.
pub(crate) struct Scope {
    /// Of the request; a notification has none.
    pub(crate) id: Option<Id<'static>>,
    pub(crate) revision: Revision,
    pub(crate) declared: Declared,
    pub(crate) conversation: Arc<Conversation>,
    pub(crate) sink: Arc<dyn MessageSink>,
    /// Who asked, as far as it was proved.
    pub(crate) caller: Option<Caller>,
    /// What the handler speaks through when the request has become a task.
    task: Option<Arc<TaskChannel>>,
    /// Told when the request is answered, dropped if it never is.
    answered: Mutex<Option<oneshot::Sender<()>>>,
    pub(crate) trace: Option<Box<TraceContext>>,
    /// Entered whenever the handler runs, so that what it logs belongs to its request.
    span: Span,
    cancelled: AtomicBool,
    waker: AtomicWaker,
}

impl Scope {
    pub(crate) fn new(
        call: &Call<'_>,
        conversation: Arc<Conversation>,
        sink: Arc<dyn MessageSink>,
        caller: Option<Caller>,
    ) -> Arc<Self> {
        let trace = TraceContext::of(call.meta.as_deref(), call.revision.rules());
        let span = tracing::info_span!(
            "request",
            method = call.method.as_str(),
            id = %call.id,
            revision = call.revision.as_str(),
            name = name_of(&call.request),
            principal = ?caller.as_ref().map_or(&conversation.owner, Caller::principal),
            outcome = field::Empty,
            traceparent = trace.as_ref().and_then(|trace| trace.traceparent.as_deref()),
            tracestate = trace.as_ref().and_then(|trace| trace.tracestate.as_deref()),
            baggage = trace.as_ref().and_then(|trace| trace.baggage.as_deref()),
        );
        Arc::new(Self {
            id: Some(call.id.clone()),
            revision: call.revision,
            declared: call.declared,
            conversation,
            sink,
            caller,
            task: None,
            answered: Mutex::default(),
            trace,
            span,
            cancelled: AtomicBool::new(false),
            waker: AtomicWaker::new(),
        })
    }

    /// A notification that a handler is told of, in a session that has negotiated its revision.
    pub(super) fn of_notification(
        method: NotificationMethod,
        revision: Revision,
        declared: Declared,
        conversation: Arc<Conversation>,
        sink: Arc<dyn MessageSink>,
        caller: Option<Caller>,
    ) -> Arc<Self> {
        let span = tracing::info_span!(
            "notification",
            method = method.as_str(),
            revision = revision.as_str()
        );
        Arc::new(Self {
            id: None,
            revision,
            declared,
            conversation,
            sink,
            caller,
            task: None,
            answered: Mutex::default(),
            trace: None,
            span,
            cancelled: AtomicBool::new(false),
            waker: AtomicWaker::new(),
        })
    }

    /// The same request as a task, which goes on when the request is answered.
    pub(super) fn as_task(&self, task: Arc<TaskChannel>) -> Arc<Self> {
        Arc::new(Self {
            id: self.id.clone(),
            revision: self.revision,
            declared: self.declared,
            conversation: Arc::clone(&self.conversation),
            sink: Arc::clone(&self.sink),
            caller: self.caller.clone(),
            trace: self.trace.clone(),
            span: self.span.clone(),
            task: Some(task),
            answered: Mutex::default(),
            cancelled: AtomicBool::new(false),
            waker: AtomicWaker::new(),
        })
    }

    /// What the handler logs belongs to.
    pub(super) fn span(&self) -> &Span {
        &self.span
    }

    pub(super) fn task(&self) -> Option<&Arc<TaskChannel>> {
        self.task.as_ref()
    }

    pub(super) fn server(&self) -> &Server {
        &self.conversation.server
    }

    /// Whom the tasks belong to that this request may begin or ask for.
    pub(super) fn owner(&self) -> &Principal {
        &self.conversation.owner
    }

    /// Resolves when the answer to the request is on its way; with an error if there will be none.
    pub(super) fn when_answered(&self) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
        receiver
    }

    /// Tells the span how the request ended, if it is of interest to a subscriber.
    pub(super) fn ended(&self, outcome: Option<&Outcome>) {
        if !self.span.is_disabled() {
            let outcome = RequestOutcome::of(outcome);
            self.span.record("outcome", outcome.as_str());
        }
    }

    pub(super) fn over(&self, answered: Answered) {
        let waiting = self.answered.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Answered::Yes, Some(waiting)) = (answered, waiting) {
            // The task that wanted to know may be gone.
            let _ = waiting.send(());
        }
    }

    /// Drops the handler's future the next time it would run.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
        self.waker.wake();
    }

    pub(super) fn wake_when_cancelled(&self, waker: &Waker) {
        self.waker.register(waker);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }
}

/// Whether the client that made a request got its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answered {
    No,
    Yes,
}
