//! Events are the same however the stream is cut, fit into bounded memory, and survive being written again.

use std::time::Duration;

use proofmark_core::framing::sse::{
    Cut, Data, Event, EventDecoder, EventId, EventName, Item, Limits, Part, Received,
};

use super::cuts::Cuts;

pub fn run(data: &[u8]) {
    let cuts = Cuts::of(data);
    let limits = Limits { event: cuts.limit, field: cuts.limit / 4 };
    let whole = decode(limits, std::iter::once(cuts.stream));
    assert_eq!(decode(limits, cuts.pieces()), whole, "pieces of other sizes");
    assert_eq!(decode(limits, cuts.stream.chunks(1)), whole, "one byte at a time");
    for found in &whole.items {
        if let Found::Event { event, data, id, retry } = found {
            rewrite(event, data.as_deref(), id.as_deref(), *retry);
        }
    }
}

#[derive(Debug, PartialEq)]
struct Stream {
    items: Vec<Found>,
    cut: Option<Cut>,
    last_event_id: String,
    retry: Option<Duration>,
}

#[derive(Debug, PartialEq)]
enum Found {
    Comment,
    Event { event: String, data: Option<Vec<u8>>, id: Option<String>, retry: Option<Duration> },
    Oversized(Part, usize),
}

impl From<Item<'_>> for Found {
    fn from(item: Item<'_>) -> Self {
        match item {
            Item::Comment => Self::Comment,
            Item::Oversized { part, limit } => Self::Oversized(part, limit),
            Item::Event(Received { event, data, id, retry }) => Self::Event {
                event: event.to_owned(),
                data: match data {
                    Data::Absent => None,
                    Data::Empty => Some(Vec::new()),
                    Data::Payload(bytes) => {
                        assert!(!bytes.is_empty(), "an empty payload is called empty");
                        Some(bytes.to_vec())
                    }
                },
                id: id.map(str::to_owned),
                retry,
            },
        }
    }
}

fn decode<'a>(limits: Limits, pieces: impl Iterator<Item = &'a [u8]>) -> Stream {
    // Three names are kept: of the event, of the block's id and of the last id.
    let bound = 2 * limits.event + 9 * limits.field + SHORT;
    let mut decoder = EventDecoder::new(limits);
    let mut items = Vec::new();
    for mut piece in pieces {
        while let Some(item) = decoder.decode(&mut piece) {
            items.push(item.into());
            assert!(decoder.capacity() <= bound, "{} for {bound}", decoder.capacity());
        }
        assert!(piece.is_empty(), "bytes are left over");
        assert!(decoder.capacity() <= bound, "{} for {bound}", decoder.capacity());
    }
    let cut = decoder.finish();
    let last_event_id = decoder.last_event_id().to_owned();
    Stream { items, cut, last_event_id, retry: decoder.retry() }
}

/// An event that was read can be written and is then read as the same event.
fn rewrite(event: &str, data: Option<&[u8]>, id: Option<&str>, retry: Option<Duration>) {
    // A stream may name an event in a way that this crate does not write.
    let Ok(name) = EventName::parse(event) else { return };
    let again = Event {
        id: id.map(|id| EventId::parse(id).expect("an id that was read fits on a line")),
        event: Some(name),
        data,
        retry,
    };
    let mut out = Vec::new();
    again.write(&mut out);
    let read = decode(Limits::default(), std::iter::once(out.as_slice()));
    let expected = Found::Event {
        event: event.to_owned(),
        data: data.map(<[u8]>::to_vec),
        id: id.map(str::to_owned),
        retry,
    };
    assert_eq!(read.items, [expected]);
    assert_eq!(read.cut, None);
}

/// The beginning of a line, too short to tell which field it is, is kept whatever the limits are.
const SHORT: usize = 64;
