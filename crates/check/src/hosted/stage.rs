//! One run of a client, as the server that it meets: takes in what comes, plays agendas, and writes everything down.
//!
//! Nothing here waits or touches a socket: what comes in is a [`Heard`], what goes out are pieces in channels, and time is an argument.

use std::{collections::HashMap, time::Duration};

use serde_json::{Value, json};
use tokio::{sync::mpsc, time::Instant};

use super::{
    act::Stream,
    agenda::{Agenda, Step, Waiting, Way},
    door::Incoming,
    script::{Reach, Script},
    splitter::Splitter,
};
use crate::{
    evidence::{Border, Event, Frame, Headers, What},
    mutant::{Passing, Spoiler},
    scenario::Topic,
    wire::{Recorder, http::write_headers},
};

/// What comes in.
#[derive(Debug)]
pub(super) enum Heard {
    Request {
        exchange: u32,
        request: Incoming,
        pieces: mpsc::Sender<Vec<u8>>,
    },
    /// A connection that did not carry HTTP.
    NoHttp {
        exchange: u32,
        why: String,
    },
    /// The client closed the connection before it had everything.
    Left {
        exchange: u32,
    },
    /// Somebody reads and writes lines.
    Piped(mpsc::Sender<Vec<u8>>),
    Bytes(Vec<u8>),
    /// Nothing more comes on the pipe, because the client closed it.
    InputClosed,
    /// The process at the client's end of the pipe was ended before.
    Killed(String),
}

pub(super) struct Stage {
    recorder: Recorder,
    script: Script,
    spoiler: Option<Spoiler>,
    lines: Splitter,
    /// Lines before they are spoiled.
    unspoiled: Splitter,
    /// Of the last request at the endpoint.
    last_headers: Option<Headers>,
    pretended: u32,
    pipe: Option<mpsc::Sender<Vec<u8>>>,
    exchanges: HashMap<u32, Exchange>,
    agendas: Vec<Agenda>,
    /// How long to wait for an answer.
    patience: Duration,
    heard_at: Instant,
    /// Whether anything came at all.
    pub(super) met: bool,
}

struct Exchange {
    pieces: mpsc::Sender<Vec<u8>>,
    stream: Stream,
    /// Whether the head of an event stream was sent.
    begun: bool,
    headers: Headers,
    /// Whether this is the standing stream that GET opens.
    standing: bool,
}

impl Stage {
    pub(super) fn new(
        recorder: Recorder,
        script: Script,
        spoiler: Option<Spoiler>,
        patience: Duration,
    ) -> Self {
        Self {
            recorder,
            script,
            spoiler,
            lines: Splitter::default(),
            unspoiled: Splitter::default(),
            last_headers: None,
            pretended: 0,
            pipe: None,
            exchanges: HashMap::new(),
            agendas: Vec::new(),
            patience,
            heard_at: Instant::now(),
            met: false,
        }
    }

    pub(super) fn note(&mut self, what: What) {
        self.recorder.note(what);
    }

    pub(super) fn into_events(self) -> Vec<Event> {
        self.recorder.events
    }

