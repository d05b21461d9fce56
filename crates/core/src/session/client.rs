//! The client's half of a conversation, in both eras.
//!
//! A [`ClientSession`] lives as long as a pipe or, over HTTP, as long as the client deals with one server. It finds out the era, agrees on
//! a revision, and from then on turns calls into requests and answers into outcomes. Each call ends with exactly one
//! [`Output::Completed`], whatever the server does. What a server wants to know from the client comes out as [`Output::Ask`], no matter
//! whether it was a request of the legacy era or part of an `input_required` result of the modern one.

mod answers;
mod calls;
mod connecting;
mod input;
mod notifications;
mod outgoing;
mod params;
mod profile;
mod rounds;
mod server_requests;
#[cfg(test)]
mod tests;

use std::{collections::VecDeque, sync::Arc};

use self::{
    answers::Answer, calls::Waiting, profile::Introduction, rounds::Round,
    server_requests::OpenRequest,
};
pub use self::{
    input::{
        AskId, Breach, Call, CallError, CallId, Completion, Failure, HttpFacts, Input, Output,
        ProgressWish, Server,
    },
    outgoing::{Headers, Outgoing, Transmit},
    profile::{ClientLimits, Gating, Preference, Profile},
};
use super::{Time, asks::Asks};
use crate::{
    jsonrpc::{ErrorResponse, Id, Incoming, Message, NotAMessage, Reason, Response},
    revision::{
        ClientCapability, Era, NotificationMethod, Revision, Rules, ServerCapabilities as Set,
    },
};

/// A conversation with one server.
#[derive(Debug)]
pub struct ClientSession {
    profile: Arc<Profile>,
    state: ConnectionState,
    /// Requests that wait for their answers.
    sent: Asks<Waiting>,
    /// Calls that wait for our own handlers, or for the time to try again.
    rounds: Vec<Round>,
    /// Requests of a legacy server that our handlers are busy with.
    asked: Vec<OpenRequest>,
    next_ask: u64,
    /// Requests whose answers are not wanted any more, the latest last. What still comes for them crossed on the wire.
    abandoned: VecDeque<Id<'static>>,
    /// The question about the era, if its answer did not come in time. A server that is slow to start may still give it.
    late_probe: Option<Id<'static>>,
}

/// How far the conversation is.
#[derive(Debug)]
enum ConnectionState {
    New,
    Connecting,
    Ready(Box<Agreed>),
    Over,
}

/// What was agreed.
#[derive(Debug)]
struct Agreed {
    server: Arc<Server>,
    /// What the server declared; `None` if it could not be asked.
    theirs: Option<Set>,
    /// The server has the tasks extension.
    their_tasks_extension: bool,
    ours: Introduction,
    /// Resources that a legacy server was asked to watch.
    watched: Vec<String>,
}

impl Agreed {
    fn rules(&self) -> &'static Rules {
        self.server.revision.rules()
    }
}

impl ClientSession {
    pub fn new(profile: Arc<Profile>) -> Self {
        Self {
            profile,
            state: ConnectionState::New,
            sent: Asks::new(),
            rounds: Vec::new(),
            asked: Vec::new(),
            next_ask: 1,
            abandoned: VecDeque::new(),
            late_probe: None,
        }
    }

    /// Takes in what happened and says what to do, in this order.
    #[must_use]
    pub fn handle(&mut self, now: Time, input: Input<'_>) -> Vec<Output> {
        let mut out = Vec::new();
        self.handle_into(now, input, &mut out);
        out
    }

