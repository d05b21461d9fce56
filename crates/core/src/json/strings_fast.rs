//! Fast path of `serde_json` for strings: from and to JSON, many bytes at a time.
//!
//! Most of a long message is text. What has to be looked at in it are quotation marks, backslashes and control characters, and
//! everything between two of them is copied as it is. Equivalence: `texts_are_written_as_serde_json_writes_them` and
//! `strings_are_read_as_serde_json_reads_them`.

use std::borrow::Cow;

use super::special::{Specials, find_special};

/// Appends text as a JSON string, with the same escapes as `serde_json`.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    write_string_unless(out, text, |_| false);
}

/// The same, in one pass with a look at what follows each quotation mark of the text. If that is refused, nothing is appended, and it
/// says `false`.
pub fn write_string_unless(out: &mut Vec<u8>, text: &str, refused: impl Fn(&[u8]) -> bool) -> bool {
    let before = out.len();
    // Escapes are rare enough that this is room for nearly every text.
    out.reserve(text.len() + text.len() / 16 + 2 + STEP);
    out.push(b'"');
    let bytes = text.as_bytes();
    // Most texts are plain from one end to the other.
    let Some(plain) = find_special(bytes, 0) else {
        out.extend_from_slice(bytes);
        out.push(b'"');
        return true;
    };
    out.extend_from_slice(&bytes[..plain]);
    let mut done = plain;
    for at in Specials::new(bytes, plain) {
        copy(out, bytes, done, at);
        match bytes[at] {
            b'"' if refused(&bytes[at + 1..]) => {
                out.truncate(before);
                return false;
            }
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            control => {
                let digit = |nibble: u8| HEX[usize::from(nibble)];
                let escape = [b'\\', b'u', b'0', b'0', digit(control >> 4), digit(control & 15)];
                out.extend_from_slice(&escape);
            }
        }
        done = at + 1;
    }
    copy(out, bytes, done, bytes.len());
    out.push(b'"');
    true
}

/// The text of a JSON string, copied only if it has escapes; `None` for what is no string, or has half a pair of surrogates.
pub fn read_string(json: &str) -> Option<Cow<'_, str>> {
    let (text, after) = leading_string(json)?;
    after.is_empty().then_some(text)
}

/// The text of the JSON string that this begins with, and what comes after it.
pub(crate) fn leading_string(json: &str) -> Option<(Cow<'_, str>, &str)> {
    let inner = json.strip_prefix('"')?;
    let bytes = inner.as_bytes();
    let at = find_special(bytes, 0)?;
    match bytes[at] {
        b'"' => Some((Cow::Borrowed(&inner[..at]), &inner[at + 1..])),
        b'\\' => unescape(inner, at).map(|(text, after)| (Cow::Owned(text), after)),
        _ => None,
    }
}

/// Where the string ends whose content begins at `at`: after its closing quotation mark. `None` if it is not JSON.
///
/// Half a pair of surrogates is JSON, though it is no text.
#[inline]
pub(crate) fn skip_string(bytes: &[u8], at: usize) -> Option<usize> {
    let first = find_special(bytes, at)?;
    if bytes[first] == b'"' { Some(first + 1) } else { skip_escaped(bytes, first) }
}

/// The same for a string whose first escape is at `first`.
// Never inlined: few strings have escapes, and `skip_string` is inlined where values are skipped.
#[inline(never)]
fn skip_escaped(bytes: &[u8], first: usize) -> Option<usize> {
    // What lies before this was part of an escape.
    let mut next = first;
    for at in Specials::new(bytes, first) {
        if at < next {
            continue;
        }
        match (bytes[at], bytes.get(at + 1)) {
            (b'"', _) => return Some(at + 1),
            (b'\\', Some(b'u')) => {
                let digits = bytes.get(at + 2..at + 6)?;
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return None;
                }
                next = at + 6;
            }
            (b'\\', Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => next = at + 2,
            _ => return None,
        }
    }
    None
}

/// The text before the closing quotation mark, whose first escape is at `escape`, and what comes after it.
fn unescape(inner: &str, escape: usize) -> Option<(String, &str)> {
    let bytes = inner.as_bytes();
    // Where it ends is not known yet, so it grows as it is read.
    let mut out = Vec::with_capacity(escape + 2 * STEP);
    // What lies before this is in the text already, or was part of an escape.
    let mut done = 0;
    for at in Specials::new(bytes, escape) {
        if at < done {
            continue;
        }
        // What is long already may be most of the message: one large step costs less than many.
        if out.len() > LONG && out.capacity() < out.len() + (bytes.len() - done) {
            out.reserve_exact(bytes.len() - done);
        }
        copy(&mut out, bytes, done, at);
        match bytes[at] {
            b'"' => {
                if out.capacity() / 2 > out.len() {
                    out.shrink_to_fit();
                }
                return Some((String::from_utf8(out).ok()?, &inner[at + 1..]));
            }
            b'\\' => {
                done = at + 2;
                match ESCAPED[usize::from(*bytes.get(at + 1)?)] {
                    0 if bytes[at + 1] == b'u' => {
                        let (character, after) = code_point(&bytes[done..])?;
                        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                        done = bytes.len() - after.len();
                    }
                    0 => return None,
                    plain => out.push(plain),
                }
            }
            _ => return None,
        }
    }
    None
}

