//! Requests that handlers are busy with.

use super::{BatchNumber, HandlerNotification, SessionLimits, changes::Watched};
use crate::{
    jsonrpc::{Id, ProgressToken},
    revision::{LoggingRules, NotificationMethod, RequestMethod, Revision},
    session::{Declared, Time},
    types::{
        ClientRequest, ElicitationCompleteParams, LoggingLevel, LoggingMessageParams,
        ProgressParams, ServerNotification, SubscriptionFilter,
    },
};

/// The requests that run, found by their ids. There are few at a time, so a list does.
#[derive(Debug, Default)]
pub(super) struct Running(Vec<InFlight>);

#[derive(Debug)]
pub(super) struct InFlight {
    pub(super) id: Id<'static>,
    pub(super) method: RequestMethod,
    pub(super) revision: Revision,
    pub(super) declared: Declared,
    pub(super) batch: Option<BatchNumber>,
    pub(super) kind: RequestKind,
    /// Of a modern request; legacy ones follow the session's level.
    log_level: Option<LoggingLevel>,
    pub(super) progress: Option<Progress>,
    /// `None` for what stays open until it is ended.
    deadline: Option<Deadline>,
}

/// Where progress goes, and how far it was reported to be.
#[derive(Debug)]
pub(super) struct Progress {
    token: ProgressToken<'static>,
    reported: f64,
}

#[derive(Clone, Copy, Debug)]
struct Deadline {
    idle: Time,
    latest: Time,
    patience: std::time::Duration,
}

/// What the session must remember about a request, or when it succeeds.
#[derive(Debug)]
pub(super) enum RequestKind {
    /// It is answered when this task has ended.
    AwaitTask(String),
    Listen(SubscriptionFilter),
    Plain,
    Subscribe(String),
    Unsubscribe(String),
}

/// The facts about a request that was accepted.
pub(super) struct Started {
    pub(super) now: Time,
    pub(super) id: Id<'static>,
    pub(super) method: RequestMethod,
    pub(super) revision: Revision,
    pub(super) declared: Declared,
    pub(super) batch: Option<BatchNumber>,
}

impl InFlight {
    pub(super) fn is_listen(&self) -> bool {
        matches!(self.kind, RequestKind::Listen(_))
    }
}

impl Progress {
    /// The notification, if there is progress indeed.
    pub(super) fn report(
        &mut self,
        progress: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> Option<ServerNotification> {
        // What is not a number is never more than anything.
        let grows = progress.is_finite() && progress > self.reported;
        if !grows {
            return None;
        }
        self.reported = progress;
        Some(ServerNotification::Progress(ProgressParams {
            progress_token: self.token.clone(),
            progress,
            total: total.filter(|total| total.is_finite()),
            message: message.map(Into::into),
            meta: None,
        }))
    }
}

impl Running {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, id: &Id<'_>) -> Option<&InFlight> {
        self.0.iter().find(|running| running.id == *id)
    }

    /// What will be watched if the requests for it succeed.
    pub(super) fn subscribing(&self) -> Watched {
        Watched::of(self.0.iter().filter_map(|running| match &running.kind {
            RequestKind::Subscribe(uri) => Some(uri.as_str()),
            _ => None,
        }))
    }

    /// What the open subscriptions watch.
    pub(super) fn listening(&self) -> Watched {
        let lists =
            self.listens().flat_map(|(_, it)| [&it.resource_subscriptions, &it.task_ids]).flatten();
        Watched::of(lists.flatten().map(String::as_str))
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = Id<'static>> {
        self.0.iter().map(|running| running.id.clone())
    }

