//! What changed since an earlier report.

use std::{collections::BTreeMap, fmt::Write};

use serde::Deserialize;

use super::Report;
use proofmark_record::text::plain;

/// A report in JSON, as far as it matters here.
#[derive(Debug, Deserialize)]
pub struct Earlier {
    side: String,
    revision: String,
    transport: String,
    requirements: Vec<Status>,
}

#[derive(Debug, Deserialize)]
struct Status {
    id: String,
    status: String,
    /// What it would be without a baseline.
    found: Option<String>,
}

impl Status {
    fn found(&self) -> &str {
        self.found.as_ref().unwrap_or(&self.status)
    }
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

    /// A line for each requirement that is judged otherwise now.
    pub fn changes(&self, report: &Report) -> String {
        let mut before: BTreeMap<&str, &str> =
            self.requirements.iter().map(|it| (it.id.as_str(), it.found())).collect();
        let mut text = String::new();
        for entry in &report.entries {
            let (id, now) = (entry.requirement.id, entry.status.as_str());
            let was = before.remove(id).unwrap_or("not there");
            if was != now {
                let _ = writeln!(text, "{id} {} → {now}  {}", plain(was), entry.requirement.name);
            }
        }
        for (id, was) in before {
            let _ = writeln!(text, "{} {} → not there", plain(id), plain(was));
        }
        if text.is_empty() {
            text.push_str("nothing changed\n");
        }
        text
    }
}
