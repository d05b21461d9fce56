//! Reads an event stream, cut into chunks anywhere, within fixed memory.

use std::time::Duration;

use memchr::memchr2;

use self::block::Block;
use super::field::{Field, TELLING};
use crate::framing::buffer::Buffer;

mod block;

/// Cuts a stream of bytes into events.
///
/// Comments and unknown fields are never stored. Memory is bounded by twice [`Limits::event`], for a line that is not
/// complete and the data before it, and by [`Limits::field`] for each of the few names kept, threefold if they are
/// not UTF-8.
#[derive(Debug, Default)]
pub struct EventDecoder {
    limits: Limits,
    /// How much of a byte order mark has been seen; all of it as soon as there can be none.
    mark: usize,
    /// A line ended with CR, so that LF would be the rest of its ending.
    after_return: bool,
    state: State,
    line: Buffer,
    block: Block,
    last_event_id: String,
    retry: Option<Duration>,
}

/// In bytes; what exceeds one of them is reported as [`Item::Oversized`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// All lines of one event together, with their names but without their endings. Unknown fields count, so that a
    /// stream of nothing else is refused. Comments do not, so that an idle stream may be kept alive for ever, but each
    /// single comment may be no longer than this.
    pub event: usize,
    /// The value of an `id`, `event` or `retry` field.
    pub field: usize,
}

/// What an [`EventDecoder`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item<'d> {
    /// A comment ended. Its text means nothing, but the peer is alive.
    Comment,
    Event(Received<'d>),
    /// An event was larger than `limit` bytes in that part. It is lost with its id; reading goes on after the next
    /// blank line, and nothing is reported before.
    Oversized {
        part: Part,
        limit: usize,
    },
}

/// One block of fields, ended by a blank line, with at least one field that means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received<'d> {
    /// `message` unless the stream said otherwise.
    pub event: &'d str,
    pub data: Data<'d>,
    /// The id that this block itself set; an empty one made the decoder forget the last. See
    /// [`EventDecoder::last_event_id`] for the one in force.
    pub id: Option<&'d str>,
    pub retry: Option<Duration>,
}

/// What the `data` fields of a block came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data<'d> {
    /// There was no `data` field. A browser would not fire an event.
    Absent,
    /// There was one empty `data` field: with an `id`, this is how MCP primes a stream. There is no message in it.
    Empty,
    /// The lines joined by LF, as they came: not yet known to be JSON or even UTF-8.
    Payload(&'d [u8]),
}

/// Which of the [`Limits`] was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Event,
    Field,
}

/// The stream ended inside an event, which is thereby lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Bytes of its lines that had come, without their endings.
    pub length: usize,
}

impl EventDecoder {
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// The next item of `input`, or `None` when all of `input` is used up.
    pub fn decode<'d, 'i: 'd>(&'d mut self, input: &mut &'i [u8]) -> Option<Item<'d>> {
        if self.state == State::Lent {
            self.restart();
        }
        self.skip_mark(input);
        // The data of an event that has so far been all inside this chunk.
        let mut data: Option<&'i [u8]> = None;
        loop {
            if self.after_return && !input.is_empty() {
                self.after_return = false;
                *input = input.strip_prefix(b"\n").unwrap_or(input);
            }
            let Some(end) = memchr2(b'\r', b'\n', input) else { break };
            let piece = &input[..end];
            self.after_return = input[end] == b'\r';
            *input = &input[end + 1..];
            match self.end_line(piece, &mut data) {
                Step::Comment => {
                    self.store(data);
                    return Some(Item::Comment);
                }
                Step::Dispatch => return Some(Item::Event(self.dispatch(data))),
                Step::More => {}
                Step::Oversized(part) => return Some(self.discard(part, Position::LineStart)),
            }
        }
        self.store(data);
        let piece = std::mem::take(input);
        match self.extend_line(piece) {
            Ok(()) => None,
            Err(part) => Some(self.discard(part, Position::InLine)),
        }
    }

