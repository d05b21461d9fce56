//! The members of a JSON-RPC object, each left raw.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{self, IgnoredAny, MapAccess},
};

use super::Params;
use crate::json::RawRef;

/// What stands where in an object, before it is asked what it means.
#[derive(Default)]
pub(super) struct Envelope<'a> {
    pub(super) jsonrpc: Option<RawRef<'a>>,
    pub(super) id: Option<RawRef<'a>>,
    pub(super) method: Option<RawRef<'a>>,
    pub(super) params: Option<Value<'a>>,
    pub(super) result: Option<RawRef<'a>>,
    /// As in [`Response`](super::Response).
    pub(super) result_type: Option<Option<RawRef<'a>>>,
    pub(super) error: Option<RawRef<'a>>,
    /// A member that occurs twice. Two readers could each believe another one of them, so neither is believed.
    pub(super) duplicate: Option<&'static str>,
}

/// What `params` are, before it is asked whether they may be that.
pub(super) enum Value<'a> {
    Object(Params<'a>),
    Other,
}

/// The slower way, for what [`Envelope::read_fast`] gives up on.
impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Visitor)
    }
}

impl<'a> Value<'a> {
    fn of(raw: RawRef<'a>) -> Self {
        if raw.first_byte() == b'{' { Self::Object(Params::unread(raw)) } else { Self::Other }
    }
}

struct Visitor;

impl<'de> de::Visitor<'de> for Visitor {
    type Value = Envelope<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut envelope = Envelope::default();
        while let Some(key) = map.next_key()? {
            let (name, slot) = match key {
                Key::Params => {
                    if envelope.params.replace(Value::of(map.next_value()?)).is_some() {
                        envelope.duplicate = Some("params");
                    }
                    continue;
                }
                Key::Jsonrpc => ("jsonrpc", &mut envelope.jsonrpc),
                Key::Id => ("id", &mut envelope.id),
                Key::Method => ("method", &mut envelope.method),
                Key::Result => ("result", &mut envelope.result),
                Key::Error => ("error", &mut envelope.error),
                Key::Unknown => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            if slot.replace(map.next_value()?).is_some() {
                envelope.duplicate = Some(name);
            }
        }
        Ok(envelope)
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Key {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    #[serde(other)]
    Unknown,
}
