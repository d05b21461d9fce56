//! What a conformance suite tells a client by its environment.

use proofmark_sdk::core::revision::Revision;
use serde_json::Value;

use super::scenarios;

/// What to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assignment {
    /// `None` for a bit of everything.
    pub scenario: Option<String>,
    /// What to speak; `None` for the newest that the server knows.
    pub revision: Option<Revision>,
    /// The scenario's own data.
    pub context: Value,
}

/// Why an environment is no assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadAssignment {
    Context(String),
    Revision(String),
}

impl std::fmt::Display for BadAssignment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Context(why) => write!(f, "{CONTEXT} is not JSON: {why}"),
            Self::Revision(name) => write!(f, "{VERSION} names {name:?}, which is no revision"),
        }
    }
}

impl std::error::Error for BadAssignment {}

impl Assignment {
    /// Reads the variables that the official suite sets; `get` looks one up.
    pub fn from_environment(get: impl Fn(&str) -> Option<String>) -> Result<Self, BadAssignment> {
        let given = |name| get(name).filter(|value| !value.is_empty());
        let revision = match given(VERSION) {
            None => None,
            Some(name) => match Revision::ALL.iter().find(|revision| revision.as_str() == name) {
                Some(revision) => Some(*revision),
                None => return Err(BadAssignment::Revision(name)),
            },
        };
        let context = match given(CONTEXT) {
            None => Value::Null,
            Some(text) => serde_json::from_str(&text)
                .map_err(|error| BadAssignment::Context(error.to_string()))?,
        };
        let own = given(OWN_SCENARIO).filter(|name| scenarios::knows(name));
        Ok(Self { scenario: own.or_else(|| given(SCENARIO)), revision, context })
    }

    /// What to speak in the scenario. Skills are of the modern era, whatever the suite's default is.
    pub(super) fn spoken(&self) -> Option<Revision> {
        let skills = self.scenario.as_ref().is_some_and(|name| name.starts_with("sep-2640-"));
        self.revision.filter(|_| !skills)
    }
}

/// What our own checker sets beside them; it knows more scenarios.
const OWN_SCENARIO: &str = "PROOFMARK_SCENARIO";
const SCENARIO: &str = "MCP_CONFORMANCE_SCENARIO";
const VERSION: &str = "MCP_CONFORMANCE_PROTOCOL_VERSION";
const CONTEXT: &str = "MCP_CONFORMANCE_CONTEXT";

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[(&str, &str)]) -> Result<Assignment, BadAssignment> {
        Assignment::from_environment(|name| {
            values.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn an_empty_environment_asks_for_a_bit_of_everything() {
        assert_eq!(read(&[]), Ok(Assignment::default()));
        assert_eq!(read(&[(VERSION, "")]), Ok(Assignment::default()));
    }

    #[test]
    fn scenario_revision_and_context_are_read() {
        let newest = Revision::ALL[Revision::ALL.len() - 1];
        let read = read(&[(SCENARIO, "a"), (VERSION, newest.as_str()), (CONTEXT, "{\"b\":1}")]);
        let expected = Assignment {
            scenario: Some("a".into()),
            revision: Some(newest),
            context: serde_json::json!({"b": 1}),
        };
        assert_eq!(read, Ok(expected));
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let unknown = BadAssignment::Revision("2020-01-01".into());
        assert_eq!(read(&[(VERSION, "2020-01-01")]), Err(unknown));
        assert!(matches!(read(&[(CONTEXT, "{")]), Err(BadAssignment::Context(_))));
    }
}
