//! What was said on a pipe, as evidence for the judges, up to a bound.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use proofmark_check::record::{
    event::{Border, Conversation, Event, EventKind, Frame},
    scenario::ScenarioName,
    side::Side,
    topic::Topic,
    transcript::{Header, Recording, TranscriptKind},
    transport::Transport,
    wire::line_splitter::{LineSplitter, Split},
};

use super::Judging;

/// Clones share what was heard.
#[derive(Clone)]
pub(super) struct Heard {
    server: Arc<str>,
    began: Instant,
    judging: Judging,
    events: Arc<Mutex<Events>>,
}

#[derive(Default)]
struct Events {
    all: Vec<Event>,
    weight: usize,
    /// Too much was said, so that a judge would see half of it.
    overflowed: bool,
}

impl Heard {
    pub(super) fn new(server: &str, judging: Judging) -> Self {
        Self { server: server.into(), began: Instant::now(), judging, events: Arc::default() }
    }

    /// One direction of it.
    pub(super) fn ear(&self, by: Side) -> Ear {
        Ear { heard: self.clone(), by, splitter: LineSplitter::default() }
    }

    pub(super) fn push(&self, kind: EventKind) {
        if self.judging == Judging::Off {
            return;
        }
        let at = self.began.elapsed();
        let weight = match &kind {
            EventKind::Sent { frame, .. } | EventKind::Received { frame, .. } => frame.weight(),
            _ => size_of::<Event>(),
        };
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.weight += weight;
        if events.weight > MOST || events.overflowed {
            events.overflowed = true;
            events.all = Vec::new();
            return;
        }
        events.all.push(Event { at, kind });
    }

    /// `None` if so much was said that not all of it was kept.
    pub(super) fn recording(&self) -> Option<Recording> {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if events.overflowed {
            return None;
        }
        let conversation =
            Conversation { scenario: ScenarioName::OVERHEARD, events: events.all.clone() };
        let header = Header::new(TranscriptKind::Tap, &*self.server, Transport::Stdio);
        Some(Recording { header, conversations: vec![conversation] })
    }
}

/// Cuts what one side says into messages.
pub(super) struct Ear {
    heard: Heard,
    by: Side,
    splitter: LineSplitter,
}

impl Ear {
    pub(super) fn hear(&mut self, mut bytes: &[u8]) {
        if self.heard.judging == Judging::Off {
            return;
        }
        while let Some(split) = self.splitter.next(&mut bytes) {
            let kind = match split {
                Split::Line(line) => {
                    let frame = Frame::new(line, Border::Line);
                    match self.by {
                        Side::Client => {
                            EventKind::Sent { topic: Topic::Overheard, exchange: 0, frame }
                        }
                        Side::Authorization | Side::Server => {
                            EventKind::Received { exchange: 0, frame }
                        }
                    }
                }
                Split::TooLong => {
                    EventKind::Flooded { limit: proofmark_check::record::wire::MOST_FRAME }
                }
            };
            self.heard.push(kind);
        }
    }
}

/// About how many bytes of memory are kept of one connection.
const MOST: usize = 256 * 1024 * 1024;
