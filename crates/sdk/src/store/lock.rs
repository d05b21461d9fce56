//! How the stores in memory take their locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Nothing in a store leaves half a change behind when it panics, so a poisoned lock is as good as any.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
