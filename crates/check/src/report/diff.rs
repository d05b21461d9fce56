//! What changed since an earlier report.

use std::{collections::BTreeMap, fmt::Write};

use serde::Deserialize;
use serde_json::{Value, json};

use super::Report;
use proofmark_record::text::{markdown, plain};

/// A report in JSON, as far as it matters here.
#[derive(Debug, Deserialize)]
pub struct Earlier {
    target: EarlierTarget,
    side: String,
    revision: String,
    transport: String,
    requirements: Vec<EarlierStatus>,
}

#[derive(Debug, Deserialize)]
struct EarlierTarget {
    description: String,
}

#[derive(Debug, Deserialize)]
struct EarlierStatus {
    id: String,
    status: String,
    /// What it would be without a baseline.
    found: Option<String>,
}

/// Two reports side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// What the earlier report was about and what this one is about, if that is not the same.
    pub targets: Option<(String, String)>,
    pub changes: Vec<Change>,
}

/// A requirement that is judged otherwise now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub id: String,
    /// Empty if the catalogue does not have it any more, or it was not selected.
    pub name: &'static str,
    /// `None`: the report did not have it.
    pub was: Option<String>,
    pub now: Option<&'static str>,
}

impl Earlier {
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// Whether the two can be compared.
    pub fn is_about(&self, report: &Report) -> bool {
        self.side == report.side.as_str()
            && self.revision == report.revision.as_str()
            && self.transport == report.transport.as_str()
    }

    /// What such a report is about.
    pub fn subject(&self) -> String {
        let Self { side, transport, revision, .. } = self;
        plain(&format!("a {side} over {transport} in {revision}"))
    }

    pub fn compare(&self, report: &Report) -> Comparison {
        let (then, now) = (&self.target.description, &report.target.description);
        let targets = (then != now).then(|| (then.clone(), now.clone()));
        let mut before: BTreeMap<&str, &str> =
            self.requirements.iter().map(|it| (it.id.as_str(), it.found())).collect();
        let mut changes = Vec::new();
        for entry in &report.entries {
            let (id, now) = (entry.requirement.id, entry.status.as_str());
            let was = before.remove(id);
            if was != Some(now) {
                changes.push(Change {
                    id: id.to_owned(),
                    name: entry.requirement.name,
                    was: was.map(str::to_owned),
                    now: Some(now),
                });
            }
        }
        changes.extend(before.into_iter().map(|(id, was)| Change {
            id: id.to_owned(),
            name: "",
            was: Some(was.to_owned()),
            now: None,
        }));
        Comparison { targets, changes }
    }
}

impl EarlierStatus {
    fn found(&self) -> &str {
        self.found.as_ref().unwrap_or(&self.status)
    }
}

impl Comparison {
    /// A line for each change.
    pub fn pretty(&self) -> String {
        let mut text = String::new();
        if let Some((then, now)) = &self.targets {
            let _ = writeln!(text, "another target: then {}, now {}", plain(then), plain(now));
        }
        for change in &self.changes {
            let (was, now) = change.words();
            let line = format!("{} {} → {now}  {}", plain(&change.id), plain(was), change.name);
            let _ = writeln!(text, "{}", line.trim_end());
        }
        if self.changes.is_empty() {
            text.push_str("nothing changed\n");
        }
        text
    }

    pub fn markdown(&self) -> String {
        let mut text = String::from("# What changed\n\n");
        if let Some((then, now)) = &self.targets {
            let (then, now) = (markdown(then), markdown(now));
            let _ = writeln!(text, "Another target: then {then}, now {now}.\n");
        }
        if self.changes.is_empty() {
            text.push_str("Nothing.\n");
            return text;
        }
        text.push_str("| requirement | was | is now |\n|---|---|---|\n");
        for change in &self.changes {
            let (was, now) = change.words();
            let subject = format!("{} {}", markdown(&change.id), change.name);
            let _ = writeln!(text, "| {} | {} | {now} |", subject.trim_end(), markdown(was));
        }
        text
    }

    pub fn json(&self) -> String {
        let target = self.targets.as_ref().map(|(was, now)| json!({ "was": was, "now": now }));
        let change = |it: &Change| -> Value {
            json!({ "id": it.id, "name": it.name, "was": it.was, "now": it.now })
        };
        let changes: Vec<Value> = self.changes.iter().map(change).collect();
        let document = json!({
            "format": FORMAT,
            "proofmark": env!("CARGO_PKG_VERSION"),
            "target": target,
            "changes": changes,
        });
        format!("{document:#}\n")
    }
}

impl Change {
    fn words(&self) -> (&str, &str) {
        (self.was.as_deref().unwrap_or(ABSENT), self.now.unwrap_or(ABSENT))
    }
}

const ABSENT: &str = "not there";
/// The version of this form of JSON.
const FORMAT: u32 = 1;
