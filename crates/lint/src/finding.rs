//! What came of looking at a server's lists.

use crate::{Cost, Place, Rule, Severity};

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
