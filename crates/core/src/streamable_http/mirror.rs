//! Values of the body as values of headers, and back.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};
use http::HeaderValue;

use super::peek;
use crate::json::RawRef;

/// Text as a header value: as it is if that is safe, in base64 between markers if not.
///
/// Not safe is what HTTP forbids, what it strips (white space at the ends), and what looks encoded already.
pub fn encode(text: &str) -> HeaderValue {
    plain(text).unwrap_or_else(|| {
        let encoded = format!("{PREFIX}{}{SUFFIX}", STANDARD.encode(text));
        HeaderValue::try_from(encoded).expect("base64 and its markers are visible ASCII")
    })
}

/// The text of a header value.
///
/// White space around the value does not count. What lacks one of the markers is plain text, however it begins.
pub fn decode(value: &[u8]) -> Result<Cow<'_, str>, Malformed> {
    let value = trim(value);
    if let Some(at) = value.iter().position(|byte| !is_safe(*byte)) {
        return Err(Malformed::ForbiddenByte { at });
    }
    let text = std::str::from_utf8(value).map_err(|_| Malformed::NotUtf8)?;
    let inner = text.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    let Some(inner) = inner else { return Ok(Cow::Borrowed(text)) };
    let bytes = STANDARD.decode(inner).map_err(|_| Malformed::NotBase64)?;
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| Malformed::NotUtf8)
}

/// Why a header value has no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error("a byte at {at} that no header value may have")]
    ForbiddenByte { at: usize },
    #[error("not base64 between the markers")]
    NotBase64,
    #[error("not UTF-8 under the base64")]
    NotUtf8,
}

/// A value of the body that headers can mirror.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar<'a> {
    Boolean(bool),
    /// Within the range in which every JSON implementation counts alike.
    Integer(i64),
    String(Cow<'a, str>),
}

impl<'a> Scalar<'a> {
    /// The largest integer, and without its sign the smallest.
    pub const MAX_INTEGER: i64 = (1 << 53) - 1;

    /// Reads a value; `None` is null, which headers mirror by their absence.
    pub fn from_raw(raw: RawRef<'a>) -> Result<Option<Self>, Unmirrorable> {
        let text = raw.get();
        Ok(Some(match text.as_bytes() {
            b"null" => return Ok(None),
            b"true" => Self::Boolean(true),
            b"false" => Self::Boolean(false),
            [b'"', ..] => Self::String(peek::string(raw).ok_or(Unmirrorable::LoneSurrogate)?),
            [b'-' | b'0'..=b'9', ..] => Self::Integer(integer(text)?),
            _ => return Err(Unmirrorable::NotAScalar),
        }))
    }

    pub fn encode(&self) -> HeaderValue {
        match self {
            Self::Boolean(true) => HeaderValue::from_static("true"),
            Self::Boolean(false) => HeaderValue::from_static("false"),
            Self::Integer(number) => HeaderValue::from(*number),
            Self::String(text) => encode(text),
        }
    }

    /// Whether a header says the same. Integers are compared by value: `42.0` is 42.
    pub fn matches(&self, header: &HeaderValue) -> Result<bool, Malformed> {
        let header = decode(header.as_bytes())?;
        Ok(match self {
            Self::Boolean(value) => header == if *value { "true" } else { "false" },
            Self::Integer(number) => integer(&header) == Ok(*number),
            Self::String(text) => header == *text,
        })
    }
}

/// Why a value of the body cannot be mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmirrorable {
    #[error("the member occurs twice")]
    Duplicate,
    #[error("a number with a fraction")]
    Fraction,
    #[error("a string with a lone surrogate")]
    LoneSurrogate,
    #[error("a method name with characters that no header value may have")]
    Method,
    #[error("neither a string nor an integer nor a boolean")]
    NotAScalar,
    #[error("an integer beyond ±{}", Scalar::MAX_INTEGER)]
    OutOfRange,
}

/// Text as a header value, if it needs no encoding.
pub(super) fn plain(text: &str) -> Option<HeaderValue> {
    let bytes = text.as_bytes();
    let looks_encoded = text.starts_with(PREFIX) && text.ends_with(SUFFIX);
    let safe =
        !looks_encoded && trim(bytes).len() == bytes.len() && bytes.iter().copied().all(is_safe);
    safe.then(|| HeaderValue::from_bytes(bytes).ok()).flatten()
}

fn is_safe(byte: u8) -> bool {
    matches!(byte, b'\t' | b' '..=b'~')
}

fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

/// The value of a decimal number that has no fraction, exactly: `1e3`, `10.0` and `-0` have one too.
fn integer(text: &str) -> Result<i64, Unmirrorable> {
    let (sign, unsigned) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
        return Err(Unmirrorable::NotAScalar);
    }
    let mut digits = format!("{whole}{fraction}");
    digits.truncate(digits.trim_end_matches('0').len());
    let leading = digits.len() - digits.trim_start_matches('0').len();
    if leading == digits.len() {
        return Ok(0);
    }
    // Where the point stands among the digits. An exponent that does not fit leaves no doubt on which side of the range it is.
    let exponent: i64 = match exponent.parse() {
        Ok(exponent) => exponent,
        Err(_) if exponent.starts_with('-') => return Err(Unmirrorable::Fraction),
        Err(_) => return Err(Unmirrorable::OutOfRange),
    };
    let length = |text: &str| i64::try_from(text.len()).map_err(|_| Unmirrorable::OutOfRange);
    let zeros = exponent.saturating_add(length(whole)?).saturating_sub(length(&digits)?);
    let zeros = usize::try_from(zeros).map_err(|_| Unmirrorable::Fraction)?;
    let significant = &digits[leading..];
    if zeros.saturating_add(significant.len()) > LONGEST {
        return Err(Unmirrorable::OutOfRange);
    }
    let number: i64 =
        format!("{significant}{:0<zeros$}", "").parse().map_err(|_| Unmirrorable::OutOfRange)?;
    if number > Scalar::MAX_INTEGER { Err(Unmirrorable::OutOfRange) } else { Ok(sign * number) }
}

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";
/// Digits of the largest integer.
const LONGEST: usize = 16;

#[cfg(test)]
mod tests;
