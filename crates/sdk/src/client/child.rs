//! A server that runs as a child of this process, where the system can do so in a process group of its own.
//!
//! Whether it has ended is asked of the process, never of its pipes, which its own children may hold open.

mod platform;
mod stderr;

use std::{
    convert::Infallible, future::pending, io, pin::pin, process::Stdio, sync::Arc, time::Duration,
};

use futures_util::FutureExt;
use proofmark_core::{revision::Era, session::client::Preference};
use tokio::{
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    time::{Instant, sleep, timeout, timeout_at},
};
use tokio_util::sync::CancellationToken;

use self::platform::Processes;
pub(super) use self::stderr::StderrTail;
use super::{
    Lost,
    engine::{Engine, Generation},
    lines::{self, End},
    settings::{ChildSettings, Restart},
    target::ServerCommand,
};
use crate::woken::WhenWoken;

/// Keeps a server running, one process after the other, until the client is closed or the server is given up.
pub(super) async fn run(
    engine: &Arc<Engine>,
    command: &ServerCommand,
    stderr: &StderrTail,
    closing: &CancellationToken,
) {
    let mut generation = engine.generation();
    let mut failures = Failures::new(engine.settings.child.restart);
    loop {
        let started = Instant::now();
        let (lost, process) = once(engine, generation, command, stderr, closing).await;
        let lost = Arc::new(lost);
        let spoken = engine.server().map(|server| server.revision);
        let pause = match &*lost {
            Lost::Ended { .. } | Lost::Exited { .. } | Lost::Io(_) if !closing.is_cancelled() => {
                failures.next_pause(started.elapsed())
            }
            _ => None,
        };
        // Callers are told at once; what is left of the process takes its time.
        match pause {
            Some(_) => {
                tracing::warn!(%lost, "the server is started again");
                engine.interrupt(lost);
            }
            None => engine.lose(lost),
        }
        if let Some(process) = process {
            process.stop(&engine.settings.child, stderr).await;
        }
        let Some(pause) = pause else { return };
        tokio::select! {
            () = sleep(pause) => {}
            () = closing.cancelled() => {
                engine.lose(Lost::Closed);
                return;
            }
        }
        // The same program speaks what it spoke before; one that did not come so far is asked.
        generation = engine.begin(|profile| {
            if let Some(revision) = spoken.filter(|revision| revision.era() == Era::Legacy) {
                profile.preference = Preference::Legacy(revision);
            }
        });
    }
}

/// Talks to one process until the end of the conversation, and says what came of it and what is left of the process.
async fn once(
    engine: &Arc<Engine>,
    generation: Generation,
    command: &ServerCommand,
    stderr: &StderrTail,
    closing: &CancellationToken,
) -> (Lost, Option<Process>) {
    let (mut process, stdin, stdout) = match Process::start(command) {
        Ok(started) => started,
        Err(why) => {
            let program = command.program.to_string_lossy().into_owned();
            return (Lost::NotStarted { program, why }, None);
        }
    };
    let talk = talk(engine, generation, &mut process, (stdin, stdout), stderr, closing);
    let lost = talk.boxed().await;
    (lost, Some(process))
}

async fn talk(
    engine: &Arc<Engine>,
    generation: Generation,
    process: &mut Process,
    (stdin, stdout): (ChildStdin, ChildStdout),
    stderr: &StderrTail,
    closing: &CancellationToken,
) -> Lost {
    let (ended, status, silence) = {
        let Process { child, stderr: pipe, .. } = process;
        let mut errors = pin!(async {
            stderr.keep(pipe).await;
            pending::<Infallible>().await
        });
        let mut silence = None;
        let (ended, status) = {
            let mut talk = pin!(lines::run(engine, generation, stdout, stdin, closing));
            let first = {
                // Neither has anything to say while the conversation goes on.
                let exit = pin!(async {
                    tokio::select! {
                        status = child.wait() => status,
                        never = &mut errors => match never {},
                    }
                });
                tokio::select! {
                    biased;
                    end = &mut talk => Ok(end),
                    status = WhenWoken::new(exit) => Err(status),
                }
            };
            match first {
                Ok(end) => (Some(end), None),
                Err(status) => {
                    // What it said last is still in the pipe.
                    let until = *silence.insert(Instant::now() + LAST_WORDS);
                    let last = tokio::select! {
                        end = timeout_at(until, &mut talk) => end.ok(),
                        never = &mut errors => match never {},
                    };
                    (last, status.ok())
                }
            }
            // Here the pipe to it is closed.
        };
        // An exit that explains the end of its output follows within moments.
        let status = match (status, &ended) {
            (None, Some(End::Output | End::Broken(_))) => tokio::select! {
                status = timeout(EXIT_SOON, child.wait()) => status.ok().and_then(Result::ok),
                never = &mut errors => match never {},
            },
            (status, _) => status,
        };
        (ended, status, silence)
    };
    if status.is_some() {
        // What it wrote to standard error last may still be in the pipe, which its own children may hold open.
        let until = silence.unwrap_or_else(|| Instant::now() + LAST_WORDS);
        let _held_open = timeout_at(until, stderr.keep(&mut process.stderr)).await;
    }
    let tail = || stderr.tail(TAIL);
    match (ended, status) {
        (Some(End::Asked), _) => Lost::Closed,
        (Some(End::Failed(lost)), None) => lost,
        (Some(End::Stalled(limit)), None) => Lost::Stalled { seconds: limit.as_secs() },
        (_, Some(status)) => Lost::Exited { status, stderr: tail() },
        (Some(End::Broken(error)), None) => Lost::Io(error),
        (Some(End::Output) | None, None) => Lost::Ended { stderr: tail() },
    }
}

