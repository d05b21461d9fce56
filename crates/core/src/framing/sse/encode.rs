//! Writes events and comments in a form that every reader cuts at the same places.

use std::{io::Write as _, time::Duration};

use memchr::memchr2;

use super::{EventId, EventName};

/// One event to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event<'a> {
    pub id: Option<EventId<'a>>,
    /// Readers take an event without a name for a `message`.
    pub event: Option<EventName<'a>>,
    /// `Some` and empty is written as an empty `data` field, as a priming event has it; `None` as no field at all.
    /// Each CR, LF or CRLF begins another `data` line, which readers join with LF.
    pub data: Option<&'a [u8]>,
    /// How long a reader should wait before it connects again; what is less than a millisecond is dropped.
    pub retry: Option<Duration>,
}

impl Event<'_> {
    /// Appends the event and the blank line that ends it. An event without any field is only the blank line.
    pub fn write(&self, out: &mut Vec<u8>) {
        if let Some(id) = &self.id {
            line(out, b"id: ", id.as_str().as_bytes());
        }
        if let Some(event) = &self.event {
            line(out, b"event: ", event.as_str().as_bytes());
        }
        if let Some(retry) = self.retry {
            let millis = u64::try_from(retry.as_millis()).unwrap_or(u64::MAX);
            writeln!(out, "retry: {millis}").expect("a vector takes all bytes");
        }
        if let Some(data) = self.data {
            lines(out, b"data: ", data);
        }
        out.push(b'\n');
    }
}

/// Appends a comment, which readers ignore, and a blank line. It keeps an idle stream alive.
///
/// To be written between events, never into one.
pub fn comment(out: &mut Vec<u8>, text: &str) {
    lines(out, b": ", text.as_bytes());
    out.push(b'\n');
}

/// Writes every line of `text` behind `prefix`.
fn lines(out: &mut Vec<u8>, prefix: &[u8], mut text: &[u8]) {
    while let Some(end) = memchr2(b'\r', b'\n', text) {
        line(out, prefix, &text[..end]);
        let ending = if text[end..].starts_with(b"\r\n") { 2 } else { 1 };
        text = &text[end + ending..];
    }
    line(out, prefix, text);
}

fn line(out: &mut Vec<u8>, prefix: &[u8], value: &[u8]) {
    out.reserve(prefix.len() + value.len() + 2);
    out.extend_from_slice(prefix);
    out.extend_from_slice(value);
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn written(event: &Event<'_>) -> String {
        let mut out = Vec::new();
        event.write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_event_is_written_with_all_its_fields() {
        let event = Event {
            id: Some(EventId::parse("7").unwrap()),
            event: Some(EventName::parse("endpoint").unwrap()),
            data: Some(b"{}"),
            retry: Some(Duration::from_micros(1_500_999)),
        };
        assert_eq!(written(&event), "id: 7\nevent: endpoint\nretry: 1500\ndata: {}\n\n");
    }

    #[test]
    fn empty_data_is_written_and_absent_data_is_not() {
        let id = Some(EventId::parse("7").unwrap());
        let primer = Event { id: id.clone(), data: Some(b""), ..Event::default() };
        assert_eq!(written(&primer), "id: 7\ndata: \n\n");
        assert_eq!(written(&Event { id, ..Event::default() }), "id: 7\n\n");
    }

    #[test]
    fn each_kind_of_line_break_begins_another_data_line() {
        let event = Event { data: Some(b"a\nb\rc\r\nd\n\re\n"), ..Event::default() };
        let expected = "data: a\ndata: b\ndata: c\ndata: d\ndata: \ndata: e\ndata: \n\n";
        assert_eq!(written(&event), expected);
    }

    #[test]
    fn a_retry_beyond_all_numbers_is_written_as_the_largest() {
        let event = Event { retry: Some(Duration::MAX), ..Event::default() };
        assert_eq!(written(&event), "retry: 18446744073709551615\n\n");
    }

    #[test]
    fn a_comment_cannot_break_out_of_its_line() {
        let mut out = Vec::new();
        comment(&mut out, "still\r\ndata: here\rid: 1");
        assert_eq!(out, b": still\n: data: here\n: id: 1\n\n");
    }
}