    /// The request that is answered when this task has ended.
    pub(super) fn waiting_for(&self, task: &str) -> Option<&Id<'static>> {
        let waits = |running: &&InFlight| matches!(&running.kind, RequestKind::AwaitTask(awaited) if awaited == task);
        self.0.iter().find(waits).map(|running| &running.id)
    }

    pub(super) fn listens(&self) -> impl Iterator<Item = (&InFlight, &SubscriptionFilter)> {
        self.0.iter().filter_map(|running| match &running.kind {
            RequestKind::Listen(filter) => Some((running, filter)),
            _ => None,
        })
    }

    pub(super) fn take(&mut self, id: &Id<'_>) -> Option<InFlight> {
        let at = self.0.iter().position(|running| running.id == *id)?;
        Some(self.0.swap_remove(at))
    }

    pub(super) fn start(
        &mut self,
        started: Started,
        request: &ClientRequest<'_>,
        log_level: Option<LoggingLevel>,
        token: Option<ProgressToken<'static>>,
        limits: &SessionLimits,
    ) {
        let kind = match request {
            ClientRequest::TaskResult(params) => RequestKind::AwaitTask(params.task_id.clone()),
            ClientRequest::Subscribe(params) => {
                RequestKind::Subscribe(params.uri.clone().into_owned())
            }
            ClientRequest::Unsubscribe(params) => {
                RequestKind::Unsubscribe(params.uri.clone().into_owned())
            }
            _ => RequestKind::Plain,
        };
        let latest = started.now + limits.longest;
        let idle = (started.now + limits.idle).min(latest);
        // A request that waits for a task waits as long as the task lives, and that has an end of its own.
        let deadline = match kind {
            RequestKind::AwaitTask(_) => None,
            _ => Some(Deadline { idle, latest, patience: limits.idle }),
        };
        let progress = token.map(|token| Progress { token, reported: f64::NEG_INFINITY });
        self.push(started, kind, deadline, log_level, progress);
    }

    pub(super) fn listen(&mut self, started: Started, filter: SubscriptionFilter) {
        self.push(started, RequestKind::Listen(filter), None, None, None);
    }

    fn push(
        &mut self,
        started: Started,
        kind: RequestKind,
        deadline: Option<Deadline>,
        log_level: Option<LoggingLevel>,
        progress: Option<Progress>,
    ) {
        let Started { now: _, id, method, revision, declared, batch } = started;
        self.0.push(InFlight {
            id,
            method,
            revision,
            declared,
            batch,
            kind,
            log_level,
            progress,
            deadline,
        });
    }

    /// Something is happening: the request is not idle.
    pub(super) fn sign_of_life(&mut self, now: Time, id: &Id<'_>) {
        if let Some(deadline) = self
            .0
            .iter_mut()
            .find(|running| running.id == *id)
            .and_then(|running| running.deadline.as_mut())
        {
            deadline.idle = (now + deadline.patience).min(deadline.latest);
        }
    }

    /// The notification for what a handler tells, if the client wants to hear it.
    ///
    /// Progress without a token, or that does not grow, is not sent; nor are log messages below the level that was asked for.
    pub(super) fn notification(
        &mut self,
        now: Time,
        id: &Id<'_>,
        notification: HandlerNotification,
        session_level: Option<LoggingLevel>,
    ) -> Option<ServerNotification> {
        self.sign_of_life(now, id);
        let running = self.0.iter_mut().find(|running| running.id == *id)?;
        match notification {
            HandlerNotification::ElicitationComplete { elicitation_id } => {
                elicitation_complete(running.revision, elicitation_id)
            }
            HandlerNotification::Log { level, logger, data } => {
                let wanted = match running.revision.rules().logging {
                    LoggingRules::PerRequest => {
                        running.log_level.is_some_and(|wanted| level >= wanted)
                    }
                    LoggingRules::SetLevel => session_level.is_none_or(|wanted| level >= wanted),
                };
                let params = LoggingMessageParams { level, logger, data, meta: None };
                wanted.then_some(ServerNotification::Message(params))
            }
            HandlerNotification::Progress { progress, total, message } => {
                running.progress.as_mut()?.report(progress, total, message)
            }
        }
    }

    pub(super) fn expired(&self, now: Time) -> Vec<Id<'static>> {
        let late =
            |running: &&InFlight| running.deadline.is_some_and(|deadline| deadline.idle <= now);
        self.0.iter().filter(late).map(|running| running.id.clone()).collect()
    }

    pub(super) fn next_deadline(&self) -> Option<Time> {
        self.0.iter().filter_map(|running| running.deadline).map(|deadline| deadline.idle).min()
    }
}

/// The news that a user is done at a page, where the revision has them.
pub(super) fn elicitation_complete(
    revision: Revision,
    elicitation_id: String,
) -> Option<ServerNotification> {
    let known = revision.rules().server_notifications;
    let params = ElicitationCompleteParams { elicitation_id, meta: None };
    known
        .contains(NotificationMethod::ElicitationComplete)
        .then_some(ServerNotification::ElicitationComplete(params))
}
