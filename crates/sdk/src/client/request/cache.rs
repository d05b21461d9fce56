//! Results that may be used again.

use std::sync::PoisonError;

use proofmark_core::{
    cache::{AuthorizationContext, Key},
    json::Raw,
};

use crate::{client::Client, clock};

impl Client {
    pub(super) fn cached(&self, key: &Key, context: &AuthorizationContext) -> Option<Raw> {
        let mut cache = self.engine().cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.get(clock::now(), key, context).cloned()
    }

    /// Keeps a result that was asked for on this authority; not if that has changed since, because then it is not known on whose it came.
    pub(super) fn keep(&self, key: Key, context: AuthorizationContext, result: Raw) {
        if context != self.engine().authorization_context() {
            return;
        }
        let mut cache = self.engine().cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.insert(clock::now(), key, context, result);
    }
}

#[cfg(test)]
#[cfg(feature = "oauth")]
mod tests;
