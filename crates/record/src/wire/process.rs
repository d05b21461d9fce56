//! A server as a child process, ended with everything it started.

use std::{collections::BTreeMap, fmt, io, path::PathBuf, process::Stdio, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, ChildStderr, Command},
    sync::mpsc,
    task::JoinSet,
    time::timeout,
};

use super::{Recorder, lines::LineWire};
use crate::{
    environment::Inherited, event::EventKind, platform::ProcessGroup, text,
    transcript::redact::redact_command,
};

/// What to start, and in which surroundings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    pub program: String,
    pub arguments: Vec<String>,
    /// What it gets of the checker's own environment.
    pub inherited: Inherited,
    /// Added to that.
    pub environment: BTreeMap<String, String>,
    pub directory: Option<PathBuf>,
}

impl CommandLine {
    /// Says what of the command is to blame for an error that names nothing.
    fn blame(&self, error: io::Error) -> io::Error {
        let kind = error.kind();
        match &self.directory {
            Some(directory) if !directory.is_dir() => io::Error::new(
                kind,
                format!("there is no folder {} to start it in", directory.display()),
            ),
            _ if kind == io::ErrorKind::NotFound => {
                io::Error::new(kind, format!("there is no program {}", text::quoted(&self.program)))
            }
            _ => error,
        }
    }
}

/// As it could be typed, without its secrets.
impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = vec![self.program.clone()];
        words.extend(self.arguments.iter().cloned());
        f.write_str(&redact_command(&words))
    }
}

/// A running child process. Dropping it ends its process group, where there are such.
pub struct Process {
    child: Child,
    group: ProcessGroup,
    stderr: mpsc::Receiver<String>,
    /// Lines of it so far.
    said: usize,
    /// Owns the task that keeps the child from blocking on its standard error.
    _drain: JoinSet<()>,
}

impl Process {
    /// Starts a server, to talk to it.
    pub fn start(command: &CommandLine) -> io::Result<(Self, LineWire)> {
        let mut process = Self::spawn(command, Stdio::piped)?;
        let (Some(stdin), Some(stdout)) = (process.child.stdin.take(), process.child.stdout.take())
        else {
            return Err(io::Error::other("the process has no pipes"));
        };
        Ok((process, LineWire::new(stdout, stdin)))
    }

    /// Starts a program that is not talked to.
    pub fn start_alone(command: &CommandLine) -> io::Result<Self> {
        Self::spawn(command, Stdio::null)
    }

    fn spawn(command: &CommandLine, pipe: fn() -> Stdio) -> io::Result<Self> {
        let mut builder = Command::new(&command.program);
        builder
            .args(&command.arguments)
            .env_clear()
            .envs(command.inherited.variables())
            .envs(&command.environment)
            .stdin(pipe())
            .stdout(pipe())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(directory) = &command.directory {
            builder.current_dir(directory);
        }
        ProcessGroup::prepare(builder.as_std_mut());
        let mut child = builder.spawn().map_err(|error| command.blame(error))?;
        let Some(stderr) = child.stderr.take() else {
            return Err(io::Error::other("the process has no pipes"));
        };
        let group = ProcessGroup::of(child.id());
        let (sender, receiver) = mpsc::channel(KEPT_LINES);
        let mut drain = JoinSet::new();
        drain.spawn(read_stderr(stderr, sender));
        Ok(Self { child, group, stderr: receiver, said: 0, _drain: drain })
    }

    /// Waits for the child to end by itself, and says how it did.
    pub async fn ended(&mut self) -> String {
        match self.child.wait().await {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        }
    }

    /// Ends the child and all that it started.
    pub async fn end(mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.group.terminate();
            // A child that does not listen is killed when this is dropped.
            let _ = timeout(TERMINATION, self.child.wait()).await;
        }
    }

    /// What the child said on its standard error since it was last asked.
    pub fn stderr_lines(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Ok(line) = self.stderr.try_recv() {
            lines.push(line);
        }
        lines
    }

    /// Records what the child said on its standard error so far.
    pub fn record_stderr(&mut self, recorder: &mut Recorder) {
        while let Ok(line) = self.stderr.try_recv() {
            if self.said < KEPT_LINES {
                recorder.note(EventKind::Stderr(line));
            }
            self.said += 1;
        }
    }

    /// Waits for the child to end by itself, then ends it and all that it started.
    pub async fn stop(mut self, recorder: &mut Recorder, patience: Duration) {
        let how = match timeout(patience, self.child.wait()).await {
            Ok(Ok(status)) => status.to_string(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => {
                self.group.terminate();
                // A child that does not listen is killed below.
                let _ = timeout(TERMINATION, self.child.wait()).await;
                "ended by the checker".to_owned()
            }
        };
        // What the child left behind may hold its pipes open.
        self.group.kill();
        let _ = self.child.start_kill();
        let _ = timeout(TERMINATION, self.child.wait()).await;
        let last_words = async {
            while let Some(line) = self.stderr.recv().await {
                if self.said < KEPT_LINES {
                    recorder.note(EventKind::Stderr(line));
                }
                self.said += 1;
            }
        };
        let _ = timeout(TERMINATION, last_words).await;
        recorder.note(EventKind::Exited(how));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.group.kill();
    }
}

/// Lines beyond what is kept are read and forgotten.
async fn read_stderr(stderr: ChildStderr, sender: mpsc::Sender<String>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        let chunk = match reader.fill_buf().await {
            Ok([]) | Err(_) => {
                if !line.is_empty() {
                    let _ = sender.try_send(String::from_utf8_lossy(&line).into_owned());
                }
                return;
            }
            Ok(chunk) => chunk,
        };
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(chunk.len(), |end| end + 1);
        let room = LONGEST_LINE.saturating_sub(line.len());
        line.extend_from_slice(&chunk[..end.unwrap_or(chunk.len()).min(room)]);
        reader.consume(taken);
        if end.is_some() {
            let _ = sender.try_send(String::from_utf8_lossy(&line).into_owned());
            line.clear();
        }
    }
}

const KEPT_LINES: usize = 256;
const LONGEST_LINE: usize = 4096;
/// Between the polite and the impolite signal.
const TERMINATION: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests;
