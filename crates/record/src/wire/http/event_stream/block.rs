//! What the lines of the current event have said so far.

use std::time::Duration;

use super::{Event, RETAINED};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Comment,
    Data,
    Id,
    /// `event`
    Name,
    Retry,
    Unknown,
}

impl Field {
    /// What a line is, and where its value begins.
    pub(super) fn of(line: &[u8]) -> (Self, usize) {
        // No name that means something is longer than what is looked at.
        let head = &line[..line.len().min(LONGEST_NAME + 1)];
        let colon = head.iter().position(|byte| *byte == b':');
        let field = match &head[..colon.unwrap_or(head.len())] {
            b"" => Self::Comment,
            b"data" => Self::Data,
            b"event" => Self::Name,
            b"id" => Self::Id,
            b"retry" => Self::Retry,
            _ => Self::Unknown,
        };
        let Some(colon) = colon else { return (field, head.len()) };
        let has_space = line.get(colon + 1) == Some(&b' ');
        (field, colon + 1 + usize::from(has_space))
    }
}

const LONGEST_NAME: usize = "event".len();

#[derive(Debug, Default)]
pub(super) struct Block {
    /// Bytes of all its lines without their endings, comments excepted.
    pub(super) size: usize,
    data: Vec<u8>,
    /// Where in `data` the data begins; `None` while there is none.
    data_start: Option<usize>,
    name: Option<String>,
    id: Option<String>,
    retry: Option<Duration>,
}

impl Block {
    pub(super) fn means_something(&self) -> bool {
        self.has_data() || self.name.is_some() || self.id.is_some() || self.retry.is_some()
    }

    pub(super) fn has_data(&self) -> bool {
        self.data_start.is_some()
    }

    /// Adds a line of data.
    pub(super) fn keep(&mut self, line: Option<&[u8]>) {
        let Some(line) = line else { return };
        match self.data_start {
            Some(_) => self.data.push(b'\n'),
            None => self.data_start = Some(0),
        }
        self.data.extend_from_slice(line);
    }

    /// Adds a line of data whose value begins at `start`; the first is taken over without a copy, in exchange for another buffer.
    pub(super) fn adopt(&mut self, line: &mut Vec<u8>, start: usize) {
        if self.has_data() {
            self.keep(Some(&line[start..]));
        } else {
            std::mem::swap(&mut self.data, line);
            self.data_start = Some(start);
        }
    }

    /// Takes a field that is not data.
    pub(super) fn set(&mut self, field: Field, value: &[u8]) {
        let text = || String::from_utf8_lossy(value).into_owned();
        match field {
            Field::Name => self.name = Some(text()),
            Field::Id if !value.contains(&0) => self.id = Some(text()),
            Field::Retry => self.retry = milliseconds(value).or(self.retry),
            Field::Comment | Field::Data | Field::Id | Field::Unknown => {}
        }
    }

    /// `whole` is data that was never kept.
    pub(super) fn event<'d>(&'d self, whole: Option<&'d [u8]>) -> Event<'d> {
        let name = self.name.as_deref().filter(|name| !name.is_empty());
        Event {
            name: name.unwrap_or("message"),
            data: whole.or_else(|| self.data_start.map(|start| &self.data[start..])),
            id: self.id.as_deref(),
            retry: self.retry,
        }
    }

    pub(super) fn clear(&mut self) {
        let mut data = std::mem::take(&mut self.data);
        data.clear();
        data.shrink_to(RETAINED);
        *self = Self { data, ..Self::default() };
    }
}

/// Digits only, and no more than a number holds.
fn milliseconds(value: &[u8]) -> Option<Duration> {
    if !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(value).ok()?.parse().ok().map(Duration::from_millis)
}
