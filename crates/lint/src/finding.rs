//! What was found, and where.

use crate::{Cost, Rule, Severity};

/// All that came of looking at a server's lists.
#[derive(Debug)]
pub struct Outcome {
    /// The gravest first.
    pub findings: Vec<Finding>,
    pub cost: Cost,
    /// How many tools, prompts, resources and templates there are.
    pub subjects: usize,
}

impl Outcome {
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

#[derive(Debug)]
pub struct Finding {
    pub rule: &'static Rule,
    pub severity: Severity,
    pub place: Place,
    pub message: String,
}

/// What a rule finds.
#[derive(Debug)]
pub struct Found {
    pub place: Place,
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub list: List,
    /// The name or URI; empty for what concerns the whole list.
    pub name: String,
    /// A JSON pointer into the entry.
    pub pointer: String,
}

impl Place {
    pub(crate) fn whole(list: List) -> Self {
        Self { list, name: String::new(), pointer: String::new() }
    }

    pub(crate) fn at(&self, pointer: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), ..self.clone() }
    }

    pub(crate) fn found(&self, message: impl Into<String>) -> Found {
        Found { place: self.clone(), message: message.into() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    Tools,
    Prompts,
    Resources,
    Templates,
    /// The server's instructions.
    Instructions,
}

impl List {
    pub fn entry(self) -> &'static str {
        match self {
            Self::Tools => "tool",
            Self::Prompts => "prompt",
            Self::Resources => "resource",
            Self::Templates => "template",
            Self::Instructions => "instructions",
        }
    }
}
