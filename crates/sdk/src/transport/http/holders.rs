//! Whom sessions and running requests are counted for, so that none takes the room of all.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex},
};

use super::sessions::lock;
use crate::{caller::Principal, store::SessionId};

/// A client, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Holder {
    /// Of a client that does not say who it is; `None` where the transport does not know it.
    Address(Option<IpAddr>),
    Principal(Principal),
}

impl Holder {
    pub(super) fn new(principal: &Principal, address: Option<IpAddr>) -> Self {
        if principal.is_identified() {
            Self::Principal(principal.clone())
        } else {
            Self::Address(address)
        }
    }
}

/// Requests that wait, by who asked.
#[derive(Clone, Default)]
pub(super) struct Running(Arc<Mutex<HashMap<Holder, usize>>>);

/// What one running request is counted for. Dropping it takes it off.
pub(super) struct Charge {
    running: Running,
    holders: [Option<Holder>; 2],
}

/// Who asks: the client, and its session where there is one.
pub(super) struct Asking {
    holder: Holder,
    session: Option<Holder>,
}

impl Asking {
    pub(super) fn new(
        principal: &Principal,
        address: Option<IpAddr>,
        session: Option<&SessionId>,
    ) -> Self {
        let session = session.filter(|_| !principal.is_identified());
        let session = session.map(|id| Holder::Principal(Principal::Session(id.clone())));
        Self { holder: Holder::new(principal, address), session }
    }
}

impl Running {
    pub(super) fn charge(&self, asking: &Asking) -> Charge {
        let holders = [Some(asking.holder.clone()), asking.session.clone()];
        let mut counts = lock(&self.0);
        for holder in holders.iter().flatten() {
            *counts.entry(holder.clone()).or_default() += 1;
        }
        drop(counts);
        Charge { running: self.clone(), holders }
    }

    /// Whether one more request may run, where `all` run already.
    ///
    /// A client that has its share waits. One that has next to nothing is let in, also when others have taken all there is.
    pub(super) fn has_room(&self, asking: &Asking, all: usize, limits: Limits) -> bool {
        // Then no client can have more than its share, and nothing need be looked up.
        if all < limits.share.min(limits.all) {
            return true;
        }
        let counts = lock(&self.0);
        let count = |holder: &Holder| counts.get(holder).copied().unwrap_or_default();
        let named = match &asking.holder {
            known @ Holder::Principal(_) => Some(known),
            Holder::Address(_) => None,
        };
        let known = asking.session.as_ref().or(named);
        let own = known.map(count);
        if own.is_some_and(|own| own >= limits.share) {
            return false;
        }
        if own.is_some_and(|own| own < LITTLE) {
            return all < limits.all + limits.all / 4;
        }
        all < limits.all && count(&asking.holder) < limits.share
    }
}

/// How many requests may run at once.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Of all clients together.
    pub(super) all: usize,
    /// Of one client.
    pub(super) share: usize,
}

impl Drop for Charge {
    fn drop(&mut self) {
        let mut counts = lock(&self.running.0);
        for holder in self.holders.iter_mut().filter_map(Option::take) {
            if let Some(count) = counts.get_mut(&holder) {
                *count -= 1;
                if *count == 0 {
                    counts.remove(&holder);
                }
            }
        }
    }
}

/// Requests that a known client may always have running, within a quarter more than the limit for all.
const LITTLE: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { all: 100, share: 25 };

    fn user(name: &str) -> Asking {
        Asking::new(&Principal::user("https://a", name, None), None, None)
    }

    fn visitor(session: Option<&str>, address: [u8; 4]) -> Asking {
        let session = session.map(|id| SessionId::parse(id).unwrap());
        Asking::new(&Principal::Anonymous, Some(address.into()), session.as_ref())
    }

    /// As many charges as there is room for.
    fn fill(running: &Running, charges: &mut Vec<Charge>, asking: &Asking) -> usize {
        let before = charges.len();
        while charges.len() < 1000 && running.has_room(asking, charges.len(), LIMITS) {
            charges.push(running.charge(asking));
        }
        charges.len() - before
    }

    #[test]
    fn one_client_gets_its_share_and_leaves_the_rest_to_others() {
        for greedy in
            [user("mallory"), visitor(Some("s"), [10, 0, 0, 1]), visitor(None, [10, 0, 0, 1])]
        {
            let (running, mut charges) = (Running::default(), Vec::new());
            assert_eq!(fill(&running, &mut charges, &greedy), 25);
            assert_eq!(fill(&running, &mut charges, &user("alice")), 25);
            assert_eq!(fill(&running, &mut charges, &visitor(None, [10, 0, 0, 2])), 25);
        }
    }

    #[test]
    fn many_sessions_of_one_address_get_no_more_than_its_share_and_little_each() {
        let (running, mut charges) = (Running::default(), Vec::new());
        let sessions = (0..100).map(|number| visitor(Some(&format!("s{number}")), [10, 0, 0, 1]));
        let taken: usize = sessions.map(|asking| fill(&running, &mut charges, &asking)).sum();
        assert_eq!(taken, 125);
    }

    #[test]
    fn a_client_with_next_to_nothing_is_let_in_when_all_is_taken() {
        let (running, mut charges) = (Running::default(), Vec::new());
        for name in ["a", "b", "c", "d"] {
            assert_eq!(fill(&running, &mut charges, &user(name)), 25);
        }
        assert_eq!(fill(&running, &mut charges, &visitor(None, [10, 0, 0, 1])), 0);
        assert_eq!(fill(&running, &mut charges, &user("alice")), LITTLE);
        assert_eq!(fill(&running, &mut charges, &visitor(Some("s"), [10, 0, 0, 1])), LITTLE);
    }

    #[test]
    fn nothing_is_left_of_requests_that_are_over() {
        let running = Running::default();
        let charges =
            [running.charge(&user("a")), running.charge(&visitor(Some("s"), [1, 1, 1, 1]))];
        assert_eq!(lock(&running.0).len(), 3);
        drop(charges);
        assert!(lock(&running.0).is_empty());
    }
}
