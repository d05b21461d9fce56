//! Follows HTTP/1.1 in one direction of a connection without holding it up.

use std::{io, mem};

use crate::{
    event::{Headers, header},
    wire::http::{
        chunked::{Chunked, ChunkedDecoder},
        parse_head,
    },
};

/// What was understood of the bytes so far.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'i> {
    Head {
        start: String,
        headers: Headers,
    },
    Body(&'i [u8]),
    /// The message is over; the next may follow.
    End,
}

/// Takes bytes in, gives out what they mean and the bytes that are to be passed on.
pub(super) struct Sniffer {
    state: State,
    /// What came of a head.
    unfinished: Vec<u8>,
    /// Who the server thinks it is, if the client cannot know.
    host: Option<String>,
}

#[derive(Debug)]
enum State {
    Head,
    /// Bytes that are still to come.
    Known(u64),
    Chunked(ChunkedDecoder),
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
        matches!(self.state, State::UntilClosed)
    }

    /// The next piece, if the bytes suffice for one. What is to be passed on is appended to `out`, bytes that are no HTTP too.
    pub(super) fn next<'i>(
        &mut self,
        input: &mut &'i [u8],
        out: &mut Vec<u8>,
    ) -> io::Result<Option<Piece<'i>>> {
        match &mut self.state {
            State::Over => {
                self.state = State::Head;
                Ok(Some(Piece::End))
            }
            _ if input.is_empty() => Ok(None),
            State::Head => self.head(input, out),
            State::UntilClosed => {
                out.extend_from_slice(input);
                Ok(Some(Piece::Body(mem::take(input))))
            }
            State::Known(left) => {
                let length =
                    usize::try_from(*left).map_or(input.len(), |left| left.min(input.len()));
                let (body, rest) = input.split_at(length);
                *input = rest;
                out.extend_from_slice(body);
                *left -= length as u64;
                if *left == 0 {
                    self.state = State::Over;
                }
                Ok(Some(Piece::Body(body)))
            }
            State::Chunked(decoder) => {
                let before = *input;
                let found = loop {
                    match decoder.next(input) {
                        Ok(Some(Chunked::Complete)) => {}
                        Ok(Some(Chunked::Data(body))) => break Ok(Some(Piece::Body(body))),
                        Ok(Some(Chunked::End)) => {
                            self.state = State::Head;
                            break Ok(Some(Piece::End));
                        }
                        Ok(None) => break Ok(None),
                        Err(error) => break Err(error.into()),
                    }
                };
                out.extend_from_slice(&before[..before.len() - input.len()]);
                found
            }
        }
    }

    /// A head is held back until it is whole, because a line of it may have to change.
    fn head<'i>(
        &mut self,
        input: &mut &'i [u8],
        out: &mut Vec<u8>,
    ) -> io::Result<Option<Piece<'i>>> {
        let searched = self.unfinished.len().saturating_sub(HEAD_END.len() - 1);
        let before = self.unfinished.len();
        self.unfinished.extend_from_slice(input);
        let Some(found) = memchr::memmem::find(&self.unfinished[searched..], HEAD_END) else {
            *input = &[];
            if self.unfinished.len() > MOST_UNFINISHED {
                out.append(&mut self.unfinished);
                return Err(unreadable("the head of a message does not end"));
            }
            return Ok(None);
        };
        let end = searched + found + HEAD_END.len();
        *input = &input[end - before..];
        self.unfinished.truncate(end);
        let mut head = mem::take(&mut self.unfinished);
        match parse_head(&head[..end - HEAD_END.len()]) {
            Ok((start, headers)) => {
                self.state = self.after_head(&headers);
                self.pass_head(&head, out);
                Ok(Some(Piece::Head { start, headers }))
            }
            Err(error) => {
                out.append(&mut head);
                Err(error)
            }
        }
    }

    fn after_head(&self, headers: &Headers) -> State {
        let chunked = header(headers, "transfer-encoding")
            .is_some_and(|coding| coding.to_ascii_lowercase().contains("chunked"));
        let length = header(headers, "content-length").and_then(|length| length.parse().ok());
        match length {
            _ if chunked => State::Chunked(ChunkedDecoder::default()),
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
}

fn unreadable(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

const HEAD_END: &[u8] = b"\r\n\r\n";
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

    #[test]
    fn what_is_no_http_is_passed_on_whole() {
        let long = "a".repeat(MOST_UNFINISHED + 1);
        for text in [
            "GET / HTTP/1.1\r\nno header\r\n\r\nrest",
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nno size\r\nrest",
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\ntoo much\r\nrest",
            &long,
        ] {
            for size in 1..text.len().min(100) {
                let mut sniffer = Sniffer::of_requests("real:2".to_owned());
                let mut passed = Vec::new();
                let mut rest = text.as_bytes();
                let mut read = || {
                    while !rest.is_empty() {
                        let (mut piece, behind) = rest.split_at(size.min(rest.len()));
                        rest = behind;
                        loop {
                            match sniffer.next(&mut piece, &mut passed) {
                                Ok(Some(_)) => {}
                                Ok(None) => break,
                                Err(_) => return passed.extend_from_slice(piece),
                            }
                        }
                    }
                };
                read();
                passed.extend_from_slice(rest);
                assert_eq!(String::from_utf8(passed).unwrap(), text, "in pieces of {size}");
            }
        }
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
