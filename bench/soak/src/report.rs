//! What was measured, and whether the server stayed as it was.

use std::{
    error::Error,
    fs,
    ops::Range,
    time::{Duration, Instant},
};

use crate::visits::Tally;

/// The server at one moment.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    at: Duration,
    /// KiB.
    rss: u64,
    /// KiB that are allocated.
    heap: u64,
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
    /// When the long crowd came, and what there was then.
    base: Option<Sample>,
}

impl Sample {
    /// `line` is what the server says: sessions, detached requests, bytes in the log, bytes in all.
    pub(crate) fn take(
        began: Instant,
        process: u32,
        line: &str,
        tally: &Tally,
    ) -> Result<Self, Box<dyn Error>> {
        let said: Vec<usize> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let [sessions, detached, log, heap] = said[..] else {
            return Err(format!("odd: {line}").into());
        };
        let (visits, failed) = tally.counts();
        let status = fs::read_to_string(format!("/proc/{process}/status"))?;
        let field = |name: &str| {
            let value = status.lines().find_map(|line| line.strip_prefix(name))?;
            value.trim().trim_end_matches(" kB").parse().ok()
        };
        Ok(Self {
            at: began.elapsed(),
            rss: field("VmRSS:").ok_or("no VmRSS")?,
            heap: u64::try_from(heap)? / 1024,
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
            "| minute | RSS KiB | heap KiB | files | threads | sessions | detached | log bytes | visits | failed |\n\
             |---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
        );
        Self { settling: LONGEST_SETTLING.min(length / 4), length, samples: Vec::new(), base: None }
    }

    pub(crate) fn add(&mut self, sample: Sample) {
        let Sample { at, rss, heap, files, threads, sessions, detached, log, visits, failed } =
            sample;
        let minute = at.as_secs_f64() / 60.0;
        println!(
            "| {minute:.1} | {rss} | {heap} | {files} | {threads} | {sessions} | {detached} | {log} | {visits} | {failed} |"
        );
        self.samples.push(sample);
    }

    /// How long a first crowd is to be there.
    pub(crate) fn settling(&self) -> Duration {
        self.settling
    }

    /// From here on it counts.
    pub(crate) fn begin(&mut self) {
        self.base = self.samples.last().copied();
    }

    pub(crate) fn verdict(&self) -> Result<(), String> {
        let (Some(first), Some(last)) = (self.base, self.samples.last()) else {
            return Err("nothing was measured".into());
        };
        let early = first.at + self.settling..first.at + self.settling * 2;
        let end = first.at + self.length;
        let late = end.saturating_sub(self.settling)..end;
        let rss = |part: &Range<Duration>| self.median(part, |it| it.rss);
        // Sessions are nearly all that it keeps, and how many there are depends on how fast the machine is.
        let each = |part: &Range<Duration>| {
            self.median(part, |it| it.heap * 1024 / u64::try_from(it.sessions).unwrap_or(1).max(1))
        };
        let (settled, end) = (each(&early)?, each(&late)?);
        println!(
            "allocated: {settled} bytes a session once settled, {end} at the end; {} KiB when nobody was there before, {} KiB afterwards",
            first.heap, last.heap
        );
        let (settled_rss, end_rss) = (rss(&early)?, rss(&late)?);
        println!(
            "RSS: {settled_rss} KiB once settled, {end_rss} KiB at the end, {} KiB afterwards",
            last.rss
        );
        if !last.is_empty() {
            return Err("something is left although nobody is there".into());
        }
        if last.files > first.files {
            return Err(format!("{} files are open, {} were at first", last.files, first.files));
        }
        if end * 10 > settled * 11 {
            return Err("a session has grown by more than a tenth".into());
        }
        if last.heap > first.heap + TABLES {
            return Err("something more is allocated although nobody is there".into());
        }
        if end_rss * 4 > settled_rss * 5 {
            return Err("the server has grown by more than a quarter".into());
        }
        Ok(())
    }

    /// As [`Self::verdict`], where sessions of attackers come and go as they please.
    pub(crate) fn verdict_after_attacks(&self) -> Result<(), String> {
        let (Some(first), Some(last)) = (self.base, self.samples.last()) else {
            return Err("nothing was measured".into());
        };
        let most = self.samples.iter().map(|it| it.rss).max().unwrap_or_default();
        println!(
            "RSS: {} KiB when nobody was there before, {most} KiB at most, {} KiB afterwards; allocated {} and {} KiB",
            first.rss, last.rss, first.heap, last.heap
        );
        if !last.is_empty() {
            return Err("something is left although nobody is there".into());
        }
        if most > MOST_UNDER_ATTACK {
            return Err("the server took more than 256 MiB".into());
        }
        if last.rss > first.rss + LEFT_AFTER_ATTACK {
            return Err("more than 64 MiB are left of the attack".into());
        }
        Ok(())
    }

    fn median(&self, part: &Range<Duration>, of: impl Fn(&Sample) -> u64) -> Result<u64, String> {
        let within = self.samples.iter().filter(|it| part.start <= it.at && it.at <= part.end);
        let mut values: Vec<u64> = within.map(of).collect();
        values.sort_unstable();
        values.get(values.len() / 2).copied().ok_or_else(|| "too short to judge".into())
    }
}

/// KiB by which tables may differ that keep the size that they once needed: one of them may have doubled.
const TABLES: u64 = 512;
/// KiB.
const MOST_UNDER_ATTACK: u64 = 256 * 1024;
/// KiB.
const LEFT_AFTER_ATTACK: u64 = 64 * 1024;
/// Longer than sessions live that nobody ends.
const LONGEST_SETTLING: Duration = Duration::from_secs(60);
