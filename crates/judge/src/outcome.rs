//! What a judge says, and what becomes of it in a report.

use crate::level::Level;
use proofmark_record::evidence::Place;

/// What a judge found in the evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Observed, and as demanded.
    Kept,
    Broken(Finding),
    /// Not as the requirement has it, but the specification is open or contradicts itself here: at most a warning.
    Doubtful(Finding),
    /// The requirement is about something that this peer never declared or did.
    NotApplicable(String),
    /// The requirement applies, but there was no way to see it. Says what would make it visible.
    Unobserved(String),
    /// For what is allowed but not demanded.
    Offered(String),
    NotOffered(String),
}

/// What was expected, what came instead, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub expected: String,
    pub actual: String,
    /// `None` if the finding is that something never happened.
    pub place: Option<Place>,
}

impl Finding {
    pub fn new(
        expected: impl Into<String>,
        actual: impl Into<String>,
        place: impl Into<Option<Place>>,
    ) -> Self {
        Self { expected: expected.into(), actual: actual.into(), place: place.into() }
    }
}

/// The word in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Pass,
    /// Something that must be was not.
    Fail,
    /// Something that should be was not, or the text leaves it open.
    Warn,
    /// Does not apply to this peer.
    Skip,
    Untestable,
}

impl Status {
    pub const ALL: [Self; 5] = [Self::Pass, Self::Fail, Self::Warn, Self::Skip, Self::Untestable];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Warn => "warn",
            Self::Skip => "skip",
            Self::Untestable => "untestable",
        }
    }
}

impl Outcome {
    pub fn status(&self, level: Level) -> Status {
        match self {
            Self::Kept | Self::Offered(_) => Status::Pass,
            Self::Broken(_) if level == Level::Must => Status::Fail,
            Self::Broken(_) | Self::Doubtful(_) => Status::Warn,
            Self::NotApplicable(_) | Self::NotOffered(_) => Status::Skip,
            Self::Unobserved(_) => Status::Untestable,
        }
    }

    pub fn finding(&self) -> Option<&Finding> {
        match self {
            Self::Broken(finding) | Self::Doubtful(finding) => Some(finding),
            _ => None,
        }
    }

    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::NotApplicable(why)
            | Self::Unobserved(why)
            | Self::Offered(why)
            | Self::NotOffered(why) => Some(why),
            _ => None,
        }
    }
}

/// The first finding breaks it; no item at all leaves it unobserved.
pub(crate) fn each<T>(
    items: impl IntoIterator<Item = T>,
    nothing: &str,
    judge: impl Fn(T) -> Option<Finding>,
) -> Outcome {
    let mut seen = false;
    for item in items {
        seen = true;
        if let Some(finding) = judge(item) {
            return Outcome::Broken(finding);
        }
    }
    if seen { Outcome::Kept } else { Outcome::Unobserved(nothing.to_owned()) }
}

/// Of a requirement with several sides: the first finding, or that some of it was seen to be kept, or why nothing was seen.
pub(crate) fn all_of<const N: usize>(outcomes: [Outcome; N]) -> Outcome {
    let rank = |outcome: &Outcome| match outcome {
        Outcome::Broken(_) | Outcome::Doubtful(_) => 0,
        Outcome::Kept => 1,
        _ => 2,
    };
    outcomes.into_iter().min_by_key(rank).unwrap_or(Outcome::Kept)
}

/// For what is allowed: offered if any item shows it.
pub(crate) fn offered<T>(
    mut items: impl Iterator<Item = T>,
    what: &str,
    shows: impl Fn(T) -> bool,
) -> Outcome {
    if items.any(shows) {
        Outcome::Offered(format!("offers {what}"))
    } else {
        Outcome::NotOffered(format!("was not seen to offer {what}"))
    }
}
