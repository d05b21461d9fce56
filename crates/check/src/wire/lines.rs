//! One message a line, on any pair of byte streams.

use std::{io, pin::Pin};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    time::{Instant, timeout_at},
};

use super::{MOST_FRAME, Recorder};
use crate::evidence::{Border, Frame, What};

/// A peer at the other end of a pipe.
pub struct LineWire {
    pub reader: Pin<Box<dyn AsyncRead + Send>>,
    /// `None` once the peer's input was closed.
    pub writer: Option<Pin<Box<dyn AsyncWrite + Send>>>,
    buffer: Vec<u8>,
    /// Bytes of the buffer that are known to have no newline.
    searched: usize,
    ended: bool,
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
            searched: 0,
            ended: false,
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
            if let Some(line) = self.take_line() {
                recorder.received(0, Frame::new(line, Border::Line));
                self.ended |= recorder.is_flooded();
                return !self.ended;
            }
            if self.ended {
                return false;
            }
            if self.buffer.len() > MOST_FRAME {
                self.ended = true;
                recorder.note(What::Flooded { limit: MOST_FRAME });
                return false;
            }
            let mut chunk = [0; 16 * 1024];
            let Ok(read) = timeout_at(deadline, self.reader.read(&mut chunk)).await else {
                return false;
            };
            match read {
                Ok(0) => {
                    if !self.buffer.trim_ascii().is_empty() {
                        let rest = std::mem::take(&mut self.buffer);
                        recorder.received(0, Frame::new(rest, Border::Cut));
                    }
                    self.end(recorder, What::Ended { exchange: 0 });
                }
                Ok(count) => self.buffer.extend_from_slice(&chunk[..count]),
                Err(error) => {
                    self.end(recorder, What::Broken { exchange: 0, why: error.to_string() });
                }
            }
        }
    }

    fn end(&mut self, recorder: &mut Recorder, what: What) {
        self.ended = true;
        self.buffer.clear();
        recorder.note(what);
    }

    /// A line that is not blank, without its ending.
    fn take_line(&mut self) -> Option<Vec<u8>> {
        loop {
            let found = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n');
            let Some(end) = found else {
                self.searched = self.buffer.len();
                return None;
            };
            let rest = self.buffer.split_off(self.searched + end + 1);
            let mut line = std::mem::replace(&mut self.buffer, rest);
            self.searched = 0;
            line.truncate(line.len() - 1);
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            if !line.trim_ascii().is_empty() {
                return Some(line);
            }
        }
    }
}
