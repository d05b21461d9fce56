//! The calls that are not over.

use std::collections::{VecDeque, vec_deque};

use proofmark_core::session::client::CallId;

use super::pending::{Extras, Pending};

/// Everybody who waits, in the order of the calls' ids. Most calls end in about the order in which they began.
#[derive(Default)]
pub(super) struct Calls(VecDeque<Pending>);

impl Calls {
    /// Adds a call, which began after all others.
    pub(super) fn push(&mut self, pending: Pending) {
        self.0.push_back(pending);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, call: CallId) -> Option<&Pending> {
        self.0.get(self.position(call)?)
    }

    pub(super) fn extras(&self, call: CallId) -> Option<&Extras> {
        self.get(call)?.extras.as_deref()
    }

    pub(super) fn get_mut(&mut self, call: CallId) -> Option<&mut Pending> {
        let at = self.position(call)?;
        self.0.get_mut(at)
    }

    pub(super) fn remove(&mut self, call: CallId) -> Option<Pending> {
        if self.0.front()?.call.call == call {
            return self.0.pop_front();
        }
        let at = self.position(call)?;
        self.0.remove(at)
    }

    pub(super) fn iter(&self) -> vec_deque::Iter<'_, Pending> {
        self.0.iter()
    }

    pub(super) fn iter_mut(&mut self) -> vec_deque::IterMut<'_, Pending> {
        self.0.iter_mut()
    }

    fn position(&self, call: CallId) -> Option<usize> {
        self.0.binary_search_by_key(&call, |pending| pending.call.call).ok()
    }
}