    /// As [`Self::handle`], for a caller that has room already: what to do is put behind what `out` has.
    pub fn handle_into(&mut self, now: Time, input: Input<'_>, out: &mut Vec<Output>) {
        match input {
            Input::Start => self.start(now, out),
            Input::Received { incoming: Incoming::Message(message), http } => {
                self.receive(now, message, http.as_ref(), out);
            }
            Input::Received { incoming: Incoming::Batch(members), http } => {
                self.receive_batch(now, members, http.as_ref(), out);
            }
            Input::Refused(refused) => self.refused(now, &refused, out),
            Input::Rejected { request, status } => {
                self.answered(now, &request, Answer::Rejected { status }, out);
            }
            Input::Disconnected(request) => {
                self.answered(now, &request, Answer::Lost, out);
            }
            Input::Call(call) => self.call(now, call, out),
            Input::Cancel(call) => self.cancel(call, out),
            Input::Answered { ask, outcome } => self.ask_answered(now, ask, outcome, out),
            Input::RootsChanged => self.roots_changed(out),
            Input::TimePassed => self.time_passed(now, out),
            Input::Closed => self.close(out),
        }
    }

    /// When [`Input::TimePassed`] is next needed, if nothing else happens before.
    pub fn next_deadline(&self) -> Option<Time> {
        let rounds = self.rounds.iter().map(Round::deadline).min();
        match (self.sent.next_deadline(), rounds) {
            (Some(sent), Some(round)) => Some(sent.min(round)),
            (sent, round) => sent.or(round),
        }
    }

    /// The server, once the conversation has begun.
    pub fn server(&self) -> Option<&Arc<Server>> {
        self.agreed().map(|agreed| &agreed.server)
    }

    /// The resources that a legacy server was asked to watch: what to ask again on a new connection.
    pub fn watched(&self) -> &[String] {
        self.agreed().map_or(&[], |agreed| &agreed.watched)
    }

    /// Calls that are not over yet, open subscriptions included.
    pub fn calls(&self) -> usize {
        let sent = self.sent.iter().filter(|waiting| matches!(waiting, Waiting::Call(_)));
        sent.count() + self.rounds.len()
    }

    /// Questions of the server that our handlers have not answered yet.
    pub fn open_asks(&self) -> usize {
        self.asked.len() + self.rounds.iter().map(Round::open).sum::<usize>()
    }

    fn agreed(&self) -> Option<&Agreed> {
        match &self.state {
            ConnectionState::Ready(agreed) => Some(agreed),
            _ => None,
        }
    }

    fn agreed_mut(&mut self) -> Option<&mut Agreed> {
        match &mut self.state {
            ConnectionState::Ready(agreed) => Some(agreed),
            _ => None,
        }
    }

    fn era(&self) -> Option<Era> {
        self.agreed().map(|agreed| agreed.rules().era)
    }

    fn receive(
        &mut self,
        now: Time,
        message: Message<'_>,
        http: Option<&HttpFacts>,
        out: &mut Vec<Output>,
    ) {
        let status = http.map(|http| http.status);
        match message {
            Message::Request(request) => self.requested(request, out),
            Message::Notification(notification) => self.notified(now, &notification, out),
            Message::Response(Response { id, result, result_type }) => {
                let answer = Answer::Result { result, result_type };
                self.answered(now, &id.into_owned(), answer, out);
            }
            Message::Error(ErrorResponse { id, error }) => {
                // A server that could not read the id still answers the request whose response this is.
                let about =
                    id.map(Id::into_owned).or_else(|| http.and_then(|http| http.request.clone()));
                match about {
                    Some(id) => self.answered(now, &id, Answer::Error { error, status }, out),
                    None => out.push(Output::Breach(Breach::ErrorWithoutId(error))),
                }
            }
        }
    }

    /// Each answer in a batch goes its own way: a ping in it must not wait for a person who answers another member.
    // Never inlined: one revision has batches, and `handle_into` is on the way of every message.
    #[inline(never)]
    fn receive_batch(
        &mut self,
        now: Time,
        members: Vec<Result<Message<'_>, NotAMessage>>,
        http: Option<&HttpFacts>,
        out: &mut Vec<Output>,
    ) {
        if !self.agreed().is_some_and(|agreed| agreed.rules().batches.accepted()) {
            out.push(Output::Breach(Breach::Batch));
            return;
        }
        for member in members {
            match member {
                Ok(message) => self.receive(now, message, http, out),
                Err(refused) => self.refused(now, &refused, out),
            }
        }
    }

