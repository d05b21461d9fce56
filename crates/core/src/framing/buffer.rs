//! Bytes kept from one chunk to the next, with a capacity that stays within a bound.

use std::ops::Deref;

use super::RETAINED;

#[derive(Debug, Default)]
pub(super) struct Buffer(Vec<u8>);

impl Buffer {
    /// Appends `bytes`; spare capacity is taken by doubling, but never beyond `bound`.
    ///
    /// The caller has made sure that the content itself fits into `bound`.
    pub(super) fn push(&mut self, bytes: &[u8], bound: usize) {
        let needed = self.0.len() + bytes.len();
        if needed > self.0.capacity() {
            let target = self.0.capacity().saturating_mul(2).min(bound).max(needed);
            self.0.reserve_exact(target - self.0.len());
        }
        self.0.extend_from_slice(bytes);
    }

    /// Empties the buffer, and gives its memory back if it is more than [`RETAINED`].
    pub(super) fn clear(&mut self) {
        if self.0.capacity() > RETAINED {
            self.0 = Vec::new();
        }
        self.0.clear();
    }

    pub(super) fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
