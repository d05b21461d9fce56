use proptest::prelude::*;

use super::*;
use crate::framing::RETAINED;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    Message(Vec<u8>),
    Oversized(usize),
    Unfinished(usize),
}

fn message(text: &str) -> Seen {
    Seen::Message(text.as_bytes().to_vec())
}

fn feed(decoder: &mut LineDecoder, mut input: &[u8], seen: &mut Vec<Seen>) {
    while let Some(line) = decoder.decode(&mut input) {
        seen.push(match line {
            Line::Message(line) => Seen::Message(line.to_vec()),
            Line::Oversized { limit } => Seen::Oversized(limit),
        });
    }
    assert!(input.is_empty(), "decode left bytes behind");
}

fn decoded<'a>(limit: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Seen> {
    let mut decoder = LineDecoder::new(limit);
    let mut seen = Vec::new();
    for chunk in chunks {
        feed(&mut decoder, chunk, &mut seen);
        assert!(decoder.capacity() <= limit + 1, "{} bytes kept", decoder.capacity());
    }
    seen.extend(decoder.finish().map(|cut| Seen::Unfinished(cut.length)));
    assert_eq!(decoder.finish(), None, "the end is reported once");
    seen
}

/// The same bytes in one chunk and byte by byte.
#[track_caller]
fn assert_decodes(limit: usize, bytes: &[u8], expected: &[Seen]) {
    assert_eq!(decoded(limit, [bytes]), expected, "in one chunk");
    assert_eq!(decoded(limit, bytes.chunks(1)), expected, "byte by byte");
}

#[test]
fn each_newline_ends_a_message() {
    assert_decodes(100, b"{}\n[1]\n", &[message("{}"), message("[1]")]);
}

#[test]
fn one_carriage_return_belongs_to_the_ending() {
    assert_decodes(100, b"a\r\nb\r\r\nc\rd\n", &[message("a"), message("b\r"), message("c\rd")]);
}

#[test]
fn lines_of_whitespace_are_skipped() {
    assert_decodes(100, b"\n\r\n \t \n\r\r\na\n\n", &[message("a")]);
}

#[test]
fn other_invisible_bytes_are_not_whitespace() {
    assert_decodes(100, b"\x0c\n\0\n", &[message("\x0c"), message("\0")]);
}

#[test]
fn a_line_may_be_as_long_as_the_limit() {
    for ending in ["\n", "\r\n"] {
        let stream = format!("1234{ending}12345{ending}123456{ending}1{ending}");
        let expected = [message("1234"), message("12345"), Seen::Oversized(5), message("1")];
        assert_decodes(5, stream.as_bytes(), &expected);
    }
}

#[test]
fn a_return_beyond_the_limit_counts_unless_it_ends_the_line() {
    assert_decodes(2, b"12\r\n", &[message("12")]);
    assert_decodes(2, b"12\r3\n4\n", &[Seen::Oversized(2), message("4")]);
    assert_decodes(2, b"12\r\r\n4\n", &[Seen::Oversized(2), message("4")]);
    assert_decodes(2, b"12\r", &[Seen::Unfinished(3)]);
}

#[test]
fn whitespace_beyond_the_limit_is_oversized_too() {
    assert_decodes(2, b"  \n   \n", &[Seen::Oversized(2)]);
}

#[test]
fn an_oversized_line_is_reported_before_it_ends_and_only_once() {
    let mut decoder = LineDecoder::new(3);
    let mut input = &b"1234"[..];
    assert_eq!(decoder.decode(&mut input), Some(Line::Oversized { limit: 3 }));
    for _ in 0..10 {
        input = b"5678";
        assert_eq!(decoder.decode(&mut input), None);
    }
    input = b"9\nok\n";
    assert_eq!(decoder.decode(&mut input), Some(Line::Message(b"ok")));
    assert_eq!(decoder.decode(&mut input), None);
}

#[test]
fn the_end_of_the_stream_does_not_end_a_line() {
    assert_decodes(100, b"{}\n{}", &[message("{}"), Seen::Unfinished(2)]);
    assert_decodes(100, b"{}\n", &[message("{}")]);
    assert_decodes(100, b"{}\n \t", &[message("{}")]);
    assert_decodes(3, b"12345", &[Seen::Oversized(3)]);
}

#[test]
fn after_the_end_another_stream_can_be_read() {
    let mut decoder = LineDecoder::new(3);
    let mut seen = Vec::new();
    feed(&mut decoder, b"12345", &mut seen);
    assert_eq!(decoder.finish(), None);
    feed(&mut decoder, b"12", &mut seen);
    assert_eq!(decoder.finish(), Some(Unfinished { length: 2 }));
    feed(&mut decoder, b"3\n", &mut seen);
    assert_eq!(seen, [Seen::Oversized(3), message("3")]);
}

