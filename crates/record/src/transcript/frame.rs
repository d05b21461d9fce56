//! How a frame is written: as text, or as base64 if it is no UTF-8.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error, ser::SerializeStruct};

use crate::event::{Border, Frame};

impl Serialize for Frame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Frame", 2)?;
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => fields.serialize_field("text", text)?,
            Err(_) => fields.serialize_field("base64", &STANDARD.encode(&self.bytes))?,
        }
        fields.serialize_field("border", &self.border)?;
        fields.end()
    }
}

impl<'de> Deserialize<'de> for Frame {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Written {
            text: Option<String>,
            base64: Option<String>,
            border: Border,
        }
        let Written { text, base64, border } = Written::deserialize(deserializer)?;
        let bytes = match (text, base64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(base64)) => STANDARD.decode(base64).map_err(D::Error::custom)?,
            _ => return Err(D::Error::custom("a frame has either a text or base64")),
        };
        Ok(Self::new(bytes, border))
    }
}
