//! What the hosted server says, on whichever channel.

use serde_json::Value;

use super::{HostedServer, http::chunk};
use crate::hosted::{scenario::Stream, steps::Channel};
use proofmark_record::{
    event::{Border, EventKind, Frame},
    topic::Topic,
};

impl HostedServer {
    /// A message that does not end anything.
    pub(super) fn say(&mut self, channel: Channel, topic: Topic, message: &Value) {
        self.say_text(channel, topic, &message.to_string());
    }

    /// The same with a text that need not be a message.
    pub(super) fn say_text(&mut self, channel: Channel, topic: Topic, text: &str) {
        let instead = self.mutator.as_mut().and_then(|mutator| mutator.hear(text));
        match channel {
            Channel::Pipe => {
                let frame = Frame::new(text.as_bytes(), Border::Line);
                self.note(EventKind::Sent { topic, exchange: 0, frame });
                if instead.is_none() {
                    self.pipe(self.framing.write(text).into_bytes());
                }
            }
            Channel::Exchange(exchange) => {
                if !self.exchanges.contains_key(&exchange) {
                    return;
                }
                self.begin(exchange);
                let border = Border::Event { name: String::new(), id: None, retry: None };
                let frame = Frame::new(text.as_bytes(), border);
                self.note(EventKind::Sent { topic, exchange, frame });
                if instead.is_none() {
                    let bytes = self.behaviour.event(text);
                    self.piece(exchange, chunk(&bytes));
                }
            }
        }
        for text in instead.into_iter().flatten().chain(self.beside_heard(text)) {
            self.pretend(&text);
        }
        self.pretend_visits(text);
    }

    /// What a mutated client says by itself when it hears this.
    fn beside_heard(&self, text: &str) -> Vec<String> {
        self.mutator.as_ref().map(|it| it.beside_heard(text)).unwrap_or_default()
    }

    /// The end of a request. `status` is for answers that are one body.
    pub(super) fn answer(&mut self, channel: Channel, status: u16, message: &Value) {
        let Channel::Exchange(exchange) = channel else {
            return self.say(channel, Topic::Reply, message);
        };
        let kept = self.exchanges.get(&exchange);
        let streams = kept.is_some_and(|it| it.begun || it.stream == Stream::Events);
        let standing = kept.is_some_and(|it| it.standing);
        if streams {
            self.say(channel, Topic::Reply, message);
            // Answers to the requests of one batch share a stream.
            let open =
                self.queues.iter().filter(|it| it.channel == channel && it.request.is_some());
            if open.count() <= 1 && !standing {
                self.end(channel);
            }
            return;
        }
        let text = message.to_string();
        let instead = self.mutator.as_mut().and_then(|mutator| mutator.hear(&text));
        for text in instead.into_iter().flatten().chain(self.beside_heard(&text)) {
            self.pretend(&text);
        }
        self.pretend_visits(&text);
        self.respond(exchange, status, message.to_string().as_bytes(), Some("application/json"));
    }

    pub(super) fn raw(&mut self, channel: Channel, bytes: Vec<u8>) {
        match channel {
            Channel::Pipe => self.pipe(bytes),
            Channel::Exchange(exchange) => {
                self.begin(exchange);
                let bytes = match &self.mutator {
                    Some(it) => it.event(&String::from_utf8_lossy(&bytes)).into_bytes(),
                    None => bytes,
                };
                self.piece(exchange, chunk(&bytes));
            }
        }
    }

    pub(super) fn pipe(&mut self, bytes: Vec<u8>) {
        let Some(pipe) = &self.pipe else { return };
        if pipe.try_send(bytes).is_err() {
            self.pipe = None;
            let why = "the client does not read from the pipe".to_owned();
            self.note(EventKind::Broken { exchange: 0, why });
        }
    }
}
