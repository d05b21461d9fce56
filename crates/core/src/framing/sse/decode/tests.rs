use proptest::prelude::*;

use super::*;
use crate::framing::{
    RETAINED,
    sse::{Event, EventId, EventName, comment},
};

mod model;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    Comment,
    Event { event: String, data: Option<Vec<u8>>, id: Option<String>, retry: Option<u64> },
    Oversized(Part),
    Cut(usize),
}

fn event(data: &str) -> Seen {
    Seen::Event { event: "message".into(), data: Some(data.into()), id: None, retry: None }
}

/// A block that has an id and data.
fn identified(id: &str, data: Option<&str>) -> Seen {
    Seen::Event {
        event: "message".into(),
        data: data.map(Into::into),
        id: Some(id.into()),
        retry: None,
    }
}

fn feed(decoder: &mut EventDecoder, mut input: &[u8], seen: &mut Vec<Seen>) {
    while let Some(item) = decoder.decode(&mut input) {
        seen.push(match item {
            Item::Comment => Seen::Comment,
            Item::Event(received) => Seen::Event {
                event: received.event.to_owned(),
                data: match received.data {
                    Data::Absent => None,
                    Data::Empty => Some(Vec::new()),
                    Data::Payload(payload) => Some(payload.to_vec()),
                },
                id: received.id.map(ToOwned::to_owned),
                retry: received.retry.map(|retry| retry.as_millis().try_into().unwrap()),
            },
            Item::Oversized { part, .. } => Seen::Oversized(part),
        });
    }
    assert!(input.is_empty(), "decode left bytes behind");
}

/// Everything seen, and the last event id at the end.
fn decoded<'a>(limits: Limits, chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Seen>, String) {
    let mut decoder = EventDecoder::new(limits);
    let bound = 2 * limits.event.max(TELLING) + 9 * limits.field;
    let mut seen = Vec::new();
    for chunk in chunks {
        feed(&mut decoder, chunk, &mut seen);
        assert!(decoder.capacity() <= bound, "{} bytes kept", decoder.capacity());
    }
    seen.extend(decoder.finish().map(|cut| Seen::Cut(cut.length)));
    assert_eq!(decoder.finish(), None, "the end is reported once");
    (seen, decoder.last_event_id().to_owned())
}

/// The same bytes in one chunk and byte by byte.
#[track_caller]
fn assert_limited(limits: Limits, bytes: &[u8], expected: &[Seen]) {
    assert_eq!(decoded(limits, [bytes]).0, expected, "in one chunk");
    assert_eq!(decoded(limits, bytes.chunks(1)).0, expected, "byte by byte");
}

#[track_caller]
fn assert_decodes(bytes: &[u8], expected: &[Seen]) {
    assert_limited(Limits::default(), bytes, expected);
}

#[test]
fn a_blank_line_ends_an_event() {
    assert_decodes(b"data: a\n\ndata: b\n\n", &[event("a"), event("b")]);
}

#[test]
fn every_kind_of_line_ending_is_one() {
    for stream in
        ["data: a\n\ndata: b\n\n", "data: a\r\rdata: b\r\r", "data: a\r\n\r\ndata: b\r\n\r\n"]
    {
        assert_decodes(stream.as_bytes(), &[event("a"), event("b")]);
    }
    assert_decodes(b"data: a\r\ndata: b\n\r", &[event("a\nb")]);
}

#[test]
fn an_event_that_ends_with_a_return_does_not_wait_for_more() {
    let mut decoder = EventDecoder::default();
    let mut seen = Vec::new();
    feed(&mut decoder, b"data: a\r\n\r", &mut seen);
    assert_eq!(seen, [event("a")]);
    feed(&mut decoder, b"\ndata: b\n\n", &mut seen);
    assert_eq!(seen, [event("a"), event("b")]);
}

