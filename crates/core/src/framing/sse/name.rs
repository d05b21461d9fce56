//! Ids and names of events, which must fit on one line.

use std::{borrow::Cow, fmt};

use memchr::memchr3;

/// The value of an `id` field. An empty id makes the reader forget the last one.
///
/// Has no CR, LF or NUL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct EventId<'a>(Cow<'a, str>);

/// The value of an `event` field.
///
/// Has no CR, LF or NUL, and is not empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EventName<'a>(Cow<'a, str>);

/// Why a text is not the id or the name of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAName {
    #[error("an event name is empty")]
    Empty,
    #[error("line break at byte {at} of an event's id or name")]
    LineBreak { at: usize },
    #[error("NUL at byte {at} of an event's id or name")]
    Nul { at: usize },
}

impl<'a> EventId<'a> {
    pub fn parse(text: impl Into<Cow<'a, str>>) -> Result<Self, NotAName> {
        one_line(text.into()).map(Self)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_owned(self) -> EventId<'static> {
        EventId(Cow::Owned(self.0.into_owned()))
    }
}

impl<'a> EventName<'a> {
    pub fn parse(text: impl Into<Cow<'a, str>>) -> Result<Self, NotAName> {
        let text = text.into();
        if text.is_empty() {
            return Err(NotAName::Empty);
        }
        one_line(text).map(Self)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_owned(self) -> EventName<'static> {
        EventName(Cow::Owned(self.0.into_owned()))
    }
}

impl fmt::Display for EventId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for EventName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn one_line(text: Cow<'_, str>) -> Result<Cow<'_, str>, NotAName> {
    match memchr3(b'\r', b'\n', 0, text.as_bytes()) {
        None => Ok(text),
        Some(at) if text.as_bytes()[at] == 0 => Err(NotAName::Nul { at }),
        Some(at) => Err(NotAName::LineBreak { at }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_break_the_line_is_not_an_id() {
        assert_eq!(EventId::parse("a\nb"), Err(NotAName::LineBreak { at: 1 }));
        assert_eq!(EventId::parse("ab\r"), Err(NotAName::LineBreak { at: 2 }));
        assert_eq!(EventId::parse("\0"), Err(NotAName::Nul { at: 0 }));
        assert_eq!(EventName::parse("x\r\n"), Err(NotAName::LineBreak { at: 1 }));
        assert_eq!(EventName::parse("x\0"), Err(NotAName::Nul { at: 1 }));
    }

    #[test]
    fn an_id_may_be_empty_and_a_name_may_not() {
        assert_eq!(EventId::parse("").unwrap(), EventId::default());
        assert_eq!(EventName::parse(""), Err(NotAName::Empty));
    }

    #[test]
    fn any_other_text_is_kept_as_it_is() {
        assert_eq!(EventId::parse(" ü:1 ").unwrap().as_str(), " ü:1 ");
        assert_eq!(EventName::parse("endpoint").unwrap().into_owned().to_string(), "endpoint");
    }
}