    /// Ends the stream, and says whether that cut an event short.
    ///
    /// The decoder can then read another stream; the last event id and the reconnection time stay. A comment is no
    /// loss, and an oversized event has been reported before.
    pub fn finish(&mut self) -> Option<Cut> {
        let mark = if self.mark < MARK.len() { self.mark } else { 0 };
        let length = match self.state {
            State::Discarding(_) | State::Lent => 0,
            State::Head if self.line.first() == Some(&b':') => self.block.size,
            State::Head | State::Stored(..) => self.block.size + self.line.len() + mark,
            State::Skipped(Field::Comment, _) => self.block.size,
            State::Skipped(_, length) => self.block.size + length,
        };
        self.restart();
        self.mark = 0;
        self.after_return = false;
        (length > 0).then_some(Cut { length })
    }

    /// The id to resume after: of the last complete block that had one, empty if there was none.
    pub fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    /// The reconnection time that the peer asked for last; in force from its line on, complete event or not.
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Bytes of memory that the decoder holds.
    pub fn capacity(&self) -> usize {
        self.line.capacity() + self.block.capacity() + self.last_event_id.capacity()
    }

    fn skip_mark(&mut self, input: &mut &[u8]) {
        while self.mark < MARK.len()
            && let Some((first, rest)) = input.split_first()
        {
            if *first == MARK[self.mark] {
                self.mark += 1;
                *input = rest;
                continue;
            }
            // What began like a mark is the beginning of the first line.
            self.line.push(&MARK[..self.mark], TELLING);
            self.mark = MARK.len();
        }
    }

