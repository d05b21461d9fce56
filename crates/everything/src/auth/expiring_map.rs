//! A map whose entries are kept for a while, and never more than so many of them.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::time::Duration;

use tokio::time::Instant;

/// No entry is kept longer than the map allows; when there is no room, the one that would end first goes first.
pub(super) struct ExpiringMap<K, V> {
    room: usize,
    lifetime: Duration,
    entries: HashMap<K, V>,
    /// In the order in which they end.
    order: VecDeque<(K, Instant)>,
}

impl<K: Clone + Eq + Hash, V> ExpiringMap<K, V> {
    pub(super) fn new(room: usize, lifetime: Duration) -> Self {
        Self { room: room.max(1), lifetime, entries: HashMap::new(), order: VecDeque::new() }
    }

    /// The key has to be new.
    pub(super) fn put(&mut self, key: K, value: V, now: Instant) {
        self.put_for(self.lifetime, key, value, now);
    }

    /// As [`Self::put`], for a shorter time if that is said.
    pub(super) fn put_for(&mut self, time: Duration, key: K, value: V, now: Instant) {
        self.clear(now);
        while self.order.len() >= self.room {
            self.drop_oldest();
        }
        let end = now + time.min(self.lifetime);
        // What goes first stands in front.
        let at = self.order.partition_point(|(_, other)| *other <= end);
        self.order.insert(at, (key.clone(), end));
        self.entries.insert(key, value);
    }

    pub(super) fn get(&mut self, key: &K, now: Instant) -> Option<&mut V> {
        self.clear(now);
        self.entries.get_mut(key)
    }

    pub(super) fn each(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.values_mut()
    }

    fn clear(&mut self, now: Instant) {
        while self.order.front().is_some_and(|(_, end)| *end <= now) {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some((key, _)) = self.order.pop_front() {
            self.entries.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_old_is_gone() {
        let (mut map, now) = (ExpiringMap::new(10, Duration::from_secs(60)), Instant::now());
        map.put("a", 1, now);
        assert_eq!(map.get(&"a", now + Duration::from_secs(59)), Some(&mut 1));
        assert_eq!(map.get(&"a", now + Duration::from_secs(60)), None);
    }

    #[test]
    fn a_full_map_loses_what_came_first() {
        let (mut map, now) = (ExpiringMap::new(2, Duration::from_secs(60)), Instant::now());
        for (key, value) in [("a", 1), ("b", 2), ("c", 3)] {
            map.put(key, value, now);
        }
        assert_eq!(map.get(&"a", now), None);
        assert_eq!(map.get(&"b", now), Some(&mut 2));
        assert_eq!((map.entries.len(), map.order.len()), (2, 2));
    }
}
