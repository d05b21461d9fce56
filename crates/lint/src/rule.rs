//! A rule, with all that there is to say about it.

use crate::{Lists, Settings, finding::Found};

pub struct Rule {
    /// Stable: never renumbered, never reused.
    pub id: &'static str,
    pub name: &'static str,
    pub class: Class,
    /// Unless settings say otherwise.
    pub severity: Severity,
    /// What is wrong where it is broken.
    pub summary: &'static str,
    pub reason: &'static str,
    pub fix: &'static str,
    /// Where it is written down, or where it was seen.
    pub sources: &'static [&'static str],
    /// Lists as JSON in which the rule finds nothing.
    pub passes: &'static str,
    /// Lists as JSON in which it finds something.
    pub fails: &'static str,
    pub check: fn(&Lists, &Settings) -> Vec<Found>,
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Text that hides from people, or speaks to the model behind their back.
    Security,
    Names,
    Schemas,
    Descriptions,
    Hints,
    Cost,
}

impl Class {
    pub const ALL: [Self; 6] =
        [Self::Security, Self::Names, Self::Schemas, Self::Descriptions, Self::Hints, Self::Cost];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Security => "security",
            Self::Names => "names",
            Self::Schemas => "schemas",
            Self::Descriptions => "descriptions",
            Self::Hints => "hints",
            Self::Cost => "cost",
        }
    }
}

/// How grave it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A host or a provider refuses it, or it deceives people.
    Error,
    /// It works in some hosts, or works badly.
    Warning,
    /// It could be better.
    Note,
}

impl Severity {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}
