//! What every result has in common, whatever it is the result of.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{CacheHints, Meta};
use crate::json::{RawRef, read_string};

/// Says how to read a result: as what was asked for, or as something that comes first.
///
/// Legacy results have none and are complete.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ResultType {
    Complete,
    InputRequired,
    Task,
    /// From an extension that this crate does not know.
    Other(String),
}

impl ResultType {
    /// Looks into a result before it is known what it is; `None` is a result that says nothing.
    pub fn of(result: RawRef<'_>) -> serde_json::Result<Option<Self>> {
        let Peek { result_type } = serde_json::from_str(result.get())?;
        Ok(result_type)
    }

    /// As [`Self::of`], with what was found when the message was read. What is no text is looked at again, to say what is wrong with it.
    pub(crate) fn found(
        result: RawRef<'_>,
        result_type: Option<Option<RawRef<'_>>>,
    ) -> serde_json::Result<Option<Self>> {
        let Some(found) = result_type else { return Self::of(result) };
        match found.map(|raw| read_string(raw.get())) {
            None => Ok(None),
            Some(Some(name)) => Ok(Some(Self::named(name))),
            Some(None) => Self::of(result),
        }
    }

    pub(super) fn named(name: Cow<'_, str>) -> Self {
        match name.as_ref() {
            "complete" => Self::Complete,
            "input_required" => Self::InputRequired,
            "task" => Self::Task,
            _ => Self::Other(name.into_owned()),
        }
    }

    pub fn as_str(&self) -> &str {
        match self {
            Self::Complete => "complete",
            Self::InputRequired => "input_required",
            Self::Task => "task",
            Self::Other(name) => name,
        }
    }
}

impl From<String> for ResultType {
    fn from(name: String) -> Self {
        Self::named(name.into())
    }
}

impl Serialize for ResultType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ResultType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

/// Lets one function finish any result for the era it is sent in.
pub trait ResultBody {
    fn meta_mut(&mut self) -> &mut Option<Meta>;

    fn result_type_mut(&mut self) -> &mut Option<ResultType>;

    /// `None` for results that are never cached.
    fn cache_mut(&mut self) -> Option<CacheHints<'_>> {
        None
    }
}

/// Implements [`ResultBody`] for structs with the fields `meta` and `result_type`; those after `cacheable` have cache hints too.
macro_rules! result_body {
    ($($name:ty),+ $(,)?) => {$(
        impl $crate::types::ResultBody for $name {
            fn meta_mut(&mut self) -> &mut Option<$crate::types::Meta> {
                &mut self.meta
            }

            fn result_type_mut(&mut self) -> &mut Option<$crate::types::ResultType> {
                &mut self.result_type
            }
        }
    )+};
    (cacheable $($name:ty),+ $(,)?) => {$(
        impl $crate::types::ResultBody for $name {
            fn meta_mut(&mut self) -> &mut Option<$crate::types::Meta> {
                &mut self.meta
            }

            fn result_type_mut(&mut self) -> &mut Option<$crate::types::ResultType> {
                &mut self.result_type
            }

            fn cache_mut(&mut self) -> Option<$crate::types::CacheHints<'_>> {
                Some($crate::types::CacheHints {
                    ttl_ms: &mut self.ttl_ms,
                    cache_scope: &mut self.cache_scope,
                })
            }
        }
    )+};
}
pub(crate) use result_body;

/// The result of a request that only needs to be acknowledged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmptyResult {
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
}

result_body!(EmptyResult);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Peek {
    #[serde(default)]
    result_type: Option<ResultType>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        json::Raw,
        jsonrpc::{Incoming, Limits, Message, parse},
    };

    #[test]
    fn what_is_found_on_the_way_is_what_would_be_found_by_looking() {
        for result in [
            "{}",
            r#"{"a":1}"#,
            r#"{"resultType":"complete"}"#,
            r#"{"a":{"resultType":"x"}, "resultType" : "t\u0061sk" }"#,
            r#"{"resultType":null}"#,
            r#"{"resultType":1}"#,
            r#"{"resultType":"\ud800"}"#,
            r#"{"\ud800":1,"resultType":"other"}"#,
            r#"{"resultType":"task","resultType":"task"}"#,
            r#"{"resultType":"task","result\u0054ype":"task","resultType":"task"}"#,
        ] {
            let message = format!(r#"{{"jsonrpc":"2.0","result":{result},"id":1}}"#);
            let parsed = parse(message.as_bytes(), &Limits::default()).unwrap();
            let Incoming::Message(Message::Response(response)) = parsed else {
                panic!("{message}")
            };
            let found = ResultType::found(response.result, response.result_type);
            let looked = ResultType::of(response.result);
            assert_eq!(found.map_err(|e| e.to_string()), looked.map_err(|e| e.to_string()));
        }
    }

    #[test]
    fn the_kind_of_a_result_is_known_before_the_rest() {
        let of = |text: &str| ResultType::of(Raw::from_json(text).unwrap().borrowed()).unwrap();
        assert_eq!(of(r#"{"content":[]}"#), None);
        assert_eq!(of(r#"{"content":[],"resultType":"complete"}"#), Some(ResultType::Complete));
        assert_eq!(of(r#"{"resultType":"input_required"}"#), Some(ResultType::InputRequired));
        assert_eq!(of(r#"{"resultType":"task","x":1}"#), Some(ResultType::Task));
        assert_eq!(of(r#"{"resultType":"later"}"#), Some(ResultType::Other("later".into())));
    }

    #[test]
    fn an_unknown_kind_is_written_as_it_was_read() {
        let kind: ResultType = serde_json::from_str(r#""com.example/half""#).unwrap();
        assert_eq!(serde_json::to_string(&kind).unwrap(), r#""com.example/half""#);
    }
}
