//! What answers mean for the calls they belong to.

use super::{
    Breach, CallError, ClientSession, Completion, Output,
    calls::{CallKind, Running, Waiting},
    connecting::supported_versions,
    profile::Introduction,
};
use crate::{
    json::RawRef,
    jsonrpc::{ErrorCode, ErrorObject, Id},
    revision::{Era, TaskOptIn, TaskStyle},
    session::Time,
    types::{CreateTaskResult, ExtensionTask, ResultType},
};

/// What came back for a request.
pub(super) enum Answer<'a> {
    Error {
        error: ErrorObject,
        /// Of the HTTP response.
        status: Option<u16>,
    },
    /// It was meant as an answer but is no message.
    Garbled(String),
    /// Nothing, and nothing will.
    Lost,
    /// An HTTP status and nothing else.
    Rejected { status: u16 },
    Result {
        result: RawRef<'a>,
        /// As in [`Response`](crate::jsonrpc::Response).
        result_type: Option<Option<RawRef<'a>>>,
    },
}

impl ClientSession {
    pub(super) fn answered(
        &mut self,
        now: Time,
        id: &Id<'static>,
        answer: Answer<'_>,
        out: &mut Vec<Output>,
    ) {
        match self.sent.take(id) {
            Some(Waiting::Call(running)) => self.call_answered(now, id, running, answer, out),
            Some(Waiting::Discover(attempt)) => self.discovered(now, attempt, answer, out),
            Some(Waiting::Initialize(attempt)) => {
                self.initialize_answered(now, attempt, answer, out);
            }
            // The driver's own news about a request that is over are no news.
            None if matches!(answer, Answer::Lost | Answer::Rejected { .. }) => {}
            None if self.late_probe.as_ref() == Some(id) => self.discovered_late(&answer, out),
            None if self.abandoned.contains(id) => {}
            None => out.push(Output::Breach(Breach::UnknownAnswer(id.clone()))),
        }
    }

    fn call_answered(
        &mut self,
        now: Time,
        id: &Id<'static>,
        mut running: Box<Running>,
        answer: Answer<'_>,
        out: &mut Vec<Output>,
    ) {
        let error = match answer {
            Answer::Result { result, result_type } => {
                self.call_succeeded(now, id, running, (result, result_type), out);
                return;
            }
            Answer::Error { error, .. }
                if error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
                    && self.change_version(&running, &error) =>
            {
                running.version_changed = true;
                self.send(now, running, out);
                return;
            }
            Answer::Error { error, .. } => CallError::Refused(error),
            Answer::Garbled(why) => CallError::Unreadable(why),
            Answer::Lost => CallError::Disconnected,
            Answer::Rejected { status } => CallError::Rejected { status },
        };
        running.complete(Err(error), out);
    }

    fn call_succeeded(
        &mut self,
        now: Time,
        id: &Id<'static>,
        running: Box<Running>,
        (result, result_type): (RawRef<'_>, Option<Option<RawRef<'_>>>),
        out: &mut Vec<Output>,
    ) {
        if let CallKind::Listen { acknowledged, .. } = &running.kind {
            if !acknowledged {
                out.push(Output::Breach(Breach::BeforeAcknowledgement(id.clone())));
            }
            running.complete(Ok(Completion::Ended), out);
            return;
        }
        let typed = self.agreed().is_some_and(|agreed| agreed.rules().result.result_type);
        // A modern server must say what its result is, but what older ones leave out means the same in every revision.
        let kind = if typed { ResultType::found(result, result_type) } else { Ok(None) };
        let outcome = match kind {
            Ok(None | Some(ResultType::Complete)) => {
                self.remember(&running.kind);
                Ok(complete(&running, result))
            }
            Ok(Some(ResultType::InputRequired)) => {
                self.input_required(now, running, result, out);
                return;
            }
            Ok(Some(ResultType::Task)) => self.became_task(&running, result),
            Ok(Some(ResultType::Other(name))) => {
                Err(CallError::UnknownResultType(super::shortened(&name)))
            }
            Err(error) => Err(CallError::Unreadable(error.to_string())),
        };
        running.complete(outcome, out);
    }

    /// Notes what a successful request changes.
    fn remember(&mut self, kind: &CallKind) {
        let Some(agreed) = self.agreed_mut() else { return };
        match kind {
            CallKind::Subscribe(uri) if !agreed.watched.contains(uri) => {
                agreed.watched.push(uri.clone());
            }
            CallKind::Unsubscribe(uri) => agreed.watched.retain(|watched| watched != uri),
            CallKind::Subscribe(_) | CallKind::Listen { .. } | CallKind::Plain | CallKind::Task => {
            }
        }
    }

    // Never inlined: few calls become tasks.
    #[inline(never)]
    fn became_task(&self, running: &Running, result: RawRef<'_>) -> Result<Completion, CallError> {
        let may = self.agreed().is_some_and(|agreed| {
            let rules = agreed.rules().tasks.filter(|tasks| {
                tasks.style == TaskStyle::Extension && tasks.opt_in == TaskOptIn::Server
            });
            rules.is_some_and(|tasks| tasks.augmentable.contains(running.method))
                && agreed.ours.declared.tasks_extension
        });
        if !may {
            return Err(CallError::UnexpectedTask);
        }
        serde_json::from_str::<ExtensionTask>(result.get())
            .map(|task| Completion::ExtensionTask(Box::new(task)))
            .map_err(|error| CallError::Unreadable(error.to_string()))
    }

    /// Moves to another modern revision that the server names; whether the call is worth another try.
    // Never inlined: a server drops a revision at most once in a session.
    #[inline(never)]
    fn change_version(&mut self, running: &Running, error: &ErrorObject) -> bool {
        let mutual = self.profile.newest_mutual(Era::Modern, &supported_versions(error));
        let profile = self.profile.clone();
        let Some(agreed) = self.agreed_mut() else { return false };
        let Some(revision) = mutual.filter(|mutual| *mutual != agreed.server.revision) else {
            return false;
        };
        if running.version_changed || agreed.rules().era != Era::Modern {
            return false;
        }
        std::sync::Arc::make_mut(&mut agreed.server).revision = revision;
        agreed.ours = Introduction::new(&profile, revision.rules());
        true
    }
}

fn complete(running: &Running, result: RawRef<'_>) -> Completion {
    if matches!(running.kind, CallKind::Task)
        && let Ok(created) = serde_json::from_str::<CreateTaskResult>(result.get())
    {
        return Completion::Task(Box::new(created));
    }
    Completion::Result(result.into())
}
