//! The checker's voice: well-formed requests, and anything else.

mod cancelling;
mod eras;
mod exchange;
mod expect;
mod framing;
mod garbled;
mod pace;
mod together;

use std::{io, time::Duration};

pub use exchange::HttpSession;
pub(super) use exchange::UserSession;
pub use expect::Expect;
use expect::{answer_in, is_answer_on_stderr, is_garbled};
pub use framing::Framing;
pub use pace::Pace;
use proofmark_core::revision::{Era, Revision};
use serde_json::{Value, json};
use tokio::{
    task::JoinSet,
    time::{Instant, timeout_at},
};

use super::{CLIENT_NAME, ClientKind, request_metadata};
use crate::{oauth::HttpClientSettings, peer::Peer};
use proofmark_record::{
    event::{Event, EventKind, Frame, Headers},
    transport::Transport,
    wire::{MemoryBudget, Recorder, Url, http::EventFrames, lines::LineWire, process::Process},
};
use proofmark_record::{evidence::is_alike, topic::Topic};

/// One connection or session with the peer.
pub struct Probe {
    /// Where the conversation began, if that has a URL.
    origin: Option<Url>,
    recorder: Recorder,
    connection: Connection,
    settings: ProbeSettings,
    next_id: u64,
    /// Requests in a row that were not answered.
    unanswered: usize,
    /// Whether the peer was seen to answer under ids of its own.
    repeats_no_ids: bool,
    interruption: Option<Interruption>,
}

/// Why a conversation was broken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// The peer said more than can be taken in.
    Flood,
    /// The peer hung up.
    HungUp,
    /// The time for the whole run is over.
    OutOfTime,
    /// The peer stopped answering, pings too.
    Silent,
}

#[derive(Clone, Debug)]
pub struct ProbeSettings {
    /// When the run began.
    pub began: Instant,
    /// When the run is broken off.
    pub until: Instant,
    /// Memory for what is said in the run.
    pub room: MemoryBudget,
    pub transport: Transport,
    /// How long an answer may take.
    pub timeout: Duration,
    /// How quick the peer has been so far in this run.
    pub pace: Pace,
    /// How long `initialize` may take.
    pub start_timeout: Duration,
    /// How long to wait for what must not come.
    pub quiet: Duration,
    /// Sent with every HTTP request.
    pub headers: Headers,
    /// What another user sends as `Authorization`.
    pub other_user: Option<String>,
    /// The revision to ask for.
    pub revision: Revision,
    /// What kind of client this is.
    pub client_kind: ClientKind,
    /// How messages are told apart on a pipe to the peer.
    pub framing: Framing,
}

/// As whom the checker can talk over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Users {
    Anonymous,
    /// With a token.
    One,
    /// With the tokens of two.
    Two,
}

impl ProbeSettings {
    pub fn users(&self) -> Users {
        let given = self.headers.iter().any(|(name, _)| name == "authorization");
        match &self.other_user {
            Some(_) => Users::Two,
            None if given => Users::One,
            None => Users::Anonymous,
        }
    }

    /// For what is said to an authorization server in the same run.
    pub fn http_client(&self) -> HttpClientSettings {
        let Self { began, until, room, timeout, .. } = self.clone();
        HttpClientSettings { began, until, room, timeout, private: Vec::new() }
    }
}

enum Connection {
    Lines { wire: Box<LineWire>, process: Option<Process>, tasks: JoinSet<()> },
    Http(HttpSession),
    Sse { http: HttpSession, stream: Option<Box<EventFrames>> },
}

