//! A server that runs as a process of ours, with both pipes heard, and with a way to say anything on its input.

use std::{io, process::Stdio, time::Duration};

use proofmark_check::record::{
    environment::Inherited, event::EventKind, platform::ProcessGroup, side::Side,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    process::{Child, ChildStdin, Command},
    sync::mpsc,
    task::JoinSet,
    time::timeout,
};

use crate::{
    recorder::{PipeRecorder, Recorder},
    server::Reach,
};

pub(crate) struct Process {
    child: Child,
    group: ProcessGroup,
    recorder: Recorder,
    /// Bytes that are said besides what the client says.
    raw: mpsc::Sender<Vec<u8>>,
    relays: JoinSet<()>,
}

impl Process {
    /// Starts it in a group of its own. The stream is the client's end of its pipes.
    pub(crate) fn start(reach: &Reach, recorder: &Recorder) -> io::Result<(Self, DuplexStream)> {
        let Reach::Command { words, environment, folder } = reach else {
            return Err(io::Error::other("there is no command"));
        };
        let [program, arguments @ ..] = &words[..] else {
            return Err(io::Error::other("the command is empty"));
        };
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(Inherited::WithoutSecrets.variables());
        command.envs(environment).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        ProcessGroup::prepare(command.as_std_mut());
        let mut child = command.spawn().map_err(|error| {
            io::Error::new(error.kind(), format!("`{program}` cannot be started: {error}"))
        })?;
        let group = ProcessGroup::of(child.id());
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::Error::other("the server has no pipes"));
        };
        recorder.note(EventKind::Connected(format!("started {program}")));
        let (near, far) = duplex(PIPE);
        let (from_client, to_client) = tokio::io::split(far);
        let (raw, more) = mpsc::channel(MOST_RAW);
        let mut relays = JoinSet::new();
        relays.spawn(talk(
            from_client,
            more,
            input,
            PipeRecorder::new(recorder.clone(), Side::Client),
        ));
        relays.spawn(listen(output, to_client, PipeRecorder::new(recorder.clone(), Side::Server)));
        relays.spawn(keep_errors(errors, recorder.clone()));
        Ok((Self { child, group, recorder: recorder.clone(), raw, relays }, near))
    }

    pub(crate) fn raw(&self) -> mpsc::Sender<Vec<u8>> {
        self.raw.clone()
    }

    /// Ends it: its input is closed already; then it is asked, then it is killed, with all that it started.
    pub(crate) async fn end(mut self) -> Option<String> {
        self.raw = mpsc::channel(1).0;
        let mut status = timeout(GRACE, self.child.wait()).await;
        if status.is_err() {
            self.group.terminate();
            status = timeout(GRACE, self.child.wait()).await;
        }
        self.group.kill();
        if status.is_err() {
            status = timeout(GRACE, self.child.wait()).await;
        }
        let _stuck =
            timeout(MOMENT, async { while self.relays.join_next().await.is_some() {} }).await;
        let told = status.ok()?.ok()?.to_string();
        self.recorder.note(EventKind::Exited(told.clone()));
        Some(told)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.group.kill();
    }
}

/// What the client says, and what is said besides, one after the other.
async fn talk(
    mut client: impl AsyncRead + Unpin,
    mut raw: mpsc::Receiver<Vec<u8>>,
    mut input: ChildStdin,
    mut recorder: PipeRecorder,
) {
    let mut buffer = vec![0; PIPE];
    let mut is_whole = true;
    loop {
        let said = tokio::select! {
            read = client.read(&mut buffer) => match read {
                Ok(read @ 1..) => buffer[..read].to_vec(),
                _ => break,
            },
            Some(bytes) = raw.recv(), if is_whole => bytes,
        };
        is_whole = said.last() == Some(&b'\n');
        recorder.hear(&said);
        if input.write_all(&said).await.is_err() || input.flush().await.is_err() {
            break;
        }
    }
    recorder.finish();
}

async fn listen(
    mut output: impl AsyncRead + Unpin,
    mut client: impl tokio::io::AsyncWrite + Unpin,
    mut recorder: PipeRecorder,
) {
    let mut buffer = vec![0; PIPE];
    while let Ok(read @ 1..) = output.read(&mut buffer).await {
        recorder.hear(&buffer[..read]);
        if client.write_all(&buffer[..read]).await.is_err() || client.flush().await.is_err() {
            break;
        }
    }
    recorder.finish();
    let _closed = client.shutdown().await;
}

/// Line by line; a line without end is cut.
async fn keep_errors(mut errors: impl AsyncRead + Unpin, recorder: Recorder) {
    let (mut buffer, mut line) = (vec![0; 8 * 1024], Vec::new());
    loop {
        let read = errors.read(&mut buffer).await.unwrap_or(0);
        for piece in buffer[..read].split_inclusive(|byte| *byte == b'\n') {
            line.extend_from_slice(piece);
            if piece.ends_with(b"\n") || line.len() > buffer.len() {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                recorder.note(EventKind::Stderr(text));
                line.clear();
            }
        }
        if read == 0 {
            if !line.is_empty() {
                recorder.note(EventKind::Stderr(String::from_utf8_lossy(&line).into_owned()));
            }
            return;
        }
    }
}

/// As much as a pipe holds.
const PIPE: usize = 64 * 1024;
const MOST_RAW: usize = 16;
const GRACE: Duration = Duration::from_secs(2);
const MOMENT: Duration = Duration::from_millis(300);
