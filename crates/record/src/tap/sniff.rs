//! Follows HTTP/1.1 in one direction of a connection without holding it up.

use std::{io, mem};

use crate::{
    event::{Headers, header},
    wire::http::parse_head,
};

/// What was understood of the bytes so far.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Head {
        start: String,
        headers: Headers,
    },
    Body(Vec<u8>),
    /// The message is over; the next may follow.
    End,
}

/// Takes bytes in, gives out what they mean and the bytes that are to be passed on.
pub(super) struct Sniffer {
    state: State,
    /// What came of a head or of the size of a chunk.
    unfinished: Vec<u8>,
    /// Who the server thinks it is, if the client cannot know.
    host: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Head,
    /// Bytes that are still to come.
    Known(u64),
    Size,
    /// Bytes of a chunk that are still to come, and the two that end it.
    Chunk(u64),
    ChunkEnd(u8),
    Trailers,
    UntilClosed,
    Over,
}

impl Sniffer {
    /// Everything passes as it is, but for the name of the host.
    pub(super) fn of_requests(host: String) -> Self {
        Self { state: State::Head, unfinished: Vec::new(), host: Some(host) }
    }

    pub(super) fn of_responses() -> Self {
        Self { state: State::Head, unfinished: Vec::new(), host: None }
    }

    /// After the head of a response: there is no body, whatever the head says.
    pub(super) fn expect_no_body(&mut self) {
        self.state = State::Over;
    }

    /// Whether a message is on its way.
    pub(super) fn is_within_message(&self) -> bool {
        !matches!(self.state, State::Head) || !self.unfinished.is_empty()
    }

    /// Whether only the end of the connection ends the message.
    pub(super) fn ends_with_connection(&self) -> bool {
        self.state == State::UntilClosed
    }

    /// The next piece, if the bytes suffice for one. What is to be passed on is appended to `out`.
    pub(super) fn next(
        &mut self,
        input: &mut &[u8],
        out: &mut Vec<u8>,
    ) -> io::Result<Option<Piece>> {
        loop {
            match self.state {
                State::Over => {
                    self.state = State::Head;
                    return Ok(Some(Piece::End));
                }
                _ if input.is_empty() => return Ok(None),
                State::Head => {
                    let Some(head) = self.through(input, b"\r\n\r\n")? else { return Ok(None) };
                    let (start, headers) = parse_head(&head[..head.len() - 4])?;
                    self.state = self.after_head(&headers);
                    self.pass_head(&head, out);
                    return Ok(Some(Piece::Head { start, headers }));
                }
                State::Known(left) => {
                    let body = take(input, left, out);
                    let left = left - body.len() as u64;
                    self.state = if left == 0 { State::Over } else { State::Known(left) };
                    return Ok(Some(Piece::Body(body)));
                }
                State::UntilClosed => return Ok(Some(Piece::Body(take(input, u64::MAX, out)))),
                State::Size => {
                    let Some(line) = self.through(input, b"\r\n")? else { return Ok(None) };
                    out.extend_from_slice(&line);
                    let text = String::from_utf8_lossy(&line);
                    let digits = text.split(';').next().unwrap_or_default().trim();
                    self.state = match u64::from_str_radix(digits, 16) {
                        Ok(0) => State::Trailers,
                        Ok(size) => State::Chunk(size),
                        Err(_) => return Err(unreadable("a chunk has no size")),
                    };
                }
                State::Chunk(left) => {
                    let body = take(input, left, out);
                    let left = left - body.len() as u64;
                    self.state = if left == 0 { State::ChunkEnd(2) } else { State::Chunk(left) };
                    return Ok(Some(Piece::Body(body)));
                }
                State::ChunkEnd(left) => {
                    let ending = take(input, left.into(), out);
                    let left = left - u8::try_from(ending.len()).unwrap_or(left);
                    self.state = if left == 0 { State::Size } else { State::ChunkEnd(left) };
                }
                State::Trailers => {
                    let Some(line) = self.through(input, b"\r\n")? else { return Ok(None) };
                    out.extend_from_slice(&line);
                    if line == b"\r\n" {
                        self.state = State::Over;
                    }
                }
            }
        }
    }

