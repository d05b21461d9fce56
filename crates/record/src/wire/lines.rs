//! Messages on any pair of byte streams: one a line, as it should be, or as the peer has them.

use std::{io, pin::Pin, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    sync::mpsc,
    time::{Instant, timeout_at},
};

use super::{
    MOST_FRAME, Recorder,
    message_splitter::{Cut, MessageSplitter},
};
use crate::event::EventKind;

/// A peer at the other end of a pipe.
pub struct LineWire {
    pub reader: Pin<Box<dyn AsyncRead + Send>>,
    /// `None` once the peer's input was closed.
    pub writer: Option<Pin<Box<dyn AsyncWrite + Send>>>,
    buffer: Vec<u8>,
    splitter: MessageSplitter,
    /// How long a message is waited for that lacks nothing but a newline.
    settling: Duration,
    ended: bool,
    /// What the peer says beside the pipe, on its standard error.
    stderr: Option<mpsc::Receiver<String>>,
}

impl LineWire {
    pub fn new(
        reader: impl AsyncRead + Send + 'static,
        writer: impl AsyncWrite + Send + 'static,
    ) -> Self {
        Self {
            reader: Box::pin(reader),
            writer: Some(Box::pin(writer)),
            buffer: Vec::new(),
            splitter: MessageSplitter::default(),
            settling: LONGEST_PAUSE,
            ended: false,
            stderr: None,
        }
    }

    /// With another way to hear the peer, line by line.
    pub fn with_stderr(self, stderr: mpsc::Receiver<String>) -> Self {
        Self { stderr: Some(stderr), ..self }
    }

    /// Records what the peer said on its standard error so far.
    pub fn record_stderr(&mut self, recorder: &mut Recorder) {
        while let Some(line) = self.stderr.as_mut().and_then(|stderr| stderr.try_recv().ok()) {
            recorder.note(EventKind::Stderr(line));
        }
    }

    pub fn is_open(&self) -> bool {
        !self.ended
    }

    /// Writes bytes as they are; the newline is the caller's.
    pub async fn write(&mut self, bytes: &[u8], deadline: Instant) -> io::Result<()> {
        let Some(writer) = &mut self.writer else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let work = async {
            writer.write_all(bytes).await?;
            writer.flush().await
        };
        timeout_at(deadline, work).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Tells the peer that nothing more comes.
    pub async fn close_input(&mut self) {
        if let Some(mut writer) = self.writer.take() {
            // A peer that is gone cannot be told.
            let _ = writer.shutdown().await;
        }
    }

    /// Records the next message, or line that is none. `false` if none came in time or none will come.
    pub async fn read(&mut self, recorder: &mut Recorder, deadline: Instant) -> bool {
        loop {
            match self.splitter.cut() {
                Some(Cut::Frame(frame)) => {
                    recorder.received(0, frame);
                    if recorder.is_flooded() {
                        self.forget();
                    }
                    return !self.ended;
                }
                Some(Cut::TooLong) => {
                    self.forget();
                    recorder.note(EventKind::Flooded { limit: MOST_FRAME });
                    return false;
                }
                None if self.ended => return false,
                None => {}
            }
            self.buffer.clear();
            self.buffer.reserve(READ);
            let waiting = self.splitter.is_waiting();
            let until =
                if waiting { deadline.min(Instant::now() + self.settling) } else { deadline };
            let Ok(read) = timeout_at(until, self.reader.read_buf(&mut self.buffer)).await else {
                if waiting && self.splitter.settle() {
                    // It is a habit.
                    self.settling = PAUSE;
                    continue;
                }
                if until < deadline {
                    // The end may still come.
                    continue;
                }
                return false;
            };
            match read {
                Ok(0) => {
                    for frame in self.splitter.finish() {
                        recorder.received(0, frame);
                    }
                    self.end(recorder, EventKind::Ended { exchange: 0 });
                }
                Ok(_) => self.splitter.push(&self.buffer),
                Err(error) => {
                    self.end(recorder, EventKind::Broken { exchange: 0, why: error.to_string() });
                }
            }
        }
    }

    fn end(&mut self, recorder: &mut Recorder, what: EventKind) {
        self.forget();
        recorder.note(what);
    }

    /// Takes nothing more in.
    fn forget(&mut self) {
        self.ended = true;
        self.buffer = Vec::new();
        self.splitter = MessageSplitter::default();
    }
}

/// How long a peer may take to write the newline behind a message.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// As long as that is waited for a peer that was seen to write none.
const PAUSE: Duration = Duration::from_millis(50);
/// Bytes to read at once, if there are as many.
const READ: usize = 16 * 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Border, Event};

    #[tokio::test]
    async fn every_line_is_a_frame_and_blank_ones_are_none() {
        let events = read(b"{}\r\n\n  \n[1]\n").await;
        assert_eq!(frames(&events), [("{}", Border::Line), ("[1]", Border::Line)]);
    }

    #[tokio::test]
    async fn what_comes_after_the_last_newline_is_cut() {
        let events = read(b"{}\n{\"a\"").await;
        assert_eq!(frames(&events), [("{}", Border::Line), ("{\"a\"", Border::Cut)]);
    }

    #[tokio::test]
    async fn an_endless_line_ends_the_conversation() {
        let events = read(&vec![b'a'; MOST_FRAME + 2]).await;
        assert!(matches!(
            events[..],
            [Event { kind: EventKind::Flooded { limit: MOST_FRAME }, .. }]
        ));
    }

    #[tokio::test]
    async fn a_message_without_a_newline_is_read_after_a_pause() {
        let (near, far) = tokio::io::duplex(64);
        let (reader, writer) = tokio::io::split(near);
        let mut wire = LineWire { settling: PAUSE * 2, ..LineWire::new(reader, writer) };
        let (_keep, mut other) = tokio::io::split(far);
        let mut recorder = Recorder::new(Instant::now());
        for text in ["{}", "[1]"] {
            other.write_all(text.as_bytes()).await.unwrap();
            assert!(wire.read(&mut recorder, Instant::now() + Duration::from_secs(5)).await);
        }
        assert_eq!(frames(&recorder.events), [("{}", Border::Unended), ("[1]", Border::Unended)]);
        assert!(recorder.events[0].at >= PAUSE * 2);
        assert_eq!(wire.settling, PAUSE);
    }

    async fn read(bytes: &[u8]) -> Vec<Event> {
        let mut wire = LineWire::new(io::Cursor::new(bytes.to_vec()), tokio::io::sink());
        let mut recorder = Recorder::new(Instant::now());
        let deadline = Instant::now() + Duration::from_secs(5);
        while wire.read(&mut recorder, deadline).await {}
        assert!(!wire.is_open());
        recorder.events
    }

    fn frames(events: &[Event]) -> Vec<(&str, Border)> {
        let received = events.iter().filter_map(|event| match &event.kind {
            EventKind::Received { frame, .. } => Some(frame),
            _ => None,
        });
        received
            .map(|frame| (std::str::from_utf8(&frame.bytes).unwrap(), frame.border.clone()))
            .collect()
    }
}
