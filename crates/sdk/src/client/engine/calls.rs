//! Calls, from the moment they are made until their outcome is known.

use std::{
    collections::{VecDeque, vec_deque},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use http::{HeaderName, HeaderValue};
use proofmark_core::{
    jsonrpc::Id,
    revision::RequestMethod,
    session::client::{Call, CallError, CallId, Completion, Input, Outgoing},
    types::ServerNotification,
};
use tokio::sync::{mpsc, oneshot};

use super::{Engine, Generation, Job, State};
use crate::client::{Error, Lost, Progress, relay::RelayTo};

/// What few calls have.
#[derive(Default)]
pub(in crate::client) struct CallExtras {
    pub(in crate::client) progress: Option<mpsc::Sender<Progress>>,
    /// For what a subscription brings.
    pub(in crate::client) notifications: Option<mpsc::Sender<ServerNotification>>,
    /// Arguments that headers repeat.
    pub(in crate::client) mirrored: Vec<(HeaderName, HeaderValue)>,
    /// Passes on what the server asks and tells.
    pub(in crate::client) relay: Option<RelayTo>,
}

/// How a call ended.
pub(in crate::client) struct CallOutcome {
    /// How often the server asked back.
    pub(in crate::client) rounds: u32,
    pub(in crate::client) result: Result<Completion, Error>,
}

/// A caller's half of a call: waits for its outcome. Dropping it cancels the call.
pub(in crate::client) struct PendingCall {
    engine: Arc<Engine>,
    generation: Generation,
    call: CallId,
    outcome: oneshot::Receiver<CallOutcome>,
}

impl Future for PendingCall {
    type Output = CallOutcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<CallOutcome> {
        Pin::new(&mut self.outcome).poll(context).map(|outcome| {
            // The sender is only dropped with the engine, which this keeps alive.
            let closed = || Err(Error::Lost(Arc::new(Lost::Closed)));
            outcome.unwrap_or_else(|_| CallOutcome { rounds: 0, result: closed() })
        })
    }
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        // The outcome was taken, or lies ready.
        if self.outcome.is_terminated() || !self.outcome.is_empty() {
            return;
        }
        let generation = self.engine.generation_of(self.call).unwrap_or(self.generation);
        self.engine.feed(generation, Input::Cancel(self.call));
    }
}

/// The engine's half of a call.
pub(super) struct OpenCall {
    pub(super) caller: oneshot::Sender<CallOutcome>,
    pub(super) extras: Option<Box<CallExtras>>,
    /// The request that is on its way.
    pub(super) request: Option<(Generation, Id<'static>)>,
    /// To be made again in another session.
    pub(super) call: Call,
    pub(super) repeated: bool,
}

impl Engine {
    /// Makes a call, whose id is given here.
    pub(in crate::client) fn call(
        self: &Arc<Self>,
        mut call: Call,
        extras: Option<Box<CallExtras>>,
    ) -> PendingCall {
        let (caller, outcome) = oneshot::channel();
        let mut state = self.lock();
        let id = CallId(state.next_call);
        state.next_call += 1;
        call.call = id;
        let generation = state.generation;
        let mut outputs = state.decide(generation, Input::Call(&call));
        state.calls.push(OpenCall { caller, extras, request: None, call, repeated: false });
        let mut pipe = state.is_quiet().then(|| self.pipe.try_lock().ok()).flatten();
        let pipe = pipe.as_deref_mut().and_then(Option::as_mut);
        let left = if let Some(pipe) = pipe
            && state.push_fast(pipe, &mut outputs)
        {
            state.outputs = outputs;
            drop(state);
            !pipe.write_now()
        } else {
            self.carry_out_fast(state, generation, outputs, None)
        };
        if left {
            self.work.notify_one();
        }
        PendingCall { engine: self.clone(), generation, call: id, outcome }
    }

    /// Makes a call again, in the current session, that another session was refused without a look. Not twice for the same call.
    pub(in crate::client) fn repeat(&self, generation: Generation, request: &Id<'static>) -> bool {
        let mut state = self.lock();
        let current = state.generation;
        let found = state.calls.iter_mut().find(|open| open.is_on_its_way_as(generation, request));
        let Some(open) = found.filter(|open| !open.repeated) else { return false };
        open.repeated = true;
        open.request = None;
        let call = open.call.clone();
        let now = state.pauses.now();
        // The old session must not end the call when it hears no more of it.
        if let Some(session) = state.session_of(generation) {
            let _ended = session.handle(now, Input::Cancel(call.call));
        }
        drop(state);
        self.feed(current, Input::Call(&call));
        true
    }

