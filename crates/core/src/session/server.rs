//! The server's half of a conversation, in both eras.
//!
//! A [`ServerSession`] lives as long as a pipe or a legacy HTTP session, or for a single modern HTTP request. On each request it decides
//! the era by what the request says about itself: with a revision in `_meta` it is modern and stands for itself; otherwise it belongs to
//! the conversation that `initialize` began. Both may happen on one connection.

mod agreement;
mod asking;
mod batch;
mod changes;
mod input;
mod kept;
mod legacy;
mod modern;
mod offer;
mod ongoing;
mod outgoing;
mod refusal;
mod running;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use self::{
    agreement::{Agreement, Phase},
    changes::Change,
    input::{Ask, AskError, AskId, Breach, Call, HandlerNotification, Input, Outcome, Output},
    legacy::Client,
    offer::{Link, Memory, Offer, SessionLimits},
    outgoing::{Outgoing, Transmit},
    refusal::Refusal,
};
use self::{
    asking::OpenAsk,
    batch::{BatchNumber, Batches},
    legacy::Legacy,
    ongoing::Ongoing,
    running::{RequestKind, Running, Started},
};
use super::{Declared, Time, asks::Asks};
use crate::{
    jsonrpc::{
        ErrorCode, ErrorObject, ErrorResponse, Id, Incoming, Message, Notification, Params,
        Request, Response,
    },
    revision::{Disconnect, Era, NotificationMethod, RequestMethod, Revision, Rules},
    types::{
        CancelledParams, ClientRequest, Decoded, ProgressParams, RequestMeta, ServerResult,
        era_claim_of,
    },
};

/// A conversation with one client.
#[derive(Debug)]
pub struct ServerSession {
    offer: Arc<Offer>,
    legacy: Legacy,
    running: Running,
    batches: Batches,
    asks: Asks<OpenAsk>,
    ongoing: Ongoing,
    link: Link,
}

impl ServerSession {
    pub fn new(offer: Arc<Offer>) -> Self {
        Self {
            link: offer.link,
            offer,
            legacy: Legacy::default(),
            running: Running::default(),
            batches: Batches::default(),
            asks: Asks::new(),
            ongoing: Ongoing::default(),
        }
    }

    /// The same carried by something else than the offer says.
    pub fn over(self, link: Link) -> Self {
        Self { link, ..self }
    }

    /// The same with other ids for what it asks: from this one on, so that several servers can ask one client.
    pub fn asking_from(self, first: i64) -> Self {
        Self { asks: self.asks.from(first), ..self }
    }

    /// A conversation whose handshake happened elsewhere, or is done without: nothing is known of the client but its revision.
    pub fn agreed(offer: Arc<Offer>, revision: Revision) -> Self {
        Self { legacy: Legacy::agreed(revision), ..Self::new(offer) }
    }

