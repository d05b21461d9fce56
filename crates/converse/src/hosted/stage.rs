//! One run of a client, as the server that it meets: takes in what comes, plays agendas, and writes everything down.
//!
//! Nothing here waits or touches a socket: what comes in is a [`Heard`], what goes out are pieces in channels, and time is an argument.

mod guarded;
mod http;
mod speaking;
mod sse;

use std::{collections::HashMap, time::Duration};

pub use sse::MESSAGES;

use serde_json::{Value, json};
use tokio::{sync::mpsc, time::Instant};

use super::{
    agenda::{Agenda, Step, Waiting, Way},
    desk::Desk,
    script::{Reach, Script},
    splitter::Splitter,
};
use crate::http_request::HttpRequest;
use crate::mutation::Mutator;
use proofmark_record::{
    event::{Border, Event, Frame, Headers, What},
    wire::Recorder,
};

/// What comes in.
#[derive(Debug)]
pub(super) enum Heard {
    Request {
        exchange: u32,
        request: HttpRequest,
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
    /// Somebody reads and writes lines; `start` counts how often the client has started the server.
    Piped {
        start: u32,
        pieces: mpsc::Sender<Vec<u8>>,
    },
    /// Something happened to a pipe.
    Line {
        start: u32,
        said: Said,
    },
}

/// What comes from the client's end of a pipe.
#[derive(Debug)]
pub(super) enum Said {
    Bytes(Vec<u8>),
    /// Nothing more comes on the pipe, because the client closed it.
    InputClosed,
    /// The process at the client's end of the pipe was ended before.
    Killed(String),
}

pub(super) struct Stage {
    recorder: Recorder,
    script: Script,
    mutator: Option<Mutator>,
    /// Where tokens come from, if they are demanded.
    desk: Option<Desk>,
    lines: Splitter,
    /// Lines before they are changed.
    unchanged: Splitter,
    /// Of the last request at the endpoint.
    last_headers: Option<Headers>,
    pretended: u32,
    pipe: Option<mpsc::Sender<Vec<u8>>>,
    /// The last start of the server.
    start: u32,
    /// The start that ended in the death of the server.
    died: Option<u32>,
    /// What happened before the server died.
    past: Vec<Event>,
    exchanges: HashMap<u32, http::Exchange>,
    agendas: Vec<Agenda>,
    /// How long to wait for an answer.
    patience: Duration,
    heard_at: Instant,
    /// Whether anything came at all.
    pub(super) met: bool,
}

impl Stage {
    pub(super) fn new(
        recorder: Recorder,
        script: Script,
        mutator: Option<Mutator>,
        patience: Duration,
    ) -> Self {
        Self {
            recorder,
            script,
            mutator,
            desk: None,
            lines: Splitter::default(),
            unchanged: Splitter::default(),
            last_headers: None,
            pretended: 0,
            pipe: None,
            start: 0,
            died: None,
            past: Vec::new(),
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

    /// For each life of the server what happened in it.
    pub(super) fn into_events(self) -> Vec<Vec<Event>> {
        let lives = [self.past, self.recorder.events];
        lives.into_iter().filter(|events| !events.is_empty()).collect()
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
            // It only looks as if it had been started.
            Heard::Piped { start, .. }
                if self.died.is_some() && self.mutator.as_ref().is_some_and(Mutator::gives_up) =>
            {
                self.died = Some(start);
            }
            Heard::Piped { start, pieces } => {
                if self.died.is_some() && self.past.is_empty() {
                    self.past = std::mem::take(&mut self.recorder.events);
                    if let Some(mutator) = &mut self.mutator {
                        mutator.begin_again();
                    }
                }
                self.note(What::Connected("the client started the server".to_owned()));
                self.pipe = Some(pieces);
                self.start = start;
            }
            // Nobody is there to hear it.
            Heard::Line { start, .. } if self.died == Some(start) => {}
            Heard::Line { start, said } => self.hear_line(start, said),
        }
        self.play(now);
    }

    fn hear_line(&mut self, start: u32, said: Said) {
        if let Said::Bytes(bytes) = said {
            self.met = true;
            return self.bytes(&bytes);
        }
        match said {
            Said::Killed(why) => self.note(What::Broken { exchange: 0, why }),
            _ if self.mutator.as_ref().is_some_and(Mutator::kills) => {
                self.note(What::Broken { exchange: 0, why: "killed".to_owned() });
            }
            _ => {
                if let Some(words) = self.mutator.as_ref().and_then(Mutator::last_words) {
                    self.lines.push(words.as_bytes());
                }
                if let Some(rest) = self.lines.finish() {
                    self.recorder.received(0, Frame::new(rest, Border::Cut));
                }
                self.note(What::Ended { exchange: 0 });
            }
        }
        if start == self.start {
            self.pipe = None;
        }
    }

    /// Ends the server on the pipe, in the midst of whatever it does.
    fn die(&mut self) {
        self.pipe = None;
        self.died = Some(self.start);
        (self.lines, self.unchanged) = (Splitter::default(), Splitter::default());
        for agenda in &mut self.agendas {
            agenda.steps.clear();
            agenda.waiting = None;
        }
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
                    agenda.waiting = Some(Waiting::answer(&message, now + self.patience));
                    self.say(way, topic, &message);
                }
                Step::AskApart(topic, message) => {
                    let Some(apart) = self.standing() else { continue };
                    self.agendas[index].waiting =
                        Some(Waiting::answer(&message, now + self.patience));
                    self.say(apart, topic, &message);
                }
                Step::Follow { topic, mut message, of, from, to } => {
                    let Some(value) = self.said(&of, from) else { continue };
                    message["params"][to] = value;
                    self.agendas[index].steps.push_front(Step::Ask(topic, message));
                }
                Step::Tell(topic, message) => self.say(way, topic, &message),
                Step::Text(topic, text) => self.say_text(way, topic, text),
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
                    self.answer(way, 200, &message);
                    return false;
                }
                Step::Fail(code, text) => {
                    let error = json!({ "code": code, "message": text });
                    let message = json!({ "jsonrpc": "2.0", "id": id, "error": error });
                    self.answer(way, 200, &message);
                    return false;
                }
                Step::Refuse { status, error } => {
                    let message = json!({ "jsonrpc": "2.0", "id": id, "error": error });
                    self.answer(way, status, &message);
                    return false;
                }
                Step::Status(status) => {
                    if let Way::Exchange(exchange) = way {
                        self.respond(exchange, status, &[], None);
                    }
                    return false;
                }
                Step::Cut => {
                    self.end(way);
                    return false;
                }
                Step::Never => return false,
                Step::Die => {
                    self.die();
                    return false;
                }
            }
        }
    }

    /// The stream that GET opened.
    fn standing(&self) -> Option<Way> {
        let standing = self.exchanges.iter().find(|(_, it)| it.standing);
        standing.map(|(exchange, _)| Way::Exchange(*exchange))
    }

    /// What the client said in answer to a request.
    fn said(&self, id: &str, path: &str) -> Option<Value> {
        self.recorder.events.iter().find_map(|event| {
            let What::Received { frame, .. } = &event.what else { return None };
            let mut messages = frame.messages().iter();
            let answer = messages.find(|it| it.get("method").is_none() && it["id"] == id)?;
            answer.pointer(path).cloned()
        })
    }

    /// Bytes of the pipe, changed line by line if the client is a mutant.
    fn bytes(&mut self, bytes: &[u8]) {
        let Some(mutator) = &self.mutator else {
            let lines = self.lines.push(bytes);
            return self.take_lines(lines);
        };
        let mut written = Vec::new();
        for line in self.unchanged.push(bytes) {
            let text = String::from_utf8_lossy(&line).into_owned();
            for said in mutator.say(&text) {
                written.extend(mutator.line(&said));
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
                (None, Way::Exchange(_)) => self.standing(),
                _ => Some(way),
            };
            let reach = if way.is_some() { Reach::Open } else { Reach::Closed };
            let steps = self.script.hear(message, reach);
            if let (Some(way), false) = (way, steps.is_empty()) {
                self.agendas.push(Agenda::new(way, request, steps));
            }
        }
    }
}

/// Where messages are posted to.
pub(super) const ENDPOINT: &str = "/mcp";