    fn after_head(&self, headers: &Headers) -> State {
        let chunked = header(headers, "transfer-encoding")
            .is_some_and(|coding| coding.to_ascii_lowercase().contains("chunked"));
        let length = header(headers, "content-length").and_then(|length| length.parse().ok());
        match length {
            _ if chunked => State::Size,
            Some(0) => State::Over,
            Some(length) => State::Known(length),
            None if self.host.is_some() => State::Over,
            None => State::UntilClosed,
        }
    }

    fn pass_head(&self, head: &[u8], out: &mut Vec<u8>) {
        let Some(host) = &self.host else { return out.extend_from_slice(head) };
        for line in head.split_inclusive(|byte| *byte == b'\n') {
            let is_host = line.get(..5).is_some_and(|name| name.eq_ignore_ascii_case(b"host:"));
            if is_host {
                out.extend_from_slice(&line[..5]);
                out.extend_from_slice(format!(" {host}\r\n").as_bytes());
            } else {
                out.extend_from_slice(line);
            }
        }
    }

    /// Everything through the mark, once it is there.
    fn through(&mut self, input: &mut &[u8], mark: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let searched = self.unfinished.len().saturating_sub(mark.len() - 1);
        let before = self.unfinished.len();
        self.unfinished.extend_from_slice(input);
        let found = memchr::memmem::find(&self.unfinished[searched..], mark);
        let Some(found) = found else {
            *input = &[];
            if self.unfinished.len() > MOST_UNFINISHED {
                return Err(unreadable("the head of a message does not end"));
            }
            return Ok(None);
        };
        let end = searched + found + mark.len();
        *input = &input[end - before..];
        self.unfinished.truncate(end);
        Ok(Some(mem::take(&mut self.unfinished)))
    }
}

fn take(input: &mut &[u8], most: u64, out: &mut Vec<u8>) -> Vec<u8> {
    let length = usize::try_from(most).map_or(input.len(), |most| most.min(input.len()));
    let (taken, rest) = input.split_at(length);
    *input = rest;
    out.extend_from_slice(taken);
    taken.to_vec()
}

fn unreadable(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

const MOST_UNFINISHED: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_the_same_however_its_bytes_are_cut() {
        let text = "POST /mcp HTTP/1.1\r\nHost: tap:1\r\ncontent-length: 5\r\n\r\nhello\
                    POST /mcp HTTP/1.1\r\nhost:tap:1\r\ntransfer-encoding: chunked\r\n\r\n\
                    3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nt: u\r\n\r\n\
                    GET /mcp HTTP/1.1\r\nhost: tap:1\r\n\r\n";
        let passed =
            text.replace("Host: tap:1", "Host: real:2").replace("host:tap:1", "host: real:2");
        let passed = passed.replace("host: tap:1", "host: real:2");
        for size in 1..text.len() {
            let (bodies, out) = follow(Sniffer::of_requests("real:2".to_owned()), text, size);
            assert_eq!(bodies, ["hello", "abcdefg", ""], "in pieces of {size}");
            assert_eq!(out, passed);
        }
    }

    #[test]
    fn responses_pass_byte_by_byte() {
        let text = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nHost: odd\r\n\r\nokHTTP/1.0 200 OK\r\n\r\nuntil the end";
        for size in 1..text.len() {
            let mut sniffer = Sniffer::of_responses();
            let mut out = Vec::new();
            for mut piece in text.as_bytes().chunks(size) {
                while sniffer.next(&mut piece, &mut out).unwrap().is_some() {}
            }
            assert_eq!(String::from_utf8(out).unwrap(), text);
            assert!(sniffer.ends_with_connection());
        }
    }

    #[test]
    fn a_head_without_end_is_refused() {
        let mut sniffer = Sniffer::of_responses();
        let long = vec![b'a'; MOST_UNFINISHED + 1];
        assert!(sniffer.next(&mut &long[..], &mut Vec::new()).is_err());
    }

    fn follow(mut sniffer: Sniffer, text: &str, size: usize) -> (Vec<String>, String) {
        let (mut bodies, mut out) = (Vec::new(), Vec::new());
        let mut body = Vec::new();
        for mut piece in text.as_bytes().chunks(size) {
            while let Some(piece) = sniffer.next(&mut piece, &mut out).unwrap() {
                match piece {
                    Piece::Head { .. } => {}
                    Piece::Body(bytes) => body.extend(bytes),
                    Piece::End => bodies.push(String::from_utf8(mem::take(&mut body)).unwrap()),
                }
            }
        }
        (bodies, String::from_utf8(out).unwrap())
    }
}
