//! Unix, where signals tell a process what to do.

use std::{
    convert::Infallible, future::pending, io, os::unix::process::ExitStatusExt, process::ExitStatus,
};

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

/// Lets the others go first, as far as the system allows. On Linux this is about the calling thread alone.
pub(crate) fn lower_priority() {
    let _ = setpriority_process(None, LEAST_PRIORITY);
}

/// As `nice` counts.
const LEAST_PRIORITY: i32 = 19;
