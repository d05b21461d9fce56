//! Moves a session as a transport and its handlers would.

use std::{sync::Arc, time::Duration};

use proofmark_core::{
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject, Id, Incoming, Limits, Message, NotAMessage, parse},
    session::{
        Time,
        server::{
            Ask, AskId, Change, HandlerNotification, Input, Offer, Outgoing, Output, ServerSession,
            Transmit,
        },
    },
    types::{
        CallToolResult, CancelledParams, ContentBlock, InputRequiredResult, ListToolsResult,
        LoggingLevel, ServerNotification, ServerRequest, ServerResult, Tool,
    },
};

use super::{super::words::Words, client::Client};

pub(super) struct Driver {
    session: ServerSession,
    offer: Arc<Offer>,
    client: Client,
    now: Time,
    /// Requests whose handlers run.
    running: Vec<Id<'static>>,
    /// Open subscriptions.
    listening: Vec<Id<'static>>,
    /// Questions that are not settled.
    asks: Vec<AskId>,
    next_ask: u64,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    InputEnded,
    Closed,
}

impl Driver {
    pub(super) fn new(offer: Arc<Offer>) -> Self {
        Self {
            session: ServerSession::new(Arc::clone(&offer)),
            offer,
            client: Client::default(),
            now: Time::default(),
            running: Vec::new(),
            listening: Vec::new(),
            asks: Vec::new(),
            next_ask: 0,
            state: State::Open,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.state == State::Closed
    }

    pub(super) fn play(&mut self, name: u8, rest: &[u8]) {
        let mut words = Words::of(rest);
        match name {
            b'>' => self.receive(rest),
            b'r' => self.finish(words.number(), Ok(result(words.number()))),
            b'e' => {
                let error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, "no");
                self.finish(words.number(), Err(error));
            }
            b'q' => self.finish(words.number(), Ok(question())),
            b'p' => {
                let at = words.number();
                let progress = words.text().parse().unwrap_or(1.0);
                let note = HandlerNotification::Progress {
                    progress,
                    total: Some(progress),
                    message: None,
                };
                self.note(at, note);
            }
            b'l' => {
                let at = words.number();
                let level = LEVELS[words.number() % LEVELS.len()];
                self.note(at, HandlerNotification::Log { level, logger: None, data: raw("1") });
            }
            b'a' => self.ask(words.number(), words.number()),
            b'w' => {
                if let Some(at) = words.number().checked_rem(self.asks.len()) {
                    let ask = self.asks.remove(at);
                    self.handle(Input::Withdrawn(ask));
                }
            }
            b'c' => {
                let kind = words.number();
                self.handle(Input::Changed(change(kind, words.text())));
            }
            b'd' => {
                let mut all = self.running.iter().chain(&self.listening);
                if let Some(id) = all.nth(words.number()).cloned() {
                    self.disconnect(&id);
                }
            }
            b't' => self.wait(words.number()),
            b's' => self.handle(Input::EndSubscriptions),
            b'i' => {
                self.state = State::InputEnded;
                self.handle(Input::InputEnded);
                assert!(self.asks.is_empty(), "nobody can answer {:?}", self.asks);
            }
            b'x' => self.close(),
            _ => {}
        }
    }

    /// Lets every handler end, and then the connection.
    pub(super) fn end(&mut self) {
        if self.is_over() {
            return;
        }
        while !self.running.is_empty() {
            self.finish(0, Ok(ServerResult::empty()));
        }
        self.handle(Input::EndSubscriptions);
        assert!(self.listening.is_empty(), "still open: {:?}", self.listening);
        self.client.assert_everything_is_answered();
        self.close();
    }

    fn close(&mut self) {
        self.state = State::Closed;
        self.listening.clear();
        self.handle(Input::Closed);
        assert_eq!(self.running, [], "a handler works for nobody");
        assert_eq!(self.asks, [], "a handler waits for nobody");
        assert_eq!(self.session.running(), 0);
        assert_eq!(self.session.next_deadline(), None);
    }

