//! What becomes of a session's decisions.

use std::sync::{Arc, PoisonError};

use proofmark_core::{session::client::Output, types::ServerNotification};
use tokio::sync::oneshot;

use super::{Asked, CallOutcome, ConnectionState, Engine, Generation, Job, State};
use crate::client::Progress;

impl Engine {
    pub(super) fn act(
        &self,
        state: &mut State,
        generation: Generation,
        output: Output,
        why: Option<&Arc<str>>,
        ended: &mut Vec<(oneshot::Sender<CallOutcome>, CallOutcome)>,
    ) {
        match output {
            Output::Abandon(request) => state.jobs.push_back(Job::Abandon { generation, request }),
            Output::Ask { ask, call, what } => {
                let what = Asked::of(what, state.relay_of(call));
                state.jobs.push_back(Job::Ask { generation, ask, what });
            }
            Output::Breach(breach) => tracing::debug!(%breach, "the server broke a rule"),
            Output::Completed { call, rounds, outcome } => {
                ended.extend(state.completed(call, rounds, outcome, why));
            }
            Output::Connected(server) => {
                state.revision = Some(server.revision);
                self.connection.send_replace(ConnectionState::Ready(server));
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
                if let Some(listener) = extras.and_then(|extras| extras.notifications.as_ref())
                    && listener.try_send(notification.clone()).is_err()
                {
                    tracing::debug!("a subscription is not read: a notification was dropped");
                }
                if let Some(relay) = state.relay_of(None) {
                    relay.tell(&notification);
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
                let open = state.sent(generation, &transmit.message);
                let extras = open.and_then(|open| open.extras.as_ref());
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
        // Without a listener there is nothing to miss.
        let _unheard = self.notices.send(notification);
    }
}
