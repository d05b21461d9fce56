//! The body of a response, in whatever pieces it comes.

use std::{io, mem};

use tokio::{
    io::AsyncReadExt,
    time::{Instant, timeout_at},
};

use super::{
    ResponseHead,
    chunked::{Chunked, ChunkedDecoder},
};
use crate::{
    event::Headers,
    wire::{MOST_FRAME, stream::Stream},
};

pub struct Body {
    stream: Stream,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were taken out already.
    taken: usize,
    length: Length,
    /// Bytes that were looked at before they were asked for.
    beginning: Vec<u8>,
}

#[derive(Debug)]
enum Length {
    /// Bytes that are still to come.
    Known(usize),
    Chunked(ChunkedDecoder),
    UntilClosed,
    Over,
}

impl Body {
    pub fn new(stream: Stream, head: &ResponseHead, rest: Vec<u8>, method: &str) -> Self {
        let length = match length(&head.headers) {
            _ if method == "HEAD" || matches!(head.status, 100..=199 | 204 | 304) => Length::Over,
            Some(0) => Length::Over,
            Some(length) => Length::Known(length),
            None if is_chunked(&head.headers) => Length::Chunked(ChunkedDecoder::default()),
            None => Length::UntilClosed,
        };
        Self { stream, buffer: rest, taken: 0, length, beginning: Vec::new() }
    }

    /// Whether it begins as event streams do, whatever it is called. Waits for as many bytes as it takes to tell.
    pub async fn is_event_stream(&mut self, deadline: Instant) -> bool {
        while !is_told(&self.beginning) {
            match timeout_at(deadline, self.read()).await {
                Ok(Ok(Some(piece))) => self.beginning.extend_from_slice(&piece),
                // Reading all of it fails in the same way.
                Ok(Ok(None) | Err(_)) | Err(_) => break,
            }
        }
        let text = self.beginning.trim_ascii_start();
        FIELDS.iter().any(|field| text.starts_with(field))
    }

    /// The next bytes; `None` when the body is over.
    pub async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        if !self.beginning.is_empty() {
            return Ok(Some(mem::take(&mut self.beginning)));
        }
        self.read().await
    }

    async fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(piece) = self.take()? {
                return Ok(Some(piece));
            }
            if matches!(self.length, Length::Over) {
                return Ok(None);
            }
            self.buffer.clear();
            self.taken = 0;
            self.buffer.reserve(READ);
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                if matches!(self.length, Length::UntilClosed) {
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

    /// The next piece of the body that the buffer has; `None` when all of the buffer is used up.
    fn take(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut input = &self.buffer[self.taken..];
        if input.is_empty() {
            return Ok(None);
        }
        let piece = match &mut self.length {
            Length::Over => None,
            Length::UntilClosed => Some(mem::take(&mut input)),
            Length::Known(left) => {
                let (piece, rest) = input.split_at(input.len().min(*left));
                input = rest;
                *left -= piece.len();
                if *left == 0 {
                    self.length = Length::Over;
                }
                Some(piece)
            }
            Length::Chunked(decoder) => match decoder.next(&mut input)? {
                Some(Chunked::Data(piece)) => Some(piece),
                Some(Chunked::Complete | Chunked::End) => {
                    self.length = Length::Over;
                    None
                }
                None => None,
            },
        };
        let piece = piece.map(<[u8]>::to_vec);
        self.taken = self.buffer.len() - input.len();
        Ok(piece)
    }
}

/// Whether so much has come that an event stream can be told from something else.
fn is_told(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    let undecided = FIELDS.iter().any(|field| text.len() < field.len() && field.starts_with(text));
    !undecided || bytes.len() > READ
}

/// What the lines of an event stream begin with.
const FIELDS: [&[u8]; 5] = [b"event:", b"data:", b"id:", b"retry:", b":"];
/// Bytes to read at once, if there are as many.
const READ: usize = 16 * 1024;

fn length(headers: &Headers) -> Option<usize> {
    crate::event::header(headers, "content-length")?.parse().ok()
}

fn is_chunked(headers: &Headers) -> bool {
    crate::event::header(headers, "transfer-encoding")
        .is_some_and(|value| value.to_ascii_lowercase().contains("chunked"))
}

#[cfg(test)]
mod tests;
