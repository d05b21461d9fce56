//! What becomes of a session's decisions.

use std::sync::{Arc, PoisonError};

use proofmark_core::{
    session::client::{CallError, Outgoing, Output},
    types::ServerNotification,
};
use tokio::sync::oneshot;

use super::{
    Done, Engine, Generation, Job, Stage, State,
    pending::{Pending, explained},
};
use crate::client::{Error, Lost, Progress};

/// What is told only when the lock is free again.
#[derive(Default)]
pub(super) struct After {
    /// Mostly there is no other.
    first: Option<Told>,
    others: Vec<Told>,
}

type Told = (oneshot::Sender<Done>, Done);

impl After {
    fn push(&mut self, told: Told) {
        match self.first {
            None => self.first = Some(told),
            Some(_) => self.others.push(told),
        }
    }

    pub(super) fn tell(self) {
        for (waiting, done) in self.first.into_iter().chain(self.others) {
            // Whoever waited may have gone.
            let _gone = waiting.send(done);
        }
    }
}

impl Engine {
    pub(super) fn act(
        &self,
        state: &mut State,
        generation: Generation,
        output: Output,
        why: Option<&Arc<str>>,
        after: &mut After,
    ) {
        match output {
            Output::Abandon(request) => state.jobs.push_back(Job::Abandon { generation, request }),
            Output::Ask { ask, what, .. } => {
                state.jobs.push_back(Job::Ask { generation, ask, what });
            }
            Output::Breach(breach) => tracing::debug!(%breach, "the server broke a rule"),
            Output::Completed { call, rounds, outcome } => {
                state.crowd = state.calls.len();
                let Some(pending) = state.calls.remove(call) else { return };
                if let (
                    Some((generation, request)),
                    Err(CallError::Cancelled | CallError::TimedOut),
                ) = (pending.wire, &outcome)
                {
                    state.jobs.push_back(Job::Abandon { generation, request });
                }
                let outcome = outcome.map_err(|error| {
                    let why = why.or(state.note.as_ref());
                    explained(pending.call.method, error, why, state.lost.as_ref())
                });
                after.push((pending.done, Done { rounds, outcome }));
            }
            Output::Connected(server) => {
                state.revision = Some(server.revision);
                self.stage.send_replace(Stage::Ready(server));
                state.jobs.push_back(Job::Connected(generation));
            }
            // What it follows says why, and the driver then closes the connection.
            Output::Disconnect => {}
            Output::Failed(failure) => {
                let detail = why.cloned();
                state.jobs.push_back(Job::Failed { generation, why: failure, detail });
            }
            Output::Notified { notification, subscription } => {
                let listener = subscription.and_then(|call| state.calls.get(call));
                if let Some(listener) = listener.and_then(|pending| pending.notices.as_ref())
                    && listener.try_send(notification.clone()).is_err()
                {
                    tracing::debug!("a subscription is not read: a notification was dropped");
                }
                self.notice(notification);
            }
            Output::Progress { call, progress, total, message } => {
                let listener = state.calls.get(call).and_then(|call| call.progress.as_ref());
                if let Some(listener) = listener {
                    // A reader that is too slow misses steps; the next one tells more anyway.
                    let _full = listener.try_send(Progress { progress, total, message });
                }
            }
            Output::Transmit(transmit) => {
                let pending = state.sent(generation, &transmit.message);
                let mirrored = pending.map(|pending| pending.mirrored.clone()).unwrap_or_default();
                state.jobs.push_back(Job::Send { generation, transmit, mirrored });
            }
            Output::Withdrawn(ask) => state.jobs.push_back(Job::Withdrawn { generation, ask }),
        }
    }

    fn notice(&self, notification: ServerNotification) {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).invalidate(&notification);
        if matches!(notification, ServerNotification::ToolsListChanged(_)) {
            self.tools.lock().unwrap_or_else(PoisonError::into_inner).forget();
        }
        // Nobody listens: then nobody misses it.
        let _unheard = self.notices.send(notification);
    }
}

impl State {
    /// Notes under which id a call is on its way, and says whose it is.
    pub(super) fn sent(
        &mut self,
        generation: Generation,
        message: &Outgoing,
    ) -> Option<&mut Pending> {
        let Outgoing::Request { id, call: Some(call), .. } = message else { return None };
        let pending = self.calls.get_mut(*call)?;
        pending.wire = Some((generation, id.clone()));
        Some(pending)
    }
}

pub(super) fn closed() -> Error {
    Error::Lost(Arc::new(Lost::Closed))
}