    fn receive(&mut self, frame: &[u8]) {
        if self.state != State::Open {
            return;
        }
        match parse(frame, &Limits::default()) {
            Ok(incoming) => {
                match &incoming {
                    Incoming::Message(message) => self.sent(message),
                    Incoming::Batch(members) => self.sent_batch(members),
                }
                self.handle(Input::Received(incoming));
            }
            Err(refused) => {
                self.client.sent_badly(&refused);
                self.handle(Input::Refused(refused));
            }
        }
    }

    /// Notes what the client is owed for this, and that it waits no more for a subscription that it cancels: unlike a handler, nobody
    /// is told to stop then.
    fn sent(&mut self, message: &Message<'_>) {
        self.client.sent(message);
        if let Some(id) = cancelled(message) {
            self.unlisten(&id);
        }
    }

    fn sent_batch(&mut self, members: &[Result<Message<'_>, NotAMessage>]) {
        // A batch that is refused as a whole has one answer, which has no id.
        let revision = self.session.negotiated();
        if !revision.is_some_and(|revision| revision.rules().batches.accepted()) {
            return;
        }
        for member in members {
            match member {
                Ok(message) => self.sent(message),
                Err(refused) => self.client.sent_badly(refused),
            }
        }
    }

    fn disconnect(&mut self, id: &Id<'static>) {
        let before = self.session.running();
        let outputs = self.session.handle(self.now, Input::Disconnected(id.clone()));
        if self.session.running() < before {
            self.unlisten(id);
        }
        self.carry_out(outputs, Cancelled::Unanswered);
    }

    fn unlisten(&mut self, id: &Id<'static>) {
        if let Some(at) = self.listening.iter().position(|listening| listening == id) {
            self.listening.remove(at);
            self.client.released(id);
        }
    }

    fn handle(&mut self, input: Input<'_>) {
        let cancelled = match input {
            Input::TimePassed => Cancelled::Answered,
            _ => Cancelled::Unanswered,
        };
        let outputs = self.session.handle(self.now, input);
        self.carry_out(outputs, cancelled);
    }

    fn carry_out(&mut self, outputs: Vec<Output<'_>>, cancelled: Cancelled) {
        for output in outputs {
            match output {
                Output::Dispatch(call) => {
                    assert!(!self.running.contains(&call.id), "{} is dispatched twice", call.id);
                    self.running.push(call.id);
                }
                Output::Cancel(id) => {
                    let at = self.running.iter().position(|running| *running == id);
                    self.running.remove(at.expect("only what runs is cancelled"));
                    if cancelled == Cancelled::Unanswered {
                        self.client.released(&id);
                    }
                }
                Output::Settled { ask, .. } => {
                    let at = self.asks.iter().position(|open| *open == ask);
                    self.asks.remove(at.expect("only what is open is settled"));
                }
                Output::Transmit(transmit) => self.transmit(transmit),
                Output::Breach(_)
                | Output::Initialized
                | Output::Negotiated(_)
                | Output::RootsChanged => {}
            }
        }
        let known = self.running.len() + self.listening.len();
        assert_eq!(self.session.running(), known, "the session lost count");
        assert!(known <= self.offer.limits.in_flight);
    }

    fn transmit(&mut self, transmit: Transmit) {
        match (&transmit.message, &transmit.about) {
            (Outgoing::Notification(ServerNotification::Acknowledged(_)), Some(id)) => {
                self.listening.push(id.clone());
            }
            (Outgoing::Response { id, .. }, _) => {
                self.listening.retain(|listening| listening != id);
            }
            _ => {}
        }
        assert!((200..600).contains(&transmit.status), "status {}", transmit.status);
        let mut out = Vec::new();
        transmit.write(&self.offer, &mut out).expect("what a session sends can be written");
        self.client.receive(&out);
    }

    fn finish(&mut self, at: usize, outcome: Result<ServerResult, ErrorObject>) {
        if let Some(at) = at.checked_rem(self.running.len()) {
            let id = self.running.remove(at);
            self.handle(Input::Finished { id, outcome });
        }
    }

    fn note(&mut self, at: usize, note: HandlerNotification) {
        if let Some(at) = at.checked_rem(self.running.len()) {
            self.handle(Input::Notify { request: self.running[at].clone(), notification: note });
        }
    }

    fn ask(&mut self, at: usize, kind: usize) {
        if self.state != State::Open {
            return;
        }
        let ask = AskId(self.next_ask);
        self.next_ask += 1;
        self.asks.push(ask);
        let request = self.running.get(at).cloned();
        self.handle(Input::Ask(Ask {
            ask,
            request,
            task: None,
            what: asked(kind),
            patience: Duration::from_secs(5),
        }));
        assert!(self.asks.len() <= self.offer.limits.asks, "too many questions");
    }

    fn wait(&mut self, seconds: usize) {
        self.now = self.now + Duration::from_secs(seconds as u64);
        if self.session.next_deadline().is_some_and(|deadline| deadline <= self.now) {
            self.handle(Input::TimePassed);
            let next = self.session.next_deadline();
            assert!(next.is_none_or(|next| next > self.now), "the same deadline again");
        }
    }
}

/// Whether the client got an answer to what the session cancels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cancelled {
    Answered,
    Unanswered,
}

