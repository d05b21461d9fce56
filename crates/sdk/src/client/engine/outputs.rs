//! What becomes of a session's decisions.

use std::sync::{Arc, PoisonError};

use proofmark_core::{
    session::client::{CallError, CallId, Completion, Outgoing, Output},
    types::ServerNotification,
};
use tokio::sync::oneshot;

use super::{
    Done, Engine, Generation, Job, Stage, State,
    pending::{Pending, explained},
};
use crate::client::{Error, Lost, Progress};

/// Who is told how a call ended, when the lock is free again.
pub(super) struct Told(oneshot::Sender<Done>, Done);

impl Told {
    pub(super) fn tell(self) {
        let Self(waiting, done) = self;
        // Whoever waited may have gone.
        let _gone = waiting.send(done);
    }
}

impl Engine {
    pub(super) fn act(
        &self,
        state: &mut State,
        generation: Generation,
        output: Output,
        why: Option<&Arc<str>>,
        after: &mut Vec<Told>,
    ) {
        match output {
            Output::Abandon(request) => state.jobs.push_back(Job::Abandon { generation, request }),
            Output::Ask { ask, what, .. } => {
                state.jobs.push_back(Job::Ask { generation, ask, what });
            }
            Output::Breach(breach) => tracing::debug!(%breach, "the server broke a rule"),
            Output::Completed { call, rounds, outcome } => {
                after.extend(state.completed(call, rounds, outcome, why));
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
                let extras = subscription.and_then(|call| state.calls.extras(call));
                if let Some(listener) = extras.and_then(|extras| extras.notices.as_ref())
                    && listener.try_send(notification.clone()).is_err()
                {
                    tracing::debug!("a subscription is not read: a notification was dropped");
                }
                self.notice(notification);
            }
            Output::Progress { call, progress, total, message } => {
                let extras = state.calls.extras(call);
                if let Some(listener) = extras.and_then(|extras| extras.progress.as_ref()) {
                    // A reader that is too slow misses steps; the next one tells more anyway.
                    let _full = listener.try_send(Progress { progress, total, message });
                }
            }
            Output::Transmit(transmit) => {
                let pending = state.sent(generation, &transmit.message);
                let extras = pending.and_then(|pending| pending.extras.as_ref());
                let mirrored = extras.map(|extras| extras.mirrored.clone()).unwrap_or_default();
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
    /// A call has ended.
    pub(super) fn completed(
        &mut self,
        call: CallId,
        rounds: u32,
        outcome: Result<Completion, CallError>,
        why: Option<&Arc<str>>,
    ) -> Option<Told> {
        self.crowd = self.calls.len();
        let pending = self.calls.remove(call)?;
        let outcome = outcome.map_err(|error| {
            if let (CallError::Cancelled | CallError::TimedOut, Some((generation, request))) =
                (&error, pending.wire)
            {
                self.jobs.push_back(Job::Abandon { generation, request });
            }
            let why = why.or(self.note.as_ref());
            explained(pending.call.method, error, why, self.lost.as_ref())
        });
        Some(Told(pending.done, Done { rounds, outcome }))
    }

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
