//! Fast path of `serde_json`: JSON read from left to right, every byte looked at once, and nothing built.
//!
//! `serde_json` checks a value that is kept raw, and then the caller reads it a second time. Where this gives up, `serde_json` is asked, and
//! says why. Equivalence: `what_is_read_is_json_and_nothing_else_is`.

use std::borrow::Cow;

use super::{
    RawRef,
    special::find_special,
    strings_fast::{leading_string, skip_string},
};

/// A place in a JSON text.
///
/// All that this reads without complaint is JSON. It does not say what is wrong with the rest.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// How many more brackets may be opened.
    depth: usize,
}

/// Where in an object a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberPosition {
    First,
    Later,
}

/// What is read is not JSON, or is nested too deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

impl<'a> Reader<'a> {
    /// Values may lie under this many brackets. Beyond a bound of its own the reader gives up whatever the limit is.
    pub fn new(text: &'a str, depth: usize) -> Self {
        Self { text, at: 0, depth: depth.min(DEEPEST) }
    }

    /// The first byte of the next value or sign, behind white space.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        match self.text.as_bytes().get(self.at) {
            Some(byte) if *byte > b' ' => Some(*byte),
            _ => self.peek_further(),
        }
    }

    // Cold: most senders leave white space out. Never inlined: `peek` is in so many places that they would not fit into a processor's
    // cache.
    #[cold]
    #[inline(never)]
    fn peek_further(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    /// Nothing but white space may follow.
    pub fn end(mut self) -> Result<(), Unreadable> {
        self.peek().map_or(Ok(()), |_| Err(Unreadable))
    }

    /// Reads past the next value.
    pub fn value(&mut self) -> Result<RawRef<'a>, Unreadable> {
        self.spanned(Self::skip)
    }

    /// As [`Self::value`], where the value is not wanted.
    fn skip(&mut self) -> Result<(), Unreadable> {
        match self.peek().ok_or(Unreadable)? {
            b'"' => self.skip_string(),
            b'{' => self.object(),
            b'[' => self.array(),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number(),
        }
    }

    /// What is read by `read`, as it stands in the text.
    pub(crate) fn spanned(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<(), Unreadable>,
    ) -> Result<RawRef<'a>, Unreadable> {
        self.peek();
        let start = self.at;
        read(self)?;
        Ok(RawRef::new(&self.text[start..self.at]))
    }

    /// Keys are not looked into here: half a pair of surrogates is JSON too.
    fn object(&mut self) -> Result<(), Unreadable> {
        self.open()?;
        if self.peek() == Some(b'}') {
            return self.close();
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(Unreadable);
            }
            self.skip_string()?;
            self.sign(b':')?;
            self.skip()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => return self.close(),
                _ => return Err(Unreadable),
            }
        }
    }

    /// Reads an object, member by member. Each time, `member` must read the value, and only that.
    pub fn members(
        &mut self,
        mut member: impl FnMut(Cow<'a, str>, &mut Self) -> Result<(), Unreadable>,
    ) -> Result<(), Unreadable> {
        self.begin_object()?;
        let mut place = MemberPosition::First;
        while let Some(key) = self.next_key(place)? {
            member(key, self)?;
            place = MemberPosition::Later;
        }
        Ok(())
    }

    pub fn begin_object(&mut self) -> Result<(), Unreadable> {
        if self.peek() != Some(b'{') {
            return Err(Unreadable);
        }
        self.open()
    }

    /// The key of the next member, whose value must be read next; `None` at the end of the object, which is then read.
    #[inline]
    pub fn next_key(&mut self, place: MemberPosition) -> Result<Option<Cow<'a, str>>, Unreadable> {
        match (self.peek(), place) {
            (Some(b'}'), _) => return self.close().map(|()| None),
            (Some(b','), MemberPosition::Later) => {
                self.at += 1;
                self.peek();
            }
            (_, MemberPosition::First) => {}
            _ => return Err(Unreadable),
        }
        let key = self.string()?;
        self.sign(b':')?;
        Ok(Some(key))
    }

    /// Reads a string, behind white space.
    // Never inlined: it stands in every arm of a match on keys.
    #[inline(never)]
    pub fn text(&mut self) -> Result<Cow<'a, str>, Unreadable> {
        self.peek();
        self.string()
    }

    /// Reads a string, at whose quotation mark this stands.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'a, str>, Unreadable> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        if bytes.get(self.at) == Some(&b'"')
            && let Some(end) = find_special(bytes, start)
            && bytes[end] == b'"'
        {
            self.at = end + 1;
            return Ok(Cow::Borrowed(&self.text[start..end]));
        }
        self.escaped_string()
    }

    // Never inlined: few strings have escapes, and `string` is inlined where keys are read.
    #[inline(never)]
    fn escaped_string(&mut self) -> Result<Cow<'a, str>, Unreadable> {
        let (text, after) = leading_string(&self.text[self.at..]).ok_or(Unreadable)?;
        self.at = self.text.len() - after.len();
        Ok(text)
    }

    fn skip_string(&mut self) -> Result<(), Unreadable> {
        self.at = skip_string(self.text.as_bytes(), self.at + 1).ok_or(Unreadable)?;
        Ok(())
    }

    fn array(&mut self) -> Result<(), Unreadable> {
        self.elements(Self::skip)
    }

    /// Reads an array, element by element. Each time, `element` must read the value, and only that.
    pub fn elements(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Result<(), Unreadable>,
    ) -> Result<(), Unreadable> {
        if self.peek() != Some(b'[') {
            return Err(Unreadable);
        }
        self.open()?;
        if self.peek() == Some(b']') {
            return self.close();
        }
        loop {
            element(self)?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => return self.close(),
                _ => return Err(Unreadable),
            }
        }
    }

    fn open(&mut self) -> Result<(), Unreadable> {
        self.depth = self.depth.checked_sub(1).ok_or(Unreadable)?;
        self.at += 1;
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps, reason = "it ends every way through a value")]
    fn close(&mut self) -> Result<(), Unreadable> {
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    #[inline]
    fn sign(&mut self, sign: u8) -> Result<(), Unreadable> {
        if self.peek() != Some(sign) {
            return Err(Unreadable);
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, word: &str) -> Result<(), Unreadable> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(Unreadable);
        }
        self.at += word.len();
        Ok(())
    }

    fn number(&mut self) -> Result<(), Unreadable> {
        let bytes = self.text.as_bytes();
        self.at += usize::from(bytes[self.at] == b'-');
        if bytes.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = bytes.get(self.at) {
            self.at += 1;
            self.at += usize::from(matches!(bytes.get(self.at), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(())
    }

    /// One digit or more.
    fn digits(&mut self) -> Result<(), Unreadable> {
        let rest = &self.text.as_bytes()[self.at..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        if count == 0 { Err(Unreadable) } else { Ok(()) }
    }
}

/// Values are read by recursion, which must not use up the stack of the caller.
const DEEPEST: usize = 128;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;

    fn reads(text: &str) -> bool {
        let mut reader = Reader::new(text, 64);
        reader.value().is_ok() && reader.end().is_ok()
    }

    proptest! {
        #[test]
        fn what_is_read_is_json_and_nothing_else_is(
            text in r#"([\[\]{}:,]|"[a-z]{0,2}"|"a":|-?[0-9]{1,3}|[0-9.eE+-]|true|false|null|[ \n\t\r]|[a-z\\"]){0,12}"#,
        ) {
            prop_assert_eq!(reads(&text), serde_json::from_str::<&RawValue>(&text).is_ok());
        }
    }

    #[test]
    fn every_kind_of_value_is_read() {
        for text in [
            "0",
            "-0.5e+10",
            "1E9",
            "12",
            " true ",
            "[]",
            "[ 1 , [ ] ]",
            "{}",
            r#"{"a":{"b":[null]}}"#,
        ] {
            assert!(reads(text), "{text}");
        }
        for text in
            ["", "01", "-", "1.", ".5", "1e", "+1", "tru", "[1,]", "{\"a\"}", "{\"a\":1,}", "1 2"]
        {
            assert!(!reads(text), "{text}");
        }
    }

    #[test]
    fn nesting_is_read_up_to_the_limit_and_not_one_deeper() {
        assert!(Reader::new("[[{}]]", 3).value().is_ok());
        assert!(Reader::new("[[{}]]", 2).value().is_err());
        let deep = "[".repeat(1_000_000);
        assert!(Reader::new(&deep, usize::MAX).value().is_err());
    }

    #[test]
    fn members_are_given_out_in_order() {
        let mut reader = Reader::new(r#" { "a" : [1, 2] , "\u0062":"c" } "#, 2);
        let mut found = Vec::new();
        let read = reader.members(|key, reader| {
            found.push((key.into_owned(), reader.value()?.get().to_owned()));
            Ok(())
        });
        assert!(read.is_ok() && reader.end().is_ok());
        assert_eq!(found, [("a".into(), "[1, 2]".into()), ("b".into(), "\"c\"".into())]);
    }
}
