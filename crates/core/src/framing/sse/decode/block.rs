//! What the lines of the current event have said so far.

use std::time::Duration;

use memchr::memchr;

use super::{Buffer, Field};

#[derive(Debug, Default)]
pub(super) struct Block {
    /// Bytes of all its lines, comments excepted, without their endings.
    pub(super) size: usize,
    pub(super) retry: Option<Duration>,
    data: Buffer,
    /// Where in `data` the data starts; `None` while there is none.
    data_start: Option<usize>,
    event: String,
    id: String,
    named: Named,
}

impl Block {
    /// Whether a driver should hear of this block.
    pub(super) fn is_telling(&self) -> bool {
        self.has_data() || self.named.event || self.named.id || self.retry.is_some()
    }

    pub(super) fn has_data(&self) -> bool {
        self.data_start.is_some()
    }

    pub(super) fn has_id(&self) -> bool {
        self.named.id
    }

    pub(super) fn data(&self) -> Option<&[u8]> {
        self.data_start.map(|start| &self.data[start..])
    }

    pub(super) fn event(&self) -> &str {
        if self.event.is_empty() { "message" } else { &self.event }
    }

    /// Adds one line of data; `bound` is for the capacity of the buffer.
    pub(super) fn append(&mut self, value: &[u8], bound: usize) {
        if self.data_start.is_some() {
            self.data.push(b"\n", bound);
        }
        self.data_start.get_or_insert(0);
        self.data.push(value, bound);
    }

    /// Takes over the buffer of the first line of data, whose value begins at `start`, in exchange for an empty one.
    pub(super) fn adopt(&mut self, line: &mut Buffer, start: usize) {
        std::mem::swap(&mut self.data, line);
        self.data_start = Some(start);
    }

    /// Takes a field that is not data.
    pub(super) fn set(&mut self, field: Field, value: &[u8]) {
        match field {
            Field::Event => {
                replace(&mut self.event, value);
                self.named.event = true;
            }
            Field::Id if memchr(0, value).is_none() => {
                replace(&mut self.id, value);
                self.named.id = true;
            }
            Field::Retry => self.retry = millis(value).or(self.retry),
            Field::Comment | Field::Data | Field::Id | Field::Unknown => {}
        }
    }

    /// Makes the id of this block, if it has one, the last one of the stream.
    pub(super) fn commit_id(&mut self, last: &mut String) {
        if self.named.id {
            std::mem::swap(&mut self.id, last);
        }
    }

    /// Begins the next block; buffers are kept within bounds.
    pub(super) fn clear(&mut self) {
        self.size = 0;
        self.retry = None;
        self.data.clear();
        self.data_start = None;
        self.event.clear();
        self.id.clear();
        self.named = Named::default();
    }

    pub(super) fn capacity(&self) -> usize {
        self.data.capacity() + self.event.capacity() + self.id.capacity()
    }
}

/// Which fields there were; an empty value is not an absent field.
#[derive(Debug, Default)]
struct Named {
    event: bool,
    id: bool,
}

/// Without spare capacity, so that the limit on the value is one on the memory too.
fn replace(text: &mut String, value: &[u8]) {
    let value = String::from_utf8_lossy(value);
    text.clear();
    text.reserve_exact(value.len());
    text.push_str(&value);
}

/// `None` if there is anything but digits, or more than a number can hold.
fn millis(value: &[u8]) -> Option<Duration> {
    if !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    str::from_utf8(value).ok()?.parse().ok().map(Duration::from_millis)
}
