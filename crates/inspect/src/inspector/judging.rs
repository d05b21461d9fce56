//! Judges what is said while it is said.

use std::time::{Duration, Instant};

use proofmark_check::{Options, overheard, record::transcript::Recording};
use serde::Serialize;

use super::Inspector;
use crate::timeline::Timeline;

/// A requirement that was broken on a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Verdict {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    /// `fail` or `warn`.
    pub(crate) status: &'static str,
    pub(crate) level: &'static str,
    /// Who broke it: `server`, or `client`, which is the inspector itself.
    pub(crate) side: String,
    pub(crate) text: &'static str,
    pub(crate) expected: String,
    pub(crate) actual: String,
    pub(crate) fix: Option<&'static str>,
    pub(crate) page: &'static str,
    pub(crate) links: Vec<String>,
    /// The entry of the timeline that proves it.
    pub(crate) seq: Option<u64>,
}

impl Inspector {
    /// Judges as things happen, with a small part of one processor. Never ends.
    pub async fn judge(&self) {
        let mut news = self.0.timeline.watch();
        let mut pause = SHORTEST_PAUSE;
        while news.changed().await.is_ok() {
            tokio::time::sleep(pause).await;
            news.mark_unchanged();
            let began = Instant::now();
            for id in self.ids() {
                self.judge_one(id).await;
            }
            pause = (began.elapsed() * BUSY).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
        }
    }

    async fn judge_one(&self, id: u32) {
        let recorder = self.with(id, |server| server.recorder.clone());
        let Some(recording) = recorder.ok().flatten().and_then(|recorder| recorder.news()) else {
            return;
        };
        let timeline = self.0.timeline.clone();
        let judged = tokio::task::spawn_blocking(move || verdicts(&recording, id, &timeline)).await;
        let Ok(judged) = judged else { return };
        let changed = self.with(id, |server| {
            let changed = server.verdicts != judged;
            server.verdicts = judged;
            changed
        });
        if changed.unwrap_or(false) {
            self.told();
        }
    }
}

/// What is broken in a recording, in the order of the catalogue.
pub(super) fn verdicts(recording: &Recording, server: u32, timeline: &Timeline) -> Vec<Verdict> {
    let mut all = Vec::new();
    for report in overheard::reports(recording, &Options::default()) {
        for (entry, finding) in report.findings() {
            let at = finding.place.and_then(|place| report.evidence.at(place));
            let at = at.and_then(|at| u64::try_from(at.as_micros()).ok());
            let requirement = entry.requirement;
            all.push(Verdict {
                id: requirement.id,
                name: requirement.name,
                status: entry.status.as_str(),
                level: requirement.level.as_str(),
                side: report.side.to_string(),
                text: requirement.text,
                expected: finding.expected.clone(),
                actual: finding.actual.clone(),
                fix: entry.check.map(|check| check.fix),
                page: entry.page,
                links: entry.links.clone(),
                seq: at.and_then(|at| timeline.at(server, at)),
            });
        }
    }
    all
}

/// Judging takes at most about a tenth of one processor's time.
const BUSY: u32 = 9;
const SHORTEST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
