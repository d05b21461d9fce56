//! What handlers ask of the client.

use super::{Ask, AskError, AskId, Breach, Outgoing, Output, ServerSession, Transmit};
use crate::{
    json::Raw,
    jsonrpc::Id,
    revision::Revision,
    session::Time,
    types::{CancelledParams, ServerNotification},
};

/// A handler's question, while the client thinks about it.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) ask: AskId,
    /// The request on whose behalf it was asked.
    pub(super) request: Option<Id<'static>>,
}

impl ServerSession {
    pub(super) fn ask(&mut self, now: Time, ask: Ask, out: &mut Vec<Output<'_>>) {
        let outcome = self.may_ask(&ask);
        let revision = match outcome {
            Ok(revision) => revision,
            Err(error) => {
                out.push(Output::Settled { ask: ask.ask, outcome: Err(error) });
                return;
            }
        };
        let asked = Asked { ask: ask.ask, request: ask.request.clone() };
        let id = self.asks.add(
            now,
            asked,
            ask.patience,
            self.offer.limits.longest_ask.max(ask.patience),
        );
        if let Some(request) = &ask.request {
            self.running.sign_of_life(now, request);
        }
        out.push(Output::Transmit(Transmit {
            revision,
            about: ask.request,
            status: revision.rules().http.status.answered.code,
            message: Outgoing::Request { id, request: ask.what },
        }));
    }

    fn may_ask(&self, ask: &Ask) -> Result<Revision, AskError> {
        let revision = match &ask.request {
            Some(request) => self.running.get(request).ok_or(AskError::Cancelled)?.revision,
            None => self.negotiated().ok_or(AskError::NotInitialized)?,
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

    /// Tells the client that a question is moot.
    pub(super) fn withdraw(
        &self,
        id: Id<'static>,
        about: Option<Id<'static>>,
        reason: &'static str,
    ) -> Output<'static> {
        let params =
            CancelledParams { request_id: Some(id), reason: Some(reason.into()), meta: None };
        let rules = self.rules();
        Output::Transmit(Transmit {
            revision: rules.revision,
            about,
            status: rules.http.status.answered.code,
            message: Outgoing::Notification(ServerNotification::Cancelled(params)),
        })
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
            out.push(self.withdraw(id, asked.request, reason));
            out.push(Output::Settled { ask: asked.ask, outcome: Err(AskError::Cancelled) });
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