impl Probe {
    pub async fn open(peer: &Peer, settings: ProbeSettings) -> io::Result<Self> {
        let mut recorder = Recorder::within(settings.began, settings.room.clone());
        let mut tasks = JoinSet::new();
        let connection = match peer {
            Peer::Command(command) => {
                let (process, wire) = Process::start(command)?;
                recorder.note(EventKind::Connected(format!("started {}", command.program)));
                Connection::Lines { wire: Box::new(wire), process: Some(process), tasks }
            }
            Peer::Memory(connect) => {
                let (wire, serving) = connect();
                recorder.note(EventKind::Connected("connected in memory".to_owned()));
                tasks.spawn(serving);
                Connection::Lines { wire: Box::new(wire), process: None, tasks }
            }
            Peer::Url(url) => {
                let http = HttpSession::new(url.clone(), &settings);
                if settings.transport == Transport::Sse {
                    Connection::Sse { http, stream: None }
                } else {
                    Connection::Http(http)
                }
            }
        };
        let origin = match peer {
            Peer::Url(url) => Some(url.clone()),
            Peer::Command(_) | Peer::Memory(_) => None,
        };
        let mut probe = Self {
            origin,
            recorder,
            connection,
            settings,
            next_id: 0,
            unanswered: 0,
            repeats_no_ids: false,
            interruption: None,
        };
        if let Connection::Sse { http, stream } = &mut probe.connection {
            *stream = http.open_sse(&mut probe.recorder).await?.map(Box::new);
        }
        Ok(probe)
    }

    pub fn origin(&self) -> Option<&Url> {
        self.origin.as_ref()
    }

    pub fn settings(&self) -> &ProbeSettings {
        &self.settings
    }

    /// From now on it is another kind of client, which declares the same.
    pub fn set_client_kind(&mut self, client_kind: ClientKind) {
        self.settings.client_kind = client_kind;
        if let Connection::Http(http) | Connection::Sse { http, .. } = &mut self.connection {
            http.set_client_kind(client_kind);
        }
    }

    pub fn events(&self) -> &[Event] {
        &self.recorder.events
    }

    /// Sends a request and waits for its answer.
    pub async fn ask(
        &mut self,
        topic: Topic,
        method: &str,
        params: Option<Value>,
    ) -> Option<Value> {
        self.next_id += 1;
        let id = json!(self.next_id);
        self.ask_as(topic, id, method, params).await
    }

    /// Sends a request under an id of the caller's choice.
    pub async fn ask_as(
        &mut self,
        topic: Topic,
        id: Value,
        method: &str,
        params: Option<Value>,
    ) -> Option<Value> {
        let message = self.request(topic, &id, method, params);
        self.say(topic, &message.to_string(), Expect::Answer(id)).await
    }

    /// Sends requests before any of them is answered, and waits for the last.
    pub async fn ask_together(&mut self, topic: Topic, ids: &[Value], method: &str) {
        let Some((last, others)) = ids.split_last() else { return };
        for id in others {
            let message = self.request(topic, id, method, None);
            self.send(topic, &message.to_string(), None).await;
        }
        self.ask_as(topic, last.clone(), method, None).await;
    }

    /// A request as the era has it. What is there instead of ping is `server/discover`.
    fn request(&self, topic: Topic, id: &Value, method: &str, params: Option<Value>) -> Value {
        if !self.is_modern() {
            return request(id, method, params);
        }
        let pings = method == "ping" && topic != Topic::Removed;
        let method = if pings { "server/discover" } else { method };
        let params = request_metadata::with_metadata(
            params,
            self.settings.revision,
            self.settings.client_kind,
        );
        request(id, method, Some(params))
    }

    /// Whether requests stand for themselves.
    pub fn is_modern(&self) -> bool {
        self.settings.revision.era() == Era::Modern
    }

    /// Asks to be told of changes, and waits for a word about it and then for a moment.
    pub async fn subscribe(&mut self, id: Value, filter: &Value) {
        let start = self.recorder.events.len();
        let params = Some(json!({ "notifications": filter }));
        let message = self.request(Topic::Listen, &id, "subscriptions/listen", params);
        if let Connection::Http(http) = &mut self.connection {
            http.stand(&mut self.recorder, Topic::Listen, &message).await;
        } else {
            self.send(Topic::Listen, &message.to_string(), None).await;
        }
        let deadline = self.deadline(self.settings.timeout);
        let heard = |event: &Event| matches!(event.kind, EventKind::Received { .. });
        while !self.recorder.events[start..].iter().any(heard) && self.hear(deadline).await {}
        self.listen(self.settings.quiet).await;
    }

    /// Wants to be told no more.
    pub async fn unsubscribe(&mut self, id: &Value) {
        if let Connection::Http(http) = &mut self.connection {
            http.stand_down();
            return;
        }
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": id } });
        self.send(Topic::Unsubscribe, &cancel.to_string(), None).await;
    }

