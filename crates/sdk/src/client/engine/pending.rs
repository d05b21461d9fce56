//! Calls that wait for their results.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{HeaderName, HeaderValue};
use proofmark_core::{
    json::Raw,
    jsonrpc::Id,
    revision::RequestMethod,
    session::client::{Call, CallError, CallId, Completion, Input, ProgressWish},
    types::ServerNotification,
};
use tokio::sync::{mpsc, oneshot};

use super::{Engine, Generation};
use crate::client::{Error, Progress};

/// A call as somebody wants it.
pub(in crate::client) struct Wish {
    pub(in crate::client) method: RequestMethod,
    pub(in crate::client) params: Option<Raw>,
    pub(in crate::client) patience: Option<Duration>,
    extras: Option<Box<Extras>>,
}

/// What few calls have.
#[derive(Default)]
pub(in crate::client) struct Extras {
    pub(in crate::client) progress: Option<mpsc::Sender<Progress>>,
    /// For what a subscription brings.
    pub(in crate::client) notices: Option<mpsc::Sender<ServerNotification>>,
    pub(in crate::client) mirrored: Vec<(HeaderName, HeaderValue)>,
}

impl Wish {
    pub(in crate::client) fn new(method: RequestMethod, params: Option<Raw>) -> Self {
        Self { method, params, patience: None, extras: None }
    }

    pub(in crate::client) fn extras(&mut self) -> &mut Extras {
        self.extras.get_or_insert_default()
    }
}

/// How a call ended.
pub(in crate::client) struct Done {
    /// How often the server asked back.
    pub(in crate::client) rounds: u32,
    pub(in crate::client) outcome: Result<Completion, Error>,
}

/// A call that waits for its result. Dropping it cancels the call.
pub(in crate::client) struct Outcome {
    engine: Arc<Engine>,
    generation: Generation,
    call: CallId,
    done: oneshot::Receiver<Done>,
}

impl Future for Outcome {
    type Output = Done;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Done> {
        Pin::new(&mut self.done).poll(context).map(|done| {
            // The sender is only dropped with the engine, which this keeps alive.
            done.unwrap_or_else(|_| Done { rounds: 0, outcome: Err(super::outputs::closed()) })
        })
    }
}

impl Drop for Outcome {
    fn drop(&mut self) {
        // The result was taken, or lies ready.
        if self.done.is_terminated() || !self.done.is_empty() {
            return;
        }
        let generation = self.engine.generation_of(self.call).unwrap_or(self.generation);
        self.engine.feed(generation, Input::Cancel(self.call));
    }
}

/// Somebody who waits.
pub(super) struct Pending {
    pub(super) done: oneshot::Sender<Done>,
    pub(super) extras: Option<Box<Extras>>,
    /// The request that is on its way.
    pub(super) wire: Option<(Generation, Id<'static>)>,
    /// As it was asked for, to be asked again in another session.
    pub(super) call: Call,
    pub(super) repeated: bool,
}

impl Engine {
    /// Makes a call.
    pub(in crate::client) fn call(self: &Arc<Self>, wish: Wish) -> Outcome {
        let (sender, done) = oneshot::channel();
        let mut state = self.lock();
        let id = CallId(state.next_call);
        state.next_call += 1;
        let generation = state.generation;
        let call = Call {
            call: id,
            method: wish.method,
            params: wish.params,
            patience: wish.patience,
            progress: match &wish.extras {
                Some(extras) if extras.progress.is_some() => ProgressWish::Wanted,
                _ => ProgressWish::Unwanted,
            },
        };
        let mut outputs = state.decide(generation, Input::Call(&call));
        let extras = wish.extras;
        state.calls.push(Pending { done: sender, extras, wire: None, call, repeated: false });
        let mut pipe = state.is_quiet().then(|| self.pipe.try_lock().ok()).flatten();
        let pipe = pipe.as_deref_mut().and_then(Option::as_mut);
        let left = if let Some(pipe) = pipe
            && state.push_now(pipe, &mut outputs)
        {
            state.outputs = outputs;
            drop(state);
            !pipe.write_now()
        } else {
            self.carry_out(state, generation, outputs, None)
        };
        if left {
            self.work.notify_one();
        }
        Outcome { engine: self.clone(), generation, call: id, done }
    }

    /// Asks again, in the current session, for what another session was refused without a look. Not twice for the same call.
    pub(in crate::client) fn repeat(&self, generation: Generation, request: &Id<'static>) -> bool {
        let mut state = self.lock();
        let current = state.generation;
        let on_wire = |pending: &Pending| {
            pending.wire.as_ref().is_some_and(|(of, id)| *of == generation && id == request)
        };
        let found = state.calls.iter_mut().find(|pending| on_wire(pending));
        let Some(pending) = found.filter(|pending| !pending.repeated) else { return false };
        pending.repeated = true;
        pending.wire = None;
        let call = pending.call.clone();
        let now = state.pauses.now();
        // The old session must not end the call when it hears no more of it.
        if let Some(session) = state.session_of(generation) {
            let _ended = session.handle(now, Input::Cancel(call.call));
        }
        drop(state);
        self.feed(current, Input::Call(&call));
        true
    }

    /// Whether a request belongs to a call that was not asked again yet.
    pub(in crate::client) fn may_repeat(
        &self,
        generation: Generation,
        request: &Id<'static>,
    ) -> bool {
        let state = self.lock();
        state.calls.iter().any(|pending| {
            let wire = pending.wire.as_ref();
            !pending.repeated && wire.is_some_and(|(of, id)| *of == generation && id == request)
        })
    }

    fn generation_of(&self, call: CallId) -> Option<Generation> {
        let state = self.lock();
        let (generation, _) = state.calls.get(call)?.wire.as_ref()?;
        Some(*generation)
    }
}

/// A call's end, in words that say what happened.
#[cold]
pub(super) fn explained(
    method: RequestMethod,
    why: CallError,
    detail: Option<&Arc<str>>,
    lost: Option<&Arc<crate::client::Lost>>,
) -> Error {
    match (&why, lost) {
        (CallError::Closed | CallError::NotConnected, Some(lost)) => Error::Lost(lost.clone()),
        (CallError::Disconnected | CallError::Rejected { .. } | CallError::TimedOut, _) => {
            Error::Call { method, why, detail: detail.cloned() }
        }
        _ => Error::Call { method, why, detail: None },
    }
}
