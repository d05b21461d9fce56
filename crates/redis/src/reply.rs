//! What scripts answer: a word that says how it went, and values.

use std::io;

use proofmark_sdk::store::{Cap, StoreError, What};
use redis::{FromRedisValue, ParsingError, Value};

use crate::link::unavailable;

/// The answer of a script.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) word: String,
    values: std::vec::IntoIter<Value>,
}

impl FromRedisValue for Reply {
    fn from_redis_value(value: Value) -> Result<Self, ParsingError> {
        let mut values = Vec::<Value>::from_redis_value(value)?.into_iter();
        let word = String::from_redis_value(values.next().unwrap_or_default())?;
        Ok(Self { word, values })
    }
}

impl Reply {
    /// The next value.
    pub(crate) fn take<T: FromRedisValue>(&mut self) -> Result<T, StoreError> {
        T::from_redis_value(self.values.next().unwrap_or_default()).map_err(unavailable)
    }

    /// All that is left.
    pub(crate) fn rest<T: FromRedisValue>(self) -> Result<Vec<T>, StoreError> {
        self.values.map(|value| T::from_redis_value(value).map_err(unavailable)).collect()
    }

    /// The answer, if it went well.
    pub(crate) fn of(self, what: What) -> Result<Self, StoreError> {
        match self.word.as_str() {
            "ok" => Ok(self),
            "conflict" => Err(StoreError::Conflict { what }),
            "forgotten" => Err(StoreError::Forgotten),
            "unknown" => Err(StoreError::Unknown(what)),
            _ => Err(unexpected()),
        }
    }
}

/// A bound that was reached.
pub(crate) fn full(cap: Cap, limit: usize) -> StoreError {
    StoreError::Full { cap, limit }
}

/// The store holds something that this version does not know.
pub(crate) fn unexpected() -> StoreError {
    unavailable(io::Error::new(
        io::ErrorKind::InvalidData,
        "the store holds what this version does not know",
    ))
}
