use proofmark_core::framing::sse as second_opinion;

use super::*;

#[test]
fn fields_mean_what_the_standard_says() {
    for (text, expected) in [
        ("data: a\n\n", vec![event("message", Some("a"), None, None)]),
        ("data:a\rdata:  b\r\ndata\n\r", vec![event("message", Some("a\n b\n"), None, None)]),
        ("\u{feff}data:a\n\n\u{feff}data:b\n\n", vec![event("message", Some("a"), None, None)]),
        (": hello\n\n:\nid: 1\n\n", vec![event("message", None, Some("1"), None)]),
        ("id: 1\ndata\n\n", vec![event("message", Some(""), Some("1"), None)]),
        ("id: 1\nid: a\0b\ndata:x\n\n", vec![event("message", Some("x"), Some("1"), None)]),
        ("id\ndata:x\n\n", vec![event("message", Some("x"), Some(""), None)]),
        ("event: ping\nevent:\ndata:x\n\n", vec![event("message", Some("x"), None, None)]),
        ("event: ping\n\n", vec![event("ping", None, None, None)]),
        ("retry: 12\nretry: 1x\nretry:\n\n", vec![event("message", None, None, Some(12))]),
        ("retry: +1\n\nretry: 99999999999999999999\n\n", vec![]),
        ("Data: a\n data: b\ndata : c\nunknown\n\n", vec![]),
        ("data: cut off\n", vec![]),
    ] {
        for size in 1..=text.len() {
            let found = ours(text.as_bytes(), &mut std::iter::repeat(size), LIMITS);
            assert_eq!(found, expected, "{text:?} in pieces of {size}");
        }
    }
}

#[test]
fn an_event_that_is_too_large_is_told_once_and_the_next_is_whole() {
    let limits = Limits { event: 12, field: 3 };
    for (text, limit) in [
        ("data: 1234567\ndata: x\n\ndata: y\n\n", 12),
        ("data: 1234\ndata\n\ndata: y\n\n", 12),
        ("unknown-field\r\n\r\ndata: y\n\n", 12),
        (": a long comment\n\ndata: y\n\n", 12),
        ("id: 1234\n\ndata: y\n\n", 3),
    ] {
        for size in 1..=text.len() {
            let found = ours(text.as_bytes(), &mut std::iter::repeat(size), limits);
            let expected = [Told::TooLarge(limit), event("message", Some("y"), None, None)];
            assert_eq!(found, expected, "{text:?} in pieces of {size}");
        }
    }
}

#[test]
fn comments_have_no_end_and_cost_nothing() {
    let text = ": 1234567890\n".repeat(10);
    assert_eq!(
        ours(text.as_bytes(), &mut std::iter::repeat(7), Limits { event: 12, field: 3 }),
        []
    );
}

#[test]
fn data_that_lies_whole_in_a_piece_is_not_copied() {
    let text = b"\xef\xbb\xbfevent: message\ndata: abc\n\n";
    let mut stream = EventStream::default();
    let Some(Streamed::Event(event)) = stream.next(&mut &text[..]) else { panic!("an event") };
    let at = text.len() - 5;
    assert!(std::ptr::eq(event.data.unwrap(), &raw const text[at..at + 3]));
}

#[test]
fn data_that_is_no_utf8_comes_as_it_is() {
    let mut stream = EventStream::default();
    let Some(Streamed::Event(event)) = stream.next(&mut &b"data: \xff\n\n"[..]) else {
        panic!("an event")
    };
    assert_eq!(event.data, Some(&b"\xff"[..]));
}