    /// Takes in what happened and says what to do, in this order.
    #[must_use]
    pub fn handle<'a>(&mut self, now: Time, input: Input<'a>) -> Vec<Output<'a>> {
        // One is the rule, and they are large: room for more is made when it is needed.
        let mut out = Vec::with_capacity(1);
        match input {
            Input::Received(Incoming::Message(message)) => {
                self.receive(now, message, None, &mut out);
            }
            Input::Received(Incoming::Batch(members)) => self.receive_batch(now, members, &mut out),
            Input::Refused(refused) => {
                let rules = self.rules();
                let status = if refused.reason.code() == ErrorCode::PARSE_ERROR {
                    rules.http.status.parse_error
                } else {
                    rules.http.status.notification_refused
                };
                out.push(refusal_output(
                    rules.revision,
                    refused.id.clone(),
                    refused.to_error(),
                    status,
                ));
            }
            Input::Finished { id, outcome } => self.finish(&id, outcome, &mut out),
            Input::Notify { request, notification } => {
                self.notify(now, &request, notification, &mut out);
            }
            Input::Ask(ask) => self.ask(now, ask, &mut out),
            Input::Withdrawn(ask) => {
                if let Some((id, asked)) = self.asks.take_if(|asked| asked.ask == ask) {
                    self.withdraw(id, asked, "no longer needed", &mut out);
                }
            }
            Input::Changed(change) => self.changed(&change, &mut out),
            Input::EndSubscriptions => self.end_subscriptions(&mut out),
            Input::Disconnected(id) => {
                let cancels = |running: &running::InFlight| {
                    running.revision.rules().http.disconnect == Disconnect::Cancels
                };
                if self.running.get(&id).is_some_and(cancels) {
                    self.cancel(&id, &mut out);
                }
            }
            Input::TaskChanged(task) => self.task_changed(task, &mut out),
            Input::TaskEnded { task } => self.ongoing.end(&task),
            Input::TaskNotify { task, notification } => {
                self.notify_of_task(&task, notification, &mut out);
            }
            Input::TimePassed => self.time_passed(now, &mut out),
            Input::InputEnded => self.settle_all(&mut out),
            Input::Closed => {
                self.settle_all(&mut out);
                let ids: Vec<_> = self.running.ids().collect();
                for id in ids {
                    self.cancel(&id, &mut out);
                }
            }
        }
        out
    }

    /// When [`Input::TimePassed`] is next needed, if nothing else happens before.
    pub fn next_deadline(&self) -> Option<Time> {
        [self.asks.next_deadline(), self.running.next_deadline()].into_iter().flatten().min()
    }

    /// The legacy revision that was agreed on, once `initialize` is answered.
    pub fn negotiated(&self) -> Option<Revision> {
        self.legacy.revision()
    }

    /// Who the legacy client is.
    pub fn client(&self) -> Option<&Client> {
        self.legacy.client()
    }

    /// Whether this request is being carried out, or is an open subscription.
    pub fn is_running(&self, id: &Id<'_>) -> bool {
        self.running.get(id).is_some()
    }

    /// Whether this request is an open subscription.
    pub fn is_subscription(&self, id: &Id<'_>) -> bool {
        self.running.get(id).is_some_and(running::InFlight::is_listen)
    }

    /// Requests that are being carried out, open subscriptions included.
    pub fn running(&self) -> usize {
        self.running.len()
    }

    /// Requests that were answered with a task of the experiment that has not ended.
    pub fn tasks(&self) -> usize {
        self.ongoing.len()
    }

    /// The rules for what belongs to no request.
    fn rules(&self) -> &'static Rules {
        self.negotiated().unwrap_or_else(|| self.offer.fallback()).rules()
    }

    fn receive<'a>(
        &mut self,
        now: Time,
        message: Message<'a>,
        batch: Option<BatchNumber>,
        out: &mut Vec<Output<'a>>,
    ) {
        match message {
            Message::Request(request) => self.request(now, request, batch, out),
            Message::Notification(notification) => self.notification(now, &notification, out),
            Message::Response(Response { id, result, .. }) => {
                self.answered(&id, || Ok(result.into()), out);
            }
            Message::Error(ErrorResponse { id: Some(id), error }) => {
                self.answered(&id, || Err(AskError::Refused(error)), out);
            }
            Message::Error(ErrorResponse { id: None, error }) => {
                out.push(Output::Breach(Breach::ErrorWithoutId(error)));
            }
        }
    }

    fn request<'a>(
        &mut self,
        now: Time,
        request: Request<'a>,
        batch: Option<BatchNumber>,
        out: &mut Vec<Output<'a>>,
    ) {
        let id = request.id.into_owned();
        let method = RequestMethod::parse(&request.method);
        let decoded = method.map(|method| ClientRequest::decode(method, request.params.as_ref()));
        // A request whose params cannot be read may still say which era it belongs to, and its error depends on that.
        let rescued = match &decoded {
            Some(Ok(_)) => None,
            _ => era_claim_of(request.params.as_ref()),
        };
        let meta = match &decoded {
            Some(Ok((_, meta))) => meta.as_deref(),
            _ => rescued.as_ref(),
        };
        let context = match meta.and_then(|meta| meta.protocol_version.as_deref()) {
            Some(version) => modern::admit(&self.offer, version, meta),
            None if self.offer.speaks(Era::Legacy) => {
                self.legacy.admit(method, self.offer.fallback())
            }
            None => Err(modern::unexplained(decoded.as_ref())),
        };
        let (revision, declared) = match context {
            Ok(context) => context,
            Err((rules, refusal)) => {
                self.refuse(rules, Some(id), &refusal, batch, out);
                return;
            }
        };
        let rules = revision.rules();
        let accepted = self.check(&id, &request.method, method, decoded, declared, rules, batch);
        let (method, request, meta) = match accepted {
            Ok(accepted) => accepted,
            Err(refusal) => {
                self.refuse(rules, Some(id), &refusal, batch, out);
                return;
            }
        };
        let started = Started { now, id, method, revision, declared, batch };
        self.start(started, request, meta, out);
    }

    /// Everything that can speak against a request whose era and revision are known.
    #[expect(clippy::too_many_arguments, reason = "each is a different fact about one request")]
    fn check<'a>(
        &self,
        id: &Id<'static>,
        name: &str,
        method: Option<RequestMethod>,
        decoded: Option<Decoded<'a>>,
        declared: Declared,
        rules: &'static Rules,
        batch: Option<BatchNumber>,
    ) -> Result<(RequestMethod, ClientRequest<'a>, Option<Box<RequestMeta<'a>>>), Refusal> {
        let (Some(method), Some(decoded)) = (method, decoded) else {
            return Err(Refusal::MethodNotFound(shortened(name)));
        };
        if !self.offer.serves(method, rules) {
            return Err(Refusal::MethodNotFound(method.as_str().to_owned()));
        }
        // A modern request inside a legacy batch: each is judged by the revision it speaks.
        if batch.is_some() && !rules.batches.accepted() {
            return Err(Refusal::BatchNotAllowed);
        }
        if batch.is_some() && method == RequestMethod::Initialize {
            return Err(Refusal::InitializeInBatch);
        }
        modern::check_task_capability(method, declared, rules)?;
        let (request, meta) = decoded.map_err(|error| Refusal::BadParams(error.to_string()))?;
        modern::check_task_filter(&request, declared, rules)?;
        if self.running.get(id).is_some() {
            return Err(Refusal::IdInUse);
        }
        if let ClientRequest::Subscribe(params) = &request {
            self.check_subscription(&params.uri)?;
        }
        if self.running.len() >= self.offer.limits.in_flight {
            return Err(Refusal::TooManyRequests { limit: self.offer.limits.in_flight });
        }
        Ok((method, request, meta))
    }

    /// Answers what the session can answer by itself and hands on the rest.
    fn start<'a>(
        &mut self,
        started: Started,
        request: ClientRequest<'a>,
        meta: Option<Box<RequestMeta<'a>>>,
        out: &mut Vec<Output<'a>>,
    ) {
        let rules = started.revision.rules();
        let answer = match &request {
            ClientRequest::Ping => ServerResult::empty(),
            ClientRequest::Discover => {
                ServerResult::Discover(Box::new(self.offer.discover_result()))
            }
            ClientRequest::SetLevel(params) => {
                self.legacy.set_level(params.level);
                ServerResult::empty()
            }
            ClientRequest::Initialize(params) => {
                let revision = self.offer.negotiate(&params.protocol_version);
                let client = match Client::of(params, self.offer.limits.client_bytes) {
                    Ok(client) => client,
                    Err(refusal) => {
                        self.refuse(rules, Some(started.id), &refusal, None, out);
                        return;
                    }
                };
                let result =
                    ServerResult::Initialize(Box::new(self.offer.initialize_result(revision)));
                self.legacy.initialize(revision, client);
                let Started { id, .. } = started;
                out.push(result_output(revision, id, result));
                out.push(Output::Negotiated(revision));
                return;
            }
            ClientRequest::Listen(params) => {
                let filter = params.notifications.clone();
                self.listen(started, filter, out);
                return;
            }
            _ => {
                let level = meta.as_ref().and_then(|meta| meta.log_level);
                let token =
                    meta.as_ref().and_then(|meta| meta.progress_token.clone()).map(Id::into_owned);
                let call = Call {
                    id: started.id.clone(),
                    method: started.method,
                    revision: started.revision,
                    declared: started.declared,
                    request,
                    meta,
                };
                let (now, id) = (started.now, started.id.clone());
                self.running.start(started, &call.request, level, token, &self.offer.limits);
                out.push(Output::Dispatch(Box::new(call)));
                self.release(now, &id, out);
                return;
            }
        };
        let transmit = result_output(rules.revision, started.id, answer);
        self.answer(started.batch, transmit, out);
    }

    fn notification(
        &mut self,
        now: Time,
        notification: &Notification<'_>,
        out: &mut Vec<Output<'_>>,
    ) {
        let params = notification.params.as_ref().map_or("{}", Params::get);
        match NotificationMethod::parse(&notification.method) {
            Some(NotificationMethod::Initialized) => {
                if self.legacy.initialized() {
                    out.push(Output::Initialized);
                }
            }
            Some(NotificationMethod::Cancelled) => {
                match serde_json::from_str::<CancelledParams<'_>>(params) {
                    Ok(CancelledParams { request_id: Some(id), .. }) => {
                        let id = id.into_owned();
                        self.cancel(&id, out);
                    }
                    _ => out.push(Output::Breach(Breach::BadNotification(
                        NotificationMethod::Cancelled,
                    ))),
                }
            }
            Some(NotificationMethod::Progress) => {
                match serde_json::from_str::<ProgressParams<'_>>(params) {
                    Ok(progress) => self.asks.sign_of_life(now, &progress.progress_token),
                    Err(_) => out.push(Output::Breach(Breach::BadNotification(
                        NotificationMethod::Progress,
                    ))),
                }
            }
            Some(NotificationMethod::RootsListChanged) => out.push(Output::RootsChanged),
            // An unknown one is ignored: a notification has no answer that could say so.
            _ => out
                .push(Output::Breach(Breach::UnknownNotification(shortened(&notification.method)))),
        }
    }

    /// Stops a request. A request that is already answered, or that never was, is not an error: the two crossed on the wire.
    fn cancel(&mut self, id: &Id<'static>, out: &mut Vec<Output<'_>>) {
        let Some(running) = self.running.take(id) else { return };
        self.batches.forget(running.batch, Some(id), out);
        self.withdraw_for(id, "the request it belongs to was cancelled", out);
        if !running.is_listen() {
            out.push(Output::Cancel(id.clone()));
        }
    }

    fn finish(&mut self, id: &Id<'static>, outcome: Outcome, out: &mut Vec<Output<'_>>) {
        // Cancelled or timed out in the meantime: the client does not wait for it any more.
        let Some(mut running) = self.running.take(id) else { return };
        self.withdraw_for(id, "the request it belongs to is answered", out);
        let rules = running.revision.rules();
        if let Ok(ServerResult::CreateTask(created)) = &outcome {
            self.ongoing.begin(created.task.task_id.clone(), &mut running);
        }
        let transmit = match outcome {
            Ok(ServerResult::InputRequired(result)) => {
                match modern::check_input_required(&running, &result) {
                    Ok(()) => result_output(
                        running.revision,
                        running.id,
                        ServerResult::InputRequired(result),
                    ),
                    Err(refusal) => {
                        let status = refusal.status(rules);
                        error_output(
                            running.revision,
                            running.id,
                            refusal.to_error(&self.offer),
                            status,
                        )
                    }
                }
            }
            Ok(result) => {
                self.legacy.remember(running.kind);
                result_output(running.revision, running.id, result)
            }
            Err(error) => {
                let status = Refusal::status_of(&error, rules);
                error_output(running.revision, running.id, error, status)
            }
        };
        self.answer(running.batch, transmit, out);
    }

    fn notify(
        &mut self,
        now: Time,
        request: &Id<'static>,
        notification: HandlerNotification,
        out: &mut Vec<Output<'_>>,
    ) {
        if matches!(notification, HandlerNotification::Log { .. }) && !self.offer.logs() {
            self.running.sign_of_life(now, request);
            return;
        }
        let level = self.legacy.level();
        let Some(notification) = self.running.notification(now, request, notification, level)
        else {
            return;
        };
        let revision = self
            .running
            .get(request)
            .map_or_else(|| self.rules().revision, |running| running.revision);
        out.push(Output::Transmit(Transmit {
            revision,
            about: Some(request.clone()),
            status: revision.rules().http.status.answered,
            message: Outgoing::Notification(notification),
        }));
    }

    fn time_passed(&mut self, now: Time, out: &mut Vec<Output<'_>>) {
        for (id, asked) in self.asks.expired(now) {
            let ask = asked.ask;
            self.withdraw(id, asked, "no answer in time", out);
            out.push(Output::Settled { ask, outcome: Err(AskError::TimedOut) });
        }
        for id in self.running.expired(now) {
            let Some(running) = self.running.take(&id) else { continue };
            self.withdraw_for(&id, "the request it belongs to took too long", out);
            let error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, "the request took too long");
            let status = running.revision.rules().http.status.error;
            let transmit = error_output(running.revision, running.id, error, status);
            self.answer(running.batch, transmit, out);
            out.push(Output::Cancel(id));
        }
    }

    fn refuse(
        &mut self,
        rules: &'static Rules,
        id: Option<Id<'static>>,
        refusal: &Refusal,
        batch: Option<BatchNumber>,
        out: &mut Vec<Output<'_>>,
    ) {
        let error = refusal.to_error(&self.offer);
        let transmit = refusal_output(rules.revision, id, error, refusal.status(rules));
        self.answer(batch, transmit, out);
    }

    /// Sends an answer, or keeps it until the batch that it belongs to is complete.
    fn answer(
        &mut self,
        batch: Option<BatchNumber>,
        transmit: Output<'static>,
        out: &mut Vec<Output<'_>>,
    ) {
        match batch {
            None => out.push(transmit),
            Some(batch) => self.batches.answer(batch, transmit, out),
        }
    }
}

/// The answer to a request.
fn result_output(revision: Revision, id: Id<'static>, result: ServerResult) -> Output<'static> {
    Output::Transmit(Transmit {
        revision,
        about: Some(id.clone()),
        status: revision.rules().http.status.answered,
        message: Outgoing::Response { id, result },
    })
}

/// The error that a request which ran is answered with.
fn error_output(
    revision: Revision,
    id: Id<'static>,
    error: ErrorObject,
    status: u16,
) -> Output<'static> {
    Output::Transmit(Transmit {
        revision,
        about: Some(id.clone()),
        status,
        message: Outgoing::Error { id: Some(id), error },
    })
}

/// The refusal of a request, or of something that may have been one.
///
/// It is about no request that runs, even if one runs under the same id.
fn refusal_output(
    revision: Revision,
    id: Option<Id<'static>>,
    error: ErrorObject,
    status: u16,
) -> Output<'static> {
    Output::Transmit(Transmit {
        revision,
        about: None,
        status,
        message: Outgoing::Error { id, error },
    })
}

/// A peer's text, short enough for an error message.
fn shortened(text: &str) -> String {
    text.chars().take(LONGEST_QUOTE).collect()
}

const LONGEST_QUOTE: usize = 100;
