//! What is known about a request while its handler runs.

use std::{
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context as TaskContext, Poll},
};

use futures_util::task::AtomicWaker;
use proofmark_core::{
    jsonrpc::{ErrorCode, ErrorObject, Id},
    revision::Revision,
    session::{
        Declared,
        server::{Call, Outcome, Transmit},
    },
};
use tokio::sync::oneshot;
use tracing::Span;

use super::{Server, conversation::Conversation, tasks::Seat, trace::TraceContext};
use crate::{
    BoxFuture,
    caller::{Caller, Principal},
};

/// Where messages go.
pub(crate) trait Outlet: Send + Sync {
    fn put(&self, transmit: Transmit);

    /// Ends the connection that carries the messages, but not the request; whoever asked comes back for the rest.
    fn pause(&self) {}
}

/// A request that is being carried out.
pub(crate) struct Scope {
    pub(crate) id: Id<'static>,
    pub(crate) revision: Revision,
    pub(crate) declared: Declared,
    pub(crate) conversation: Arc<Conversation>,
    pub(crate) outlet: Arc<dyn Outlet>,
    /// Who asked, as far as it was proved.
    pub(crate) caller: Option<Caller>,
    /// Where the handler speaks from when the request has become a task.
    seat: Option<Arc<Seat>>,
    /// Told when the request is answered, dropped if it never is.
    answered: Mutex<Option<oneshot::Sender<()>>>,
    pub(crate) trace: Option<Box<TraceContext>>,
    /// Entered whenever the handler runs, so that whatever it logs belongs to its request.
    span: Span,
    cancelled: AtomicBool,
    waker: AtomicWaker,
}

impl Scope {
    pub(crate) fn new(
        call: &Call<'_>,
        conversation: Arc<Conversation>,
        outlet: Arc<dyn Outlet>,
        caller: Option<Caller>,
    ) -> Arc<Self> {
        let trace = TraceContext::of(call.meta.as_deref(), call.revision.rules());
        let span = tracing::info_span!(
            "request",
            method = call.method.as_str(),
            id = %call.id,
            revision = call.revision.as_str(),
            traceparent = trace.as_ref().and_then(|trace| trace.traceparent.as_deref()),
            tracestate = trace.as_ref().and_then(|trace| trace.tracestate.as_deref()),
            baggage = trace.as_ref().and_then(|trace| trace.baggage.as_deref()),
        );
        Arc::new(Self {
            id: call.id.clone(),
            revision: call.revision,
            declared: call.declared,
            conversation,
            outlet,
            caller,
            seat: None,
            answered: Mutex::default(),
            trace,
            span,
            cancelled: AtomicBool::new(false),
            waker: AtomicWaker::new(),
        })
    }

    /// The same request as a task, which goes on when the request is answered.
    pub(super) fn as_task(&self, seat: Arc<Seat>) -> Arc<Self> {
        Arc::new(Self {
            id: self.id.clone(),
            revision: self.revision,
            declared: self.declared,
            conversation: Arc::clone(&self.conversation),
            outlet: Arc::clone(&self.outlet),
            caller: self.caller.clone(),
            trace: self.trace.clone(),
            span: self.span.clone(),
            seat: Some(seat),
            answered: Mutex::default(),
            cancelled: AtomicBool::new(false),
            waker: AtomicWaker::new(),
        })
    }

    /// What the handler logs belongs to.
    pub(super) fn span(&self) -> &Span {
        &self.span
    }

    pub(super) fn seat(&self) -> Option<&Arc<Seat>> {
        self.seat.as_ref()
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

    pub(super) fn over(&self, answered: Answered) {
        let waiting = self.answered.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Answered::Yes, Some(waiting)) = (answered, waiting) {
            // Whoever wanted to know may be gone.
            let _ = waiting.send(());
        }
    }

    /// Drops the handler's future the next time it would run.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
        self.waker.wake();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }
}

/// Whether whoever made a request got its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answered {
    No,
    Yes,
}

/// A handler at work. When it is done, its outcome is answered.
///
/// A panic of the handler is an internal error of its own request and of nothing else. Dropping the work stops the handler.
pub(crate) struct Work {
    scope: Arc<Scope>,
    /// `None` when it is over.
    future: Option<BoxFuture<'static, Outcome>>,
}

impl Work {
    pub(crate) fn new(scope: Arc<Scope>, future: BoxFuture<'static, Outcome>) -> Self {
        Self { scope, future: Some(future) }
    }
}

impl Future for Work {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut TaskContext<'_>) -> Poll<()> {
        let Self { scope, future: running } = self.get_mut();
        let _inside = scope.span.enter();
        // A handler whose request was cancelled is not let on, not even to its last step.
        if scope.is_cancelled() {
            *running = None;
        }
        let Some(future) = running else { return Poll::Ready(()) };
        let polled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            future.as_mut().poll(context)
        }));
        let outcome = match polled {
            Ok(Poll::Ready(outcome)) => Some(outcome),
            Ok(Poll::Pending) => {
                // Registered before the flag is read: a cancellation in between is then seen here or wakes this task.
                scope.waker.register(context.waker());
                if !scope.is_cancelled() {
                    return Poll::Pending;
                }
                None
            }
            Err(_) => Some(Err(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the handler failed"))),
        };
        *running = None;
        scope.conversation.finish(scope, outcome);
        Poll::Ready(())
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let Self { scope, future } = self;
        let _inside = scope.span.enter();
        if future.take().is_some() {
            scope.conversation.finish(scope, None);
        }
    }
}
