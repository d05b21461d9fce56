//! Which rules are on, and what is too much.

use std::collections::BTreeMap;

use crate::{Class, Rule, Severity, rules};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    levels: BTreeMap<&'static str, Level>,
    /// More tokens than this in a model's context are too many.
    pub max_tokens: usize,
}

/// What became of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Off.
    Allow,
    /// An error.
    Deny,
}

/// Neither a rule nor a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRule(pub String);

impl Default for Settings {
    fn default() -> Self {
        Self { levels: BTreeMap::new(), max_tokens: 20_000 }
    }
}

impl Settings {
    /// Sets what becomes of a rule, by id or name, or of all rules of a class. What is said later wins.
    pub fn set(&mut self, which: &str, level: Level) -> Result<(), UnknownRule> {
        let class = Class::ALL.into_iter().find(|class| class.as_str() == which);
        let is_meant = |rule: &&Rule| {
            class == Some(rule.class) || rule.id.eq_ignore_ascii_case(which) || rule.name == which
        };
        let meant: Vec<_> = rules::all().filter(is_meant).collect();
        if meant.is_empty() {
            return Err(UnknownRule(which.to_owned()));
        }
        self.levels.extend(meant.into_iter().map(|rule| (rule.id, level)));
        Ok(())
    }

    /// `None` if the rule is off.
    pub(crate) fn severity(&self, rule: &Rule) -> Option<Severity> {
        match self.levels.get(rule.id) {
            Some(Level::Allow) => None,
            Some(Level::Deny) => Some(Severity::Error),
            None => Some(rule.severity),
        }
    }
}

impl std::fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let classes: Vec<_> = Class::ALL.iter().map(|class| class.as_str()).collect();
        write!(
            f,
            "{:?} is no rule and no class; `proofmark lint --rules` lists the rules, classes are {}",
            self.0,
            classes.join(", ")
        )
    }
}

impl std::error::Error for UnknownRule {}
