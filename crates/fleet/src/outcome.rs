//! What came of one job: plain values, as they go into the history.

use serde_json::Value;

/// What a job found out about one way.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub verdict: Verdict,
    /// Of the requirements. `None` if nothing was observed or the check broke off.
    pub score: Option<u32>,
    pub counts: Counts,
    /// How many of the requirements that apply were observed, and how many apply.
    pub observed: (u32, u32),
    pub tests: TestCounts,
    /// The revision that was spoken.
    pub revision: Option<String>,
    pub peer_name: Option<String>,
    pub peer_version: Option<String>,
    /// Scores are compared only between results that have the same number here.
    pub comparable: i64,
    pub found: Vec<Found>,
    /// What was not looked at this time: a finding of these neither stays nor goes.
    pub unseen: Vec<Subject>,
    /// Why there is no more than this.
    pub why: Option<String>,
    /// What it offers, if that was asked for.
    pub interface: Option<Value>,
    /// The reports as JSON.
    pub report: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A requirement or a test is broken.
    Broken,
    Conformant,
    /// It used more than its job may.
    Exceeded,
    /// There was nothing to judge by.
    NotObserved,
    Unreachable,
}

impl Verdict {
    pub const ALL: [Self; 5] =
        [Self::Broken, Self::Conformant, Self::Exceeded, Self::NotObserved, Self::Unreachable];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Conformant => "conformant",
            Self::Exceeded => "exceeded",
            Self::NotObserved => "not-observed",
            Self::Unreachable => "unreachable",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
    }

    /// Whether it is the peer's doing that there is no verdict about its conduct, so that another try is worth it.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Exceeded | Self::NotObserved | Self::Unreachable)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub pass: u32,
    pub fail: u32,
    pub warn: u32,
    pub skip: u32,
    pub untestable: u32,
    pub excused: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestCounts {
    pub passed: u32,
    pub failed: u32,
}

/// What a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    pub kind: Kind,
    /// The id of a requirement, or file and name of a test.
    pub id: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Requirement,
    Test,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Requirement => "requirement",
            Self::Test => "test",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Requirement, Self::Test].into_iter().find(|it| it.as_str() == text)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Fail,
    Warn,
}

impl Severity {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Warn => "warn",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Fail, Self::Warn].into_iter().find(|it| it.as_str() == text)
    }
}

/// Something that is not as it should be, and is not excused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub subject: Subject,
    pub severity: Severity,
    pub expected: String,
    pub actual: String,
}

impl Outcome {
    /// A job that came to nothing.
    pub fn failed(verdict: Verdict, why: String) -> Self {
        Self {
            verdict,
            score: None,
            counts: Counts::default(),
            observed: (0, 0),
            tests: TestCounts::default(),
            revision: None,
            peer_name: None,
            peer_version: None,
            comparable: 0,
            found: Vec::new(),
            unseen: Vec::new(),
            why: Some(why),
            interface: None,
            report: String::new(),
        }
    }
}