#[test]
fn one_byte_order_mark_may_come_first() {
    assert_decodes(b"\xef\xbb\xbfdata: a\n\n", &[event("a")]);
    assert_decodes(b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n", &[]);
    assert_decodes(b"\xef\xbbdata: a\n\n", &[]);
    assert_decodes(b"\ndata: a\n\n\xef\xbb\xbfdata: b\n\n", &[event("a")]);
    assert_decodes(b"\xef\xbb", &[Seen::Cut(2)]);
    assert_decodes(b"\xef\xbb\xbf", &[]);
}

#[test]
fn comments_are_seen_between_and_inside_events() {
    assert_decodes(b": ping\n\n:\n", &[Seen::Comment, Seen::Comment]);
    assert_decodes(
        b"data: a\n: a rather long comment\ndata: b\n\n",
        &[Seen::Comment, event("a\nb")],
    );
}

#[test]
fn data_lines_are_joined_by_line_feeds() {
    assert_decodes(b"data: a\ndata:\ndata:  b\n\n", &[event("a\n\n b")]);
    assert_decodes(b"data\ndata\n\n", &[event("\n")]);
}

#[test]
fn blocks_without_a_payload_are_told_apart() {
    assert_decodes(b"id: 1\ndata:\n\n", &[identified("1", Some(""))]);
    assert_decodes(b"id: 1\ndata\n\n", &[identified("1", Some(""))]);
    assert_decodes(b"id: 1\n\n", &[identified("1", None)]);
    assert_decodes(b"\n\nother: 1\n\n\n", &[]);
}

#[test]
fn an_event_may_have_a_name() {
    let named = |name: &str| Seen::Event {
        event: name.into(),
        data: Some(b"a".into()),
        id: None,
        retry: None,
    };
    assert_decodes(
        b"event: endpoint\ndata: a\n\ndata: a\n\n",
        &[named("endpoint"), named("message")],
    );
    assert_decodes(b"event: x\nevent\ndata: a\n\n", &[named("message")]);
    assert_decodes("event: größe\ndata: a\n\n".as_bytes(), &[named("größe")]);
    assert_decodes(b"event: \xff\ndata: a\n\n", &[named("\u{fffd}")]);
}

#[test]
fn data_is_not_repaired() {
    let broken = Seen::Event {
        event: "message".into(),
        data: Some(b"\xff\xc3".into()),
        id: None,
        retry: None,
    };
    assert_decodes(b"data: \xff\xc3\n\n", &[broken]);
}

#[test]
fn the_last_event_id_stays_until_another_comes() {
    let last = |stream: &[u8]| decoded(Limits::default(), [stream]).1;
    assert_eq!(last(b"id: 1\ndata: a\n\ndata: b\n\n"), "1");
    assert_eq!(last(b"id: 1\n\nid: 2\n\n"), "2");
    assert_eq!(last(b"id: 1\n\nid\n\n"), "");
    assert_eq!(last(b"id: 1\n\nid: 2\0\n\n"), "1");
    assert_eq!(last(b"id: 1\n\nid: 2\ndata: cut\n"), "1");
    assert_eq!(last(b"id: 1\n\nid: 2\nid: 3\0\n\n"), "2");
}

#[test]
fn an_id_with_nul_is_no_field_at_all() {
    assert_decodes(b"id: \0\n\n", &[]);
    assert_decodes(b"id: \0\ndata: a\n\n", &[event("a")]);
}

#[test]
fn a_retry_is_digits_that_make_a_number() {
    let retry = |value: &str| {
        let mut decoder = EventDecoder::default();
        feed(&mut decoder, format!("retry:{value}\n").as_bytes(), &mut Vec::new());
        decoder.retry().map(|retry| retry.as_millis())
    };
    assert_eq!(retry(" 1500"), Some(1500));
    assert_eq!(retry("007"), Some(7));
    assert_eq!(retry("18446744073709551615"), Some(u64::MAX.into()));
    for value in ["18446744073709551616", "", " ", "+1", "-1", "1.5", "1 ", "  1", "٣"] {
        assert_eq!(retry(value), None, "{value:?}");
    }
    let block = Seen::Event { event: "message".into(), data: None, id: None, retry: Some(5) };
    assert_decodes(b"retry: 5\nretry: x\n\n", &[block]);
}

#[test]
fn an_event_cut_by_the_end_is_lost_and_reported() {
    assert_decodes(b"data: a\n\ndata: b\n", &[event("a"), Seen::Cut(7)]);
    assert_decodes(b"id: 1\ndata: abc", &[Seen::Cut(14)]);
    assert_decodes(b"something else", &[Seen::Cut(14)]);
    assert_decodes(b"data: a\n\n: a comment", &[event("a")]);
    assert_decodes(b"data: a\n\n:", &[event("a")]);
    assert_decodes(b"data: a\n: a comment", &[Seen::Cut(7)]);
}

#[test]
fn after_the_end_another_stream_can_be_read() {
    let mut decoder = EventDecoder::default();
    let mut seen = Vec::new();
    feed(&mut decoder, b"retry: 9\nid: 1\n\ndata: cut\r", &mut seen);
    assert_eq!(decoder.finish(), Some(Cut { length: 9 }));
    seen.clear();
    feed(&mut decoder, b"\xef\xbb\xbfdata: a\n\n", &mut seen);
    assert_eq!(seen, [event("a")]);
    assert_eq!((decoder.last_event_id(), decoder.retry()), ("1", Some(Duration::from_millis(9))));
}

#[test]
fn an_event_inside_a_chunk_is_lent_from_it() {
    let mut decoder = EventDecoder::default();
    let chunk = b"event: message\ndata: {\"a\":1}\n\ndata: {\"b\":2}\r\n\r\n";
    let mut input = &chunk[..];
    let mut count = 0;
    while let Some(Item::Event(received)) = decoder.decode(&mut input) {
        let Data::Payload(payload) = received.data else { panic!("{received:?}") };
        assert!(chunk.as_ptr_range().contains(&payload.as_ptr()));
        count += 1;
    }
    assert_eq!(count, 2);
    assert_eq!(decoder.capacity(), "message".len());
}

mod limits;
mod properties;
