//! Requests that were answered with a task and go on in the background.
//!
//! Their ids are free again, but the progress token stays valid for as long as the task lives, and all that the task says carries its id. It is
//! said where the client waits for the task's result, if it does so, and otherwise where things go that belong to no request.

use super::{
    HandlerNotification, Link, Outgoing, Output, RequestKind, ServerSession, Transmit,
    running::{InFlight, Progress, elicitation_complete},
};
use crate::{
    jsonrpc::Id,
    revision::{NotificationMethod, Revision},
    session::Time,
    types::{
        LoggingLevel, LoggingMessageParams, Meta, RelatedTask, ServerNotification, ServerRequest,
        Task,
    },
};

/// The tasks of this conversation that have not ended.
#[derive(Debug, Default)]
pub(super) struct Ongoing(Vec<OngoingTask>);

#[derive(Debug)]
pub(super) struct OngoingTask {
    task: String,
    pub(super) revision: Revision,
    progress: Option<Progress>,
}

impl Ongoing {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, task: &str) -> Option<&OngoingTask> {
        self.0.iter().find(|ongoing| ongoing.task == task)
    }

    /// The request was answered with this task.
    pub(super) fn begin(&mut self, task: String, request: &mut InFlight) {
        let progress = request.progress.take();
        self.0.push(OngoingTask { task, revision: request.revision, progress });
    }

    pub(super) fn end(&mut self, task: &str) {
        self.0.retain(|ongoing| ongoing.task != task);
    }

    fn notification(
        &mut self,
        task: &str,
        notification: HandlerNotification,
        level: Option<LoggingLevel>,
    ) -> Option<(Revision, ServerNotification)> {
        let ongoing = self.0.iter_mut().find(|ongoing| ongoing.task == task)?;
        let notification = match notification {
            HandlerNotification::ElicitationComplete { elicitation_id } => {
                elicitation_complete(ongoing.revision, elicitation_id)
            }
            HandlerNotification::Log { level: of, logger, data } => {
                let params = LoggingMessageParams { level: of, logger, data, meta: None };
                level
                    .is_none_or(|wanted| of >= wanted)
                    .then_some(ServerNotification::Message(params))
            }
            HandlerNotification::Progress { progress, total, message } => {
                ongoing.progress.as_mut()?.report(progress, total, message)
            }
        }?;
        Some((ongoing.revision, notification))
    }
}

impl ServerSession {
    /// A handler that runs as a task has something to tell.
    pub(super) fn notify_of_task(
        &mut self,
        task: &str,
        notification: HandlerNotification,
        out: &mut Vec<Output<'_>>,
    ) {
        let level = self.legacy.level();
        let Some((revision, mut notification)) =
            self.ongoing.notification(task, notification, level)
        else {
            return;
        };
        relate(notification.meta_mut(), task);
        out.push(self.of_task(task, revision, Outgoing::Notification(notification)));
    }

    /// The status of a task changed. Only tasks that began in this conversation are told of.
    pub(super) fn task_changed(&mut self, task: Box<Task>, out: &mut Vec<Output<'_>>) {
        let Some(ongoing) = self.ongoing.get(&task.task_id) else { return };
        let revision = ongoing.revision;
        if !revision.rules().server_notifications.contains(NotificationMethod::TasksStatus) {
            return;
        }
        let id = task.task_id.clone();
        let message = Outgoing::Notification(ServerNotification::TaskStatus(task));
        out.push(self.of_task(&id, revision, message));
    }

    /// What belongs to a task, on its way to where the client listens for it.
    pub(super) fn of_task(
        &self,
        task: &str,
        revision: Revision,
        message: Outgoing,
    ) -> Output<'static> {
        let status = revision.rules().http.status.answered;
        let about = self.running.waiting_for(task).cloned();
        Output::Transmit(Transmit { revision, about, status, message })
    }

    /// Whether a question of a task has to wait until the client asks for the task's result: before, no stream is sure to be read.
    pub(super) fn must_hold(&self, task: &str) -> bool {
        self.link == Link::Http && self.running.waiting_for(task).is_none()
    }

    /// A client waits for a task's result: now it can be asked what the task needs to know.
    pub(super) fn release(&mut self, now: Time, request: &Id<'static>, out: &mut Vec<Output<'_>>) {
        let Some(InFlight { kind: RequestKind::AwaitTask(task), revision, .. }) =
            self.running.get(request)
        else {
            return;
        };
        let (task, revision) = (task.clone(), *revision);
        let mut released = Vec::new();
        for (id, asked) in self.asks.iter_mut() {
            if asked.task.as_deref() == Some(&*task)
                && let Some(request) = asked.held.take()
            {
                released.push(Outgoing::Request { id: id.clone(), request });
            }
        }
        for message in released {
            if let Outgoing::Request { id, .. } = &message {
                self.asks.sign_of_life(now, id);
            }
            out.push(self.of_task(&task, revision, message));
        }
    }
}

/// Says which task a message belongs to.
pub(super) fn relate(meta: &mut Option<Meta>, task: &str) {
    RelatedTask { task_id: task.to_owned() }.write_to(meta.get_or_insert_default());
}

/// Says which task a question belongs to; a ping belongs to nothing.
pub(super) fn relate_request(request: &mut ServerRequest, task: &str) {
    if let Some(meta) = request.meta_mut() {
        relate(meta, task);
    }
}

#[cfg(test)]
mod tests;
