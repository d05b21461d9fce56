//! The params of a message: an object whose members were found when the message was read.

use std::{borrow::Cow, fmt};

use crate::json::{RawRef, Reader, Unreadable};

/// The params of a request or a notification: an object, not yet decoded. Two are equal when their texts are.
#[derive(Clone)]
pub struct Params<'a> {
    raw: RawRef<'a>,
    /// `None` where they were not looked for, or a key is no text.
    members: Option<Vec<Member<'a>>>,
    /// Those of the last `_meta` that is an object.
    meta: Option<Vec<Member<'a>>>,
}

/// A key and its value.
pub type Member<'a> = (Cow<'a, str>, RawRef<'a>);

impl<'a> Params<'a> {
    /// The text of the object.
    pub fn get(&self) -> &'a str {
        self.raw.get()
    }

    pub fn raw(&self) -> RawRef<'a> {
        self.raw
    }

    /// The members in the order they came, keys that occur twice included; `None` where only a decoder can tell what there is.
    pub fn members(&self) -> Option<&[Member<'a>]> {
        self.members.as_deref()
    }

    /// The members of `_meta`, if it occurs once and is an object; `None` also where only a decoder can tell.
    pub(crate) fn meta(&self) -> Option<&[Member<'a>]> {
        let named = self.members()?.iter().filter(|(key, _)| key == META).count();
        self.meta.as_deref().filter(|_| named == 1)
    }

    /// Without a look into it.
    pub(super) fn unread(raw: RawRef<'a>) -> Self {
        Self { raw, members: None, meta: None }
    }

    /// Reads the object that comes next. Fast path of [`Self::unread`] and a decoder, which would read it a second time; see
    /// `envelope_fast.rs`.
    pub(super) fn read_fast(reader: &mut Reader<'a>) -> Result<Self, Unreadable> {
        let mut members = Vec::with_capacity(USUAL);
        let mut meta = None;
        let raw = reader.spanned(|reader| {
            reader.members(|key, reader| {
                let value = if key == META && reader.peek() == Some(b'{') {
                    let (value, inside) = object(reader)?;
                    meta = Some(inside);
                    value
                } else {
                    reader.value()?
                };
                members.push((key, value));
                Ok(())
            })
        })?;
        Ok(Self { raw, members: Some(members), meta })
    }
}

impl PartialEq for Params<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for Params<'_> {}

impl fmt::Debug for Params<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}

fn object<'a>(reader: &mut Reader<'a>) -> Result<(RawRef<'a>, Vec<Member<'a>>), Unreadable> {
    let mut members = Vec::with_capacity(USUAL);
    let raw = reader.spanned(|reader| {
        reader.members(|key, reader| {
            members.push((key, reader.value()?));
            Ok(())
        })
    })?;
    Ok((raw, members))
}

const META: &str = "_meta";
/// Members that a request usually has at most: a name, arguments and `_meta`.
const USUAL: usize = 3;
