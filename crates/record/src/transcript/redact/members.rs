//! Values behind the names of secrets in JSON, also in JSON inside of its strings.

use std::borrow::Cow;

use super::{Cover, Secret, VERIFIER, names::Name};

/// Without those values. It need not be whole, nor be JSON from the beginning.
pub(super) fn members<'t>(text: &'t str, cover: &mut Cover<'_>) -> Cow<'t, str> {
    let mut clean = Clean { text, written: String::new(), kept: 0, cover };
    let mut seen = 0;
    for at in memchr::memchr_iter(b'"', text.as_bytes()) {
        if at < seen {
            continue;
        }
        let Some(member) = secret_member(&text.as_bytes()[at + 1..]) else { continue };
        let name = &text[at + 1..at + 1 + member.name];
        let name = if member.is_verifier { VERIFIER } else { name };
        seen = clean.value(name, at + 1 + member.value, member.level);
    }
    clean.finish()
}

/// A name that this begins with, behind its quotation mark, if what it names is a secret.
pub(super) fn secret_member(text: &[u8]) -> Option<Member> {
    let near = &text[..text.len().min(LONGEST_NAME)];
    let quote = memchr::memchr(b'"', near)?;
    let level = near[..quote].iter().rev().take_while(|byte| **byte == b'\\').count();
    let colon = quote + 1 + spaces(&text[quote + 1..]);
    if text.get(colon) != Some(&b':') {
        return None;
    }
    let name = Name::new(&near[..quote - level])?;
    let value = colon + 1 + spaces(&text[colon + 1..]);
    let is_verifier = name.is_verifier();
    name.is_secret().then_some(Member { name: quote - level, level, value, is_verifier })
}

pub(super) struct Member {
    /// Bytes.
    name: usize,
    /// Backslashes before each of its quotation marks: one and more in JSON inside of a string.
    level: usize,
    /// Where its value begins.
    value: usize,
    is_verifier: bool,
}

struct Clean<'t, 'c, 'd> {
    text: &'t str,
    written: String,
    /// Up to here the text has been copied or covered.
    kept: usize,
    cover: &'c mut Cover<'d>,
}

impl<'t> Clean<'t, '_, '_> {
    /// Covers each string and each number of the value that begins here, and says where it ends.
    fn value(&mut self, name: &str, begin: usize, level: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = begin;
        // For each list and object that is open, whether what it has is kept.
        let mut open: Vec<bool> = Vec::new();
        let mut keeps = false;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'{' | b'[' => {
                    open.push(*byte == b'[' && keeps);
                    keeps = *byte == b'[' && keeps;
                    at += 1;
                }
                b'}' | b']' => {
                    if open.pop().is_none() {
                        return at;
                    }
                    at += 1;
                }
                b'\\' | b'"' => {
                    let quote = at + bytes[at..].iter().take_while(|byte| **byte == b'\\').count();
                    if bytes.get(quote) != Some(&b'"') || quote - at != level {
                        return at;
                    }
                    let inner = quote + 1;
                    let (length, closed) = end_of_string(&bytes[inner..], level);
                    let end = inner + length;
                    if !closed {
                        self.covered(name, inner, end);
                        return end;
                    }
                    let after = end + level + 1;
                    at = after + spaces(&bytes[after..]);
                    if !open.is_empty() && bytes.get(at) == Some(&b':') {
                        keeps = SCHEMA.contains(&&self.text[inner..end]);
                        at += 1;
                        continue;
                    }
                    if !keeps {
                        self.covered(name, inner, end);
                    }
                }
                b'-' | b'0'..=b'9' => {
                    let is_part =
                        |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                    let end = at + bytes[at..].iter().take_while(is_part).count();
                    if !keeps {
                        self.written.push_str(&self.text[self.kept..at]);
                        self.written.push('0');
                        self.kept = end;
                    }
                    at = end;
                }
                b',' => {
                    if open.is_empty() {
                        return at;
                    }
                    keeps = open.last() == Some(&true);
                    at += 1;
                }
                _ => at += 1,
            }
            if open.is_empty() {
                return at;
            }
        }
        at
    }

    fn covered(&mut self, name: &str, begin: usize, end: usize) {
        let value = &self.text[begin..end];
        self.written.push_str(&self.text[self.kept..begin]);
        self.written.push_str(&(self.cover)(Secret { name, value }));
        self.kept = end;
    }

    fn finish(mut self) -> Cow<'t, str> {
        if self.kept == 0 {
            return Cow::Borrowed(self.text);
        }
        self.written.push_str(&self.text[self.kept..]);
        Cow::Owned(self.written)
    }
}

/// Where a string ends, and whether by a quotation mark of its own. One of the string that it is inside of ends it as well.
fn end_of_string(text: &[u8], level: usize) -> (usize, bool) {
    for quote in memchr::memchr_iter(b'"', text) {
        let backslashes = text[..quote].iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % (level + 1) != level {
            return (quote - backslashes, false);
        }
        if backslashes % (2 * (level + 1)) == level {
            return (quote - level, true);
        }
    }
    (text.len(), false)
}

fn spaces(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

const LONGEST_NAME: usize = 256;

/// What a schema says about a property that will hold a secret is none.
const SCHEMA: &[&str] = &[
    "$ref",
    "additionalProperties",
    "description",
    "format",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "required",
    "title",
    "type",
];
