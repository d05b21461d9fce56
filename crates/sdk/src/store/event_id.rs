//! The ids of events, as `Last-Event-ID` carries them.

use std::{fmt, str::FromStr};

use crate::ids::{NoRandomness, random_bytes};

/// Which stream, and which event on it. Unique in its session.
///
/// The text has a fixed length and one spelling: 16 lowercase hexadecimal digits for the stream, then 16 for the sequence. A truncated,
/// padded or differently spelt id is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId {
    pub stream: StreamNumber,
    /// Counts from one on each stream. Zero is [the beginning](super::StreamKey::beginning), before every event.
    pub sequence: u64,
}

/// Tells the streams of a session apart. Drawn at random, so that neither another stream's nor another session's can be guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamNumber(pub u64);

/// The text is not an event id of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the event id is not {} lowercase hexadecimal digits", EventId::LENGTH)]
pub struct BadEventId;

impl EventId {
    /// Of the text, in bytes.
    pub const LENGTH: usize = 32;

    /// The text, without an allocation.
    pub fn to_ascii(self) -> [u8; Self::LENGTH] {
        let number = (u128::from(self.stream.0) << 64) | u128::from(self.sequence);
        let mut text = [0; Self::LENGTH];
        for (pair, byte) in text.chunks_exact_mut(2).zip(number.to_be_bytes()) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 0xf)];
        }
        text
    }

    /// Reads what came in a header, which need not be text at all.
    pub fn from_ascii(text: &[u8]) -> Result<Self, BadEventId> {
        let text: &[u8; Self::LENGTH] = text.try_into().map_err(|_| BadEventId)?;
        let (stream, sequence) = text.split_at(Self::LENGTH / 2);
        Ok(Self { stream: StreamNumber(number(stream)?), sequence: number(sequence)? })
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.to_ascii();
        f.write_str(std::str::from_utf8(&text).expect("hexadecimal digits are ASCII"))
    }
}

impl FromStr for EventId {
    type Err = BadEventId;

    fn from_str(text: &str) -> Result<Self, BadEventId> {
        Self::from_ascii(text.as_bytes())
    }
}

impl StreamNumber {
    pub fn random() -> Result<Self, NoRandomness> {
        random_bytes().map(|bytes| Self(u64::from_ne_bytes(bytes)))
    }
}

/// Reads at most 16 digits.
fn number(digits: &[u8]) -> Result<u64, BadEventId> {
    digits.iter().try_fold(0, |number, digit| {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return Err(BadEventId),
        };
        Ok(number << 4 | u64::from(value))
    })
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_id_is_the_stream_then_the_sequence() {
        let id = EventId { stream: StreamNumber(0xab), sequence: 16 };
        assert_eq!(id.to_string(), "00000000000000ab0000000000000010");
    }

    #[test]
    fn what_is_spelt_differently_is_no_id() {
        let good = EventId { stream: StreamNumber(u64::MAX), sequence: 10 }.to_string();
        assert!(good.parse::<EventId>().is_ok());
        let bad = [
            String::new(),
            good[1..].to_owned(),
            good[..31].to_owned(),
            format!("{good}0"),
            format!(" {}", &good[1..]),
            format!("+{}", &good[1..]),
            good.to_uppercase(),
            good.replace('a', "é").chars().take(31).collect(),
            "0".repeat(64 * 1024),
        ];
        for text in bad {
            assert_eq!(text.parse::<EventId>(), Err(BadEventId), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_id_survives_being_written_and_read(stream: u64, sequence: u64) {
            let id = EventId { stream: StreamNumber(stream), sequence };
            prop_assert_eq!(id.to_string().parse(), Ok(id));
            prop_assert!(id.to_ascii().iter().all(u8::is_ascii_graphic));
        }

        #[test]
        fn every_text_that_is_an_id_is_the_only_text_of_that_id(text in "[0-9a-f]{32}|[0-9A-Fa-f+ _-]{30,33}") {
            if let Ok(id) = text.parse::<EventId>() {
                prop_assert_eq!(id.to_string(), text);
            } else {
                prop_assert!(text.len() != 32 || text.bytes().any(|byte| !matches!(byte, b'0'..=b'9' | b'a'..=b'f')));
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = EventId::from_ascii(&bytes);
        }
    }
}