/// The decoder of our SDK's clients was written apart from this one, so that a mistake would have to be made twice.
#[test]
fn another_decoder_reads_the_same() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for round in 0..20_000 {
        let mut text = stream(&mut dice);
        let limits = match dice.below(4) {
            0 => {
                // The two judge the last line at different times if it does not end.
                text.push(b'\n');
                Limits { event: 4 + dice.below(40), field: 1 + dice.below(12) }
            }
            _ => LIMITS,
        };
        let longest = [1, 2, 3, 8, 64, 1000][dice.below(6)];
        let cuts: Vec<_> = (0..=text.len()).map(|_| 1 + dice.below(longest)).collect();
        let expected = theirs(&text, limits);
        let found = ours(&text, &mut cuts.iter().copied(), limits);
        let shown = String::from_utf8_lossy(&text);
        assert_eq!(found, expected, "round {round}, {limits:?}: {shown:?}");
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Told {
    Event { name: String, data: Option<Vec<u8>>, id: Option<String>, retry: Option<Duration> },
    TooLarge(usize),
}

fn event(name: &str, data: Option<&str>, id: Option<&str>, retry: Option<u64>) -> Told {
    Told::Event {
        name: name.to_owned(),
        data: data.map(|data| data.as_bytes().to_vec()),
        id: id.map(str::to_owned),
        retry: retry.map(Duration::from_millis),
    }
}

fn ours(text: &[u8], cuts: &mut dyn Iterator<Item = usize>, limits: Limits) -> Vec<Told> {
    let mut stream = EventStream::new(limits);
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let size = cuts.next().unwrap_or(rest.len()).min(rest.len());
        let (mut piece, behind) = rest.split_at(size);
        rest = behind;
        while let Some(streamed) = stream.next(&mut piece) {
            found.push(match streamed {
                Streamed::TooLarge { limit } => Told::TooLarge(limit),
                Streamed::Event(event) => Told::Event {
                    name: event.name.to_owned(),
                    data: event.data.map(<[u8]>::to_vec),
                    id: event.id.map(str::to_owned),
                    retry: event.retry,
                },
            });
        }
    }
    found
}

fn theirs(text: &[u8], limits: Limits) -> Vec<Told> {
    let limits = second_opinion::Limits { event: limits.event, field: limits.field };
    let mut decoder = second_opinion::EventDecoder::new(limits);
    let mut found = Vec::new();
    let mut input = text;
    while let Some(item) = decoder.decode(&mut input) {
        found.push(match item {
            second_opinion::Item::Comment => continue,
            second_opinion::Item::Oversized { limit, .. } => Told::TooLarge(limit),
            second_opinion::Item::Event(event) => Told::Event {
                name: event.event.to_owned(),
                data: match event.data {
                    second_opinion::Data::Absent => None,
                    second_opinion::Data::Empty => Some(Vec::new()),
                    second_opinion::Data::Payload(bytes) => Some(bytes.to_vec()),
                },
                id: event.id.map(str::to_owned),
                retry: event.retry,
            },
        });
    }
    found
}

/// Lines that mean something, lines that nearly do, and bytes that are neither.
fn stream(dice: &mut Dice) -> Vec<u8> {
    const PARTS: [&[u8]; 40] = [
        b"\n",
        b"\n",
        b"\n",
        b"\n\n",
        b"\r\n\r\n",
        b"\r",
        b"\r\n",
        b"\r\r",
        b"\n\r",
        b"data: a\n",
        b"data:{\"a\":1}\n",
        b"data\n",
        b"data:\n",
        b"data: \r\n",
        b"data:  x\r",
        b"data",
        b"event: message\n",
        b"event: ping\n",
        b"event\n",
        b"event:",
        b"eventual: x\n",
        b"id: 1\n",
        b"id\n",
        b"id: \0\n",
        b"id:a\0b",
        b"id: \xff\xfe\n",
        b"identity: 2\n",
        b"retry: 10\n",
        b"retry: 1a\n",
        b"retry:\n",
        b"retry: 99999999999999999999999\n",
        b": comment\n",
        b":\n",
        b":",
        b" ",
        b"\xef\xbb\xbf",
        b"\xef\xbb",
        b"\xff",
        b"\0",
        b"x",
    ];
    let mut text = Vec::new();
    if dice.below(8) == 0 {
        text.extend_from_slice("\u{feff}".as_bytes());
    }
    for _ in 0..dice.below(30) {
        match dice.below(12) {
            0 => text.push(u8::try_from(dice.below(256)).unwrap()),
            1 => text.extend(vec![b'y'; dice.below(50)]),
            _ => text.extend_from_slice(PARTS[dice.below(PARTS.len())]),
        }
    }
    text
}

/// The same numbers in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % most as u64).unwrap()
    }
}

const LIMITS: Limits = Limits { event: 1000, field: 1000 };
