//! One run of a client, as the server that it meets: takes in what comes, takes the steps of queues, and records everything.
//!
//! Nothing here waits or touches a socket: what comes in is a [`ServerInput`], what goes out are pieces in channels, and time is an argument.

mod authorization;
mod http;
mod speaking;
mod sse;

use std::{collections::HashMap, time::Duration};

pub use sse::MESSAGES;

use serde_json::{Value, json};
use tokio::{sync::mpsc, time::Instant};

use super::{
    authorization_server::AuthorizationServer,
    behaviour::{Behaviour, Reach},
    steps::{Channel, Step, StepQueue, Waiting},
};
use crate::http_request::HttpRequest;
use crate::mutation::Mutator;
use crate::scenario::Framing;
use proofmark_record::{
    event::{Border, Event, EventKind, Frame, Headers},
    wire::{
        MOST_FRAME, Recorder,
        line_splitter::{LineSplitter, Split},
        lines::LONGEST_PAUSE,
        message_splitter::{Cut, MessageSplitter},
    },
};

/// What comes in.
#[derive(Debug)]
pub(super) enum ServerInput {
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
    /// A pipe was opened; `start` counts how often the client has started the server.
    Piped {
        start: u32,
        pieces: mpsc::Sender<Vec<u8>>,
    },
    /// Something happened to a pipe.
    Line {
        start: u32,
        said: PipeInput,
    },
}

/// What comes from the client's end of a pipe.
#[derive(Debug)]
pub(super) enum PipeInput {
    Bytes(Vec<u8>),
    /// Nothing more comes on the pipe, because the client closed it.
    InputClosed,
    /// The process at the client's end of the pipe was ended before.
    Killed(String),
}

pub(super) struct HostedServer {
    recorder: Recorder,
    behaviour: Behaviour,
    mutator: Option<Mutator>,
    /// Where tokens come from, if they are demanded.
    authorization_server: Option<AuthorizationServer>,
    messages: MessageSplitter,
    /// Whether what came last may be a message that lacks nothing but a newline.
    is_unsettled: bool,
    /// How the client tells messages on the pipe apart.
    framing: Framing,
    /// Lines before they are changed.
    unchanged: LineSplitter,
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
    queues: Vec<StepQueue>,
    /// How long to wait for an answer.
    patience: Duration,
    heard_at: Instant,
    /// Whether anything came at all.
    pub(super) met: bool,
}

impl HostedServer {
    pub(super) fn new(
        recorder: Recorder,
        behaviour: Behaviour,
        mutator: Option<Mutator>,
        patience: Duration,
    ) -> Self {
        Self {
            recorder,
            behaviour,
            mutator,
            authorization_server: None,
            messages: MessageSplitter::default(),
            is_unsettled: false,
            framing: Framing::Lines,
            unchanged: LineSplitter::default(),
            last_headers: None,
            pretended: 0,
            pipe: None,
            start: 0,
            died: None,
            past: Vec::new(),
            exchanges: HashMap::new(),
            queues: Vec::new(),
            patience,
            heard_at: Instant::now(),
            met: false,
        }
    }

    pub(super) fn note(&mut self, what: EventKind) {
        self.recorder.note(what);
    }

    /// For each life of the server what happened in it.
    pub(super) fn into_events(mut self) -> Vec<Vec<Event>> {
        // Lines that were the beginning of a message whose end never came. What has no newline may have been cut by the end.
        let lines = self.messages.finish().into_iter().filter(|it| it.border != Border::Cut);
        for frame in lines {
            self.recorder.received(0, frame);
        }
        let lives = [self.past, self.recorder.events];
        lives.into_iter().filter(|events| !events.is_empty()).collect()
    }

