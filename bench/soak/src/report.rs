//! What was measured, and whether the server stayed as it was.

use std::{
    error::Error,
    fs,
    time::{Duration, Instant},
};

use crate::visits::Tally;

/// The server at one moment.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    at: Duration,
    /// KiB.
    rss: u64,
    files: usize,
    threads: usize,
    sessions: usize,
    /// Requests that outlived their connection.
    detached: usize,
    /// Bytes of events for clients that might come back.
    log: usize,
    visits: u64,
    failed: u64,
}

/// All that was measured, printed as it comes.
pub(crate) struct Report {
    /// How long it takes until everything has been there once; also the stretch that a median is taken of.
    settling: Duration,
    length: Duration,
    samples: Vec<Sample>,
}

impl Sample {
    /// `line` is what the server says: sessions, detached requests, bytes in the log.
    pub(crate) fn take(
        began: Instant,
        process: u32,
        line: &str,
        tally: &Tally,
    ) -> Result<Self, Box<dyn Error>> {
        let said: Vec<usize> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let [sessions, detached, log] = said[..] else { return Err(format!("odd: {line}").into()) };
        let (visits, failed) = tally.counts();
        let status = fs::read_to_string(format!("/proc/{process}/status"))?;
        let field = |name: &str| {
            let value = status.lines().find_map(|line| line.strip_prefix(name))?;
            value.trim().trim_end_matches(" kB").parse().ok()
        };
        Ok(Self {
            at: began.elapsed(),
            rss: field("VmRSS:").ok_or("no VmRSS")?,
            files: fs::read_dir(format!("/proc/{process}/fd"))?.count(),
            threads: field("Threads:").and_then(|it| it.try_into().ok()).ok_or("no Threads")?,
            sessions,
            detached,
            log,
            visits,
            failed,
        })
    }

    /// Nothing goes on and nothing is remembered.
    pub(crate) fn is_empty(&self) -> bool {
        (self.sessions, self.detached, self.log) == (0, 0, 0)
    }
}

impl Report {
    pub(crate) fn new(length: Duration) -> Self {
        println!(
            "| minute | RSS KiB | files | threads | sessions | detached | log bytes | visits | failed |\n\
             |---:|---:|---:|---:|---:|---:|---:|---:|---:|"
        );
        Self { settling: LONGEST_SETTLING.min(length / 4), length, samples: Vec::new() }
    }

    pub(crate) fn add(&mut self, sample: Sample) {
        let Sample { at, rss, files, threads, sessions, detached, log, visits, failed } = sample;
        let minute = at.as_secs_f64() / 60.0;
        println!(
            "| {minute:.1} | {rss} | {files} | {threads} | {sessions} | {detached} | {log} | {visits} | {failed} |"
        );
        self.samples.push(sample);
    }

    pub(crate) fn verdict(&self) -> Result<(), String> {
        let (Some(first), Some(last)) = (self.samples.first(), self.samples.last()) else {
            return Err("nothing was measured".into());
        };
        let settled = self.median(self.settling, self.settling * 2)?;
        let end = self.median(self.length - self.settling, self.length)?;
        println!(
            "RSS: {settled} KiB once settled, {end} KiB at the end, {} KiB afterwards",
            last.rss
        );
        if !last.is_empty() {
            return Err("something is left although nobody is there".into());
        }
        if last.files > first.files {
            return Err(format!("{} files are open, {} were at first", last.files, first.files));
        }
        if end * 10 > settled * 11 {
            return Err("the server has grown by more than a tenth".into());
        }
        Ok(())
    }

    fn median(&self, from: Duration, to: Duration) -> Result<u64, String> {
        let within = self.samples.iter().filter(|it| from <= it.at && it.at <= to);
        let mut rss: Vec<u64> = within.map(|it| it.rss).collect();
        rss.sort_unstable();
        rss.get(rss.len() / 2).copied().ok_or_else(|| "too short to judge".into())
    }
}

/// Longer than sessions live that nobody ends.
const LONGEST_SETTLING: Duration = Duration::from_secs(60);