    /// Whether a request belongs to a call that was not made again yet.
    pub(in crate::client) fn may_repeat(
        &self,
        generation: Generation,
        request: &Id<'static>,
    ) -> bool {
        let state = self.lock();
        let mut calls = state.calls.iter();
        calls.any(|open| !open.repeated && open.is_on_its_way_as(generation, request))
    }

    fn generation_of(&self, call: CallId) -> Option<Generation> {
        let state = self.lock();
        let (generation, _) = state.calls.get(call)?.request.as_ref()?;
        Some(*generation)
    }
}

impl OpenCall {
    fn is_on_its_way_as(&self, generation: Generation, request: &Id<'static>) -> bool {
        self.request.as_ref().is_some_and(|(of, id)| *of == generation && id == request)
    }
}

impl State {
    /// Who is to hear what belongs to a call, or to none that the message names. Of several clients it might be meant for, none is.
    pub(super) fn relay_of(&self, call: Option<CallId>) -> Option<RelayTo> {
        let relay = |open: &OpenCall| open.extras.as_deref()?.relay.clone();
        if let Some(call) = call {
            return self.calls.get(call).and_then(relay);
        }
        let came_with = self.came_with.as_ref();
        if let Some(open) = self
            .calls
            .iter()
            .find(|open| open.request.as_ref().is_some_and(|(_, id)| Some(id) == came_with))
        {
            return relay(open);
        }
        let mut open = self.calls.iter().filter_map(relay);
        let first = open.next()?;
        open.all(|other| other.client == first.client).then_some(first)
    }

    /// Notes under which id a call is on its way, and says which call it is.
    pub(super) fn sent(
        &mut self,
        generation: Generation,
        message: &Outgoing,
    ) -> Option<&mut OpenCall> {
        let Outgoing::Request { id, call: Some(call), .. } = message else { return None };
        let open = self.calls.get_mut(*call)?;
        open.request = Some((generation, id.clone()));
        Some(open)
    }

    /// A call has ended. Its caller is to be told when the lock is free again.
    pub(super) fn completed(
        &mut self,
        call: CallId,
        rounds: u32,
        result: Result<Completion, CallError>,
        why: Option<&Arc<str>>,
    ) -> Option<(oneshot::Sender<CallOutcome>, CallOutcome)> {
        self.open_at_last_end = self.calls.len();
        let open = self.calls.remove(call)?;
        let result = result.map_err(|error| {
            if let (CallError::Cancelled | CallError::TimedOut, Some((generation, request))) =
                (&error, open.request)
            {
                self.jobs.push_back(Job::Abandon { generation, request });
            }
            let why = why.or(self.note.as_ref());
            explained(open.call.method, error, why, self.lost.as_ref())
        });
        Some((open.caller, CallOutcome { rounds, result }))
    }
}

/// The calls that are not over, in the order of their ids. Most end in about the order in which they began.
#[derive(Default)]
pub(super) struct Calls(VecDeque<OpenCall>);

impl Calls {
    /// Adds a call, which began after all others.
    pub(super) fn push(&mut self, open: OpenCall) {
        self.0.push_back(open);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, call: CallId) -> Option<&OpenCall> {
        self.0.get(self.position(call)?)
    }

    pub(super) fn extras(&self, call: CallId) -> Option<&CallExtras> {
        self.get(call)?.extras.as_deref()
    }

    pub(super) fn get_mut(&mut self, call: CallId) -> Option<&mut OpenCall> {
        let at = self.position(call)?;
        self.0.get_mut(at)
    }

    pub(super) fn remove(&mut self, call: CallId) -> Option<OpenCall> {
        if self.0.front()?.call.call == call {
            return self.0.pop_front();
        }
        let at = self.position(call)?;
        self.0.remove(at)
    }

    pub(super) fn iter(&self) -> vec_deque::Iter<'_, OpenCall> {
        self.0.iter()
    }

    pub(super) fn iter_mut(&mut self) -> vec_deque::IterMut<'_, OpenCall> {
        self.0.iter_mut()
    }

    fn position(&self, call: CallId) -> Option<usize> {
        self.0.binary_search_by_key(&call, |open| open.call.call).ok()
    }
}

/// A call's end, in words that say what happened.
// Cold: few calls end with an error, and the others should not carry the code for it.
#[cold]
fn explained(
    method: RequestMethod,
    why: CallError,
    detail: Option<&Arc<str>>,
    lost: Option<&Arc<Lost>>,
) -> Error {
    match (&why, lost) {
        (CallError::Closed | CallError::NotConnected, Some(lost)) => Error::Lost(lost.clone()),
        (CallError::Disconnected | CallError::Rejected { .. } | CallError::TimedOut, _) => {
            Error::Call { method, why, detail: detail.cloned() }
        }
        _ => Error::Call { method, why, detail: None },
    }
}
