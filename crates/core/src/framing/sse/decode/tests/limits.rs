//! What is too much, to the byte, and what it costs.

use super::*;

const SMALL: Limits = Limits { event: 20, field: 4 };

#[test]
fn an_event_may_be_as_large_as_the_limit() {
    for length in [13, 14, 15] {
        let payload = "x".repeat(length);
        let first = if length > 14 { Seen::Oversized(Part::Event) } else { event(&payload) };
        assert_limited(
            SMALL,
            format!("data: {payload}\n\ndata: b\n\n").as_bytes(),
            &[first, event("b")],
        );
    }
}

#[test]
fn all_lines_of_an_event_count_together() {
    assert_limited(SMALL, b"data: 1234\ndata: 5678\n\n", &[event("1234\n5678")]);
    assert_limited(SMALL, b"data: 1234\ndata: 56789\n\n", &[Seen::Oversized(Part::Event)]);
    assert_limited(SMALL, b"unknown: 90\ndata: 123\n\n", &[event("123")]);
    assert_limited(SMALL, b"unknown: 90\ndata: 1234\n\n", &[Seen::Oversized(Part::Event)]);
}

#[test]
fn a_name_may_be_as_long_as_the_limit() {
    for name in ["id", "event", "retry"] {
        for (value, refused) in [("123", false), ("1234", false), ("12345", true)] {
            for colon in [":", ": "] {
                let stream = format!("{name}{colon}{value}\n\ndata: b\n\n");
                let (seen, _) = decoded(SMALL, [stream.as_bytes()]);
                assert_eq!(seen[0] == Seen::Oversized(Part::Field), refused, "{stream}");
                assert_limited(SMALL, stream.as_bytes(), &[seen[0].clone(), event("b")]);
            }
        }
    }
}

#[test]
fn the_limit_that_is_reached_first_is_blamed_and_of_two_the_one_on_events() {
    let blamed = |event| decoded(Limits { event, field: 4 }, [&b"id: 12345"[..]]).0;
    assert_eq!(blamed(9), [Seen::Oversized(Part::Field)]);
    assert_eq!(blamed(8), [Seen::Oversized(Part::Event)]);
    assert_eq!(blamed(7), [Seen::Oversized(Part::Event)]);
}

#[test]
fn an_oversized_event_is_lost_up_to_its_blank_line_with_its_id() {
    let stream =
        b"id: 1\ndata: 1234567890123456\nid: 2\n: ping\ndata: 1234567890123456\r\n\r\ndata: b\n\n";
    assert_limited(SMALL, stream, &[Seen::Oversized(Part::Event), event("b")]);
    assert_eq!(decoded(SMALL, [&stream[..]]).1, "");
}

#[test]
fn an_oversized_event_is_reported_before_it_ends() {
    let mut decoder = EventDecoder::new(SMALL);
    let mut input = &b"data: 123456789012345"[..];
    assert_eq!(decoder.decode(&mut input), Some(Item::Oversized { part: Part::Event, limit: 20 }));
    input = b"id";
    assert_eq!(decoder.decode(&mut input), None);
    assert_eq!(decoder.finish(), None);
    input = b"id: 12345";
    assert_eq!(decoder.decode(&mut input), Some(Item::Oversized { part: Part::Field, limit: 4 }));
}

#[test]
fn comments_do_not_add_up() {
    let mut expected = vec![Seen::Comment; 100];
    expected.push(event("1234"));
    let stream = format!("data: 1234\n{}\n", ": 12345678\n".repeat(100));
    assert_limited(SMALL, stream.as_bytes(), &expected);
}

#[test]
fn a_comment_may_be_as_long_as_an_event() {
    assert_limited(SMALL, format!(":{}\n", "x".repeat(19)).as_bytes(), &[Seen::Comment]);
    assert_limited(
        SMALL,
        format!(":{}\n", "x".repeat(20)).as_bytes(),
        &[Seen::Oversized(Part::Event)],
    );
}

#[test]
fn endless_input_of_any_kind_takes_bounded_memory() {
    let limits = Limits { event: 50_000, field: 100 };
    let refused = [Seen::Oversized(Part::Event)];
    for (endless, expected) in [
        ("x", &refused[..]),
        ("unknown: x\n", &refused),
        ("data\n", &refused),
        ("data: some text\r\n", &refused),
        ("event: x\r", &refused),
        ("retry: 1\n", &refused),
        ("id: 1\n", &refused),
        ("\n", &[]),
        ("unknown\n\n", &[]),
    ] {
        let stream = endless.repeat(200_000 / endless.len());
        assert_eq!(decoded(limits, stream.as_bytes().chunks(1000)).0, expected, "{endless:?}");
    }
    for start in ["data: ", "unknown: ", ": "] {
        let stream = format!("{start}{}", "x".repeat(200_000));
        assert_eq!(decoded(limits, stream.as_bytes().chunks(1000)).0, refused, "{start:?}");
    }
    let stream = format!("id: {}", "x".repeat(200_000));
    assert_eq!(decoded(limits, stream.as_bytes().chunks(1000)).0, [Seen::Oversized(Part::Field)]);
}

#[test]
fn comments_and_unknown_fields_are_not_stored() {
    let mut decoder = EventDecoder::default();
    for start in [&b": "[..], b"unknown: "] {
        feed(&mut decoder, start, &mut Vec::new());
        feed(&mut decoder, &vec![b'x'; 100_000], &mut Vec::new());
        feed(&mut decoder, b"\n\n", &mut Vec::new());
    }
    assert!(decoder.capacity() <= TELLING, "{} bytes kept", decoder.capacity());
}

#[test]
fn memory_of_a_large_event_is_given_back() {
    let mut decoder = EventDecoder::default();
    let mut seen = Vec::new();
    for _ in 0..2 {
        feed(&mut decoder, b"data: ", &mut seen);
        feed(&mut decoder, &vec![b'x'; 4 * RETAINED], &mut seen);
        feed(&mut decoder, b"\n", &mut seen);
    }
    assert!(decoder.capacity() >= 8 * RETAINED);
    feed(&mut decoder, b"\n\n", &mut seen);
    assert_eq!(seen.len(), 1);
    assert!(decoder.capacity() <= 2 * RETAINED);
}

#[test]
fn the_default_limit_is_kept_to_the_byte() {
    let limit = Limits::default().event;
    let stream = [&b"data: "[..], &vec![b'x'; limit]].concat();
    for (length, accepted) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
        let chunks = stream[..length].chunks(1 << 20).chain([&b"\n\n"[..]]);
        let (seen, _) = decoded(Limits::default(), chunks);
        assert_eq!(seen.len(), 1);
        assert_eq!(seen[0] != Seen::Oversized(Part::Event), accepted);
    }
}