    /// When something is to be done even if nothing comes.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.agendas.iter().filter_map(|agenda| Some(agenda.waiting.as_ref()?.until)).min()
    }

    /// Since when nothing came and nothing is waited for. `None` while something is.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let busy = self.agendas.iter().any(|agenda| agenda.waiting.is_some());
        (!busy).then_some(self.heard_at)
    }

    pub(super) fn is_flooded(&self) -> bool {
        self.recorder.is_flooded()
    }

    pub(super) fn hear(&mut self, heard: Heard, now: Instant) {
        self.heard_at = now;
        match heard {
            Heard::Request { exchange, request, pieces } => {
                self.met = true;
                self.request(exchange, request, pieces);
            }
            Heard::NoHttp { exchange, why } => self.note(What::Broken { exchange, why }),
            Heard::Left { exchange } => {
                if self.exchanges.remove(&exchange).is_some() {
                    self.note(What::Left { exchange });
                    self.agendas.retain(|agenda| agenda.way != Way::Exchange(exchange));
                }
            }
            Heard::Piped(pieces) => {
                self.note(What::Connected("the client started the server".to_owned()));
                self.pipe = Some(pieces);
            }
            Heard::Bytes(bytes) => {
                self.met = true;
                self.bytes(&bytes);
            }
            Heard::InputClosed if self.spoiler.as_ref().is_some_and(Spoiler::kills) => {
                self.note(What::Broken { exchange: 0, why: "killed".to_owned() });
                self.pipe = None;
            }
            Heard::InputClosed => {
                if let Some(words) = self.spoiler.as_ref().and_then(Spoiler::last_words) {
                    self.lines.push(words.as_bytes());
                }
                if let Some(rest) = self.lines.finish() {
                    self.recorder.received(0, Frame::new(rest, Border::Cut));
                }
                self.note(What::Ended { exchange: 0 });
                self.pipe = None;
            }
            Heard::Killed(why) => {
                self.note(What::Broken { exchange: 0, why });
                self.pipe = None;
            }
        }
        self.play(now);
    }

    /// Plays every agenda as far as it goes.
    pub(super) fn play(&mut self, now: Instant) {
        loop {
            let before = self.agendas.len();
            let mut index = 0;
            while index < self.agendas.len() {
                if self.advance(index, now) {
                    index += 1;
                } else {
                    self.agendas.remove(index);
                }
            }
            // Some wait for others to be done.
            if self.agendas.len() == before {
                return;
            }
        }
    }

    /// `false` if the agenda is done.
    fn advance(&mut self, index: usize, now: Instant) -> bool {
        loop {
            let agenda = &mut self.agendas[index];
            if let Some(waiting) = &agenda.waiting {
                if waiting.until > now {
                    return true;
                }
                agenda.waiting = None;
            }
            let Some(step) = agenda.steps.pop_front() else {
                return false;
            };
            let (way, id) = (agenda.way, agenda.request.clone());
            match step {
                Step::Ask(topic, message) => {
                    agenda.waiting = Some(Waiting {
                        answer: first_id(&message),
                        cancellable: false,
                        until: now + self.patience,
                    });
                    self.say(way, topic, &message);
                }
                Step::Tell(topic, message) => self.say(way, topic, &message),
                Step::Raw(bytes) => self.raw(way, bytes),
                Step::Pause(time) => {
                    agenda.waiting =
                        Some(Waiting { answer: None, cancellable: false, until: now + time });
                }
                Step::AwaitCancellation => {
                    let until = now + self.patience;
                    agenda.waiting = Some(Waiting { answer: None, cancellable: true, until });
                }
                Step::Last => {
                    let mut others = self.agendas.iter().enumerate().filter(|(it, _)| *it != index);
                    if others.any(|(_, it)| !it.is_at_last()) {
                        self.agendas[index].steps.push_front(Step::Last);
                        return true;
                    }
                }
                Step::Settle => {
                    let others = self.agendas.iter().enumerate();
                    let busy = others.filter(|(it, _)| *it != index).any(|(_, it)| it.asks());
                    if busy {
                        self.agendas[index].steps.push_front(Step::Settle);
                        return true;
                    }
                }
                Step::Answer(result) => {
                    let message = json!({ "jsonrpc": "2.0", "id": id, "result": result });
                    self.answer(way, &message);
                    return false;
                }
                Step::Fail(code, text) => {
                    let error = json!({ "code": code, "message": text });
                    let message = json!({ "jsonrpc": "2.0", "id": id, "error": error });
                    self.answer(way, &message);
                    return false;
                }
                Step::Cut => {
                    self.end(way);
                    return false;
                }
                Step::Never => return false,
            }
        }
    }

    /// Bytes of the pipe, spoiled line by line if the client is a mutant.
    fn bytes(&mut self, bytes: &[u8]) {
        let Some(spoiler) = &self.spoiler else {
            let lines = self.lines.push(bytes);
            return self.take_lines(lines);
        };
        let mut written = Vec::new();
        for line in self.unspoiled.push(bytes) {
            let text = String::from_utf8_lossy(&line).into_owned();
            for said in spoiler.say(&text) {
                written.extend(spoiler.line(&said));
            }
        }
        let lines = self.lines.push(&written);
        self.take_lines(lines);
    }

    fn take_lines(&mut self, lines: Vec<Vec<u8>>) {
        for line in lines {
            let frame = Frame::new(line, Border::Line);
            self.recorder.received(0, frame.clone());
            self.take(Way::Pipe, &frame);
        }
    }

    fn request(&mut self, exchange: u32, mut request: Incoming, pieces: mpsc::Sender<Vec<u8>>) {
        let mut beside = Vec::new();
        if let Some(spoiler) = &self.spoiler {
            let passes = spoiler.request(&mut request);
            let text = String::from_utf8_lossy(&request.body).into_owned();
            if !text.is_empty() {
                beside = spoiler.say(&text);
            }
            if passes == Passing::No || (!text.is_empty() && beside.is_empty()) {
                // The client believes that it was heard.
                let status = if request.method == "GET" { 405 } else { 202 };
                let _ = pieces.try_send(head(status, &[("content-length".into(), "0".into())]));
                return;
            }
            if !text.is_empty() {
                request.body = beside.remove(0).into_bytes();
            }
        }
        let at_endpoint = request.path.split('?').next() == Some(ENDPOINT);
        let topic = if at_endpoint { Topic::Endpoint } else { Topic::Elsewhere };
        let line = format!("{} {}", request.method, request.path);
        self.note(What::Requested { topic, exchange, line, headers: request.headers.clone() });
        let kept = Exchange {
            pieces,
            stream: Stream::Json,
            begun: false,
            headers: Vec::new(),
            standing: false,
        };
        self.exchanges.insert(exchange, kept);
        if !at_endpoint {
            self.respond(exchange, 404, &[], None);
            return;
        }
        match request.method.as_str() {
            "GET" => self.open(exchange, &request),
            "DELETE" => self.respond(exchange, 200, &[], None),
            _ => self.post(exchange, &request),
        }
        self.last_headers = Some(request.headers);
        for text in beside {
            self.pretend(&text);
        }
    }

    /// What a spoiled client says by itself, as if it came from the client.
    fn pretend(&mut self, text: &str) {
        let Some(headers) = self.last_headers.clone() else {
            return self.take_lines(vec![text.as_bytes().to_vec()]);
        };
        self.pretended += 1;
        let (exchange, line) = (PRETENDED + self.pretended, format!("POST {ENDPOINT}"));
        self.note(What::Requested { topic: Topic::Endpoint, exchange, line, headers });
        let frame = Frame::new(text, Border::Body);
        self.recorder.received(exchange, frame.clone());
        self.note(What::Responded { exchange, status: 202, headers: Vec::new() });
        self.take(Way::Exchange(exchange), &frame);
    }

    fn post(&mut self, exchange: u32, request: &Incoming) {
        let frame = Frame::new(request.body.clone(), Border::Body);
        self.recorder.received(exchange, frame.clone());
        if let Some(status) = self.script.refuses(request) {
            self.respond(exchange, status, &[], None);
            return;
        }
        let asks = frame.messages().iter().any(is_request);
        let stream = match frame.messages() {
            [message] => self.script.stream(message),
            _ => Stream::Events,
        };
        let session = self.script.session_for(&frame);
        if let Some(kept) = self.exchanges.get_mut(&exchange) {
            kept.stream = stream;
            kept.headers.extend(session.map(|id| ("mcp-session-id".to_owned(), id)));
        }
        self.take(Way::Exchange(exchange), &frame);
        if !asks {
            let status = if frame.json.is_ok() { 202 } else { 400 };
            self.respond(exchange, status, &[], None);
        }
    }

    /// GET: the standing stream, or one that broke off.
    fn open(&mut self, exchange: u32, request: &Incoming) {
        let last = request.header("last-event-id").map(str::to_owned);
        let Some((id, steps)) = self.script.opened(last.as_deref()) else {
            return self.respond(exchange, 405, &[], None);
        };
        if let Some(kept) = self.exchanges.get_mut(&exchange) {
            kept.stream = Stream::Events;
            kept.standing = id.is_none();
        }
        self.begin(exchange);
        self.agendas.push(Agenda::new(Way::Exchange(exchange), id, steps));
    }

    /// The messages in what came.
    fn take(&mut self, way: Way, frame: &Frame) {
        for message in frame.messages() {
            if let Some(id) = message.get("id")
                && message.get("method").is_none()
            {
                for agenda in &mut self.agendas {
                    if agenda.waiting.as_ref().is_some_and(|it| it.answer.as_ref() == Some(id)) {
                        agenda.waiting = None;
                    }
                }
                continue;
            }
            if message["method"] == "notifications/cancelled" {
                let id = message.pointer("/params/requestId");
                for agenda in &mut self.agendas {
                    let waits = agenda.waiting.as_ref().is_some_and(|it| it.cancellable);
                    if waits && agenda.request.as_ref() == id {
                        agenda.waiting = None;
                    }
                }
            }
            let request = message.get("id").cloned();
            // What belongs to no request goes where such things go.
            let way = match (&request, way) {
                (None, Way::Exchange(_)) => {
                    let standing = self.exchanges.iter().find(|(_, it)| it.standing);
                    standing.map(|(exchange, _)| Way::Exchange(*exchange))
                }
                _ => Some(way),
            };
            let reach = if way.is_some() { Reach::Open } else { Reach::Closed };
            let steps = self.script.hear(message, reach);
            if let (Some(way), false) = (way, steps.is_empty()) {
                self.agendas.push(Agenda::new(way, request, steps));
            }
        }
    }

    /// A message that does not end anything.
    fn say(&mut self, way: Way, topic: Topic, message: &Value) {
        let text = message.to_string();
        let instead = self.spoiler.as_mut().and_then(|spoiler| spoiler.hear(&text));
        match way {
            Way::Pipe => {
                let frame = Frame::new(text.as_bytes(), Border::Line);
                self.note(What::Sent { topic, exchange: 0, frame });
                if instead.is_none() {
                    self.pipe(format!("{text}\n").into_bytes());
                }
            }
            Way::Exchange(exchange) => {
                if !self.exchanges.contains_key(&exchange) {
                    return;
                }
                self.begin(exchange);
                let border = Border::Event { name: String::new(), id: None, retry: None };
                let frame = Frame::new(text.as_bytes(), border);
                self.note(What::Sent { topic, exchange, frame });
                if instead.is_none() {
                    let bytes = self.script.event(&text);
                    self.piece(exchange, chunk(&bytes));
                }
            }
        }
        for text in instead.into_iter().flatten() {
            self.pretend(&text);
        }
    }

    fn answer(&mut self, way: Way, message: &Value) {
        let Way::Exchange(exchange) = way else { return self.say(way, Topic::Reply, message) };
        let streams =
            self.exchanges.get(&exchange).is_some_and(|it| it.begun || it.stream == Stream::Events);
        if streams {
            self.say(way, Topic::Reply, message);
            // Answers to the requests of one batch share a stream.
            let open = self.agendas.iter().filter(|it| it.way == way && it.request.is_some());
            if open.count() <= 1 {
                self.end(way);
            }
            return;
        }
        let text = message.to_string();
        let instead = self.spoiler.as_mut().and_then(|spoiler| spoiler.hear(&text));
        for text in instead.into_iter().flatten() {
            self.pretend(&text);
        }
        self.respond(exchange, 200, message.to_string().as_bytes(), Some("application/json"));
    }

    fn raw(&mut self, way: Way, bytes: Vec<u8>) {
        match way {
            Way::Pipe => self.pipe(bytes),
            Way::Exchange(exchange) => {
                self.begin(exchange);
                let bytes = match &self.spoiler {
                    Some(it) => it.event(&String::from_utf8_lossy(&bytes)).into_bytes(),
                    None => bytes,
                };
                self.piece(exchange, chunk(&bytes));
            }
        }
    }

    /// The head of an event stream, unless it was sent.
    fn begin(&mut self, exchange: u32) {
        let Some(kept) = self.exchanges.get_mut(&exchange).filter(|it| !it.begun) else { return };
        kept.begun = true;
        let mut headers = kept.headers.clone();
        headers.push(("content-type".to_owned(), "text/event-stream".to_owned()));
        headers.push(("cache-control".to_owned(), "no-cache".to_owned()));
        self.note(What::Responded { exchange, status: 200, headers: headers.clone() });
        headers.push(("transfer-encoding".to_owned(), "chunked".to_owned()));
        self.piece(exchange, head(200, &headers));
    }

    fn end(&mut self, way: Way) {
        let Way::Exchange(exchange) = way else { return };
        if self.exchanges.contains_key(&exchange) {
            self.begin(exchange);
            self.piece(exchange, b"0\r\n\r\n".to_vec());
            self.exchanges.remove(&exchange);
            self.note(What::Ended { exchange });
        }
    }

    /// The whole response at once.
    fn respond(&mut self, exchange: u32, status: u16, body: &[u8], kind: Option<&str>) {
        let Some(kept) = self.exchanges.remove(&exchange) else { return };
        let mut headers = kept.headers;
        if let Some(kind) = kind {
            headers.push(("content-type".to_owned(), kind.to_owned()));
        }
        self.note(What::Responded { exchange, status, headers: headers.clone() });
        headers.push(("content-length".to_owned(), body.len().to_string()));
        let mut bytes = head(status, &headers);
        bytes.extend_from_slice(body);
        if !body.is_empty() {
            let frame = Frame::new(body, Border::Body);
            self.note(What::Sent { topic: Topic::Reply, exchange, frame });
        }
        let _ = kept.pieces.try_send(bytes);
        self.note(What::Ended { exchange });
    }

    fn piece(&mut self, exchange: u32, bytes: Vec<u8>) {
        let Some(kept) = self.exchanges.get(&exchange) else { return };
        if kept.pieces.try_send(bytes).is_err() {
            self.exchanges.remove(&exchange);
            let why = "the client does not read what it asked for".to_owned();
            self.note(What::Broken { exchange, why });
        }
    }

    fn pipe(&mut self, bytes: Vec<u8>) {
        let Some(pipe) = &self.pipe else { return };
        if pipe.try_send(bytes).is_err() {
            self.pipe = None;
            let why = "the client does not read from the pipe".to_owned();
            self.note(What::Broken { exchange: 0, why });
        }
    }
}

/// Of a batch, that of its first message.
fn first_id(message: &Value) -> Option<Value> {
    message.get("id").or_else(|| message.pointer("/0/id")).cloned()
}

fn is_request(message: &Value) -> bool {
    message.get("id").is_some() && message.get("method").is_some()
}

fn head(status: u16, headers: &[(String, String)]) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status} Hosted\r\n").into_bytes();
    write_headers(&mut bytes, headers);
    bytes.extend_from_slice(b"connection: close\r\n\r\n");
    bytes
}

fn chunk(bytes: &[u8]) -> Vec<u8> {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    chunk
}

/// Where messages are posted to.
pub(super) const ENDPOINT: &str = "/mcp";
/// Exchanges of a spoiled client are numbered from here.
const PRETENDED: u32 = 1_000_000;
