//! How many bytes of bodies are held at once, of all clients together.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use crate::body::NoRoom;

/// What is held of all bodies that are being read and parsed.
#[derive(Clone, Default)]
pub(super) struct Load(Arc<AtomicUsize>);

/// What is held of one body. Dropping it gives the room back.
pub(super) struct Share {
    load: Load,
    bytes: usize,
}

impl Load {
    pub(super) fn share(&self) -> Share {
        Share { load: self.clone(), bytes: 0 }
    }
}

impl Share {
    /// Holds so many bytes from now on, unless that is more than `limit` together with all others.
    pub(super) fn grow_to(&mut self, bytes: usize, limit: usize) -> Result<(), NoRoom> {
        let more = bytes.saturating_sub(self.bytes);
        self.bytes += more;
        let before = self.load.0.fetch_add(more, Ordering::Relaxed);
        if before.saturating_add(more) > limit { Err(NoRoom) } else { Ok(()) }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.load.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