    /// Sends a notification and does not wait for anything, except over HTTP for its status.
    pub async fn tell(&mut self, topic: Topic, method: &str, params: Option<Value>) {
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        if let Some(params) = params {
            message["params"] = params;
        }
        self.send(topic, &message.to_string(), None).await;
    }

    /// Sends any text, and gives the message that answers it. Says nothing more to a peer that was given up.
    pub async fn say(&mut self, topic: Topic, text: &str, expect: Expect) -> Option<Value> {
        if self.interruption().is_some() {
            return None;
        }
        if let Expect::Nothing = expect {
            self.send(topic, text, Some(&expect)).await;
            self.listen(self.settings.quiet).await;
            return None;
        }
        let expect = match expect {
            Expect::Answer(_) if self.repeats_no_ids => Expect::AnyAnswer,
            other => other,
        };
        let answer = self.exchange(topic, text, &expect).await;
        self.unanswered = if answer.is_some() { 0 } else { self.unanswered + 1 };
        if self.unanswered == MOST_UNANSWERED {
            self.next_id += 1;
            let id = json!(self.next_id);
            let ping = self.request(Topic::StillThere, &id, "ping", None).to_string();
            match self.exchange(Topic::StillThere, &ping, &Expect::Answer(id)).await {
                Some(_) => self.unanswered = 0,
                None => self.interruption = Some(Interruption::Silent),
            }
        }
        answer
    }

    /// Why nothing more is said, if so.
    pub fn interruption(&self) -> Option<Interruption> {
        if self.recorder.is_flooded() {
            return Some(Interruption::Flood);
        }
        if Instant::now() >= self.settings.until {
            return Some(Interruption::OutOfTime);
        }
        let hung_up = match &self.connection {
            Connection::Lines { wire, .. } => !wire.is_open(),
            Connection::Http(_) => false,
            Connection::Sse { stream, .. } => stream.is_none(),
        };
        if hung_up { Some(Interruption::HungUp) } else { self.interruption }
    }

    /// When to stop waiting for something that may take this long.
    fn deadline(&self, time: Duration) -> Instant {
        (Instant::now() + time).min(self.settings.until)
    }

    async fn exchange(&mut self, topic: Topic, text: &str, expect: &Expect) -> Option<Value> {
        let start = self.recorder.events.len();
        let began = Instant::now();
        self.send(topic, text, Some(expect)).await;
        let asked = Instant::now();
        let message = serde_json::from_str(text).unwrap_or(Value::Null);
        let mut deadline = self.deadline(self.patience(&message));
        if matches!(self.connection, Connection::Http(_)) {
            // Whatever the answer to a POST has was read with it; only on another stream more may come.
            deadline = self.deadline(self.settings.quiet);
        }
        let mut looked = start;
        loop {
            while let Some(event) = self.recorder.events.get(looked) {
                looked += 1;
                if garbled::is_garbled_answer(event, expect) {
                    // What answers without saying so is not waited for any longer.
                    deadline = deadline.min(Instant::now() + CROSSED);
                }
                if let Some(answer) = answer_in(event, expect) {
                    let answer = answer.clone();
                    self.settings.pace.note(&message, began.elapsed());
                    return Some(answer);
                }
                let refused = matches!(event.kind, EventKind::Responded { status: 400.., .. });
                if refused || is_garbled(event) {
                    // It was probably the answer.
                    deadline = deadline.min(Instant::now() + AFTERTHOUGHT);
                }
            }
            if let Connection::Http(http) = &self.connection
                && !http.stands()
            {
                return None;
            }
            // Until the first word comes, what is said beside the pipe is looked at now and then.
            let until =
                if self.has_heard() { deadline } else { deadline.min(Instant::now() + GLANCE) };
            if !self.hear(until).await {
                let elsewhere = self.recorder.events[start..].iter().any(is_answer_on_stderr);
                if until < deadline && self.interruption().is_none() && !elsewhere {
                    continue;
                }
                let over_http = matches!(self.connection, Connection::Http(_));
                if Instant::now() >= deadline && !over_http {
                    // Less than the timeout, where the run is over before.
                    self.recorder.silence(deadline.saturating_duration_since(asked));
                }
                return None;
            }
        }
    }

