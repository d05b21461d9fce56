//! What handlers ask of the client.

use super::{Ask, AskError, AskId, Breach, Outgoing, Output, ServerSession, Transmit, ongoing};
use crate::{
    json::Raw,
    jsonrpc::Id,
    revision::Revision,
    session::Time,
    types::{CancelledParams, ServerNotification, ServerRequest},
};

/// A handler's question, while the client thinks about it.
#[derive(Debug)]
pub(super) struct OpenAsk {
    pub(super) ask: AskId,
    /// The request on whose behalf it was asked.
    pub(super) request: Option<Id<'static>>,
    /// The task that asks.
    pub(super) task: Option<String>,
    /// What the client was not asked yet, because it does not listen.
    pub(super) held: Option<ServerRequest>,
}

impl ServerSession {
    pub(super) fn ask(&mut self, now: Time, mut ask: Ask, out: &mut Vec<Output<'_>>) {
        let outcome = self.may_ask(&ask);
        let revision = match outcome {
            Ok(revision) => revision,
            Err(error) => {
                out.push(Output::Settled { ask: ask.ask, outcome: Err(error) });
                return;
            }
        };
        let mut asked =
            OpenAsk { ask: ask.ask, request: ask.request.clone(), task: ask.task, held: None };
        let longest = self.offer.limits.longest_ask.max(ask.patience);
        if let Some(task) = asked.task.clone() {
            ongoing::relate_request(&mut ask.what, &task);
            if self.must_hold(&task) {
                asked.held = Some(ask.what);
                self.asks.add(now, asked, ask.patience, longest);
                return;
            }
            let id = self.asks.add(now, asked, ask.patience, longest);
            out.push(self.of_task(&task, revision, Outgoing::Request { id, request: ask.what }));
            return;
        }
        let id = self.asks.add(now, asked, ask.patience, longest);
        if let Some(request) = &ask.request {
            self.running.sign_of_life(now, request);
        }
        out.push(Output::Transmit(Transmit {
            revision,
            about: ask.request,
            status: revision.rules().http.status.answered,
            message: Outgoing::Request { id, request: ask.what },
        }));
    }

    fn may_ask(&self, ask: &Ask) -> Result<Revision, AskError> {
        let revision = match (&ask.task, &ask.request) {
            (Some(task), _) => self.ongoing.get(task).ok_or(AskError::Cancelled)?.revision,
            (None, Some(request)) => self.running.get(request).ok_or(AskError::Cancelled)?.revision,
            (None, None) => self.negotiated().ok_or(AskError::NotInitialized)?,
        };
        let rules = revision.rules();
        let method = ask.what.method();
        if !rules.server_requests.contains(method) {
            return Err(AskError::NotInRevision(method));
        }
        self.legacy.may_ask(&ask.what)?;
        if self.asks.len() >= self.offer.limits.asks {
            return Err(AskError::TooMany { limit: self.offer.limits.asks });
        }
        Ok(revision)
    }

    /// Tells the client that a question is moot, if it was asked.
    pub(super) fn withdraw(
        &self,
        id: Id<'static>,
        asked: OpenAsk,
        reason: &'static str,
        out: &mut Vec<Output<'_>>,
    ) {
        if asked.held.is_some() {
            return;
        }
        let mut params =
            CancelledParams { request_id: Some(id), reason: Some(reason.into()), meta: None };
        let rules = self.rules();
        if let Some(task) = asked.task {
            ongoing::relate(&mut params.meta, &task);
            let message = Outgoing::Notification(ServerNotification::Cancelled(params));
            out.push(self.of_task(&task, rules.revision, message));
            return;
        }
        out.push(Output::Transmit(Transmit {
            revision: rules.revision,
            about: asked.request,
            status: rules.http.status.answered,
            message: Outgoing::Notification(ServerNotification::Cancelled(params)),
        }));
    }

    /// Tells the client that nothing is left to ask for the sake of a request that is over.
    pub(super) fn withdraw_for(
        &mut self,
        request: &Id<'static>,
        reason: &'static str,
        out: &mut Vec<Output<'_>>,
    ) {
        while let Some((id, asked)) =
            self.asks.take_if(|asked| asked.request.as_ref() == Some(request))
        {
            let ask = asked.ask;
            self.withdraw(id, asked, reason, out);
            out.push(Output::Settled { ask, outcome: Err(AskError::Cancelled) });
        }
    }

    pub(super) fn answered(
        &mut self,
        id: &Id<'_>,
        outcome: impl FnOnce() -> Result<Raw, AskError>,
        out: &mut Vec<Output<'_>>,
    ) {
        out.push(match self.asks.take(id) {
            Some(asked) => Output::Settled { ask: asked.ask, outcome: outcome() },
            None => Output::Breach(Breach::UnknownAnswer(id.clone().into_owned())),
        });
    }

    /// No answer can come any more.
    pub(super) fn settle_all(&mut self, out: &mut Vec<Output<'_>>) {
        out.extend(
            self.asks
                .drain()
                .map(|asked| Output::Settled { ask: asked.ask, outcome: Err(AskError::Closed) }),
        );
    }
}
