//! Writes down what happens, with the time.

use std::time::Duration;

use tokio::time::Instant;

use super::MOST_BYTES;
use crate::evidence::{Event, Frame, What};

/// The growing record of one conversation.
#[derive(Debug)]
pub struct Recorder {
    began: Instant,
    kept: usize,
    pub events: Vec<Event>,
}

impl Recorder {
    /// `began` is when the run began: the same for all its conversations.
    pub fn new(began: Instant) -> Self {
        Self { began, kept: 0, events: Vec::new() }
    }

    /// Whether so much came that nothing more is taken in.
    pub fn is_flooded(&self) -> bool {
        self.kept > MOST_BYTES
    }

    pub fn note(&mut self, what: What) {
        let at = Instant::now().saturating_duration_since(self.began);
        self.events.push(Event { at, what });
    }

    pub fn received(&mut self, exchange: u32, frame: Frame) {
        // What is parsed takes more room than the bytes did.
        self.kept += frame.bytes.len() + 64;
        if self.is_flooded() {
            return self.note(What::Flooded { limit: MOST_BYTES });
        }
        self.note(What::Received { exchange, frame });
    }

    pub fn silence(&mut self, waited: Duration) {
        self.note(What::Silence(waited));
    }
}
