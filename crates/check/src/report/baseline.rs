//! Findings that are known and accepted, each with a reason. One that no longer occurs has to go.
//!
//! One line for each: an id, white space, the reason. What follows `#` is a comment. The form of the official suite is read as well: lists
//! under `server:` and `client:`, in which the comment is the reason.

use super::{Entry, Report, Strictness};
use proofmark_judge::{catalogue, outcome::Status};
use proofmark_record::side::Side;

/// Accepted findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline(Vec<Known>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    id: String,
    reason: String,
    /// The list that it stands in; `None` where there are no lists.
    side: Option<Side>,
}

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
        let mut side = None;
        for (content, line) in text.lines().zip(1..) {
            let (content, comment) = content.split_once('#').unwrap_or((content, ""));
            let content = content.trim();
            if content.is_empty() || content == "---" {
                continue;
            }
            if let Some(list) = list(content) {
                side = Some(list);
                continue;
            }
            let item = content.strip_prefix("- ").filter(|_| side.is_some());
            let (id, reason) = match item {
                Some(id) => (id.trim().trim_matches(['"', '\'']), reason(comment)),
                None => content.split_once(char::is_whitespace).unwrap_or((content, "")),
            };
            if catalogue::find(id).is_none() {
                return Err(BaselineError::Unknown { line, id: id.to_owned() });
            }
            if reason.trim().is_empty() {
                return Err(BaselineError::NoReason { line, id: id.to_owned() });
            }
            let side = side.filter(|_| item.is_some());
            entries.push(Known { id: id.to_owned(), reason: reason.trim().to_owned(), side });
        }
        Ok(Self(entries))
    }

    /// This one with all that is broken besides, and without what is stale in it. Lines that are new say that no reason was given yet.
    pub fn renewed(&self, report: &Report, strictness: Strictness) -> Self {
        let side = self.0.iter().any(|it| it.side.is_some()).then_some(report.side);
        let named = |id: &str| self.about(report).any(|it| it.id.eq_ignore_ascii_case(id));
        let is_stale = |it: &Known| it.is_about(report.side) && report.stale.contains(&it.id);
        let kept = self.0.iter().filter(|it| !is_stale(it)).cloned();
        let broken = report.entries.iter().filter(|entry| entry.is_broken(strictness));
        let new = broken.map(|entry| entry.requirement).filter(|it| !named(it.id));
        let new = new.map(|it| {
            let reason = format!("{NO_REASON} {}", it.name);
            Known { id: it.id.to_owned(), reason, side }
        });
        Self(kept.chain(new).collect())
    }

    /// The text that [`parse`](Self::parse) reads.
    pub fn write(&self) -> String {
        let plain = self.0.iter().filter(|it| it.side.is_none());
        let mut lines: Vec<String> = plain.map(|it| format!("{} {}", it.id, it.reason)).collect();
        for (name, side) in LISTS {
            let mut listed = self.0.iter().filter(|it| it.side == Some(side)).peekable();
            if listed.peek().is_some() {
                lines.push(format!("{name}:"));
            }
            lines.extend(listed.map(|it| format!("  - {} # {}", it.id, it.reason)));
        }
        std::iter::once(HEAD.to_owned()).chain(lines.into_iter().map(|it| it + "\n")).collect()
    }

    /// Excuses findings, and notes which entries are stale: what they excuse was looked for and is not broken. What this run did not look
    /// at, because it is about another side or transport or was not asked for, is not.
    pub fn apply(&self, report: &mut Report) {
        for Known { id, reason, .. } in self.0.iter().filter(|it| it.is_about(report.side)) {
            let has_id = |entry: &&mut Entry| entry.requirement.id.eq_ignore_ascii_case(id);
            let Some(entry) = report.entries.iter_mut().find(has_id) else { continue };
            match entry.status {
                Status::Fail | Status::Warn => entry.excused = Some(reason.clone()),
                Status::Pass | Status::Skip => report.stale.push(id.clone()),
                Status::Untestable => {}
            }
        }
    }

    fn about(&self, report: &Report) -> impl Iterator<Item = &Known> {
        let side = report.side;
        self.0.iter().filter(move |it| it.is_about(side))
    }
}

impl Known {
    fn is_about(&self, side: Side) -> bool {
        self.side.is_none_or(|it| it == side)
    }
}

/// Of a line that begins a list, or says that it is empty.
fn list(line: &str) -> Option<Side> {
    let (name, rest) = line.split_once(':')?;
    let (_, side) = LISTS.into_iter().find(|(it, _)| *it == name)?;
    matches!(rest.trim(), "" | "[]").then_some(side)
}

fn reason(comment: &str) -> &str {
    if comment.trim().is_empty() { "no reason is given" } else { comment }
}

const LISTS: [(&str, Side); 3] =
    [("authorization", Side::Authorization), ("client", Side::Client), ("server", Side::Server)];

/// What a reason begins with that is still to be found.
const NO_REASON: &str = "not looked at yet:";
const HEAD: &str = "# Known findings of proofmark: an id and the reason why it is accepted.\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_an_id_and_a_reason() {
        let baseline = Baseline::parse("# known\nM016  prints a banner # soon gone\n\n").unwrap();
        assert_eq!(baseline, Baseline(vec![known("M016", "prints a banner", None)]));
    }

    #[test]
    fn lists_of_the_official_suite_are_read_with_comments_as_reasons() {
        let text = "---\nserver:\n  - M016 # prints a banner\n  - 'M001'\nclient:\n- S014  # late\nauthorization: []\n";
        let expected = vec![
            known("M016", "prints a banner", Some(Side::Server)),
            known("M001", "no reason is given", Some(Side::Server)),
            known("S014", "late", Some(Side::Client)),
        ];
        assert_eq!(Baseline::parse(text), Ok(Baseline(expected)));
        let id = "tools-call-simple-text".to_owned();
        let scenario = Baseline::parse("server:\n  - tools-call-simple-text");
        assert_eq!(scenario, Err(BaselineError::Unknown { line: 2, id }));
    }

    #[test]
    fn what_is_written_is_read_again() {
        for text in
            ["M016 prints a banner\nM001 soon gone", "client:\n- M016 # a\nserver:\n- M016 # b"]
        {
            let baseline = Baseline::parse(text).unwrap();
            assert_eq!(Baseline::parse(&baseline.write()), Ok(baseline));
        }
    }

    fn known(id: &str, reason: &str, side: Option<Side>) -> Known {
        Known { id: id.to_owned(), reason: reason.to_owned(), side }
    }

    #[test]
    fn an_entry_without_a_reason_or_a_requirement_is_refused() {
        let id = "M016".to_owned();
        assert_eq!(Baseline::parse("\nM016"), Err(BaselineError::NoReason { line: 2, id }));
        let id = "X1".to_owned();
        assert_eq!(Baseline::parse("X1 why"), Err(BaselineError::Unknown { line: 1, id }));
    }
}
