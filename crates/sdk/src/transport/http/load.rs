//! How many bytes of bodies and answers are held at once, of all clients together.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use bytes::Bytes;

use crate::body::NoRoom;

/// What is held of all bodies in one state, or of all answers.
#[derive(Clone, Default)]
pub(super) struct Load(Arc<AtomicUsize>);

/// What is held of one. Dropping it gives the room back.
pub(super) struct Share {
    load: Load,
    bytes: usize,
}

impl Load {
    pub(super) fn share(&self) -> Share {
        Share { load: self.clone(), bytes: 0 }
    }

    /// Whether so many bytes more would be within the limit.
    pub(super) fn has_room_for(&self, bytes: usize, limit: usize) -> bool {
        self.0.load(Ordering::Relaxed).saturating_add(bytes) <= limit
    }

    /// The same bytes, counted until they are let go.
    pub(super) fn counted(&self, bytes: Bytes, limit: usize) -> Result<Bytes, NoRoom> {
        let mut share = self.share();
        share.grow_to(bytes.len(), limit)?;
        Ok(Bytes::from_owner(Counted { bytes, _share: share }))
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

impl Share {
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The same bytes, held in another state.
    pub(super) fn moved_to(self, load: &Load) -> Self {
        let mut share = load.share();
        // Whether there is room was asked before.
        let _ = share.grow_to(self.bytes, usize::MAX);
        share
    }
}

struct Counted {
    bytes: Bytes,
    _share: Share,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.load.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_take_as_many_bytes_as_the_limit_says_until_they_are_let_go() {
        let load = Load::default();
        let answer = |bytes: usize| load.counted(Bytes::from(vec![b'x'; bytes]), 1000);
        let first = answer(600).unwrap();
        assert!(answer(401).is_err());
        let part = first.slice(..10);
        drop(first);
        assert!(answer(401).is_err());
        let second = answer(400).unwrap();
        assert_eq!(second, "x".repeat(400));
        drop(part);
        assert!(answer(600).is_ok());
    }

    #[test]
    fn what_moves_to_another_state_is_counted_there() {
        let (reading, waiting) = (Load::default(), Load::default());
        let mut share = reading.share();
        share.grow_to(100, 100).unwrap();
        let share = share.moved_to(&waiting);
        assert!(reading.has_room_for(100, 100));
        assert!(!waiting.has_room_for(1, 100) && waiting.has_room_for(1, 101));
        drop(share);
        assert!(waiting.has_room_for(100, 100));
    }
}
