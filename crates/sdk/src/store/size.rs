//! How large a record is.

use std::io;

use serde::Serialize;

use super::{StoreError, What};

/// Refuses a record that takes more than `limit` bytes as JSON; gives what it takes.
pub(super) fn check<T: Serialize>(
    what: What,
    record: &T,
    limit: usize,
) -> Result<usize, StoreError> {
    let mut counter = Counter(0);
    serde_json::to_writer(&mut counter, record).expect("a record is JSON and a counter takes all");
    let size = counter.0;
    if size > limit {
        return Err(StoreError::TooLarge { what, size, limit });
    }
    Ok(size)
}

/// Counts what is written to it.
struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
