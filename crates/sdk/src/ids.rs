//! Ids of sessions and tasks, which cannot be guessed.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// More characters than this are not an id of ours, nor a sensible one of another server.
pub const MAX_ID_LENGTH: usize = 128;

/// The id of a legacy HTTP session: one or more characters from `!` to `~`, at most [`MAX_ID_LENGTH`]. A client that knows it may try
/// to use it, so `Debug` shows only its beginning.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(Arc<str>);

/// The id of a task, of the same make as a [`SessionId`] and as secret.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(Arc<str>);

/// Why a text is no id. Its sender is to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadId {
    #[error("the id is empty")]
    Empty,
    #[error("the id has the byte {byte:#04x} at {at}, which is not visible ASCII")]
    NotVisible { byte: u8, at: usize },
    #[error("the id has {length} characters, more than the {MAX_ID_LENGTH} allowed")]
    TooLong { length: usize },
}

/// The operating system gave no randomness, so there is no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the operating system gives no randomness")]
pub struct NoRandomness(#[source] getrandom::Error);

macro_rules! id {
    ($name:ident) => {
        impl $name {
            /// A new id: 128 bits from the operating system, in hexadecimal digits.
            pub fn random() -> Result<Self, NoRandomness> {
                let bits = u128::from_ne_bytes(random_bytes()?);
                Ok(Self(format!("{bits:032x}").into()))
            }

            pub fn parse(text: &str) -> Result<Self, BadId> {
                check(text)?;
                Ok(Self(text.into()))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let shown = self.0.get(..SHOWN).filter(|_| self.0.len() > 2 * SHOWN);
                write!(f, "{}({}…)", stringify!($name), shown.unwrap_or_default())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                check(&text).map_err(de::Error::custom)?;
                Ok(Self(text.into()))
            }
        }
    };
}

id!(SessionId);
id!(TaskId);

/// Bytes fit for secrets.
pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], NoRandomness> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(NoRandomness)?;
    Ok(bytes)
}

fn check(text: &str) -> Result<(), BadId> {
    if text.is_empty() {
        return Err(BadId::Empty);
    }
    if text.len() > MAX_ID_LENGTH {
        return Err(BadId::TooLong { length: text.len() });
    }
    match text.bytes().enumerate().find(|(_, byte)| !byte.is_ascii_graphic()) {
        Some((at, byte)) => Err(BadId::NotVisible { byte, at }),
        None => Ok(()),
    }
}

/// How many characters of an id `Debug` shows: enough to tell sessions in a log apart.
const SHOWN: usize = 6;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_new_id_has_128_bits_and_is_an_id() {
        let id = SessionId::random().unwrap();
        assert_eq!(id.as_str().len(), 32);
        assert!(id.as_str().bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_eq!(SessionId::parse(id.as_str()), Ok(id));
    }

    #[test]
    fn new_ids_differ() {
        let ids: HashSet<_> = (0..1000).map(|_| TaskId::random().unwrap()).collect();
        assert_eq!(ids.len(), 1000);
    }

    #[test]
    fn an_id_has_one_to_128_visible_ascii_characters() {
        assert!(SessionId::parse("!~").is_ok());
        assert_eq!(SessionId::parse(""), Err(BadId::Empty));
        for (text, byte, at) in
            [(" a", 0x20, 0), ("a\x7f", 0x7f, 1), ("aé", 0xc3, 1), ("a\n", 10, 1)]
        {
            assert_eq!(SessionId::parse(text), Err(BadId::NotVisible { byte, at }), "{text:?}");
        }
        assert!(SessionId::parse(&"a".repeat(128)).is_ok());
        assert_eq!(SessionId::parse(&"a".repeat(129)), Err(BadId::TooLong { length: 129 }));
    }

    #[test]
    fn a_stored_id_is_checked_when_it_is_read_again() {
        let id = TaskId::random().unwrap();
        let text = serde_json::to_string(&id).unwrap();
        assert_eq!(serde_json::from_str::<TaskId>(&text).unwrap(), id);
        assert!(serde_json::from_str::<TaskId>(r#""a b""#).is_err());
    }

    #[test]
    fn debug_output_does_not_give_an_id_away() {
        let id = SessionId::parse("0123456789abcdef").unwrap();
        assert_eq!(format!("{id:?}"), "SessionId(012345…)");
        assert_eq!(format!("{:?}", TaskId::parse("0123456789").unwrap()), "TaskId(…)");
    }
}
