//! Requests that went out and the answers that belong to them.

use std::time::Duration;

use super::Time;
use crate::jsonrpc::Id;

/// Requests that were sent and not yet answered. Their ids are counted up and never used twice.
#[derive(Debug)]
pub(super) struct Asks<T> {
    next: i64,
    pending: Vec<Pending<T>>,
}

/// A request that waits for its answer.
#[derive(Debug)]
pub(super) struct Pending<T> {
    pub(super) id: i64,
    pub(super) what: T,
    /// When to give up; moved by signs of life, but not past `latest`.
    deadline: Time,
    latest: Time,
    patience: Duration,
}

impl<T> Asks<T> {
    pub(super) fn new() -> Self {
        Self { next: 1, pending: Vec::new() }
    }

    /// The same with ids from this one on.
    pub(super) fn from(self, first: i64) -> Self {
        Self { next: first, ..self }
    }

    pub(super) fn len(&self) -> usize {
        self.pending.len()
    }

    /// Gives an id to a request and waits for its answer: `patience` long without a sign of life, `longest` in all.
    pub(super) fn add(
        &mut self,
        now: Time,
        what: T,
        patience: Duration,
        longest: Duration,
    ) -> Id<'static> {
        let id = self.next;
        self.next += 1;
        let latest = now + longest;
        self.pending.push(Pending {
            id,
            what,
            deadline: (now + patience).min(latest),
            latest,
            patience,
        });
        Id::Integer(id)
    }

    /// The id that the next request will have.
    pub(super) fn next_id(&self) -> Id<'static> {
        Id::Integer(self.next)
    }

    pub(super) fn get_mut(&mut self, id: &Id<'_>) -> Option<&mut T> {
        let Id::Integer(id) = id else { return None };
        let pending = self.pending.iter_mut().find(|pending| pending.id == *id)?;
        Some(&mut pending.what)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.pending.iter().map(|pending| &pending.what)
    }

    /// From now on only an answer ends the wait.
    pub(super) fn wait_forever(&mut self, id: &Id<'_>) {
        if let Id::Integer(id) = id
            && let Some(pending) = self.pending.iter_mut().find(|pending| pending.id == *id)
        {
            pending.deadline = NEVER;
            pending.latest = NEVER;
            pending.patience = NEVER.0;
        }
    }

    /// The request that this answer belongs to; only the exact id that was sent will do.
    pub(super) fn take(&mut self, id: &Id<'_>) -> Option<T> {
        let Id::Integer(id) = id else { return None };
        let at = self.pending.iter().position(|pending| pending.id == *id)?;
        Some(self.pending.remove(at).what)
    }

    pub(super) fn take_if(&mut self, matches: impl Fn(&T) -> bool) -> Option<(Id<'static>, T)> {
        let at = self.pending.iter().position(|pending| matches(&pending.what))?;
        let pending = self.pending.remove(at);
        Some((Id::Integer(pending.id), pending.what))
    }

    /// The other side is still at it.
    pub(super) fn sign_of_life(&mut self, now: Time, id: &Id<'_>) {
        if let Id::Integer(id) = id
            && let Some(pending) = self.pending.iter_mut().find(|pending| pending.id == *id)
        {
            pending.deadline = (now + pending.patience).min(pending.latest);
        }
    }

    /// The requests that have waited too long.
    pub(super) fn expired(&mut self, now: Time) -> Vec<(Id<'static>, T)> {
        let late = |pending: &mut Pending<T>| pending.deadline <= now && pending.deadline != NEVER;
        let expired = self.pending.extract_if(.., late);
        expired.map(|pending| (Id::Integer(pending.id), pending.what)).collect()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (Id<'static>, &mut T)> {
        self.pending.iter_mut().map(|pending| (Id::Integer(pending.id), &mut pending.what))
    }

    pub(super) fn drain(&mut self) -> impl Iterator<Item = T> {
        self.pending.drain(..).map(|pending| pending.what)
    }

    pub(super) fn next_deadline(&self) -> Option<Time> {
        let deadlines = self.pending.iter().map(|pending| pending.deadline);
        deadlines.filter(|deadline| *deadline != NEVER).min()
    }
}

const NEVER: Time = Time(Duration::MAX);

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(seconds: u64) -> Time {
        Time(Duration::from_secs(seconds))
    }

    #[test]
    fn an_answer_finds_its_request_by_the_exact_id_and_only_once() {
        let mut asks = Asks::new();
        let first = asks.add(at(0), "first", SECOND, SECOND);
        assert_eq!(asks.take(&Id::from("1")), None);
        assert_eq!(asks.take(&Id::Number("1.0".into())), None);
        assert_eq!(asks.take(&first), Some("first"));
        assert_eq!(asks.take(&first), None);
    }

    #[test]
    fn an_id_is_never_used_again() {
        let mut asks = Asks::new();
        let first = asks.add(at(0), (), SECOND, SECOND);
        asks.take(&first);
        assert_ne!(asks.add(at(0), (), SECOND, SECOND), first);
    }

    #[test]
    fn signs_of_life_move_the_deadline_but_not_past_the_longest_wait() {
        let mut asks = Asks::new();
        let id = asks.add(at(0), (), SECOND * 2, SECOND * 5);
        assert_eq!(asks.next_deadline(), Some(at(2)));
        asks.sign_of_life(at(1), &id);
        assert_eq!(asks.next_deadline(), Some(at(3)));
        asks.sign_of_life(at(4), &id);
        assert_eq!(asks.next_deadline(), Some(at(5)));
        assert_eq!(asks.expired(at(4)), []);
        assert_eq!(asks.expired(at(5)), [(id, ())]);
        assert_eq!(asks.next_deadline(), None);
    }

    #[test]
    fn what_waits_forever_has_no_deadline_and_can_still_be_answered() {
        let mut asks = Asks::new();
        let id = asks.add(at(0), (), SECOND, SECOND);
        asks.wait_forever(&id);
        asks.sign_of_life(at(1), &id);
        assert_eq!(asks.next_deadline(), None);
        assert_eq!(asks.expired(Time(Duration::MAX)), []);
        assert_eq!(asks.take(&id), Some(()));
    }
}