fn cancelled(message: &Message<'_>) -> Option<Id<'static>> {
    let Message::Notification(notification) = message else { return None };
    if notification.method != "notifications/cancelled" {
        return None;
    }
    let params: CancelledParams<'_> =
        serde_json::from_str(notification.params.as_ref()?.get()).ok()?;
    params.request_id.map(Id::into_owned)
}

fn result(kind: usize) -> ServerResult {
    match kind % 4 {
        0 => ServerResult::empty(),
        1 => ServerResult::CallTool(CallToolResult {
            content: vec![ContentBlock::text("done")],
            ..CallToolResult::default()
        }),
        2 => ServerResult::Ready(Arc::new(raw("{}"))),
        _ => ServerResult::ListTools(ListToolsResult {
            tools: vec![Tool::new("a", raw(r#"{"type":"object"}"#))],
            meta: Some(serde_json::from_str(r#"{"a":1}"#).expect("an object")),
            ..ListToolsResult::default()
        }),
    }
}

fn question() -> ServerResult {
    let requests = format!(r#"{{"a":{{"method":"elicitation/create","params":{FORM}}}}}"#);
    ServerResult::InputRequired(InputRequiredResult {
        input_requests: Some(serde_json::from_str(&requests).expect("a question")),
        request_state: Some("s".to_owned()),
        ..InputRequiredResult::default()
    })
}

fn asked(kind: usize) -> ServerRequest {
    match kind % 5 {
        0 => ServerRequest::Ping,
        1 => ServerRequest::ListRoots(serde_json::from_str("{}").expect("params")),
        2 => ServerRequest::CreateMessage(Box::new(
            serde_json::from_str(r#"{"messages":[],"maxTokens":1}"#).expect("params"),
        )),
        3 => ServerRequest::Elicit(Box::new(serde_json::from_str(FORM).expect("params"))),
        _ => ServerRequest::Elicit(Box::new(serde_json::from_str(URL).expect("params"))),
    }
}

fn change(kind: usize, text: &str) -> Change {
    match kind % 5 {
        0 => Change::Tools,
        1 => Change::Prompts,
        2 => Change::Resources,
        3 => Change::Resource { uri: text.to_owned() },
        _ => Change::Task(Box::new(serde_json::from_str(TASK).expect("a task"))),
    }
}

fn raw(text: &str) -> Raw {
    Raw::from_json(text).expect("JSON")
}

const LEVELS: [LoggingLevel; 3] =
    [LoggingLevel::Debug, LoggingLevel::Warning, LoggingLevel::Emergency];
const FORM: &str = r#"{"message":"?","requestedSchema":{"type":"object","properties":{}}}"#;
const URL: &str = r#"{"mode":"url","message":"?","url":"https://example.com","elicitationId":"1"}"#;
const TASK: &str = r#"{"taskId":"t","status":"working","createdAt":"2026-01-01T00:00:00Z",
    "lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":null}"#;
