//! Judges a transcript while it grows.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, BufReader},
    path::Path,
    time::{Duration, Instant},
};

use crate::{
    Options,
    catalogue::Side,
    overheard,
    report::Report,
    sanitise::{excerpt, plain},
    transcript::{Damage, Reader},
};

/// Reads what others append, and tells each finding once.
pub struct Live {
    reader: Reader<BufReader<File>>,
    bytes: usize,
    told: HashSet<(Side, &'static str)>,
    /// Of the last look.
    took: Duration,
}

impl Live {
    /// From the end of the file on: what an earlier run left there is not news.
    pub fn open(path: &Path, from: u64) -> io::Result<Self> {
        use io::Seek;
        let mut file = File::open(path)?;
        file.seek(io::SeekFrom::Start(from))?;
        let reader = Reader::new(BufReader::new(file));
        Ok(Self { reader, bytes: 0, told: HashSet::new(), took: Duration::ZERO })
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
            if self.told.insert((report.side, requirement.id)) {
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

/// Judging takes at most this part of one processor's time.
const BUSY: u32 = 19;
const SHORTEST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Bytes of transcript that are judged while it grows.
const MOST_JUDGED: usize = 64 * 1024 * 1024;
