//! Event streams (`text/event-stream`) as the HTML standard reads them, with limits.
//!
//! Two things are told that a browser keeps to itself: blocks without data, because an `id` alone primes a stream, and data that is no
//! UTF-8, as it came, because it may be what is wrong with a peer.

mod block;

use std::{mem, time::Duration};

use block::{Block, Field};
use memchr::memchr2;

use crate::wire::MOST_FRAME;

/// Takes the bytes of a stream in, gives out events. Data that lies whole inside the bytes is borrowed from them.
#[derive(Debug)]
pub struct EventStream {
    limits: Limits,
    /// Whether the line is the first, which may begin with a byte order mark.
    at_start: bool,
    /// Whether a line ended with CR, so that an LF would be the rest of its ending.
    after_return: bool,
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
    block: Block,
    state: State,
}

/// In bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Of all lines of an event together without their endings, comments excepted, and of a single comment.
    pub event: usize,
    /// Of the value of an `id`, `event` or `retry`.
    pub field: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streamed<'d> {
    Event(Event<'d>),
    /// An event has more bytes than this. It is lost; the next one is whole again.
    TooLarge {
        limit: usize,
    },
}

/// A block of lines that a blank one ended, if any of them means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'d> {
    /// `message` unless the stream said otherwise.
    pub name: &'d str,
    /// The lines joined by LF. Without a `data` field there is none, which is not the same as an empty one.
    pub data: Option<&'d [u8]>,
    /// If this block itself set it.
    pub id: Option<&'d str>,
    pub retry: Option<Duration>,
}

impl Default for EventStream {
    fn default() -> Self {
        Self::new(Limits { event: MOST_FRAME, field: MOST_FIELD })
    }
}

impl EventStream {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            at_start: true,
            after_return: false,
            line: Vec::new(),
            block: Block::default(),
            state: State::Block,
        }
    }

    /// The next event, or `None` when all bytes are used up. `input` becomes what is left.
    pub fn next<'d, 'i: 'd>(&'d mut self, input: &mut &'i [u8]) -> Option<Streamed<'d>> {
        if self.state == State::Lent {
            self.block.clear();
            self.state = State::Block;
        }
        // Data that has so far been all inside these bytes.
        let mut whole: Option<&'i [u8]> = None;
        while let Some((piece, has_ended)) = self.cut(input) {
            if self.state == State::TooLarge {
                self.skip(piece, has_ended);
                continue;
            }
            if !has_ended || !self.line.is_empty() {
                self.line.extend_from_slice(piece);
            }
            let line = if self.line.is_empty() { piece } else { &self.line };
            let line = without_mark(line, self.at_start);
            if let Some(limit) = self.exceeded(line) {
                return Some(self.refuse(limit, has_ended));
            }
            if !has_ended {
                break;
            }
            if line.is_empty() {
                self.next_line();
                if whole.is_some() || self.block.means_something() {
                    self.state = State::Lent;
                    return Some(Streamed::Event(self.block.event(whole)));
                }
                self.block.clear();
                continue;
            }
            let (field, start) = Field::of(line);
            self.block.size += if field == Field::Comment { 0 } else { line.len() };
            match field {
                Field::Data if !self.line.is_empty() => {
                    let start = start + self.line.len() - line.len();
                    self.block.keep(whole.take());
                    self.block.adopt(&mut self.line, start);
                }
                Field::Data if whole.is_none() && !self.block.has_data() => {
                    let start = start + piece.len() - line.len();
                    whole = Some(&piece[start..]);
                }
                Field::Data => {
                    self.block.keep(whole.take());
                    self.block.keep(Some(&line[start..]));
                }
                _ => self.block.set(field, &line[start..]),
            }
            self.next_line();
        }
        self.block.keep(whole);
        None
    }

    /// The bytes up to the end of a line, or all if it does not end here.
    fn cut<'i>(&mut self, input: &mut &'i [u8]) -> Option<(&'i [u8], bool)> {
        if input.is_empty() {
            return None;
        }
        if mem::take(&mut self.after_return) {
            *input = input.strip_prefix(b"\n").unwrap_or(input);
            if input.is_empty() {
                return None;
            }
        }
        let Some(end) = memchr2(b'\r', b'\n', input) else {
            return Some((mem::take(input), false));
        };
        self.after_return = input[end] == b'\r';
        let piece = &input[..end];
        *input = &input[end + 1..];
        Some((piece, true))
    }

    /// The limit that a line exceeds, which may not be whole yet.
    fn exceeded(&self, line: &[u8]) -> Option<usize> {
        let (field, start) = Field::of(line);
        let Limits { event, field: most } = self.limits;
        let before = if field == Field::Comment { 0 } else { self.block.size };
        let is_name = matches!(field, Field::Id | Field::Name | Field::Retry);
        let (by_event, by_field) = (event - before, most.saturating_add(start));
        let (room, limit) =
            if is_name && by_field < by_event { (by_field, most) } else { (by_event, event) };
        (line.len() > room).then_some(limit)
    }

    /// Forgets the event; it is over with the next blank line.
    fn refuse(&mut self, limit: usize, has_ended: bool) -> Streamed<'static> {
        self.block.clear();
        self.next_line();
        self.state = State::TooLarge;
        if !has_ended {
            // What is left of the line is not blank, even if it is empty.
            self.line.push(b'.');
        }
        Streamed::TooLarge { limit }
    }

    /// Takes bytes of an event that is forgotten.
    fn skip(&mut self, piece: &[u8], has_ended: bool) {
        let is_blank = piece.is_empty() && self.line.is_empty();
        self.line.clear();
        if !has_ended {
            self.line.push(b'.');
        } else if is_blank {
            self.state = State::Block;
        }
    }

    fn next_line(&mut self) {
        self.at_start = false;
        self.line.clear();
        self.line.shrink_to(RETAINED);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Block,
    /// The block was handed out, and is forgotten with the next call.
    Lent,
    /// Until the next blank line nothing is kept.
    TooLarge,
}

fn without_mark(line: &[u8], at_start: bool) -> &[u8] {
    if at_start { line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line) } else { line }
}

/// Bytes of the value of an `id`, `event` or `retry`.
const MOST_FIELD: usize = 8 * 1024;
/// Bytes of memory that are kept from one event to the next.
const RETAINED: usize = 64 * 1024;

#[cfg(test)]
mod tests;
