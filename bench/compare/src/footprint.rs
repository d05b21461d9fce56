//! What a server costs before it is asked anything: memory, time to start, and size.

use std::{
    ffi::OsString,
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use crate::{Outcome, http, lines, process::Process, servers::Peer, work::Link};

/// Figures that a server does not have are not numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Footprint {
    /// Resident memory after the first answer over HTTP, in MiB.
    pub(crate) idle: f64,
    /// The same with [`SESSIONS`] idle sessions.
    pub(crate) with_sessions: f64,
    /// Bytes for each session, between a tenth of them and all.
    pub(crate) per_session: f64,
    /// Milliseconds from the start of the process to its first answer on standard output.
    pub(crate) start: f64,
    /// MiB of the binary without symbols.
    pub(crate) size: f64,
}

impl Footprint {
    pub(crate) async fn of(peer: &Peer) -> Outcome<Self> {
        let none = f64::NAN;
        let mut footprint =
            Self { idle: none, with_sessions: none, per_session: none, start: none, size: none };
        if let Some(command) = peer.command(Link::Http) {
            footprint.fill(&command).await?;
        }
        if let Some(command) = peer.command(Link::Stdio) {
            footprint.start = start(&command).await?.as_secs_f64() * 1e3;
        }
        if let Some(binary) = peer.binary() {
            footprint.size = size(&binary)?;
        }
        Ok(footprint)
    }

    async fn fill(&mut self, command: &[OsString]) -> Outcome<()> {
        let (process, port) = Process::listening(command, 0).await?;
        http::open_sessions(port, 1).await?;
        self.idle = process.memory()?;
        http::open_sessions(port, SESSIONS / 10).await?;
        let some = process.memory()?;
        http::open_sessions(port, SESSIONS - SESSIONS / 10).await?;
        self.with_sessions = process.memory()?;
        let more = f64::from(u32::try_from(SESSIONS - SESSIONS / 10)?);
        self.per_session = (self.with_sessions - some) * MIB / more;
        Ok(())
    }
}

/// The median of several starts.
async fn start(command: &[OsString]) -> Outcome<Duration> {
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let began = Instant::now();
        lines::first_answer(command).await?;
        times.push(began.elapsed());
    }
    times.sort();
    Ok(times[times.len() / 2])
}

fn size(binary: &Path) -> Outcome<f64> {
    let stripped = std::env::temp_dir().join(format!("compare-stripped-{}", std::process::id()));
    let status = Command::new("strip").arg("-o").arg(&stripped).arg(binary).status()?;
    if !status.success() {
        return Err(format!("strip: {status}").into());
    }
    let bytes = fs::metadata(&stripped)?.len();
    fs::remove_file(&stripped)?;
    Ok(f64::from(u32::try_from(bytes)?) / MIB)
}

pub(crate) const SESSIONS: usize = 10_000;
const STARTS: usize = 15;
const MIB: f64 = 1024.0 * 1024.0;