    /// Takes the last piece of a line.
    fn end_line<'i>(&mut self, piece: &'i [u8], data: &mut Option<&'i [u8]>) -> Step {
        match self.state {
            State::Discarding(Position::LineStart) if piece.is_empty() => {
                self.state = State::Head;
                Step::More
            }
            State::Discarding(_) => {
                self.state = State::Discarding(Position::LineStart);
                Step::More
            }
            State::Head if self.line.is_empty() => self.whole_line(piece, data),
            _ => match self.extend_line(piece) {
                Ok(()) => self.stored_line(),
                Err(part) => Step::Oversized(part),
            },
        }
    }

    /// Takes a line that lies whole inside the chunk.
    fn whole_line<'i>(&mut self, line: &'i [u8], data: &mut Option<&'i [u8]>) -> Step {
        if line.is_empty() {
            if data.is_some() || self.block.is_telling() {
                return Step::Dispatch;
            }
            self.block.clear();
            return Step::More;
        }
        let (field, start) = Field::of(line);
        if let Err(part) = self.admit(field, start, line.len()) {
            return Step::Oversized(part);
        }
        if field == Field::Comment {
            return Step::Comment;
        }
        self.block.size += line.len();
        let value = &line[start..];
        if field != Field::Data {
            self.set(field, value);
        } else if data.is_none() && !self.block.has_data() {
            *data = Some(value);
        } else {
            self.store(data.take());
            self.store(Some(value));
        }
        Step::More
    }

    /// Takes the line that has been collected from several chunks.
    fn stored_line(&mut self) -> Step {
        let state = std::mem::take(&mut self.state);
        if let State::Skipped(field, length) = state {
            if field == Field::Comment {
                return Step::Comment;
            }
            self.block.size += length;
            return Step::More;
        }
        let mut line = std::mem::take(&mut self.line);
        let (field, start) = Field::of(&line);
        let admitted = self.admit(field, start, line.len());
        if admitted.is_ok() && field != Field::Comment {
            self.block.size += line.len();
            match field {
                Field::Data if !self.block.has_data() => self.block.adopt(&mut line, start),
                Field::Data => self.store(Some(&line[start..])),
                _ => self.set(field, &line[start..]),
            }
        }
        line.clear();
        self.line = line;
        match admitted {
            Err(part) => Step::Oversized(part),
            Ok(()) if field == Field::Comment => Step::Comment,
            Ok(()) => Step::More,
        }
    }

    /// Takes a piece of a line that began earlier or goes on later. Says which limit is exceeded, if one is.
    fn extend_line(&mut self, mut piece: &[u8]) -> Result<(), Part> {
        if self.state == State::Head {
            let head = piece.len().min(TELLING - self.line.len());
            self.line.push(&piece[..head], TELLING);
            piece = &piece[head..];
            if self.line.len() < TELLING {
                return Ok(());
            }
            let (field, start) = Field::of(&self.line);
            self.state = if matches!(field, Field::Comment | Field::Unknown) {
                self.line.clear();
                State::Skipped(field, TELLING)
            } else {
                State::Stored(field, start)
            };
        }
        match self.state {
            State::Stored(field, start) => {
                self.admit(field, start, self.line.len() + piece.len())?;
                let (room, _) = self.room(field, start);
                self.line.push(piece, room);
            }
            State::Skipped(field, length) => {
                let length = length.saturating_add(piece.len());
                self.admit(field, 0, length)?;
                self.state = State::Skipped(field, length);
            }
            State::Discarding(_) if !piece.is_empty() => {
                self.state = State::Discarding(Position::InLine);
            }
            State::Discarding(_) | State::Head | State::Lent => {}
        }
        Ok(())
    }

    fn admit(&self, field: Field, start: usize, length: usize) -> Result<(), Part> {
        let (room, part) = self.room(field, start);
        if length > room { Err(part) } else { Ok(()) }
    }

    /// How long a line may be, and which limit says so, when its value begins at `start`.
    fn room(&self, field: Field, start: usize) -> (usize, Part) {
        let by_event = match field {
            Field::Comment => self.limits.event,
            _ => self.limits.event - self.block.size,
        };
        let by_field = match field {
            Field::Event | Field::Id | Field::Retry => self.limits.field.saturating_add(start),
            Field::Comment | Field::Data | Field::Unknown => usize::MAX,
        };
        if by_field < by_event { (by_field, Part::Field) } else { (by_event, Part::Event) }
    }

    fn set(&mut self, field: Field, value: &[u8]) {
        self.block.set(field, value);
        self.retry = self.block.retry.or(self.retry);
    }

    fn store(&mut self, data: Option<&[u8]>) {
        if let Some(data) = data {
            self.block.append(data, self.limits.event);
        }
    }

    fn dispatch<'d>(&'d mut self, data: Option<&'d [u8]>) -> Received<'d> {
        self.state = State::Lent;
        self.block.commit_id(&mut self.last_event_id);
        Received {
            event: self.block.event(),
            data: match data.or_else(|| self.block.data()) {
                None => Data::Absent,
                Some([]) => Data::Empty,
                Some(payload) => Data::Payload(payload),
            },
            id: self.block.has_id().then_some(&self.last_event_id),
            retry: self.block.retry,
        }
    }

    fn discard(&mut self, part: Part, place: Position) -> Item<'static> {
        self.restart();
        self.state = State::Discarding(place);
        let limit = match part {
            Part::Event => self.limits.event,
            Part::Field => self.limits.field,
        };
        Item::Oversized { part, limit }
    }

    fn restart(&mut self) {
        self.line.clear();
        self.block.clear();
        self.state = State::Head;
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { event: 16 * 1024 * 1024, field: 8 * 1024 }
    }
}

/// Where in the current line the decoder is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// `line` has all of it, too little to tell the field. Not judged by any limit yet, so that the verdict does not
    /// depend on where chunks end.
    #[default]
    Head,
    /// `line` has all of it; the field is known, and where its value starts.
    Stored(Field, usize),
    /// A comment or an unknown field, of which only the length so far is kept.
    Skipped(Field, usize),
    /// In an oversized event, of which nothing is kept.
    Discarding(Position),
    /// Behind a blank line; `block` was handed out and is cleared by the next call.
    Lent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    LineStart,
    InLine,
}

/// What the end of a line led to.
enum Step {
    Comment,
    Dispatch,
    More,
    Oversized(Part),
}

/// The byte order mark that a stream may begin with.
const MARK: &[u8] = "\u{feff}".as_bytes();

#[cfg(test)]
mod tests;
