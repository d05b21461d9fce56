//! What every result has in common, whatever it is the result of.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{CacheHints, Meta};
use crate::json::{RawRef, Reader, Unreadable};

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
        Self::peek(result.get()).or_else(|Unreadable| {
            let Peek { result_type } = serde_json::from_str(result.get())?;
            Ok(result_type)
        })
    }

    /// The quick look, which leaves everything unusual to serde.
    fn peek(result: &str) -> Result<Option<Self>, Unreadable> {
        let mut reader = Reader::new(result, usize::MAX);
        let mut found = None;
        reader.members(|key, reader| {
            if key != "resultType" {
                return reader.value().map(drop);
            }
            match found.replace(Self::named(reader.text()?)) {
                None => Ok(()),
                Some(_) => Err(Unreadable),
            }
        })?;
        reader.end()?;
        Ok(found)
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
    use crate::json::Raw;

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
