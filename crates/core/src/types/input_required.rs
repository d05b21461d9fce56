//! Multi round-trip requests: what the server must know first, asked inside a result and answered inside the retry. Since 2026-07-28.

mod request;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

pub use self::request::{InputRequest, InputResponse};
use super::{Meta, ResultType, result_type::result_body};
use crate::json::{OrderedMap, Raw};

/// What the server asks, by keys of its own choice, in the order in which it asks.
pub type InputRequests = OrderedMap<InputRequest>;

/// What the client answers, by the keys of the questions. An answer has no tag: only its question says how to read it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InputResponses(pub BTreeMap<String, Raw>);

/// A result that asks instead of answering; its `resultType` is `input_required`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InputRequiredResult {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_requests: Option<InputRequests>,
    /// What the server wants to see again in the retry. No other party reads it, and the server trusts it only after checking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl InputResponses {
    pub fn get(&self, key: &str) -> Option<&Raw> {
        self.0.get(key)
    }

    /// The answer under `key`, read as what was asked for; `None` if it was not answered.
    pub fn decode<T: DeserializeOwned>(&self, key: &str) -> Option<serde_json::Result<T>> {
        self.get(key).map(Raw::decode)
    }

    /// Writes an answer under `key`, replacing what was there.
    pub fn insert<T: Serialize + ?Sized>(
        &mut self,
        key: &str,
        answer: &T,
    ) -> serde_json::Result<()> {
        self.0.insert(key.to_owned(), Raw::new(answer)?);
        Ok(())
    }
}

impl InputRequiredResult {
    /// Whether this is neither a question nor a "try again": the server must send at least one of the two.
    pub fn asks_nothing(&self) -> bool {
        self.input_requests.is_none() && self.request_state.is_none()
    }
}

result_body!(InputRequiredResult);

#[cfg(test)]
mod tests;