struct Process {
    child: Child,
    processes: Processes,
    stderr: ChildStderr,
}

impl Process {
    fn start(server: &ServerCommand) -> io::Result<(Self, ChildStdin, ChildStdout)> {
        let mut command = Command::new(&server.program);
        command
            .args(&server.arguments)
            .env_clear()
            .envs(std::env::vars_os().filter(|(name, _)| server.inherit.allows(name)))
            .envs(&server.environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        Processes::prepare(&mut command);
        if let Some(folder) = &server.folder {
            command.current_dir(folder);
        }
        let mut child = command.spawn()?;
        let processes = Processes::of(&child);
        let missing = || io::Error::other("a pipe is missing");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        Ok((Self { child, processes, stderr }, stdin, stdout))
    }

    /// Waits for the process to end, and makes it end. Its input is closed already.
    async fn stop(self, settings: &ChildSettings, stderr: &StderrTail) {
        let Self { mut child, mut processes, stderr: mut pipe } = self;
        let stopped = async {
            if !ended_within(settings.close_grace, &mut child).await {
                processes.terminate(&mut child);
                if !ended_within(settings.term_grace, &mut child).await {
                    processes.kill(&mut child);
                    // Nothing survives this; what is left is to take notice of it.
                    let _status = child.wait().await;
                }
            }
            processes.clear(ORPHANS).await;
        };
        // A process that cannot write its last words may not end.
        let read = async {
            stderr.keep(&mut pipe).await;
            pending::<()>().await;
        };
        tokio::select! {
            () = stopped => {}
            () = read => {}
        }
    }
}

async fn ended_within(limit: Duration, child: &mut Child) -> bool {
    timeout(limit, child.wait()).await.is_ok()
}

/// How often a server ended early.
struct Failures {
    restart: Restart,
    count: u32,
}

impl Failures {
    fn new(restart: Restart) -> Self {
        Self { restart, count: 0 }
    }

    /// How long to wait before the next start; `None` to give up. A server that ran for a while starts with a clean slate.
    fn next_pause(&mut self, ran: Duration) -> Option<Duration> {
        let Restart::Crashed { most, pause, longest_pause } = self.restart else { return None };
        if ran > longest_pause.max(HEALTHY) {
            self.count = 0;
        }
        if self.count >= most {
            return None;
        }
        let pause = pause.saturating_mul(1 << self.count.min(16)).min(longest_pause);
        self.count += 1;
        Some(pause)
    }
}

/// Together with the next one, how long callers may have to wait to hear of a server's death.
const LAST_WORDS: Duration = Duration::from_millis(50);
const EXIT_SOON: Duration = Duration::from_millis(50);
const ORPHANS: Duration = Duration::from_millis(200);
/// Bytes of standard error in an error.
const TAIL: usize = 4 * 1024;
/// A server that ran for this long did not fail to start.
const HEALTHY: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest_and_end() {
        let (pause, longest_pause) = (Duration::from_millis(100), Duration::from_millis(300));
        let mut failures = Failures::new(Restart::Crashed { most: 3, pause, longest_pause });
        let mut next = |ran| failures.next_pause(Duration::from_millis(ran));
        assert_eq!(next(0), Some(pause));
        assert_eq!(next(0), Some(pause * 2));
        assert_eq!(next(0), Some(longest_pause));
        assert_eq!(next(0), None);
        assert_eq!(next(11_000), Some(pause));
    }

    #[test]
    fn without_being_asked_nothing_is_started_again() {
        assert_eq!(Failures::new(Restart::Never).next_pause(Duration::ZERO), None);
    }
}
