//! What one line of an event stream is.

use memchr::memchr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Comment,
    Data,
    Event,
    Id,
    Retry,
    Unknown,
}

impl Field {
    /// What `line` is and where its value starts. The first [`TELLING`] bytes decide, so they may stand for a line of
    /// which more is to come.
    pub(super) fn of(line: &[u8]) -> (Self, usize) {
        let head = &line[..line.len().min(TELLING)];
        let colon = memchr(b':', head);
        let field = match &head[..colon.unwrap_or(head.len())] {
            b"" if colon.is_some() => Self::Comment,
            b"data" => Self::Data,
            b"event" => Self::Event,
            b"id" => Self::Id,
            b"retry" => Self::Retry,
            _ => Self::Unknown,
        };
        let value = match colon {
            None => head.len(),
            Some(at) if head.get(at + 1) == Some(&b' ') => at + 2,
            Some(at) => at + 1,
        };
        (field, value)
    }
}

/// The longest name that means something, a colon and a space.
pub(super) const TELLING: usize = "event: ".len();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_ends_at_the_first_colon() {
        assert_eq!(Field::of(b"data:x"), (Field::Data, 5));
        assert_eq!(Field::of(b"data::x"), (Field::Data, 5));
        assert_eq!(Field::of(b"id:1"), (Field::Id, 3));
        assert_eq!(Field::of(b"event: message"), (Field::Event, 7));
        assert_eq!(Field::of(b"retry:1"), (Field::Retry, 6));
        assert_eq!(Field::of(b": data: x").0, Field::Comment);
    }

    #[test]
    fn one_space_after_the_colon_is_not_part_of_the_value() {
        assert_eq!(Field::of(b"data: x"), (Field::Data, 6));
        assert_eq!(Field::of(b"data:  x"), (Field::Data, 6));
        assert_eq!(Field::of(b"data:\tx"), (Field::Data, 5));
    }

    #[test]
    fn a_line_without_a_colon_is_a_name_with_an_empty_value() {
        assert_eq!(Field::of(b"data"), (Field::Data, 4));
        assert_eq!(Field::of(b"id"), (Field::Id, 2));
    }

    #[test]
    fn a_name_must_match_exactly() {
        for line in [
            &b"Data:x"[..],
            b" data:x",
            b"data :x",
            b"dat",
            b"datax",
            b"identity:x",
            b"retry5",
            b"eventual",
        ] {
            assert_eq!(Field::of(line).0, Field::Unknown, "{line:?}");
        }
    }
}
