//! Request ids, told apart as exactly as JSON tells them apart.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;

use crate::json::{RawRef, read_string, write_string};

/// The id of a request: a string or an integer.
///
/// An answer must carry the id as it was asked, so a number keeps its spelling: `1`, `1.0` and `"1"` are three different ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Id<'a> {
    /// An integer in its shortest spelling.
    Integer(i64),
    /// An integer in any other spelling: `1.0`, `-0`, or more digits than an `i64` holds.
    Number(Cow<'a, str>),
    String(Cow<'a, str>),
}

/// Ties progress notifications to their request; it has the same forms as an id.
pub type ProgressToken<'a> = Id<'a>;

/// Why a JSON value is not an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadId {
    #[error("the id is a number but not an integer")]
    Fraction,
    #[error("the id is a string with a lone surrogate")]
    LoneSurrogate,
    #[error("the id is null")]
    Null,
    #[error("the id is longer than {limit} bytes")]
    TooLong { limit: usize },
    #[error("the id is neither a string nor an integer")]
    WrongType,
}

impl<'a> Id<'a> {
    /// Ids are kept while their request runs and are echoed, so a peer does not choose how much memory that takes.
    pub const MAX_BYTES: usize = 1024;

    /// Reads an id from the text of one JSON value.
    pub fn from_raw(raw: RawRef<'a>) -> Result<Self, BadId> {
        let text = raw.get();
        if text.len() > Self::MAX_BYTES {
            return Err(BadId::TooLong { limit: Self::MAX_BYTES });
        }
        match text.as_bytes() {
            [b'"', ..] => {
                // The text is JSON already, so all that can fail is a surrogate without its partner.
                read_string(text).map(Self::String).ok_or(BadId::LoneSurrogate)
            }
            [b'-' | b'0'..=b'9', ..] => Self::from_number(text),
            b"null" => Err(BadId::Null),
            _ => Err(BadId::WrongType),
        }
    }

    fn from_number(text: &'a str) -> Result<Self, BadId> {
        // What nearly every client counts up. So few digits always fit.
        let digits = text.as_bytes();
        if digits.len() <= SURE_DIGITS && digits.iter().all(u8::is_ascii_digit) {
            let number = digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
            return Ok(Self::Integer(number));
        }
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let integer = whole.bytes().all(|b| b.is_ascii_digit() || b == b'-')
            && fraction.bytes().all(|b| b == b'0');
        if !integer {
            return Err(BadId::Fraction);
        }
        match text.parse() {
            Ok(number) if text != "-0" => Ok(Self::Integer(number)),
            _ => Ok(Self::Number(Cow::Borrowed(text))),
        }
    }

    pub fn into_owned(self) -> Id<'static> {
        match self {
            Self::Integer(number) => Id::Integer(number),
            Self::Number(text) => Id::Number(Cow::Owned(text.into_owned())),
            Self::String(text) => Id::String(Cow::Owned(text.into_owned())),
        }
    }

    /// Lends the id out, so that it can be kept or compared under another lifetime.
    pub fn borrowed(&self) -> Id<'_> {
        match self {
            Self::Integer(number) => Id::Integer(*number),
            Self::Number(text) => Id::Number(Cow::Borrowed(text)),
            Self::String(text) => Id::String(Cow::Borrowed(text)),
        }
    }

    /// Writes the id as JSON.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Number(text) => out.extend_from_slice(text.as_bytes()),
            Self::Integer(number) => {
                serde_json::to_writer(out, number).expect("integers always encode");
            }
            Self::String(text) => write_string(out, text),
        }
    }
}

impl From<i64> for Id<'_> {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl<'a> From<&'a str> for Id<'a> {
    fn from(text: &'a str) -> Self {
        Self::String(Cow::Borrowed(text))
    }
}

impl From<String> for Id<'_> {
    fn from(text: String) -> Self {
        Self::String(Cow::Owned(text))
    }
}

/// The id as JSON.
impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => write!(f, "{number}"),
            Self::Number(text) => f.write_str(text),
            Self::String(text) => {
                f.write_str(&serde_json::to_string(text).map_err(|_| fmt::Error)?)
            }
        }
    }
}

impl Serialize for Id<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(number) => serializer.serialize_i64(*number),
            Self::Number(text) => {
                let raw: &RawValue =
                    serde_json::from_str(text).map_err(serde::ser::Error::custom)?;
                raw.serialize(serializer)
            }
            Self::String(text) => serializer.serialize_str(text),
        }
    }
}

/// Decodes from JSON text only: no other source knows how a number was spelled.
impl<'de: 'a, 'a> Deserialize<'de> for Id<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawRef::deserialize(deserializer)?;
        Id::from_raw(raw).map_err(de::Error::custom)
    }
}

/// An `i64` holds any number of so many digits.
const SURE_DIGITS: usize = 18;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn id(text: &str) -> Result<Id<'static>, BadId> {
        Id::from_raw(serde_json::from_str(text).unwrap()).map(Id::into_owned)
    }

    #[test]
    fn every_id_is_written_as_it_was_read() {
        for text in [
            "0",
            "-7",
            "1.0",
            "-0",
            "10.000",
            "123456789012345678901234567890",
            r#""""#,
            r#""1""#,
            r#""a b""#,
            r#""é\n""#,
        ] {
            let id = id(text).unwrap();
            let mut out = Vec::new();
            id.write(&mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
            assert_eq!(serde_json::to_string(&id).unwrap(), text);
            assert_eq!(id.to_string(), text);
        }
    }

    #[test]
    fn one_in_three_spellings_is_three_ids() {
        let ids = ["1", "1.0", r#""1""#].map(|text| id(text).unwrap());
        assert_ne!(ids[0], ids[1]);
        assert_ne!(ids[0], ids[2]);
        assert_ne!(ids[1], ids[2]);
    }

    #[test]
    fn an_escape_does_not_make_another_string() {
        assert_eq!(id(r#""\u0061""#), id(r#""a""#));
    }

    #[test]
    fn what_is_not_an_id_says_why() {
        assert_eq!(id("null"), Err(BadId::Null));
        assert_eq!(id("1.5"), Err(BadId::Fraction));
        assert_eq!(id("1e3"), Err(BadId::Fraction));
        assert_eq!(id("true"), Err(BadId::WrongType));
        assert_eq!(id("[1]"), Err(BadId::WrongType));
        assert_eq!(id(r#""\ud800""#), Err(BadId::LoneSurrogate));
    }

    #[test]
    fn an_id_may_have_the_longest_length_and_not_one_byte_more() {
        let string = |length: usize| format!("\"{}\"", "x".repeat(length - 2));
        assert!(id(&string(Id::MAX_BYTES)).is_ok());
        assert_eq!(id(&string(Id::MAX_BYTES + 1)), Err(BadId::TooLong { limit: Id::MAX_BYTES }));
    }
}