    /// How long an answer may take: longer while the peer is still starting.
    fn patience(&self, message: &Value) -> Duration {
        match self.connection {
            Connection::Lines { .. } if !self.has_heard() => self.settings.start_timeout,
            _ => self.settings.pace.patience(message, self.settings.timeout),
        }
    }

    /// Whether the peer has said anything yet.
    fn has_heard(&self) -> bool {
        self.recorder.events.iter().any(|it| matches!(it.kind, EventKind::Received { .. }))
    }

    /// The handshake, up to the answer. Gives its result.
    pub async fn initialize(&mut self, topic: Topic, version: &str) -> Option<Value> {
        let params = json!({
            "protocolVersion": version,
            "capabilities": self.settings.client_kind.capabilities(self.settings.revision),
            "clientInfo": { "name": CLIENT_NAME, "version": env!("CARGO_PKG_VERSION") },
        });
        let patience = std::mem::replace(&mut self.settings.timeout, self.settings.start_timeout);
        self.next_id += 1;
        let id = json!(self.next_id);
        let message = if self.is_modern() {
            self.request(topic, &id, "server/discover", None)
        } else {
            self.request(topic, &id, "initialize", Some(params))
        };
        let expect = Expect::Handshake(id.clone());
        let answer = self.say(topic, &message.to_string(), expect).await;
        self.settings.timeout = patience;
        let answer = answer?;
        let answered = answer.get("id");
        self.repeats_no_ids = answered != Some(&id) && !is_alike(answered, &id);
        let result = answer.get("result")?.clone();
        let agreed = result.get("protocolVersion").and_then(Value::as_str);
        let modern = self.is_modern();
        if let Connection::Http(http) = &mut self.connection
            && !modern
        {
            http.agree(agreed, &self.recorder.events);
        }
        Some(result)
    }

    /// The whole handshake with the revision that the run is about.
    pub async fn shake_hands(&mut self) -> Option<Value> {
        let revision = self.settings.revision;
        let result = self.initialize(Topic::Handshake, revision.as_str()).await?;
        if !self.is_modern() {
            self.tell(Topic::Initialized, "notifications/initialized", None).await;
        }
        Some(result)
    }

    /// Takes in whatever comes within this time.
    pub async fn listen(&mut self, time: Duration) {
        let began = Instant::now();
        let deadline = self.deadline(time);
        let before = self.recorder.events.len();
        while self.hear(deadline).await {}
        if self.recorder.events.len() == before {
            self.recorder.silence(deadline.saturating_duration_since(began).min(time));
        }
    }

    /// Sends any text without waiting for anything, except over HTTP for its status.
    pub async fn put(&mut self, topic: Topic, text: &str) {
        self.send(topic, text, None).await;
    }

    /// Answers whatever was left unanswered.
    pub async fn catch_up(&mut self) {
        let client_kind = self.settings.client_kind;
        let said = |id: &Value| {
            self.recorder.events.iter().any(|event| match &event.kind {
                EventKind::Sent { frame, .. } => {
                    let mut messages = frame.messages().iter();
                    messages.any(|it| it.get("method").is_none() && it.get("id") == Some(id))
                }
                _ => false,
            })
        };
        let open = self.recorder.events.iter().filter(|event| match &event.kind {
            EventKind::Received { frame, .. } => {
                let mut asked = frame.messages().iter().filter(|it| it.get("method").is_some());
                asked.any(|it| it.get("id").is_some_and(|id| !said(id)))
            }
            _ => false,
        });
        let replies: Vec<_> = open.flat_map(|event| client_kind.replies_to(&event.kind)).collect();
        for reply in replies {
            self.send(Topic::Reply, &reply, None).await;
        }
    }

    /// The HTTP side together with the record, if there is one.
    pub fn http_and_recorder(&mut self) -> Option<(&mut HttpSession, &mut Recorder)> {
        match &mut self.connection {
            Connection::Http(http) | Connection::Sse { http, .. } => {
                Some((http, &mut self.recorder))
            }
            Connection::Lines { .. } => None,
        }
    }

