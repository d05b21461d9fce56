//! The body of a response, in whatever pieces it comes.

use std::io;

use tokio::{
    io::AsyncReadExt,
    time::{Instant, timeout_at},
};

use super::ResponseHead;
use crate::{
    event::Headers,
    wire::{MOST_FRAME, stream::Stream},
};

pub struct Body {
    stream: Stream,
    buffer: Vec<u8>,
    length: Length,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    /// Bytes that are still to come.
    Known(usize),
    Chunked,
    /// Bytes that are still to come of the chunk, with its line ending.
    InChunk(usize),
    UntilClosed,
    Over,
}

impl Body {
    pub fn new(stream: Stream, head: &ResponseHead, rest: Vec<u8>, method: &str) -> Self {
        let length = match length(&head.headers) {
            _ if method == "HEAD" || matches!(head.status, 100..=199 | 204 | 304) => Length::Over,
            Some(0) => Length::Over,
            Some(length) => Length::Known(length),
            None if is_chunked(&head.headers) => Length::Chunked,
            None => Length::UntilClosed,
        };
        Self { stream, buffer: rest, length }
    }

    /// The next bytes; `None` when the body is over.
    pub async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(piece) = self.take()? {
                return Ok(Some(piece));
            }
            if self.length == Length::Over {
                return Ok(None);
            }
            self.buffer.reserve(READ);
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                if self.length == Length::UntilClosed {
                    self.length = Length::Over;
                    return Ok(None);
                }
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// All of it. Too much, or too late, is an error.
    pub async fn all(&mut self, deadline: Instant) -> io::Result<Vec<u8>> {
        let work = async {
            let mut bytes = Vec::new();
            while let Some(piece) = self.next().await? {
                bytes.extend_from_slice(&piece);
                if bytes.len() > MOST_FRAME {
                    return Err(io::Error::other(format!(
                        "the body has more than {MOST_FRAME} bytes"
                    )));
                }
            }
            Ok(bytes)
        };
        timeout_at(deadline, work).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// What the buffer has of the body.
    fn take(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if self.buffer.is_empty() {
                return Ok(None);
            }
            match self.length {
                Length::Over => return Ok(None),
                Length::UntilClosed => return Ok(Some(std::mem::take(&mut self.buffer))),
                Length::Known(left) => {
                    let piece = self.cut(left);
                    let left = left - piece.len();
                    self.length = if left == 0 { Length::Over } else { Length::Known(left) };
                    return Ok(Some(piece));
                }
                Length::InChunk(left) => {
                    let mut piece = self.cut(left);
                    let left = left - piece.len();
                    self.length = if left == 0 { Length::Chunked } else { Length::InChunk(left) };
                    // The last two bytes of a chunk are its ending.
                    piece.truncate(piece.len().saturating_sub(2_usize.saturating_sub(left)));
                    if !piece.is_empty() {
                        return Ok(Some(piece));
                    }
                }
                Length::Chunked => {
                    let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\r\n") else {
                        if self.buffer.len() > MOST_CHUNK_LINE {
                            let why = "the size of a chunk does not end";
                            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
                        }
                        return Ok(None);
                    };
                    let line = self.cut(end + 2);
                    let digits = String::from_utf8_lossy(&line);
                    let digits = digits.split(';').next().unwrap_or_default().trim();
                    let size = usize::from_str_radix(digits, 16)
                        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "no chunk size"))?;
                    self.length = if size == 0 {
                        Length::Over
                    } else {
                        Length::InChunk(size.saturating_add(2))
                    };
                }
            }
        }
    }

    fn cut(&mut self, most: usize) -> Vec<u8> {
        let rest = self.buffer.split_off(most.min(self.buffer.len()));
        std::mem::replace(&mut self.buffer, rest)
    }
}

/// Bytes to read at once, if there are as many.
const READ: usize = 16 * 1024;
/// Bytes before the line ending of a chunk's size; more are no size.
const MOST_CHUNK_LINE: usize = 4 * 1024;

fn length(headers: &Headers) -> Option<usize> {
    crate::event::header(headers, "content-length")?.parse().ok()
}

fn is_chunked(headers: &Headers) -> bool {
    crate::event::header(headers, "transfer-encoding")
        .is_some_and(|value| value.to_ascii_lowercase().contains("chunked"))
}

#[cfg(test)]
mod tests;
