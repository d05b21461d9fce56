//! Findings that are known and accepted, each with a reason. One that no longer occurs has to go.
//!
//! One line for each: an id, white space, the reason. What follows `#` is a comment.

use super::{Entry, Report};
use proofmark_judge::{catalogue, outcome::Status};

/// Accepted findings: ids with reasons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline(Vec<(String, String)>);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaselineError {
    #[error("line {line}: {id} has no reason")]
    NoReason { line: usize, id: String },
    #[error("line {line}: there is no requirement {id:?}")]
    Unknown { line: usize, id: String },
}

impl Baseline {
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let mut entries = Vec::new();
        for (content, line) in text.lines().zip(1..) {
            let content = content.split('#').next().unwrap_or_default().trim();
            if content.is_empty() {
                continue;
            }
            let (id, reason) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
            if catalogue::find(id).is_none() {
                return Err(BaselineError::Unknown { line, id: id.to_owned() });
            }
            if reason.trim().is_empty() {
                return Err(BaselineError::NoReason { line, id: id.to_owned() });
            }
            entries.push((id.to_owned(), reason.trim().to_owned()));
        }
        Ok(Self(entries))
    }

    /// Excuses findings, and notes which entries are stale: what they excuse was looked for and is not broken. What this run did not look
    /// at, because it is about another transport or was not asked for, is not.
    pub fn apply(&self, report: &mut Report) {
        for (id, reason) in &self.0 {
            let has_id = |entry: &&mut Entry| entry.requirement.id.eq_ignore_ascii_case(id);
            let Some(entry) = report.entries.iter_mut().find(has_id) else { continue };
            match entry.status {
                Status::Fail | Status::Warn => entry.excused = Some(reason.clone()),
                Status::Pass | Status::Skip => report.stale.push(id.clone()),
                Status::Untestable => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_an_id_and_a_reason() {
        let baseline = Baseline::parse("# known\nM016  prints a banner # soon gone\n\n").unwrap();
        assert_eq!(baseline, Baseline(vec![("M016".to_owned(), "prints a banner".to_owned())]));
    }

    #[test]
    fn an_entry_without_a_reason_or_a_requirement_is_refused() {
        let id = "M016".to_owned();
        assert_eq!(Baseline::parse("\nM016"), Err(BaselineError::NoReason { line: 2, id }));
        let id = "X1".to_owned();
        assert_eq!(Baseline::parse("X1 why"), Err(BaselineError::Unknown { line: 1, id }));
    }
}
