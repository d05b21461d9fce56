//! The one hand-off from transports to sessions: what was received goes in, handlers begin, and what is to be sent comes out.

use std::{
    future::pending,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use futures_util::{StreamExt, stream::FuturesUnordered};
use http::HeaderMap;
use proofmark_core::{
    jsonrpc::{ErrorCode, ErrorObject, Limits, parse},
    session::{
        Time,
        server::{Input, Outcome},
    },
};
use tokio::time::{Instant, sleep_until};

use super::{
    conversation::{Conversation, MessageSink},
    dispatch::done,
    scope::Scope,
};
use crate::{BoxFuture, caller::Caller, clock};

/// Where messages of a client come in: a connection, or one exchange of HTTP.
#[derive(Clone, Copy)]
pub(crate) struct HandOff<'a> {
    pub(crate) conversation: &'a Arc<Conversation>,
    /// Takes the answers to what comes in here.
    pub(crate) sink: &'a Arc<dyn MessageSink>,
    /// Who the client is, as far as it was proved.
    pub(crate) caller: Option<&'a Caller>,
    /// What a call came with, where the transport has headers.
    pub(crate) headers: Option<&'a HeaderMap>,
}

/// What a message meant for the connection it came on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Received {
    /// The handshake is complete.
    pub(crate) initialized: bool,
}

impl HandOff<'_> {
    /// Takes in the bytes of one message or batch, or of what should have been one.
    pub(crate) fn receive_bytes(
        &self,
        bytes: &[u8],
        limits: &Limits,
        waiting: impl FnMut(HandlerFuture),
    ) -> Received {
        let input = match parse(bytes, limits) {
            Ok(incoming) => Input::Received(incoming),
            Err(refused) => Input::Refused(refused),
        };
        self.receive(input, waiting)
    }

    /// Tells the session what came, and begins the handlers it is for.
    ///
    /// Handlers that need not wait are done when this returns, so that their answers leave together. The others are handed to `waiting`;
    /// their transport lets them go on ([`Handlers`]).
    pub(crate) fn receive(
        &self,
        input: Input<'_>,
        mut waiting: impl FnMut(HandlerFuture),
    ) -> Received {
        let Self { conversation, sink, caller, headers } = *self;
        let server = &conversation.server;
        let fed = conversation.feed(input, Some(sink));
        for call in fed.calls {
            let scope = conversation.begin(&call, Arc::clone(sink), caller.cloned());
            if !server.layers().is_empty() {
                let run = server.run_layered(call, &scope, headers);
                first_look(HandlerFuture::new(scope, run), &mut waiting);
                continue;
            }
            let run = match headers.map_or(Ok(()), |headers| server.check_headers(&call, headers)) {
                Ok(()) => server.run(call, &scope),
                Err(error) => done(Err(error)),
            };
            first_look(HandlerFuture::new(scope, run), &mut waiting);
        }
        if fed.roots_changed
            && let Some(handler) =
                conversation.begin_roots_changed(Arc::clone(sink), caller.cloned())
        {
            first_look(handler, &mut waiting);
        }
        Received { initialized: fed.initialized }
    }
}

/// Lets a handler run until it waits. It is polled again with the waker of its transport, so none is needed here.
fn first_look(mut handler: HandlerFuture, waiting: &mut impl FnMut(HandlerFuture)) {
    let mut context = Context::from_waker(Waker::noop());
    if Pin::new(&mut handler).poll(&mut context).is_pending() {
        waiting(handler);
    }
}

/// The handlers of one connection or exchange that have to wait.
#[derive(Default)]
pub(crate) struct Handlers(FuturesUnordered<HandlerFuture>);

impl Handlers {
    pub(crate) fn push(&self, handler: HandlerFuture) {
        self.0.push(handler);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Stops them all.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Lets handlers go on until one of them is done, the session's `deadline` has passed, of which it is told, or `until` has come.
    /// Nothing is lost if this is dropped.
    pub(crate) async fn step(
        &mut self,
        conversation: &Conversation,
        deadline: Option<Time>,
        until: Option<Instant>,
    ) {
        let deadline = deadline.map(clock::instant);
        let wake = [until, deadline].into_iter().flatten().min();
        tokio::select! {
            biased;
            Some(()) = self.0.next(), if !self.0.is_empty() => {}
            () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {
                if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                    conversation.feed(Input::TimePassed, None);
                }
            }
            else => pending().await,
        }
    }

    /// Lets all of them finish, where no connection waits for them.
    pub(crate) async fn finish(mut self, conversation: &Conversation) {
        while !self.is_empty() {
            self.step(conversation, conversation.next_deadline(), None).await;
        }
    }
}

impl Extend<HandlerFuture> for Handlers {
    fn extend<T: IntoIterator<Item = HandlerFuture>>(&mut self, handlers: T) {
        self.0.extend(handlers);
    }
}

impl FromIterator<HandlerFuture> for Handlers {
    fn from_iter<T: IntoIterator<Item = HandlerFuture>>(handlers: T) -> Self {
        Self(handlers.into_iter().collect())
    }
}

/// A handler at work. When it is done, its outcome is answered.
///
/// A panic of the handler is an internal error of its own request and of nothing else. Dropping it stops the handler.
pub(crate) struct HandlerFuture {
    scope: Arc<Scope>,
    /// `None` when it is over.
    future: Option<BoxFuture<'static, Outcome>>,
}

impl HandlerFuture {
    pub(crate) fn new(scope: Arc<Scope>, future: BoxFuture<'static, Outcome>) -> Self {
        Self { scope, future: Some(future) }
    }

    /// Whether it works on a request, whose answer is waited for, and not on a notification.
    pub(crate) fn answers(&self) -> bool {
        self.scope.id.is_some()
    }
}

impl Future for HandlerFuture {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Self { scope, future: running } = self.get_mut();
        let _inside = scope.span().enter();
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
                scope.wake_when_cancelled(context.waker());
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

impl Drop for HandlerFuture {
    fn drop(&mut self) {
        let Self { scope, future } = self;
        let _inside = scope.span().enter();
        if future.take().is_some() {
            scope.conversation.finish(scope, None);
        }
    }
}
