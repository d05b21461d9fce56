//! What goes through the pipes of a process.

use proofmark_check::record::{
    event::{Border, EventKind, Frame},
    side::Side,
    topic::Topic,
    wire::{
        MOST_FRAME,
        line_splitter::{LineSplitter, Split},
    },
};

use super::Recorder;

/// Cuts what one side says into messages.
pub(crate) struct PipeRecorder {
    recorder: Recorder,
    by: Side,
    splitter: LineSplitter,
}

impl PipeRecorder {
    pub(crate) fn new(recorder: Recorder, by: Side) -> Self {
        Self { recorder, by, splitter: LineSplitter::default() }
    }

    pub(crate) fn hear(&mut self, mut bytes: &[u8]) {
        while let Some(split) = self.splitter.next(&mut bytes) {
            let kind = match split {
                Split::Line(line) => said(self.by, Frame::new(line, Border::Line)),
                Split::TooLong => EventKind::Flooded { limit: MOST_FRAME },
            };
            self.recorder.note(kind);
        }
    }

    /// The pipe is closed; what has no end of its own is still said.
    pub(crate) fn finish(&mut self) {
        if let Some(rest) = self.splitter.finish() {
            self.recorder.note(said(self.by, Frame::new(rest, Border::Cut)));
        }
        if self.by == Side::Server {
            self.recorder.note(EventKind::Ended { exchange: 0 });
        }
    }
}

fn said(by: Side, frame: Frame) -> EventKind {
    match by {
        Side::Client => EventKind::Sent { topic: Topic::Overheard, exchange: 0, frame },
        Side::Authorization | Side::Server => EventKind::Received { exchange: 0, frame },
    }
}