#[test]
fn a_driver_may_stop_after_any_line() {
    let mut decoder = LineDecoder::default();
    let mut input = &b"a\nb\nc"[..];
    assert_eq!(decoder.decode(&mut input), Some(Line::Message(b"a")));
    assert_eq!(input, b"b\nc");
}

#[test]
fn a_line_inside_a_chunk_is_lent_from_it() {
    let mut decoder = LineDecoder::default();
    let chunk = b"{\"first\":1}\r\n{\"second\":2}\n";
    let mut input = &chunk[..];
    while let Some(Line::Message(line)) = decoder.decode(&mut input) {
        assert!(chunk.as_ptr_range().contains(&line.as_ptr()));
    }
    assert_eq!(decoder.capacity(), 0);
}

#[test]
fn memory_of_a_large_line_is_given_back() {
    let mut decoder = LineDecoder::default();
    let mut seen = Vec::new();
    feed(&mut decoder, &vec![b'1'; 8 * RETAINED], &mut seen);
    assert!(decoder.capacity() >= 8 * RETAINED);
    feed(&mut decoder, b"\nnext\n", &mut seen);
    assert_eq!(seen.len(), 2);
    assert!(decoder.capacity() <= RETAINED);
}

#[test]
fn an_endless_line_takes_no_more_memory_than_the_limit() {
    let limit = 100_000;
    let chunk = [b'1'; 777];
    let seen = decoded(limit, std::iter::repeat_n(&chunk[..], 1_000));
    assert_eq!(seen, [Seen::Oversized(limit)]);
}

#[test]
fn the_default_limit_is_kept_to_the_byte() {
    let line = vec![b'1'; DEFAULT_LIMIT + 1];
    for (length, accepted) in
        [(DEFAULT_LIMIT - 1, true), (DEFAULT_LIMIT, true), (DEFAULT_LIMIT + 1, false)]
    {
        let seen = decoded(DEFAULT_LIMIT, line[..length].chunks(1 << 20).chain([&b"\n"[..]]));
        assert_eq!(matches!(&seen[..], [Seen::Message(line)] if line.len() == length), accepted);
        assert_eq!(seen == [Seen::Oversized(DEFAULT_LIMIT)], !accepted);
    }
}

#[test]
fn a_written_message_has_no_raw_line_break() {
    let mut out = b"before\n".to_vec();
    write_line(&mut out, b"{\r\n\"a\":\n\r1}\n");
    assert_eq!(out, b"before\n{  \"a\":  1} \n");
}

#[test]
fn a_message_serialised_in_place_becomes_a_line() {
    let mut out = b"before\n".to_vec();
    let start = out.len();
    out.extend_from_slice(b"[1,\n2]");
    end_line(&mut out, start);
    end_line(&mut out, 1_000);
    assert_eq!(out, b"before\n[1, 2]\n\n");
}

/// Bytes in which what matters to the decoder is frequent.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![Just(b'\n'), Just(b'\r'), Just(b' '), Just(b'{'), any::<u8>()];
    proptest::collection::vec(byte, 0..200)
}

/// What the decoder should find, told by one who has the whole stream at once.
fn expected(limit: usize, stream: &[u8]) -> Vec<Seen> {
    let mut lines: Vec<&[u8]> = stream.split(|byte| *byte == b'\n').collect();
    let tail = lines.pop().unwrap();
    let mut seen = Vec::new();
    for line in lines {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > limit {
            seen.push(Seen::Oversized(limit));
        } else if !line.iter().all(|byte| b" \t\r".contains(byte)) {
            seen.push(Seen::Message(line.to_vec()));
        }
    }
    if tail.strip_suffix(b"\r").unwrap_or(tail).len() > limit {
        seen.push(Seen::Oversized(limit));
    } else if !tail.iter().all(|byte| b" \t\r".contains(byte)) {
        seen.push(Seen::Unfinished(tail.len()));
    }
    seen
}

proptest! {
    #[test]
    fn chunks_do_not_matter(
        stream in stream(),
        sizes in proptest::collection::vec(1..20_usize, 1..50),
        limit in 0..40_usize,
    ) {
        let mut rest = &stream[..];
        let mut chunks = Vec::new();
        for size in sizes {
            let (chunk, after) = rest.split_at(size.min(rest.len()));
            chunks.push(chunk);
            rest = after;
        }
        chunks.push(rest);
        prop_assert_eq!(decoded(limit, chunks), expected(limit, &stream));
        prop_assert_eq!(decoded(limit, [&stream[..]]), expected(limit, &stream));
    }

    #[test]
    fn what_is_written_is_read_again(messages in proptest::collection::vec("[^\r\n]*[^ \t\r\n]", 0..10)) {
        let mut out = Vec::new();
        for text in &messages {
            write_line(&mut out, text.as_bytes());
        }
        let expected: Vec<Seen> = messages.iter().map(|text| message(text)).collect();
        prop_assert_eq!(decoded(10_000, out.chunks(7)), expected);
    }
}
