//! One message a line, on any pair of byte streams.

use std::{io, pin::Pin};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    sync::mpsc,
    time::{Instant, timeout_at},
};

use super::{
    MOST_FRAME, Recorder,
    line_splitter::{LineSplitter, Split},
};
use crate::event::{Border, EventKind, Frame};

/// A peer at the other end of a pipe.
pub struct LineWire {
    pub reader: Pin<Box<dyn AsyncRead + Send>>,
    /// `None` once the peer's input was closed.
    pub writer: Option<Pin<Box<dyn AsyncWrite + Send>>>,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were taken out already.
    taken: usize,
    splitter: LineSplitter,
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
            taken: 0,
            splitter: LineSplitter::default(),
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

    /// Records the next line. `false` if none came in time or none will come.
    pub async fn read(&mut self, recorder: &mut Recorder, deadline: Instant) -> bool {
        loop {
            let mut input = &self.buffer[self.taken..];
            let split = self.splitter.next(&mut input);
            self.taken = self.buffer.len() - input.len();
            match split {
                Some(Split::Line(line)) => {
                    recorder.received(0, Frame::new(line, Border::Line));
                    if recorder.is_flooded() {
                        self.forget();
                    }
                    return !self.ended;
                }
                Some(Split::TooLong) => {
                    self.forget();
                    recorder.note(EventKind::Flooded { limit: MOST_FRAME });
                    return false;
                }
                None if self.ended => return false,
                None => {}
            }
            self.buffer.clear();
            self.taken = 0;
            self.buffer.reserve(READ);
            let Ok(read) = timeout_at(deadline, self.reader.read_buf(&mut self.buffer)).await
            else {
                return false;
            };
            match read {
                Ok(0) => {
                    if let Some(rest) = self.splitter.finish() {
                        recorder.received(0, Frame::new(rest, Border::Cut));
                    }
                    self.end(recorder, EventKind::Ended { exchange: 0 });
                }
                Ok(_) => {}
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
        self.taken = 0;
        self.splitter = LineSplitter::default();
    }
}

/// Bytes to read at once, if there are as many.
const READ: usize = 16 * 1024;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::event::Event;

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
