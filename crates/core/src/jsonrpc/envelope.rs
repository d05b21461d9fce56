//! The members of a JSON-RPC object, each left raw.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{self, IgnoredAny, MapAccess},
};

use super::Params;
use crate::json::{RawRef, Reader, Unreadable};

/// What stands where in an object, before anybody asks what it means.
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

/// What `params` are, before anybody asks whether they may be that.
pub(super) enum Value<'a> {
    Object(Params<'a>),
    Other,
}

impl<'a> Envelope<'a> {
    /// Reads the object that a text is, and the members of its params, in one pass.
    pub(super) fn read(text: &'a str, depth: usize) -> Result<Self, Unreadable> {
        let mut reader = Reader::new(text, depth);
        let mut envelope = Self::default();
        reader.members(|key, reader| {
            let (name, slot) = match key.as_ref() {
                "params" => return envelope.read_params(reader),
                "result" => return envelope.read_result(reader),
                "jsonrpc" => ("jsonrpc", &mut envelope.jsonrpc),
                "id" => ("id", &mut envelope.id),
                "method" => ("method", &mut envelope.method),
                "error" => ("error", &mut envelope.error),
                _ => return reader.value().map(drop),
            };
            if slot.replace(reader.value()?).is_some() {
                envelope.duplicate = Some(name);
            }
            Ok(())
        })?;
        reader.end()?;
        Ok(envelope)
    }

    #[inline(never)]
    fn read_params(&mut self, reader: &mut Reader<'a>) -> Result<(), Unreadable> {
        let value = if reader.peek() == Some(b'{') {
            Value::Object(Params::read(reader)?)
        } else {
            reader.value()?;
            Value::Other
        };
        if self.params.replace(value).is_some() {
            self.duplicate = Some("params");
        }
        Ok(())
    }

    fn read_result(&mut self, reader: &mut Reader<'a>) -> Result<(), Unreadable> {
        let result = if reader.peek() == Some(b'{') {
            let mut types = [None; 2];
            let result = reader.spanned(|reader| {
                reader.members(|key, reader| {
                    let value = reader.value()?;
                    if key == "resultType" {
                        types = [Some(value), types[0]];
                    }
                    Ok(())
                })
            })?;
            // Of two, neither is believed.
            self.result_type = types[1].is_none().then_some(types[0]);
            result
        } else {
            reader.value()?
        };
        if self.result.replace(result).is_some() {
            self.duplicate = Some("result");
        }
        Ok(())
    }
}

/// The slower way, for what cannot be read above.
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
