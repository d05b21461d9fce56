//! What the character after `{` changes.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    /// `{x}`
    Simple,
    /// `{+x}`
    Reserved,
    /// `{#x}`
    Fragment,
    /// `{.x}`
    Label,
    /// `{/x}`
    Path,
    /// `{;x}`
    Parameter,
    /// `{?x}`
    Query,
    /// `{&x}`
    Continuation,
}

/// Whether values stand alone or behind their variable's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    Unnamed,
    /// `x=1`, and `x` when empty.
    Bare,
    /// `x=1`, and `x=` when empty.
    Equals,
}

impl Operator {
    pub(super) fn of(character: char) -> Option<Self> {
        Some(match character {
            '+' => Self::Reserved,
            '#' => Self::Fragment,
            '.' => Self::Label,
            '/' => Self::Path,
            ';' => Self::Parameter,
            '?' => Self::Query,
            '&' => Self::Continuation,
            _ => return None,
        })
    }

    /// What stands before the first value.
    pub(super) fn first(self) -> Option<char> {
        Some(match self {
            Self::Simple | Self::Reserved => return None,
            Self::Fragment => '#',
            Self::Label => '.',
            Self::Path => '/',
            Self::Parameter => ';',
            Self::Query => '?',
            Self::Continuation => '&',
        })
    }

    /// What stands between values.
    pub(super) fn separator(self) -> char {
        match self {
            Self::Simple | Self::Reserved | Self::Fragment => ',',
            Self::Label => '.',
            Self::Path => '/',
            Self::Parameter => ';',
            Self::Query | Self::Continuation => '&',
        }
    }

    pub(super) fn naming(self) -> Naming {
        match self {
            Self::Parameter => Naming::Bare,
            Self::Query | Self::Continuation => Naming::Equals,
            _ => Naming::Unnamed,
        }
    }

    /// Whether reserved characters and percent-encoded triplets of a value are written as they are.
    pub(super) fn keeps_reserved(self) -> bool {
        matches!(self, Self::Reserved | Self::Fragment)
    }
}
