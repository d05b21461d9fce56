//! Unix, where signals tell a process what to do.

use std::{
    convert::Infallible, future::pending, io, os::unix::process::ExitStatusExt, process::ExitStatus,
};

#[cfg(target_os = "linux")]
use rustix::process::WaitOptions;
use rustix::process::{Pid, Signal, kill_process_group, setpriority_process};
use tokio::signal::unix::{SignalKind, signal};

use super::Ending;

/// Done when the process is interrupted (SIGINT) or told to terminate (SIGTERM).
pub(crate) fn interrupted_or_terminated() -> io::Result<impl Future<Output = Ending>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        // A stream of signals that ends will not tell any more.
        tokio::select! {
            Some(()) = interrupt.recv() => Ending::Interrupted,
            Some(()) = terminate.recv() => Ending::Terminated,
            else => pending().await,
        }
    })
}

/// Done when the process is told to terminate (SIGTERM).
pub(crate) fn terminated() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        terminate.recv().await;
    })
}

/// Passes signals on to a child that leads a process group, and to all that it started.
pub(crate) fn pass_signals(process: u32) -> io::Result<impl Future<Output = Infallible>> {
    let group = i32::try_from(process).ok().and_then(Pid::from_raw);
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        loop {
            let passed = tokio::select! {
                _ = terminate.recv() => Signal::TERM,
                _ = interrupt.recv() => Signal::INT,
                _ = hangup.recv() => Signal::HUP,
            };
            if let Some(group) = group {
                let _ = kill_process_group(group, passed);
            }
        }
    })
}

/// As a shell would put it.
pub(crate) fn exit_code(status: ExitStatus) -> u8 {
    let by_signal = || status.signal().map_or(1, |signal| 128 + signal);
    u8::try_from(status.code().unwrap_or_else(by_signal)).unwrap_or(1)
}

/// Processes whose parents end become children of this one, where the system has a way: those that a server started in sessions of their
/// own too.
pub(crate) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Ends all children that are left, with all that they started.
pub(crate) fn end_orphans() {
    #[cfg(target_os = "linux")]
    for _ in 0..GENERATIONS {
        let children = children();
        if children.is_empty() {
            return;
        }
        for child in &children {
            let _ = rustix::process::kill_process(*child, Signal::KILL);
        }
        std::thread::sleep(PAUSE);
        for child in children {
            // Its own children are this process's when it is gone. One that may not be killed is not waited for.
            let _ = rustix::process::waitpid(Some(child), WaitOptions::NOHANG);
        }
    }
}

/// The processes whose parent is this one.
#[cfg(target_os = "linux")]
fn children() -> Vec<Pid> {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let child = |entry: std::fs::DirEntry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name of the program is in parentheses, and may have any characters.
        let (_, rest) = stat.rsplit_once(')')?;
        let parent: i32 = rest.split_whitespace().nth(1)?.parse().ok()?;
        (parent == own).then(|| Pid::from_raw(id)).flatten()
    };
    processes.filter_map(child).collect()
}

/// How often children are looked for: each time, the children of the last ones have come.
#[cfg(target_os = "linux")]
const GENERATIONS: usize = 100;
/// Until a process that was killed is gone.
#[cfg(target_os = "linux")]
const PAUSE: std::time::Duration = std::time::Duration::from_millis(2);

/// Lets the others go first, as far as the system allows. On Linux this is about the calling thread alone.
pub(crate) fn lower_priority() {
    let _ = setpriority_process(None, LEAST_PRIORITY);
}

/// As `nice` counts.
const LEAST_PRIORITY: i32 = 19;
