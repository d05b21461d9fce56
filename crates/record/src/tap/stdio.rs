//! Between a client and the server that it starts.

use std::{
    io::{self, Read, Write},
    mem,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use crate::scenario::ScenarioName;
use crate::{
    event::{Border, EventKind},
    platform::{ProcessGroup, raw_stdio},
    side::Side,
    text::UntrustedLines,
    transcript::Writer,
    wire::{
        MOST_FRAME,
        line_splitter::{LineSplitter, Split},
    },
};

/// A server that was started, with this program in between.
pub struct StdioTap {
    child: Child,
    writer: Writer,
    began: Instant,
}

impl StdioTap {
    /// In a process group of its own, so that a signal meant for it can be passed on to all that it starts.
    pub fn start(mut command: Command, mut writer: Writer) -> io::Result<Self> {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        ProcessGroup::prepare(piped);
        let child = piped.spawn()?;
        let began = Instant::now();
        writer.conversation(CONVERSATION, &ScenarioName::OVERHEARD)?;
        let how = format!("started {}", command.get_program().to_string_lossy());
        writer.event(CONVERSATION, began.elapsed(), EventKind::Connected(how))?;
        writer.flush()?;
        Ok(Self { child, writer, began })
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Passes everything on until the server is gone. The thread that reads the client's side stays behind, blocked, if the client does
    /// not close it: only the end of the process ends it.
    pub fn run(mut self) -> io::Result<ExitStatus> {
        let began = self.began;
        let (Some(input), Some(output), Some(errors)) =
            (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take())
        else {
            return Err(io::Error::other("the server has no pipes"));
        };
        let (by_client, by_server) = (self.writer.try_clone()?, self.writer.try_clone()?);
        let mut complaints = self.writer.try_clone()?;
        let (client, to_client) = raw_stdio()?;
        thread::spawn(move || {
            // When either end is gone the other learns it from its own pipe.
            let _ = Relay::new(Side::Client, by_client, began).run(client, input);
        });
        let back = Relay::new(Side::Server, by_server, began);
        let turns = Arc::clone(&back.turns);
        let (over, finished) = mpsc::channel();
        thread::spawn(move || {
            let _ = back.run(output, to_client);
            let _ = over.send(());
        });
        let (silent, complained) = mpsc::channel();
        thread::spawn(move || {
            let _ = pass_errors(errors, &mut complaints, began);
            let _ = silent.send(());
        });
        let status = self.child.wait()?;
        // What the server said last is still in its pipe, and a client may take its time. A process that the server left behind may
        // hold the pipe open for ever, and is not waited for.
        let mut before = turns.load(Ordering::Relaxed);
        while finished.recv_timeout(LAST_WORDS) == Err(RecvTimeoutError::Timeout) {
            let now = turns.load(Ordering::Relaxed);
            if now == before && is_reading(now) {
                break;
            }
            before = now;
        }
        let _ = complained.recv_timeout(LAST_WORDS);
        let ended = EventKind::Exited(status.to_string());
        self.writer.event(CONVERSATION, began.elapsed(), ended)?;
        self.writer.flush()?;
        Ok(status)
    }
}

/// One direction.
struct Relay {
    by: Side,
    writer: Writer,
    began: Instant,
    splitter: LineSplitter,
    /// How often it went from reading to writing and back.
    turns: Arc<AtomicU64>,
}

impl Relay {
    fn new(by: Side, writer: Writer, began: Instant) -> Self {
        Self { by, writer, began, splitter: LineSplitter::default(), turns: Arc::default() }
    }

    fn run(mut self, mut from: impl Read, mut to: impl Write) -> io::Result<()> {
        let mut buffer = vec![0; AT_ONCE];
        loop {
            let read = match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            self.turns.fetch_add(1, Ordering::Relaxed);
            // Traffic matters more than its transcript: a full disk does not stop it.
            if let Err(error) = self.hear(&buffer[..read]) {
                super::tell(&format!("the transcript is not written any more: {error}"));
                to.write_all(&buffer[..read])?;
                io::copy(&mut from, &mut to)?;
                return Ok(());
            }
            to.write_all(&buffer[..read])?;
            to.flush()?;
            self.turns.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(rest) = self.splitter.finish() {
            let at = self.began.elapsed();
            self.writer.overheard(CONVERSATION, at, self.by, 0, &rest, &Border::Cut)?;
        }
        if self.by == Side::Server {
            let over = EventKind::Ended { exchange: 0 };
            self.writer.event(CONVERSATION, self.began.elapsed(), over)?;
        }
        self.writer.flush()
    }

    /// Writes down the lines that are whole by now.
    fn hear(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let at = self.began.elapsed();
        while let Some(split) = self.splitter.next(&mut bytes) {
            match split {
                Split::Line(line) => {
                    self.writer.overheard(CONVERSATION, at, self.by, 0, line, &Border::Line)?;
                }
                Split::TooLong => {
                    let flood = EventKind::Flooded { limit: MOST_FRAME };
                    self.writer.event(CONVERSATION, at, flood)?;
                }
            }
        }
        self.writer.flush()
    }
}

fn is_reading(turns: u64) -> bool {
    turns.is_multiple_of(2)
}

/// What the server says to people goes to the same people.
fn pass_errors(mut from: impl Read, writer: &mut Writer, began: Instant) -> io::Result<()> {
    let mut buffer = vec![0; 4096];
    let mut line = Vec::new();
    loop {
        let read = from.read(&mut buffer)?;
        for piece in buffer[..read].split_inclusive(|byte| *byte == b'\n') {
            line.extend_from_slice(piece);
            if piece.ends_with(b"\n") || line.len() > buffer.len() {
                pass_error(&mem::take(&mut line), writer, began)?;
            }
        }
        if read == 0 && !line.is_empty() {
            pass_error(&mem::take(&mut line), writer, began)?;
        }
        writer.flush()?;
        if read == 0 {
            return Ok(());
        }
    }
}

fn pass_error(line: &[u8], writer: &mut Writer, began: Instant) -> io::Result<()> {
    let text = String::from_utf8_lossy(line).trim_end().to_owned();
    // Where standard error is closed, the transcript still has it.
    let _ = writeln!(io::stderr(), "{}", UntrustedLines(&text));
    writer.event(CONVERSATION, began.elapsed(), EventKind::Stderr(text))
}

/// A pipe is a single conversation.
const CONVERSATION: usize = 0;
/// For what a server said before it ended.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// As much as a pipe holds.
const AT_ONCE: usize = 64 * 1024;
