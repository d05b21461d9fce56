//! Findings that are known and accepted, each with a reason. One that no longer occurs has to go.
//!
//! One line for each: an id, white space, the reason. What follows `#` is a comment.

use super::{Entry, Report, Strictness};
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

    /// This one with all that is broken besides, and without what is stale in it. Lines that are new say that no reason was given yet.
    pub fn renewed(&self, report: &Report, strictness: Strictness) -> Self {
        let named = |id: &str| self.0.iter().any(|(it, _)| it.eq_ignore_ascii_case(id));
        let kept = self.0.iter().filter(|(id, _)| !report.stale.contains(id)).cloned();
        let broken = report.entries.iter().filter(|entry| entry.is_broken(strictness));
        let new = broken.map(|entry| entry.requirement).filter(|it| !named(it.id));
        let new = new.map(|it| (it.id.to_owned(), format!("{NO_REASON} {}", it.name)));
        Self(kept.chain(new).collect())
    }

    /// The text that [`parse`](Self::parse) reads.
    pub fn write(&self) -> String {
        let lines = self.0.iter().map(|(id, reason)| format!("{id} {reason}\n"));
        std::iter::once(HEAD.to_owned()).chain(lines).collect()
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

/// What a reason begins with that is still to be found.
const NO_REASON: &str = "not looked at yet:";
const HEAD: &str = "# Known findings of proofmark: an id and the reason why it is accepted.\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_an_id_and_a_reason() {
        let baseline = Baseline::parse("# known\nM016  prints a banner # soon gone\n\n").unwrap();
        assert_eq!(baseline, Baseline(vec![("M016".to_owned(), "prints a banner".to_owned())]));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let baseline = Baseline::parse("M016 prints a banner\nM001 soon gone").unwrap();
        assert_eq!(Baseline::parse(&baseline.write()), Ok(baseline));
    }

    #[test]
    fn an_entry_without_a_reason_or_a_requirement_is_refused() {
        let id = "M016".to_owned();
        assert_eq!(Baseline::parse("\nM016"), Err(BaselineError::NoReason { line: 2, id }));
        let id = "X1".to_owned();
        assert_eq!(Baseline::parse("X1 why"), Err(BaselineError::Unknown { line: 1, id }));
    }
}
