//! Bytes of a pipe, cut into lines.

use super::MOST_FRAME;

/// Takes bytes in, gives out lines. A line that lies whole inside the bytes is borrowed from them.
#[derive(Debug)]
pub struct LineSplitter {
    limit: usize,
    /// The beginning of a line whose end has not come yet, or a line that was handed out.
    line: Vec<u8>,
    state: State,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Split<'d> {
    /// A line that is not blank, without its ending.
    Line(&'d [u8]),
    /// A line has more bytes than the limit. It is lost; the next one is whole again.
    TooLong,
}

impl Default for LineSplitter {
    fn default() -> Self {
        Self::new(MOST_FRAME)
    }
}

impl LineSplitter {
    /// With a limit for the bytes of a line, its ending included.
    pub fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new(), state: State::Line }
    }

    /// The next line, or `None` when all bytes are used up. `input` becomes what is left.
    pub fn next<'d, 'i: 'd>(&'d mut self, input: &mut &'i [u8]) -> Option<Split<'d>> {
        if self.state == State::Lent {
            self.forget();
        }
        let piece = loop {
            let Some(newline) = memchr::memchr(b'\n', input) else { return self.keep(input) };
            let (piece, rest) = input.split_at(newline + 1);
            *input = rest;
            if self.state == State::TooLong {
                self.state = State::Line;
                continue;
            }
            if self.line.len() + piece.len() > self.limit {
                self.forget();
                return Some(Split::TooLong);
            }
            if !is_blank(piece) || !is_blank(&self.line) {
                break piece;
            }
            self.forget();
        };
        if self.line.is_empty() {
            return Some(Split::Line(without_ending(piece)));
        }
        self.line.extend_from_slice(piece);
        self.state = State::Lent;
        Some(Split::Line(without_ending(&self.line)))
    }

    /// What came behind the last newline, if it is not blank.
    pub fn finish(&mut self) -> Option<Vec<u8>> {
        if self.state == State::Lent {
            self.forget();
        }
        self.state = State::Line;
        let rest = std::mem::take(&mut self.line);
        (!is_blank(&rest)).then_some(rest)
    }

    /// Keeps the beginning of a line.
    fn keep(&mut self, input: &mut &[u8]) -> Option<Split<'static>> {
        let piece = std::mem::take(input);
        if self.state == State::TooLong {
            return None;
        }
        if self.line.len() + piece.len() > self.limit {
            self.forget();
            self.state = State::TooLong;
            return Some(Split::TooLong);
        }
        self.line.extend_from_slice(piece);
        None
    }

    fn forget(&mut self) {
        self.state = State::Line;
        self.line.clear();
        self.line.shrink_to(RETAINED);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Line,
    /// The line was handed out, and is forgotten with the next call.
    Lent,
    /// Until the next newline nothing is kept.
    TooLong,
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().is_empty()
}

fn without_ending(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Bytes of memory that are kept from one line to the next.
const RETAINED: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_however_they_are_cut() {
        let text = b"{\"a\":1}\r\n\n  \r\n[1]\n a\r \n\r\r\n{";
        for size in 1..=text.len() {
            let (lines, rest) = split(LineSplitter::default(), text, size);
            assert_eq!(lines, ["{\"a\":1}", "[1]", " a\r "], "in pieces of {size}");
            assert_eq!(rest, Some(b"{".to_vec()));
        }
    }

    #[test]
    fn a_blank_rest_is_none() {
        assert_eq!(split(LineSplitter::default(), b"a\n \r", 2).1, None);
    }

    #[test]
    fn a_line_that_is_too_long_is_told_once_and_the_next_is_whole() {
        let text = b"12345\n1234567\n7654321654321\nabc\n123456";
        for size in 1..=text.len() {
            let (lines, rest) = split(LineSplitter::new(6), text, size);
            assert_eq!(lines, ["12345", LONG, LONG, "abc"], "in pieces of {size}");
            assert_eq!(rest, Some(b"123456".to_vec()));
        }
    }

    #[test]
    fn what_lies_whole_in_a_piece_is_not_copied() {
        let text = b"abc\n";
        let mut splitter = LineSplitter::default();
        let Some(Split::Line(line)) = splitter.next(&mut &text[..]) else { panic!("a line") };
        assert!(std::ptr::eq(line, &raw const text[..3]));
    }

    const LONG: &str = "(too long)";

    fn split(
        mut splitter: LineSplitter,
        text: &[u8],
        size: usize,
    ) -> (Vec<String>, Option<Vec<u8>>) {
        let mut lines = Vec::new();
        for mut piece in text.chunks(size) {
            while let Some(found) = splitter.next(&mut piece) {
                lines.push(match found {
                    Split::Line(line) => String::from_utf8_lossy(line).into_owned(),
                    Split::TooLong => LONG.to_owned(),
                });
            }
        }
        (lines, splitter.finish())
    }
}
