//! Unions told apart by a `type` member.
//!
//! serde's own internal tagging copies the object into a buffer that cannot hold raw JSON; here the text is read twice instead, once for
//! the tag and once for the variant it names.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use crate::json::{Reader, Unreadable};

/// An object still as text, and the value of its `type`.
pub(crate) struct Tagged<'a> {
    pub(crate) tag: Cow<'a, str>,
    raw: &'a RawValue,
}

impl<'a> Tagged<'a> {
    /// Reads the whole object as the variant that the tag chose.
    pub(crate) fn read<T: Deserialize<'a>, E: de::Error>(&self) -> Result<T, E> {
        serde_json::from_str(self.raw.get())
            .map_err(|error| E::custom(format_args!("in `{}`: {error}", self.tag)))
    }

    /// The error for a tag that no variant has; `what` names the union.
    pub(crate) fn unknown<E: de::Error>(&self, what: &str) -> E {
        E::custom(format_args!("unknown type `{}` of {what}", self.tag))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Tagged<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        let tag = match quick_tag(raw.get()) {
            Some(tag) => tag,
            None => serde_json::from_str::<Tag<'a>>(raw.get()).map_err(de::Error::custom)?.tag,
        };
        Ok(Self { tag, raw })
    }
}

/// The tag, if there is nothing unusual about it; else serde says what is wrong.
fn quick_tag(object: &str) -> Option<Cow<'_, str>> {
    let mut tag = None;
    let mut reader = Reader::new(object, usize::MAX);
    let read = reader.members(|key, reader| {
        if key != "type" {
            return reader.value().map(drop);
        }
        reader.peek();
        match tag.replace(reader.string()?) {
            None => Ok(()),
            Some(_) => Err(Unreadable),
        }
    });
    read.ok().and(tag)
}

#[derive(Deserialize)]
struct Tag<'a> {
    #[serde(borrow, rename = "type")]
    tag: Cow<'a, str>,
}
