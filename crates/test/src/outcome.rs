//! What came of a run: plain values, from which every report is made.

use std::time::Duration;

use crate::yaml::Place;

/// Everything that a run came to.
#[derive(Clone, Debug, Default)]
pub struct RunOutcome {
    pub seed: u64,
    pub duration: Duration,
    /// In the order in which they were run.
    pub tests: Vec<TestOutcome>,
    pub breaches: Vec<Breach>,
    pub unreachable: Vec<(String, String)>,
    /// Snapshots that were written or changed.
    pub written: Vec<String>,
    /// Snapshots that no test of the file uses.
    pub unused: Vec<String>,
    /// What a person should know besides.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct TestOutcome {
    pub name: String,
    pub server: String,
    pub place: Option<Place>,
    pub tags: Vec<String>,
    pub verdict: Verdict,
    /// How often it was tried; more than once and passed is flaky.
    pub attempts: u32,
    pub duration: Duration,
    /// What the server wrote to standard error meanwhile, if the test failed.
    pub stderr: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Failed(Vec<Failure>),
    Passed,
    Skipped(String),
    /// Neither right nor wrong can be told from the answer.
    Undecided(String),
    /// It was not run because the run was to stop before.
    NotRun(String),
}

/// One thing that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub step: String,
    pub what: String,
    /// Lines of a diff, or of an explanation.
    pub detail: Vec<String>,
}

/// A rule of the protocol that the server broke while it was tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    pub server: String,
    pub id: String,
    pub level: String,
    pub status: String,
    pub text: String,
    pub expected: String,
    pub actual: String,
    pub proof: Vec<String>,
}

impl Verdict {
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Failed(_) => "failed",
            Self::NotRun(_) => "not-run",
            Self::Passed => "passed",
            Self::Skipped(_) => "skipped",
            Self::Undecided(_) => "undecided",
        }
    }
}

impl TestOutcome {
    pub fn is_flaky(&self) -> bool {
        self.verdict == Verdict::Passed && self.attempts > 1
    }

    /// As people and records name it.
    pub fn id(&self) -> String {
        format!("{} › {}", self.server, self.name)
    }
}

impl RunOutcome {
    pub fn count(&self, wanted: &str) -> usize {
        self.tests.iter().filter(|test| test.verdict.as_str() == wanted).count()
    }

    pub fn flaky(&self) -> usize {
        self.tests.iter().filter(|test| test.is_flaky()).count()
    }

    pub fn failures(&self) -> impl Iterator<Item = (&TestOutcome, &[Failure])> {
        self.tests.iter().filter_map(|test| match &test.verdict {
            Verdict::Failed(failures) => Some((test, &failures[..])),
            _ => None,
        })
    }

    pub fn is_good(&self) -> bool {
        self.failures().next().is_none() && self.unreachable.is_empty()
    }
}