    /// Ends the conversation without leaving anything behind: no process, no session.
    pub async fn finish(mut self) -> Vec<Event> {
        match self.connection {
            Connection::Lines { mut wire, process, mut tasks } => {
                wire.close_input().await;
                let deadline = Instant::now() + FAREWELL;
                while wire.read(&mut self.recorder, deadline).await {}
                if let Some(process) = process {
                    let left = deadline.saturating_duration_since(Instant::now());
                    process.stop(&mut self.recorder, left).await;
                }
                wire.record_stderr(&mut self.recorder);
                tasks.abort_all();
            }
            Connection::Http(mut http) => http.end_session(&mut self.recorder).await,
            Connection::Sse { .. } => {}
        }
        self.recorder.events
    }

    async fn send(&mut self, topic: Topic, text: &str, expect: Option<&Expect>) {
        if Instant::now() >= self.settings.until {
            // There would be no time to hear what comes of it.
            return;
        }
        let deadline = self.deadline(self.settings.timeout);
        match &mut self.connection {
            Connection::Lines { wire, .. } => {
                let frame = Frame::new(text, self.settings.framing.border());
                self.recorder.note(EventKind::Sent { topic, exchange: 0, frame });
                let written = self.settings.framing.write(text);
                if let Err(error) = wire.write(written.as_bytes(), deadline).await {
                    self.recorder.note(EventKind::Broken { exchange: 0, why: error.to_string() });
                }
            }
            Connection::Http(http) => http.post(&mut self.recorder, topic, text, expect).await,
            Connection::Sse { http, .. } => http.post(&mut self.recorder, topic, text, None).await,
        }
    }

    /// Takes in one frame and answers it if it is a request. `false` if nothing more comes before the deadline.
    async fn hear(&mut self, deadline: Instant) -> bool {
        let before = self.recorder.events.len();
        let more = match &mut self.connection {
            Connection::Lines { wire, process, .. } => {
                let more = wire.read(&mut self.recorder, deadline).await;
                wire.record_stderr(&mut self.recorder);
                if let Some(process) = process {
                    process.record_stderr(&mut self.recorder);
                }
                more
            }
            Connection::Http(http) => http.hear(&mut self.recorder, deadline).await,
            Connection::Sse { stream, .. } => {
                let Some(events) = stream else { return false };
                match timeout_at(deadline, events.next()).await {
                    Err(_) => false,
                    Ok(Ok(Some(frame))) => {
                        self.recorder.received(0, frame);
                        !self.recorder.is_flooded()
                    }
                    Ok(Ok(None)) => {
                        *stream = None;
                        self.recorder.note(EventKind::Ended { exchange: 0 });
                        false
                    }
                    Ok(Err(error)) => {
                        *stream = None;
                        self.recorder
                            .note(EventKind::Broken { exchange: 0, why: error.to_string() });
                        false
                    }
                }
            }
        };
        if matches!(self.connection, Connection::Http(_)) {
            // It answers by itself, since questions may come while it waits for something else.
            return more;
        }
        let client_kind = self.settings.client_kind;
        let replies: Vec<String> = self.recorder.events[before..]
            .iter()
            .flat_map(|event| client_kind.replies_to(&event.kind))
            .collect();
        for reply in replies {
            self.send(Topic::Reply, &reply, None).await;
        }
        more
    }
}

pub(super) fn request(id: &Value, method: &str, params: Option<Value>) -> Value {
    let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
    if let Some(params) = params {
        message["params"] = params;
    }
    message
}

/// How often standard error is looked at while nothing comes.
const GLANCE: Duration = Duration::from_millis(250);
/// How long an answer is waited for after something that cannot be read.
const AFTERTHOUGHT: Duration = Duration::from_secs(2);
/// How long something else may be the answer after all.
const CROSSED: Duration = Duration::from_millis(100);
/// Requests in a row that may go unanswered before a ping has to show that the peer lives.
const MOST_UNANSWERED: usize = 3;
/// How long a peer may take to end by itself, once its input is closed.
const FAREWELL: Duration = Duration::from_secs(2);
