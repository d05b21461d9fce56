//! Judges a transcript while it grows.

use std::{
    collections::{HashMap, HashSet},
    fs::File,
    io::{self, BufReader},
    mem,
    path::Path,
    time::{Duration, Instant},
};

use crate::{doubt::is_no_proof, options::Options, overheard, report::Report};
use proofmark_judge::outcome::Finding;
use proofmark_record::{
    event::EventKind,
    side::Side,
    text::{excerpt, excerpt_of, plain},
    transcript::{Damage, Reader},
};

/// Reads what others append, and tells each finding once.
pub struct Live {
    reader: Reader<BufReader<File>>,
    file: File,
    /// Of the file, when it was last looked at.
    size: u64,
    /// How often in a row a look was put off.
    put_off: u32,
    bytes: usize,
    told: HashSet<(Side, &'static str)>,
    /// Findings that hang on silence, with the time since which they do.
    doubted: HashMap<(Side, &'static str), Instant>,
    /// How many events of each conversation were shown.
    shown: HashMap<(usize, usize), usize>,
    /// Of the last look.
    took: Duration,
}

impl Live {
    /// From the end of the file on: what an earlier run left there is not news.
    pub fn open(path: &Path, from: u64) -> io::Result<Self> {
        use io::Seek;
        let mut file = File::open(path)?;
        file.seek(io::SeekFrom::Start(from))?;
        let reader = Reader::new(BufReader::new(file.try_clone()?));
        Ok(Self {
            reader,
            file,
            size: from,
            put_off: 0,
            bytes: 0,
            told: HashSet::new(),
            doubted: HashMap::new(),
            shown: HashMap::new(),
            took: Duration::ZERO,
        })
    }

    /// Whether so much is being said that to judge it now would slow it down. To be asked after each pause; it does not say so for ever.
    pub fn is_busy(&mut self) -> bool {
        let size = self.file.metadata().map_or(self.size, |file| file.len());
        let grown = size.saturating_sub(mem::replace(&mut self.size, size));
        self.put_off =
            if grown < MUCH || self.put_off == MOST_PUT_OFF { 0 } else { self.put_off + 1 };
        self.put_off > 0
    }

    /// What was not told before.
    pub fn look(&mut self) -> Result<Vec<String>, Damage> {
        let began = Instant::now();
        let more = self.reader.read()?;
        self.bytes += more;
        let mut news = Vec::new();
        if more > 0 {
            for report in self.reports(&Options::default()) {
                news.extend(self.news(&report));
            }
        }
        self.took = began.elapsed();
        Ok(news)
    }

    /// The messages that were heard since this was last asked, in the order of time: `→` by the client, `←` by the server.
    pub fn messages(&mut self) -> Vec<String> {
        let mut heard = Vec::new();
        for (file, recording) in self.reader.recordings.iter().enumerate() {
            for (number, conversation) in recording.conversations.iter().enumerate() {
                let shown = self.shown.entry((file, number)).or_default();
                for event in &conversation.events[*shown..] {
                    let (arrow, frame) = match &event.kind {
                        EventKind::Sent { frame, .. } => ("→", frame),
                        EventKind::Received { frame, .. } => ("←", frame),
                        _ => continue,
                    };
                    heard.push((event.at, format!("{arrow} {}", excerpt_of(&frame.bytes, WIDE))));
                }
                *shown = conversation.events.len();
            }
        }
        heard.sort_by_key(|(at, _)| *at);
        heard.into_iter().map(|(_, line)| line).collect()
    }

    /// How long to wait before the next look, so that judging does not slow down the traffic. `None`: there is too much of it by now.
    pub fn pause(&self) -> Option<Duration> {
        let pause = (self.took * BUSY).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
        (self.bytes < MOST_JUDGED).then_some(pause)
    }

    pub fn reports(&self, options: &Options) -> Vec<Report> {
        let all = self.reader.recordings.iter();
        all.flat_map(|recording| overheard::reports(recording, options)).collect()
    }

    fn news(&mut self, report: &Report) -> Vec<String> {
        let mut news = Vec::new();
        for entry in &report.entries {
            let Some(finding) = entry.outcome.finding() else { continue };
            let requirement = entry.requirement;
            let key = (report.side, requirement.id);
            // What is missing now may be on its way.
            if hangs_on_silence(report, finding)
                && self.doubted.entry(key).or_insert_with(Instant::now).elapsed() < PATIENCE
            {
                continue;
            }
            if self.told.insert(key) {
                news.push(format!(
                    "{} {} {} ({}): expected {}, got {}",
                    entry.status.as_str(),
                    report.side,
                    requirement.id,
                    requirement.name,
                    plain(&finding.expected),
                    excerpt(finding.actual.as_bytes()),
                ));
            }
        }
        news
    }
}

/// Whether nothing that the side said proves the finding: it is about what did not follow.
fn hangs_on_silence(report: &Report, finding: &Finding) -> bool {
    let event = finding.place.and_then(|place| {
        report.evidence.conversations.get(place.conversation)?.events.get(place.event)
    });
    event.is_none_or(|event| is_no_proof(report.side, &event.kind))
}

/// How long a side may be silent before that is told while it runs.
const PATIENCE: Duration = Duration::from_secs(5);
/// Judging takes at most this part of one processor's time.
const BUSY: u32 = 19;
const SHORTEST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Bytes within a pause that only machines say: some hundred messages.
const MUCH: u64 = 64 * 1024;
const MOST_PUT_OFF: u32 = 20;
/// Characters of a message that are shown.
const WIDE: usize = 500;
/// Bytes of transcript that are judged while it grows.
const MOST_JUDGED: usize = 64 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_put_off_while_much_is_said_but_not_for_ever() {
        let path = std::env::temp_dir().join(format!("proofmark-live-{}", std::process::id()));
        let grow = |by: u64| File::create(&path).and_then(|file| file.set_len(by)).unwrap();
        grow(10);
        let mut live = Live::open(&path, 0).unwrap();
        assert!(!live.is_busy());
        for times in 1..=u64::from(MOST_PUT_OFF) {
            grow(times * 2 * MUCH);
            assert!(live.is_busy());
        }
        grow(100 * MUCH);
        assert!(!live.is_busy());
        grow(101 * MUCH);
        assert!(live.is_busy());
        grow(101 * MUCH + 1);
        assert!(!live.is_busy());
        std::fs::remove_file(path).unwrap();
    }
}
