//! The chunked transfer coding, read in whatever pieces it comes.

use std::{io, mem};

/// Takes the bytes of a body in, gives out what they mean. Nothing is copied but sizes that come in pieces.
#[derive(Debug, Default)]
pub struct ChunkedDecoder {
    state: State,
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
    /// Bytes of the trailers so far.
    trailers: usize,
}

/// What was understood of the bytes so far.
#[derive(Debug, PartialEq, Eq)]
pub enum Chunked<'i> {
    /// Some of the body, never empty.
    Data(&'i [u8]),
    /// The chunk of size 0: the body is complete, trailers may follow.
    Complete,
    /// The blank line behind the trailers: what follows belongs to another message.
    End,
}

/// Why bytes are no chunked body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChunkError {
    #[error("the size of a chunk does not end")]
    EndlessSize,
    #[error("the trailers of a body do not end")]
    EndlessTrailers,
    #[error("no chunk size: {0:?}")]
    NoSize(String),
    #[error("a chunk does not end where its size says")]
    WrongEnd,
}

impl ChunkedDecoder {
    /// What the bytes begin with, or `None` when all of them are used up. `input` becomes what is left.
    pub fn next<'i>(&mut self, input: &mut &'i [u8]) -> Result<Option<Chunked<'i>>, ChunkError> {
        loop {
            match self.state {
                State::End => return Ok(None),
                _ if input.is_empty() => return Ok(None),
                State::Size => {
                    let Some(line) = self.line(input, MOST_SIZE, ChunkError::EndlessSize)? else {
                        return Ok(None);
                    };
                    let size = size_of(&line)?;
                    if size == 0 {
                        self.state = State::Trailers;
                        return Ok(Some(Chunked::Complete));
                    }
                    self.state = State::Data(size);
                }
                State::Data(left) => {
                    let length =
                        usize::try_from(left).map_or(input.len(), |left| left.min(input.len()));
                    let (data, rest) = input.split_at(length);
                    *input = rest;
                    let left = left - length as u64;
                    self.state = if left == 0 { State::Return } else { State::Data(left) };
                    return Ok(Some(Chunked::Data(data)));
                }
                State::Return => self.expect(input, b'\r', State::Newline)?,
                State::Newline => self.expect(input, b'\n', State::Size)?,
                State::Trailers => {
                    let room = MOST_TRAILERS - self.trailers;
                    let Some(line) = self.line(input, room, ChunkError::EndlessTrailers)? else {
                        return Ok(None);
                    };
                    if line.is_empty() {
                        self.state = State::End;
                        return Ok(Some(Chunked::End));
                    }
                    self.trailers = (self.trailers + line.len()).min(MOST_TRAILERS);
                }
            }
        }
    }

    /// A line without its ending, once that is there.
    fn line(
        &mut self,
        input: &mut &[u8],
        most: usize,
        endless: ChunkError,
    ) -> Result<Option<Vec<u8>>, ChunkError> {
        while let Some(newline) = memchr::memchr(b'\n', input) {
            let (piece, rest) = input.split_at(newline + 1);
            *input = rest;
            self.line.extend_from_slice(piece);
            if self.line.len() > most + ENDING.len() {
                return Err(endless);
            }
            if self.line.ends_with(ENDING) {
                self.line.truncate(self.line.len() - ENDING.len());
                return Ok(Some(mem::take(&mut self.line)));
            }
        }
        self.line.extend_from_slice(mem::take(input));
        if self.line.len() > most + ENDING.len() { Err(endless) } else { Ok(None) }
    }

    fn expect(&mut self, input: &mut &[u8], byte: u8, next: State) -> Result<(), ChunkError> {
        let rest = input.strip_prefix(&[byte]).ok_or(ChunkError::WrongEnd)?;
        *input = rest;
        self.state = next;
        Ok(())
    }
}