/// What stands after `\u`: one unit, or a pair of surrogates.
fn code_point(bytes: &[u8]) -> Option<(char, &[u8])> {
    let (high, rest) = unit(bytes)?;
    if let Some(character) = char::from_u32(high) {
        return Some((character, rest));
    }
    let (low, rest) = unit(rest.strip_prefix(b"\\u")?)?;
    if !(0xd800..0xdc00).contains(&high) || !(0xdc00..0xe000).contains(&low) {
        return None;
    }
    let character = char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))?;
    Some((character, rest))
}

fn unit(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, rest) = bytes.split_first_chunk::<4>()?;
    let digit = |value: u32, digit: &u8| Some(value << 4 | char::from(*digit).to_digit(16)?);
    Some((digits.iter().try_fold(0, digit)?, rest))
}

/// Appends what lies between two places, in steps of one size: what was too much is taken back.
#[inline]
fn copy(out: &mut Vec<u8>, bytes: &[u8], from: usize, to: usize) {
    let end = out.len() + (to - from);
    let mut at = from;
    while at < to {
        let Some(step) = bytes[at..].first_chunk::<STEP>() else {
            return out.extend_from_slice(&bytes[at..to]);
        };
        out.extend_from_slice(step);
        at += STEP;
    }
    out.truncate(end);
}

/// What stands for which byte after a backslash; nothing else stands for one.
const ESCAPED: [u8; 256] = {
    let mut table = [0; 256];
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table[b'/' as usize] = b'/';
    table[b'b' as usize] = 0x08;
    table[b'f' as usize] = 0x0c;
    table[b'n' as usize] = b'\n';
    table[b'r' as usize] = b'\r';
    table[b't' as usize] = b'\t';
    table
};
/// Bytes that are copied at once: no more than most texts have between two escapes.
const STEP: usize = 32;
/// Bytes of a text that is not short.
const LONG: usize = 1024;
const HEX: [u8; 16] = *b"0123456789abcdef";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn texts_are_written_as_serde_json_writes_them(text in r#"(?s)([ -~]|["\\\x00-\x1f]|.){0,80}"#) {
            let mut out = Vec::new();
            write_string(&mut out, &text);
            prop_assert_eq!(String::from_utf8(out).unwrap(), serde_json::to_string(&text).unwrap());
        }

        #[test]
        fn strings_are_read_as_serde_json_reads_them(
            inner in r#"([a-zé]|\\["\\/bfnrtux]|\\u[0-9a-fA-F]{4}|\\ud83d\\ude0[0-9]|["\n]){0,30}"#,
        ) {
            let json = format!("\"{inner}\"");
            prop_assert_eq!(
                read_string(&json).map(Cow::into_owned),
                serde_json::from_str::<String>(&json).ok()
            );
            let skipped = serde_json::from_str::<&serde_json::value::RawValue>(&json).is_ok();
            prop_assert_eq!(skip_string(json.as_bytes(), 1) == Some(json.len()), skipped);
        }
    }

    #[test]
    fn a_text_without_escapes_is_not_copied() {
        assert!(matches!(
            read_string(r#""plain, and longer than a block""#),
            Some(Cow::Borrowed(_))
        ));
        assert!(matches!(read_string(r#""escap\u0065d""#), Some(Cow::Owned(_))));
    }

    #[test]
    fn of_a_text_that_is_refused_nothing_is_written() {
        let text = r#"{"a":"b","secret":"c"}"#;
        let mut out = b"before".to_vec();
        assert!(!write_string_unless(&mut out, text, |rest| rest.starts_with(b"secret")));
        assert_eq!(out, b"before");
        assert!(write_string_unless(&mut out, text, |rest| rest.starts_with(b"ecret")));
        assert_eq!(out, format!("before{}", serde_json::to_string(text).unwrap()).into_bytes());
    }

    #[test]
    fn what_follows_a_string_is_left() {
        assert_eq!(leading_string(r#""a":1"#), Some(("a".into(), ":1")));
        assert_eq!(leading_string(r#""\n", "b""#), Some(("\n".into(), r#", "b""#)));
        assert_eq!(read_string(r#""a" "#), None);
    }
}
