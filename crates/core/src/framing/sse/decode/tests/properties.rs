//! What holds for all streams and all ways to cut them.

use super::*;

/// Streams in which what matters to the decoder is frequent.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        &b"\n"[..],
        b"\r",
        b"\r\n",
        b"\n\n",
        b":",
        b": ",
        b" ",
        b"data",
        b"data:",
        b"data: ",
        b"event: ",
        b"event",
        b"id: ",
        b"id:",
        b"id",
        b"retry: ",
        b"7",
        b"\0",
        b"\xef\xbb\xbf",
        b"\xef",
        b"\xc3\xbc",
        b"\xc3",
        b"unknown: ",
        b"text of some length",
    ];
    let piece = prop_oneof![
        8 => proptest::sample::select(pieces.to_vec()).prop_map(<[u8]>::to_vec),
        1 => proptest::collection::vec(any::<u8>(), 0..8),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn sizes() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(0..12_usize, 1..100)
}

fn cut<'a>(mut stream: &'a [u8], sizes: &[usize]) -> Vec<&'a [u8]> {
    let mut chunks = Vec::new();
    for size in sizes {
        let (chunk, rest) = stream.split_at((*size).min(stream.len()));
        chunks.push(chunk);
        stream = rest;
    }
    chunks.push(stream);
    chunks
}

fn text() -> impl Strategy<Value = String> {
    "[^\r\n\0]{0,12}"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_decoder_agrees_with_the_model(stream in stream(), sizes in sizes()) {
        let limits = Limits { event: 1 << 20, field: 1 << 16 };
        prop_assert_eq!(decoded(limits, [&stream[..]]), model::read(&stream));
        prop_assert_eq!(decoded(limits, cut(&stream, &sizes)), model::read(&stream));
    }

    #[test]
    fn chunks_do_not_matter_to_limits(
        stream in stream(),
        sizes in sizes(),
        event in 0..60_usize,
        field in 0..10_usize,
    ) {
        let limits = Limits { event, field };
        let whole = decoded(limits, [&stream[..]]);
        prop_assert_eq!(&decoded(limits, stream.chunks(1)), &whole);
        prop_assert_eq!(&decoded(limits, cut(&stream, &sizes)), &whole);
    }

    #[test]
    fn arbitrary_bytes_do_no_harm(stream in proptest::collection::vec(any::<u8>(), 0..400), sizes in sizes()) {
        let limits = Limits { event: 50, field: 5 };
        prop_assert_eq!(decoded(limits, cut(&stream, &sizes)), decoded(limits, [&stream[..]]));
    }

    #[test]
    fn what_is_written_is_read_again(
        id in proptest::option::of(text()),
        name in proptest::option::of("[^\r\n\0]{1,12}"),
        data in proptest::option::of(proptest::collection::vec(
            prop_oneof![Just(b'\n'), Just(b'\r'), Just(b' '), Just(b':'), any::<u8>()], 0..30)),
        retry in proptest::option::of(any::<u64>()),
        remark in any::<String>(),
        sizes in sizes(),
    ) {
        let event = Event {
            id: id.as_deref().map(|id| EventId::parse(id).unwrap()),
            event: name.as_deref().map(|name| EventName::parse(name).unwrap()),
            data: data.as_deref(),
            retry: retry.map(Duration::from_millis),
        };
        let mut out = Vec::new();
        comment(&mut out, &remark);
        event.write(&mut out);
        let (mut seen, last) = decoded(Limits::default(), cut(&out, &sizes));
        seen.retain(|seen| *seen != Seen::Comment);

        prop_assert_eq!(last, id.clone().unwrap_or_default());
        let nothing = event == Event::default();
        let data = data.map(|data| joined(&data));
        let event = name.unwrap_or_else(|| "message".into());
        let expected = Seen::Event { event, data, id, retry };
        prop_assert_eq!(seen, if nothing { vec![] } else { vec![expected] });
    }
}

/// All line breaks as LF.
fn joined(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (at, byte) in data.iter().enumerate() {
        match byte {
            b'\n' if at > 0 && data[at - 1] == b'\r' => {}
            b'\r' => out.push(b'\n'),
            byte => out.push(*byte),
        }
    }
    out
}
