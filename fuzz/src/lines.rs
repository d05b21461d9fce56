//! Lines are the same however the stream is cut, and cost no more memory than the limit allows.

use proofmark_core::framing::lines::{Line, LineDecoder, Unfinished, write_line};

use super::cuts::Cuts;

pub fn run(data: &[u8]) {
    let cuts = Cuts::of(data);
    let whole = decode(cuts.limit, std::iter::once(cuts.stream));
    assert_eq!(decode(cuts.limit, cuts.pieces()), whole, "pieces of other sizes");
    assert_eq!(decode(cuts.limit, cuts.stream.chunks(1)), whole, "one byte at a time");
    assert_eq!(expected(cuts.limit, cuts.stream), whole, "what the documentation promises");
    written(cuts.stream);
}

type Lines = (Vec<Result<Vec<u8>, usize>>, Option<Unfinished>);

fn decode<'a>(limit: usize, pieces: impl Iterator<Item = &'a [u8]>) -> Lines {
    let mut decoder = LineDecoder::new(limit);
    let mut lines = Vec::new();
    for mut piece in pieces {
        loop {
            let line = match decoder.decode(&mut piece) {
                None => break,
                Some(Line::Message(line)) => Ok(line.to_vec()),
                Some(Line::Oversized { limit }) => Err(limit),
            };
            lines.push(line);
            assert!(decoder.capacity() <= limit + 1, "{} for {limit}", decoder.capacity());
        }
        assert!(piece.is_empty(), "bytes are left over");
        assert!(decoder.capacity() <= limit + 1, "{} for {limit}", decoder.capacity());
    }
    (lines, decoder.finish())
}

/// The same by the simplest means, with all of the stream at hand.
fn expected(limit: usize, stream: &[u8]) -> Lines {
    let mut lines = Vec::new();
    let mut all: Vec<&[u8]> = stream.split(|&byte| byte == b'\n').collect();
    let last = all.pop().unwrap_or_default();
    for line in all {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > limit {
            lines.push(Err(limit));
        } else if !is_blank(line) {
            lines.push(Ok(line.to_vec()));
        }
    }
    // Of a line that goes on, a last CR may still belong to the ending.
    if last.strip_suffix(b"\r").unwrap_or(last).len() > limit {
        lines.push(Err(limit));
        return (lines, None);
    }
    (lines, (!is_blank(last)).then_some(Unfinished { length: last.len() }))
}

/// What is written as a line is read as one.
fn written(message: &[u8]) {
    let mut out = Vec::new();
    write_line(&mut out, message);
    assert_eq!(out.iter().position(|&byte| byte == b'\n'), Some(message.len()));
    let (lines, unfinished) = decode(message.len(), std::iter::once(out.as_slice()));
    assert_eq!(unfinished, None);
    let blank = message.iter().all(|byte| b" \t\r\n".contains(byte));
    assert_eq!(lines.len(), usize::from(!blank));
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| b" \t\r".contains(byte))
}