    /// When something is to be done even if nothing comes.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        let queues = self.queues.iter().filter_map(|queue| Some(queue.waiting.as_ref()?.until));
        queues.chain(self.is_unsettled.then(|| self.heard_at + LONGEST_PAUSE)).min()
    }

    /// Since when nothing came and nothing is waited for. `None` while something is.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let waiting = self.queues.iter().any(|queue| queue.waiting.is_some());
        let busy = waiting || self.is_unsettled;
        (!busy).then_some(self.heard_at)
    }

    pub(super) fn is_flooded(&self) -> bool {
        self.recorder.is_flooded()
    }

    pub(super) fn hear(&mut self, input: ServerInput, now: Instant) {
        self.heard_at = now;
        match input {
            ServerInput::Request { exchange, request, pieces } => {
                self.met = true;
                self.request(exchange, request, pieces);
            }
            ServerInput::NoHttp { exchange, why } => self.note(EventKind::Broken { exchange, why }),
            ServerInput::Left { exchange } => {
                if self.exchanges.remove(&exchange).is_some() {
                    self.note(EventKind::Left { exchange });
                    self.queues.retain(|queue| queue.channel != Channel::Exchange(exchange));
                }
            }
            // It only looks as if it had been started.
            ServerInput::Piped { start, .. }
                if self.died.is_some() && self.mutator.as_ref().is_some_and(Mutator::gives_up) =>
            {
                self.died = Some(start);
            }
            ServerInput::Piped { start, pieces } => {
                if self.died.is_some() && self.past.is_empty() {
                    self.past = std::mem::take(&mut self.recorder.events);
                    if let Some(mutator) = &mut self.mutator {
                        mutator.begin_again();
                    }
                }
                self.note(EventKind::Connected("the client started the server".to_owned()));
                self.pipe = Some(pieces);
                self.start = start;
            }
            // The server that it is said to has died.
            ServerInput::Line { start, .. } if self.died == Some(start) => {}
            ServerInput::Line { start, said } => self.hear_line(start, said),
        }
        self.run_queues(now);
    }

    fn hear_line(&mut self, start: u32, said: PipeInput) {
        if let PipeInput::Bytes(bytes) = said {
            self.met = true;
            return self.bytes(&bytes);
        }
        match said {
            PipeInput::Killed(why) => self.note(EventKind::Broken { exchange: 0, why }),
            _ if self.mutator.as_ref().is_some_and(Mutator::kills) => {
                self.note(EventKind::Broken { exchange: 0, why: "killed".to_owned() });
            }
            _ => {
                if let Some(words) = self.mutator.as_ref().and_then(Mutator::last_words) {
                    // They have no newline, so they are what is left.
                    self.messages.push(words.as_bytes());
                }
                for frame in self.messages.finish() {
                    self.recorder.received(0, frame);
                }
                self.note(EventKind::Ended { exchange: 0 });
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
        (self.messages, self.unchanged) = (MessageSplitter::default(), LineSplitter::default());
        for queue in &mut self.queues {
            queue.steps.clear();
            queue.waiting = None;
        }
    }

    /// Takes the steps of every queue as far as possible.
    pub(super) fn run_queues(&mut self, now: Instant) {
        if self.is_unsettled && now >= self.heard_at + LONGEST_PAUSE {
            self.is_unsettled = false;
            if self.messages.settle() {
                self.take_messages();
            }
        }
        loop {
            let before = self.queues.len();
            let mut index = 0;
            while index < self.queues.len() {
                if self.advance(index, now) {
                    index += 1;
                } else {
                    self.queues.remove(index);
                }
            }
            // Some wait for others to be done.
            if self.queues.len() == before {
                return;
            }
        }
    }

    /// `false` if the queue is done.
    fn advance(&mut self, index: usize, now: Instant) -> bool {
        loop {
            let queue = &mut self.queues[index];
            if let Some(waiting) = &queue.waiting {
                if waiting.until > now {
                    return true;
                }
                queue.waiting = None;
            }
            let Some(step) = queue.steps.pop_front() else {
                return false;
            };
            let (channel, id) = (queue.channel, queue.request.clone());
            match step {
                Step::Ask(topic, message) => {
                    queue.waiting = Some(Waiting::answer(&message, now + self.patience));
                    self.say(channel, topic, &message);
                }
                Step::AskApart(topic, message) => {
                    let Some(apart) = self.standing() else { continue };
                    self.queues[index].waiting =
                        Some(Waiting::answer(&message, now + self.patience));
                    self.say(apart, topic, &message);
                }
                Step::Follow { topic, mut message, of, from, to } => {
                    let Some(value) = self.said(&of, from) else { continue };
                    message["params"][to] = value;
                    self.queues[index].steps.push_front(Step::Ask(topic, message));
                }
                Step::Tell(topic, message) => self.say(channel, topic, &message),
                Step::Text(topic, text) => self.say_text(channel, topic, text),
                Step::Raw(bytes) => self.raw(channel, bytes),
                Step::Pause(time) => {
                    queue.waiting =
                        Some(Waiting { answer: None, cancellable: false, until: now + time });
                }
                Step::AwaitCancellation => {
                    let until = now + self.patience;
                    queue.waiting = Some(Waiting { answer: None, cancellable: true, until });
                }
                Step::Last => {
                    let mut others = self.queues.iter().enumerate().filter(|(it, _)| *it != index);
                    if others.any(|(_, it)| !it.is_at_last()) {
                        self.queues[index].steps.push_front(Step::Last);
                        return true;
                    }
                }
                Step::Settle => {
                    let others = self.queues.iter().enumerate();
                    let busy = others.filter(|(it, _)| *it != index).any(|(_, it)| it.asks());
                    if busy {
                        self.queues[index].steps.push_front(Step::Settle);
                        return true;
                    }
                }
                Step::Answer(result) => {
                    let message = json!({ "jsonrpc": "2.0", "id": id, "result": result });
                    self.answer(channel, 200, &message);
                    return false;
                }
                Step::Fail(code, text) => {
                    let error = json!({ "code": code, "message": text });
                    let message = json!({ "jsonrpc": "2.0", "id": id, "error": error });
                    self.answer(channel, 200, &message);
                    return false;
                }
                Step::Refuse { status, error } => {
                    let message = json!({ "jsonrpc": "2.0", "id": id, "error": error });
                    self.answer(channel, status, &message);
                    return false;
                }
                Step::Status(status) => {
                    if let Channel::Exchange(exchange) = channel {
                        self.respond(exchange, status, &[], None);
                    }
                    return false;
                }
                Step::Cut => {
                    self.end(channel);
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
    fn standing(&self) -> Option<Channel> {
        let standing = self.exchanges.iter().find(|(_, it)| it.standing);
        standing.map(|(exchange, _)| Channel::Exchange(*exchange))
    }

    /// What the client said in answer to a request.
    fn said(&self, id: &str, path: &str) -> Option<Value> {
        self.recorder.events.iter().find_map(|event| {
            let EventKind::Received { frame, .. } = &event.kind else { return None };
            let mut messages = frame.messages().iter();
            let answer = messages.find(|it| it.get("method").is_none() && it["id"] == id)?;
            answer.pointer(path).cloned()
        })
    }

    /// Bytes of the pipe, changed line by line if the client is a mutant.
    fn bytes(&mut self, bytes: &[u8]) {
        let Some(mutator) = &self.mutator else {
            self.messages.push(bytes);
            return self.take_messages();
        };
        let mut written = Vec::new();
        for line in split(&mut self.unchanged, bytes).into_iter().flatten() {
            let text = String::from_utf8_lossy(&line).into_owned();
            for said in mutator.say(&text) {
                written.extend(mutator.line(&said));
            }
        }
        self.messages.push(&written);
        self.take_messages();
    }

    fn take_messages(&mut self) {
        while let Some(cut) = self.messages.cut() {
            let Cut::Frame(frame) = cut else {
                self.note(EventKind::Flooded { limit: MOST_FRAME });
                return;
            };
            if frame.border == Border::Length && self.mutator.is_none() {
                self.framing = Framing::Lengths;
            }
            self.recorder.received(0, frame.clone());
            self.take(Channel::Pipe, &frame);
        }
        self.is_unsettled = self.messages.is_waiting();
    }

    /// The messages in what came.
    fn take(&mut self, channel: Channel, frame: &Frame) {
        for message in frame.messages() {
            if let Some(id) = message.get("id")
                && message.get("method").is_none()
            {
                for queue in &mut self.queues {
                    if queue.waiting.as_ref().is_some_and(|it| it.answer.as_ref() == Some(id)) {
                        queue.waiting = None;
                    }
                }
                continue;
            }
            if message["method"] == "notifications/cancelled" {
                let id = message.pointer("/params/requestId");
                for queue in &mut self.queues {
                    let waits = queue.waiting.as_ref().is_some_and(|it| it.cancellable);
                    if waits && queue.request.as_ref() == id {
                        queue.waiting = None;
                    }
                }
            }
            let request = message.get("id").cloned();
            // What belongs to no request goes where such things go.
            let channel = match (&request, channel) {
                (None, Channel::Exchange(_)) => self.standing(),
                _ => Some(channel),
            };
            let reach = if channel.is_some() { Reach::Open } else { Reach::Closed };
            let steps = self.behaviour.hear(message, reach);
            if let (Some(channel), false) = (channel, steps.is_empty()) {
                self.queues.push(StepQueue::new(channel, request, steps));
            }
        }
    }
}

/// Where messages are posted to.
pub(super) const ENDPOINT: &str = "/mcp";

/// The lines that are whole by now; `None` for one that is longer than a message may be.
fn split(splitter: &mut LineSplitter, mut bytes: &[u8]) -> Vec<Option<Vec<u8>>> {
    let mut lines = Vec::new();
    while let Some(split) = splitter.next(&mut bytes) {
        lines.push(match split {
            Split::Line(line) => Some(line.to_vec()),
            Split::TooLong => None,
        });
    }
    lines
}
