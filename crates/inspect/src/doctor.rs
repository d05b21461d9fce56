//! Why a connection fails: the steps to it, the one that failed, what was seen, and what to try.

mod command;
mod url;

use std::time::Instant;

use serde::Serialize;

use crate::{
    Inspector,
    server::{Reach, ServerEntry},
    timeline::{Direction, Entry, Kind},
};

/// The steps to a server, in order. After one that failed there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Examination {
    pub target: String,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What was tried, such as `the name is resolved`.
    pub name: &'static str,
    pub outcome: StepOutcome,
    /// What was seen.
    pub seen: String,
    /// What to do about it.
    #[serde(rename = "try", skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    pub ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepOutcome {
    Failed,
    Passed,
    /// Not what one would wish for, but no reason to stop.
    Warned,
}

impl Examination {
    /// Whether the server can be talked to.
    pub fn is_well(&self) -> bool {
        self.failed().is_none()
    }

    pub fn failed(&self) -> Option<&Step> {
        self.steps.iter().find(|step| step.outcome == StepOutcome::Failed)
    }

    fn pass(&mut self, name: &'static str, began: Instant, seen: impl Into<String>) {
        self.push(name, StepOutcome::Passed, began, seen.into(), None);
    }

    fn warn(&mut self, name: &'static str, began: Instant, seen: impl Into<String>, advice: &str) {
        self.push(name, StepOutcome::Warned, began, seen.into(), Some(advice.to_owned()));
    }

    fn fail(&mut self, name: &'static str, began: Instant, seen: impl Into<String>, advice: &str) {
        self.push(name, StepOutcome::Failed, began, seen.into(), Some(advice.to_owned()));
    }

    fn push(
        &mut self,
        name: &'static str,
        outcome: StepOutcome,
        began: Instant,
        seen: String,
        advice: Option<String>,
    ) {
        let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.steps.push(Step { name, outcome, seen, advice, ms });
    }
}

/// Tries everything that a connection takes, one step after the other. What it starts, it ends.
pub async fn examine(entry: &ServerEntry) -> Examination {
    let mut examination = Examination { target: entry.target(), steps: Vec::new() };
    match &entry.reach {
        Reach::Command { words, folder, .. } => {
            command::examine(entry, words, folder.as_deref(), &mut examination).await;
        }
        Reach::Url { url, .. } => url::examine(entry, url, &mut examination).await,
    }
    examination
}

/// What came of a conversation.
struct Talked {
    entries: Vec<std::sync::Arc<Entry>>,
    /// The server as it presented itself, or why there was no conversation.
    outcome: Result<String, String>,
}

impl Talked {
    fn first(&self, wanted: impl Fn(&Entry) -> bool) -> Option<&Entry> {
        self.entries.iter().map(|it| &**it).find(|it| wanted(it))
    }

    fn first_said(&self) -> Option<&Entry> {
        self.first(|it| {
            it.direction == Direction::In
                && matches!(
                    it.kind,
                    Kind::Error
                        | Kind::Log
                        | Kind::Notification
                        | Kind::Odd
                        | Kind::Request
                        | Kind::Response
                )
        })
    }

    /// The end of what was written to standard error.
    fn stderr(&self) -> Option<String> {
        let lines: Vec<_> = self
            .entries
            .iter()
            .filter(|it| it.kind == Kind::Stderr)
            .map(|it| it.text.as_str())
            .collect();
        let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
        (!last.is_empty()).then(|| last.join("\n"))
    }
}

/// Connects as the inspector does, and closes again.
async fn talk(entry: &ServerEntry) -> Talked {
    let entry = ServerEntry { origin: crate::server::Origin::CommandLine, ..entry.clone() };
    let inspector = Inspector::new(vec![entry], None);
    let outcome = inspector.connect(1, None).await;
    let outcome = outcome.map_err(|error| error.0).and_then(|()| {
        let connected = inspector.connected(1).map_err(|error| error.0)?;
        let server = connected.client.server();
        let revision = server.as_ref().map_or_else(String::new, |it| it.revision.to_string());
        let info = server.and_then(|it| it.info.clone());
        let name = info.map_or_else(
            || "a server without a name".to_owned(),
            |it| format!("{} {}", it.name, it.version),
        );
        Ok(format!("{name}, revision {revision}"))
    });
    inspector.close().await;
    Talked { entries: inspector.0.timeline.last(usize::MAX), outcome }
}

fn shortened(text: &str) -> String {
    text.chars().take(LONGEST_SEEN).collect()
}

const LAST_LINES: usize = 8;
const LONGEST_SEEN: usize = 400;

#[cfg(test)]
mod tests;
