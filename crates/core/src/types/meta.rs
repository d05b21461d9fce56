//! `_meta`: what rides along on any object.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::json::Raw;

/// The `_meta` of a result, a notification or a listed object: keys this crate does not know survive untouched.
///
/// The `_meta` of a request has a type of its own, because the modern era puts the request's revision and capabilities there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Meta(pub BTreeMap<String, Raw>);

impl Meta {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, key: &str) -> Option<&Raw> {
        self.0.get(key)
    }

    /// Writes `value` under `key`, replacing what was there.
    pub fn insert<T: Serialize + ?Sized>(
        &mut self,
        key: &str,
        value: &T,
    ) -> serde_json::Result<()> {
        self.0.insert(key.to_owned(), Raw::new(value)?);
        Ok(())
    }
}
