//! A server that runs as a process of ours, or within this one, with an ear on both pipes.

use std::{
    collections::{BTreeMap, VecDeque},
    io,
    path::Path,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use proofmark_check::record::{
    environment::Inherited, event::EventKind, platform::ProcessGroup, side::Side,
    transcript::Recording,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, duplex},
    process::Command,
    task::JoinSet,
    time::timeout,
};

use super::heard::{Ear, Heard};
use crate::memory::MemoryServer;

pub(super) struct Child {
    process: Option<tokio::process::Child>,
    group: Option<ProcessGroup>,
    heard: Heard,
    stderr: Stderr,
    /// What passes the bytes on.
    relays: JoinSet<()>,
}

impl Child {
    /// Starts a process in a group of its own. The stream is the client's end of its pipes.
    pub(super) fn start(
        words: &[String],
        environment: &BTreeMap<String, String>,
        folder: &Path,
        heard: Heard,
    ) -> io::Result<(Self, DuplexStream)> {
        let [program, arguments @ ..] = words else {
            return Err(io::Error::other("the command is empty"));
        };
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(Inherited::WithoutSecrets.variables());
        command.envs(environment).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if !folder.as_os_str().is_empty() {
            command.current_dir(folder);
        }
        ProcessGroup::prepare(command.as_std_mut());
        let mut process = command.spawn().map_err(|error| {
            io::Error::new(error.kind(), format!("`{program}` cannot be started: {error}"))
        })?;
        let group = ProcessGroup::of(process.id());
        let (Some(input), Some(output), Some(errors)) =
            (process.stdin.take(), process.stdout.take(), process.stderr.take())
        else {
            return Err(io::Error::other("the server has no pipes"));
        };
        heard.push(EventKind::Connected(format!("started {program}")));
        let (near, far) = duplex(PIPE);
        let (from_client, to_client) = tokio::io::split(far);
        let stderr = Stderr::default();
        let mut relays = JoinSet::new();
        relays.spawn(relay(from_client, input, heard.ear(Side::Client)));
        relays.spawn(relay(output, to_client, heard.ear(Side::Server)));
        relays.spawn(stderr.clone().keep(errors));
        Ok((Self { process: Some(process), group: Some(group), heard, stderr, relays }, near))
    }

    /// A server within this process.
    pub(super) fn within(memory: &MemoryServer, heard: Heard) -> (Self, DuplexStream) {
        let (server, serving) = memory.start();
        heard.push(EventKind::Connected("started in memory".to_owned()));
        let (near, far) = duplex(PIPE);
        let (from_client, to_client) = tokio::io::split(far);
        let (output, input) = tokio::io::split(server);
        let mut relays = JoinSet::new();
        relays.spawn(serving);
        relays.spawn(relay(from_client, input, heard.ear(Side::Client)));
        relays.spawn(relay(output, to_client, heard.ear(Side::Server)));
        let child = Self { process: None, group: None, heard, stderr: Stderr::default(), relays };
        (child, near)
    }

    pub(super) fn stderr_mark(&self) -> u64 {
        self.stderr.mark()
    }

    pub(super) fn stderr_since(&self, mark: u64) -> String {
        self.stderr.since(mark)
    }

    pub(super) fn ended(&mut self) -> Option<String> {
        let status = self.process.as_mut()?.try_wait().ok()??;
        Some(format!("the server ended with {status}"))
    }

    /// As [`Self::ended`], with a moment for a process that is about to end.
    pub(super) async fn ended_soon(&mut self) -> Option<String> {
        if let Some(process) = &mut self.process {
            let _running = timeout(MOMENT, process.wait()).await;
        }
        self.ended()
    }

    /// Ends the process: its input is closed already; then it is asked, then it is killed, with all that it started.
    pub(super) async fn end(&mut self) {
        let Some(process) = &mut self.process else {
            let _stuck =
                timeout(MOMENT, async { while self.relays.join_next().await.is_some() {} }).await;
            self.relays.abort_all();
            return;
        };
        let status = if let Ok(status) = timeout(CLOSE_GRACE, process.wait()).await {
            status.ok()
        } else {
            if let Some(group) = self.group {
                group.terminate();
            }
            if let Ok(status) = timeout(TERM_GRACE, process.wait()).await {
                status.ok()
            } else {
                if let Some(group) = self.group {
                    group.kill();
                }
                process.wait().await.ok()
            }
        };
        // What the server started and left.
        if let Some(group) = self.group.take() {
            group.kill();
        }
        let _stuck =
            timeout(MOMENT, async { while self.relays.join_next().await.is_some() {} }).await;
        self.relays.abort_all();
        if let Some(status) = status {
            self.heard.push(EventKind::Exited(status.to_string()));
        }
    }

    pub(super) fn recording(&self) -> Option<Recording> {
        self.heard.recording()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            group.kill();
        }
    }
}

/// Passes bytes on until either end is closed.
async fn relay(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, mut ear: Ear) {
    let mut buffer = vec![0; PIPE];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        ear.hear(&buffer[..read]);
        if to.write_all(&buffer[..read]).await.is_err() || to.flush().await.is_err() {
            break;
        }
    }
    let _closed = to.shutdown().await;
}

/// The end of what a server writes to standard error, and how much it was in all. Clones share it.
#[derive(Clone, Default)]
struct Stderr(Arc<Mutex<Tail>>);

#[derive(Default)]
struct Tail {
    kept: VecDeque<u8>,
    total: u64,
}

impl Stderr {
    async fn keep(self, mut pipe: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 8 * 1024];
        while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
            let mut tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            tail.total += read as u64;
            tail.kept.extend(&buffer[..read]);
            let surplus = tail.kept.len().saturating_sub(STDERR);
            tail.kept.drain(..surplus);
        }
    }

    fn mark(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).total
    }

    fn since(&self, mark: u64) -> String {
        let tail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = usize::try_from(tail.total.saturating_sub(mark)).unwrap_or(usize::MAX);
        let skipped = tail.kept.len().saturating_sub(new);
        let bytes: Vec<u8> = tail.kept.iter().skip(skipped).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// As much as a pipe holds.
const PIPE: usize = 64 * 1024;
const STDERR: usize = 64 * 1024;
const MOMENT: Duration = Duration::from_millis(200);
const CLOSE_GRACE: Duration = Duration::from_secs(2);
const TERM_GRACE: Duration = Duration::from_secs(2);
