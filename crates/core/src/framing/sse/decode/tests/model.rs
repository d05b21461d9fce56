//! A slow reader of whole streams, written from the standard's rules and sharing nothing with the decoder.

use super::Seen;

/// What a stream without limits comes to, and the last event id.
pub(super) fn read(stream: &[u8]) -> (Vec<Seen>, String) {
    let stream = stream.strip_prefix(b"\xef\xbb\xbf").unwrap_or(stream);
    let (lines, tail) = lines(stream);
    let mut seen = Vec::new();
    let mut last = String::new();
    let mut block = Vec::new();
    for line in lines {
        if line.starts_with(b":") {
            seen.push(Seen::Comment);
        } else if line.is_empty() {
            seen.extend(event(&block, &mut last));
            block.clear();
        } else {
            block.push(line);
        }
    }
    let tail = if tail.starts_with(b":") { 0 } else { tail.len() };
    let cut = block.iter().map(Vec::len).sum::<usize>() + tail;
    seen.extend((cut > 0).then_some(Seen::Cut(cut)));
    (seen, last)
}

fn lines(stream: &[u8]) -> (Vec<Vec<u8>>, Vec<u8>) {
    let mut lines = Vec::new();
    let mut line = Vec::new();
    let mut bytes = stream.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' => {
                bytes.next_if_eq(&b'\n');
                lines.push(std::mem::take(&mut line));
            }
            b'\n' => lines.push(std::mem::take(&mut line)),
            _ => line.push(byte),
        }
    }
    (lines, line)
}

fn event(block: &[Vec<u8>], last: &mut String) -> Option<Seen> {
    let (mut name, mut data, mut id, mut retry) = (None, None::<Vec<u8>>, None, None);
    for line in block {
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let field = parts.next().unwrap();
        let value = parts.next().unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let text = String::from_utf8_lossy(value).into_owned();
        match field {
            b"event" => name = Some(text),
            b"data" => {
                data = Some(match data {
                    None => value.to_vec(),
                    Some(before) => [&before, value].join(&b'\n'),
                });
            }
            b"id" if !value.contains(&0) => id = Some(text),
            b"retry" if text.chars().all(|c| c.is_ascii_digit()) => {
                retry = text.parse().ok().or(retry);
            }
            _ => {}
        }
    }
    if let Some(id) = &id {
        last.clone_from(id);
    }
    let telling = name.is_some() || data.is_some() || id.is_some() || retry.is_some();
    let event = name.filter(|name| !name.is_empty()).unwrap_or_else(|| "message".into());
    telling.then_some(Seen::Event { event, data, id, retry })
}
