//! One message per line, as on stdio.

use memchr::memchr;

use super::buffer::Buffer;

/// Cuts a stream of bytes into lines.
///
/// `\n` ends a line, and one `\r` before it is not part of the line. Lines of nothing but JSON whitespace are skipped.
/// A line longer than the limit is reported once, as soon as that is certain, and thrown away up to its end without
/// being stored. The buffer never has more capacity than the limit and one byte for a `\r` that may belong to the end
/// of the line.
#[derive(Debug)]
pub struct LineDecoder {
    limit: usize,
    tail: Buffer,
    state: State,
}

/// What a [`LineDecoder`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'d> {
    /// A line without its ending; not yet known to be JSON or even UTF-8.
    Message(&'d [u8]),
    /// A line was longer than `limit` bytes, its ending not counted. The next line is read as usual.
    Oversized { limit: usize },
}

/// The stream ended inside a line. What there was of it is not a message, even if it happens to parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// In bytes.
    pub length: usize,
}

impl LineDecoder {
    /// `limit` is the number of bytes that a line may have, its ending not counted.
    pub fn new(limit: usize) -> Self {
        Self { limit, tail: Buffer::default(), state: State::Reading }
    }

    /// The next line of `input`, or `None` when all of `input` is used up.
    pub fn decode<'d, 'i: 'd>(&'d mut self, input: &mut &'i [u8]) -> Option<Line<'d>> {
        if self.state == State::Lent {
            self.restart();
        }
        while let Some(end) = memchr(b'\n', input) {
            let piece = &input[..end];
            *input = &input[end + 1..];
            if self.state == State::Discarding {
                self.state = State::Reading;
                continue;
            }
            if self.tail.is_empty() {
                let line = without_return(piece);
                if line.len() > self.limit {
                    return Some(Line::Oversized { limit: self.limit });
                }
                if is_blank(line) {
                    continue;
                }
                return Some(Line::Message(line));
            }
            if self.overflows(piece) {
                self.restart();
                return Some(Line::Oversized { limit: self.limit });
            }
            self.keep(piece);
            if is_blank(&self.tail) {
                self.restart();
                continue;
            }
            self.state = State::Lent;
            return Some(Line::Message(without_return(&self.tail)));
        }
        let piece = std::mem::take(input);
        if self.state == State::Discarding || piece.is_empty() {
            return None;
        }
        if self.overflows(piece) {
            self.restart();
            self.state = State::Discarding;
            return Some(Line::Oversized { limit: self.limit });
        }
        self.keep(piece);
        None
    }

    /// Ends the stream, and says whether that cut a line short; the decoder is then as new.
    ///
    /// Whitespace is no loss, and an oversized line has been reported before.
    pub fn finish(&mut self) -> Option<Unfinished> {
        let open = self.state == State::Reading && !is_blank(&self.tail);
        let length = self.tail.len();
        self.restart();
        open.then_some(Unfinished { length })
    }

    /// Bytes of memory that the decoder holds for unfinished lines.
    pub fn capacity(&self) -> usize {
        self.tail.capacity()
    }

    fn keep(&mut self, piece: &[u8]) {
        self.tail.push(piece, self.limit.saturating_add(1));
    }

    /// Whether the tail and `piece` are more than a line may be. A last `\r` is not counted: it belongs to the ending,
    /// or may still turn out to.
    fn overflows(&self, piece: &[u8]) -> bool {
        let length = self.tail.len() + piece.len();
        let last = piece.last().or_else(|| self.tail.last());
        let spared = usize::from(last == Some(&b'\r'));
        length - spared > self.limit
    }

    fn restart(&mut self) {
        self.tail.clear();
        self.state = State::Reading;
    }
}

impl Default for LineDecoder {
    fn default() -> Self {
        Self::new(DEFAULT_LIMIT)
    }
}

/// Appends `message`, which is JSON text, to `out` as one line.
///
/// Raw line breaks between its tokens become spaces. Text that is not JSON would change its meaning.
pub fn write_line(out: &mut Vec<u8>, message: &[u8]) {
    let start = out.len();
    out.reserve(message.len() + 1);
    out.extend_from_slice(message);
    end_line(out, start);
}

/// Makes one line of the JSON text that was written into `out` from `start` on, without copying it again.
///
/// A `start` beyond the end of `out` stands for the end.
pub fn end_line(out: &mut Vec<u8>, start: usize) {
    if let Some(message) = out.get_mut(start..) {
        super::unbreak(message);
    }
    out.push(b'\n');
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// `tail` is the beginning of the current line.
    Reading,
    /// `tail` was handed out as a line and is cleared by the next call.
    Lent,
    /// The current line was oversized; everything up to its end is dropped.
    Discarding,
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

/// In bytes.
pub const DEFAULT_LIMIT: usize = 16 * 1024 * 1024;

#[cfg(test)]
mod tests;