impl From<ChunkError> for io::Error {
    fn from(error: ChunkError) -> Self {
        Self::new(io::ErrorKind::InvalidData, error)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Size,
    /// Bytes of the chunk that are still to come.
    Data(u64),
    /// Before the line ending of a chunk.
    Return,
    /// Within it.
    Newline,
    Trailers,
    End,
}

/// Before the extensions, which mean nothing to us.
fn size_of(line: &[u8]) -> Result<u64, ChunkError> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    let text = String::from_utf8_lossy(digits);
    let size = u64::from_str_radix(&text, 16).ok();
    size.filter(|_| !digits.starts_with(b"+")).ok_or_else(|| ChunkError::NoSize(text.into_owned()))
}

const ENDING: &[u8] = b"\r\n";
/// Bytes of the line of a chunk's size, with its extensions.
const MOST_SIZE: usize = 4 * 1024;
/// Bytes of all trailers together.
const MOST_TRAILERS: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "5\r\nhello\r\n7;a=\"b\"\r\n, world\r\n0\r\nt: u\r\nv: w\r\n\r\nHTTP/1.1";

    #[test]
    fn a_body_is_the_same_however_it_is_cut() {
        for size in 1..BODY.len() {
            let (data, rest) = read(BODY.as_bytes(), size).unwrap();
            assert_eq!(data, b"hello, world", "in pieces of {size}");
            assert!(b"HTTP/1.1".starts_with(&rest), "in pieces of {size}");
        }
    }

    #[test]
    fn what_lies_whole_in_a_piece_is_not_copied() {
        let mut input = BODY.as_bytes();
        let Ok(Some(Chunked::Data(data))) = ChunkedDecoder::default().next(&mut input) else {
            panic!("there is data")
        };
        assert!(std::ptr::eq(data, &raw const BODY.as_bytes()[3..8]));
    }

    #[test]
    fn the_body_is_complete_before_its_trailers() {
        let mut input = &b"0\r\n"[..];
        let mut decoder = ChunkedDecoder::default();
        assert_eq!(decoder.next(&mut input), Ok(Some(Chunked::Complete)));
        assert_eq!(decoder.next(&mut input), Ok(None));
        assert_eq!(decoder.next(&mut &b"\r\n"[..]), Ok(Some(Chunked::End)));
    }

    #[test]
    fn what_is_no_chunked_body_is_refused() {
        let endless = [&b"1;"[..], &[b'a'; MOST_SIZE + 1]].concat();
        let trailers = [&b"0\r\n"[..], &b"a: b\r\n".repeat(MOST_TRAILERS)].concat();
        for (body, error) in [
            (&b"\r\n"[..], ChunkError::NoSize(String::new())),
            (b"x\r\n", ChunkError::NoSize("x".to_owned())),
            (b"+1\r\na", ChunkError::NoSize("+1".to_owned())),
            (b"-1\r\na", ChunkError::NoSize("-1".to_owned())),
            (b"5\nhello\r\n", ChunkError::NoSize("5\nhello".to_owned())),
            (b"11111111111111111\r\n", ChunkError::NoSize("11111111111111111".to_owned())),
            (b"1\r\nabc", ChunkError::WrongEnd),
            (b"1\r\na\rb", ChunkError::WrongEnd),
            (&endless, ChunkError::EndlessSize),
            (&trailers, ChunkError::EndlessTrailers),
        ] {
            for size in [1, 2, 3, body.len()] {
                assert_eq!(read(body, size).unwrap_err(), error);
            }
        }
    }

    #[test]
    fn the_largest_size_is_read() {
        let mut decoder = ChunkedDecoder::default();
        let mut input = &b"FFFFFFFFFFFFFFFF\r\nabc"[..];
        assert_eq!(decoder.next(&mut input), Ok(Some(Chunked::Data(b"abc"))));
        assert_eq!(decoder.state, State::Data(u64::MAX - 3));
    }

    /// The data, and what came behind the end.
    fn read(body: &[u8], size: usize) -> Result<(Vec<u8>, Vec<u8>), ChunkError> {
        let mut decoder = ChunkedDecoder::default();
        let mut data = Vec::new();
        for mut piece in body.chunks(size) {
            while let Some(found) = decoder.next(&mut piece)? {
                match found {
                    Chunked::Data(bytes) => data.extend_from_slice(bytes),
                    Chunked::Complete => {}
                    Chunked::End => return Ok((data, piece.to_vec())),
                }
            }
        }
        Ok((data, Vec::new()))
    }
}