    /// Something that is no message may still have been meant as an answer, or as a question that gets one.
    // Never inlined: hardly anything that arrives is no message.
    #[inline(never)]
    fn refused(&mut self, now: Time, refused: &NotAMessage, out: &mut Vec<Output>) {
        out.push(Output::Breach(Breach::NotAMessage(refused.clone())));
        let Some(id) = refused.id.clone() else { return };
        match refused.reason {
            Reason::BadError | Reason::BothOutcomes | Reason::ResultNotAnObject
                if self.sent.get_mut(&id).is_some() =>
            {
                self.answered(now, &id, Answer::Garbled(refused.to_string()), out);
            }
            Reason::LoneSurrogate | Reason::MethodNotAString | Reason::ParamsNotAnObject
                if self.era() == Some(Era::Legacy) =>
            {
                self.respond(id, Err(refused.to_error()), out);
            }
            _ => {}
        }
    }

    // Never inlined: roots seldom change, and the match that leads here is on the way of every message.
    #[inline(never)]
    fn roots_changed(&mut self, out: &mut Vec<Output>) {
        let Some(agreed) = self.agreed() else { return };
        let rules = agreed.rules();
        let method = NotificationMethod::RootsListChanged;
        let declared = agreed.ours.declared.capabilities;
        if rules.client_notifications.contains(method)
            && declared.contains(ClientCapability::RootsListChanged)
        {
            out.push(notification(rules.revision, method, None));
        }
    }

    // Never inlined: time runs out for few calls, and the match that leads here is on the way of every message.
    #[inline(never)]
    fn time_passed(&mut self, now: Time, out: &mut Vec<Output>) {
        for (id, waiting) in self.sent.expired(now) {
            match waiting {
                Waiting::Discover(_) => {
                    self.late_probe = Some(id.clone());
                    self.abandon(id);
                    self.discovery_failed(now, Failure::TimedOut, out);
                }
                Waiting::Initialize { .. } => {
                    self.abandon(id);
                    self.fail(Failure::TimedOut, out);
                }
                Waiting::Call(running) => {
                    self.give_up(id, "no answer in time", out);
                    running.complete(Err(CallError::TimedOut), out);
                }
            }
        }
        self.wake_rounds(now, out);
    }

    // Cold: once in a session.
    #[cold]
    fn close(&mut self, out: &mut Vec<Output>) {
        if matches!(self.state, ConnectionState::Connecting) {
            out.push(Output::Failed(Failure::Closed));
        }
        self.state = ConnectionState::Over;
        self.end_all(out);
    }

    /// Everything that is still open ends here, because nothing can be heard any more.
    fn end_all(&mut self, out: &mut Vec<Output>) {
        for waiting in self.sent.drain() {
            if let Waiting::Call(running) = waiting {
                running.complete(Err(CallError::Closed), out);
            }
        }
        for round in std::mem::take(&mut self.rounds) {
            round.end(CallError::Closed, out);
        }
        out.extend(self.asked.drain(..).map(|asked| Output::Withdrawn(asked.ask)));
    }

    /// From here on, what comes under this id is late and not wrong.
    fn abandon(&mut self, id: Id<'static>) {
        if self.abandoned.len() == REMEMBERED {
            self.abandoned.pop_front();
        }
        self.abandoned.push_back(id);
    }

    fn new_ask(&mut self) -> AskId {
        let ask = AskId(self.next_ask);
        self.next_ask += 1;
        ask
    }
}

fn notification(
    revision: Revision,
    method: NotificationMethod,
    params: Option<crate::json::Raw>,
) -> Output {
    Output::Transmit(Transmit { revision, message: Outgoing::Notification { method, params } })
}

/// A peer's text, short enough for a log line.
fn shortened(text: &str) -> String {
    text.chars().take(LONGEST_QUOTE).collect()
}

const LONGEST_QUOTE: usize = 100;

/// How many abandoned requests are remembered.
const REMEMBERED: usize = 256;
