//! The few members of `params` that admission needs, found without reading the rest.

use std::borrow::Cow;

use crate::{
    json::{RawRef, Reader, read_string},
    jsonrpc::{self as message, Member},
    types::meta_key,
};

/// What a message says about its revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Claim<'a> {
    Absent,
    /// The text of `_meta`'s revision, known to us or not.
    Revision(Cow<'a, str>),
    /// Something else than a string, or more than one of it.
    Malformed,
}

/// The members of `params` that admission looks at.
#[derive(Clone, Debug, Default)]
pub(super) struct Params<'a> {
    meta: Found<'a>,
    /// What `_meta` has inside; `None` if it is no object, or a key is no text.
    inside_meta: Option<Cow<'a, [Member<'a>]>>,
    name: Found<'a>,
    uri: Found<'a>,
    task_id: Found<'a>,
}

impl<'a> Params<'a> {
    /// Of a message that was received.
    pub(super) fn of(params: Option<&'a message::Params<'a>>) -> Self {
        match params.map(|params| (params.members(), params)) {
            Some((Some(members), params)) => {
                Self::among(members, |_| params.meta().map(Cow::Borrowed))
            }
            Some((None, params)) => Self::read(Some(params.raw())),
            None => Self::default(),
        }
    }

    pub(super) fn read(params: Option<RawRef<'a>>) -> Self {
        let Some(params) = params else { return Self::default() };
        let inside = |meta| members(meta).map(Cow::Owned);
        members(params).map_or_else(Self::unknown, |members| Self::among(&members, inside))
    }

    fn among(
        members: &[Member<'a>],
        inside: impl FnOnce(RawRef<'a>) -> Option<Cow<'a, [Member<'a>]>>,
    ) -> Self {
        let [meta, name, uri, task_id] =
            ["_meta", "name", "uri", "taskId"].map(|key| Found::among(members, key));
        let inside_meta = match meta {
            Found::Once(meta) => inside(meta),
            Found::Never | Found::Twice => None,
        };
        Self { meta, inside_meta, name, uri, task_id }
    }

    /// A key that is no text could be any of them.
    fn unknown() -> Self {
        let twice = Found::Twice;
        Self { meta: twice, inside_meta: None, name: twice, uri: twice, task_id: twice }
    }

    /// What `_meta` says about the revision.
    pub(super) fn claim(&self) -> Claim<'a> {
        let version = match (self.meta, &self.inside_meta) {
            (Found::Once(_), Some(inside)) => Found::among(inside, meta_key::PROTOCOL_VERSION),
            (Found::Twice, _) => return Claim::Malformed,
            (Found::Once(meta), None) if meta.first_byte() == b'{' => return Claim::Malformed,
            // What else `_meta` may be is for the reader of the request to refuse: it claims nothing.
            (Found::Once(_) | Found::Never, _) => return Claim::Absent,
        };
        match version {
            Found::Never => Claim::Absent,
            Found::Once(version) => string(version).map_or(Claim::Malformed, Claim::Revision),
            Found::Twice => Claim::Malformed,
        }
    }

    /// The first of `keys` that `_meta` lacks. Null is no value for any of them.
    pub(super) fn missing_from_meta(&self, keys: &[&'static str]) -> Option<&'static str> {
        let inside = self.inside_meta.as_deref().unwrap_or_default();
        let has = |key: &str| matches!(Found::among(inside, key), Found::Once(value) if value.get() != "null");
        keys.iter().copied().find(|key| !has(key))
    }

    /// What a request is about; one that occurs twice is none, because either could be meant.
    pub(super) fn subject(&self, subject: Subject) -> Option<RawRef<'a>> {
        let found = match subject {
            Subject::Name => self.name,
            Subject::Task => self.task_id,
            Subject::Uri => self.uri,
        };
        found.once().ok().flatten()
    }
}

/// The member that says what a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Name,
    Task,
    Uri,
}

/// A member occurs twice, and either could be meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Duplicate;

/// The value of a member of an object; `None` also for what is no object.
pub(super) fn member<'a>(
    object: Option<RawRef<'a>>,
    key: &str,
) -> Result<Option<RawRef<'a>>, Duplicate> {
    let Some(object) = object.filter(|it| it.first_byte() == b'{') else { return Ok(None) };
    // A key that is no text could be this one.
    Found::among(&members(object).ok_or(Duplicate)?, key).once()
}

/// The members of an object; `None` if it is none, or a key is no text.
fn members(object: RawRef<'_>) -> Option<Vec<Member<'_>>> {
    let mut members = Vec::new();
    let read = Reader::new(object.get(), usize::MAX).members(|key, reader| {
        members.push((key, reader.value()?));
        Ok(())
    });
    read.is_ok().then_some(members)
}

/// Whether a member was found.
#[derive(Clone, Copy, Debug, Default)]
enum Found<'a> {
    #[default]
    Never,
    Once(RawRef<'a>),
    Twice,
}

impl<'a> Found<'a> {
    fn among(members: &[Member<'a>], key: &str) -> Self {
        let mut values = members.iter().filter(|(name, _)| name == key).map(|(_, value)| *value);
        match (values.next(), values.next()) {
            (None, _) => Self::Never,
            (Some(value), None) => Self::Once(value),
            (Some(_), Some(_)) => Self::Twice,
        }
    }

    fn once(self) -> Result<Option<RawRef<'a>>, Duplicate> {
        match self {
            Self::Never => Ok(None),
            Self::Once(value) => Ok(Some(value)),
            Self::Twice => Err(Duplicate),
        }
    }
}

/// The text of a JSON string; `None` for other values and for lone surrogates.
pub(super) fn string(raw: RawRef<'_>) -> Option<Cow<'_, str>> {
    read_string(raw.get())
}
