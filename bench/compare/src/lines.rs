//! Load on standard input and output.

use std::{
    ffi::OsString,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{ChildStdin, ChildStdout},
};

use crate::{
    Outcome,
    message::{self, FIRST_ID},
    process::Process,
    tally::Tally,
    work::{Cost, Work},
};

pub(crate) async fn load(work: &Work, command: &[OsString], time: Duration) -> Outcome<Cost> {
    let (process, input, output) = Process::piped(command, work.call.more_tools())?;
    let mut pipe = Pipe { input, output, unread: Vec::with_capacity(CHUNK) };
    let tally = Tally::default();
    pipe.begin(work).await?;
    tokio::select! {
        cost = process.watch(time, &tally) => cost,
        ended = pipe.keep_busy(work, &tally) => Err(ended.err().unwrap_or_else(|| "it ended".into())),
    }
}

/// Starts a server and waits for the answer to its handshake.
pub(crate) async fn first_answer(command: &[OsString]) -> Outcome<()> {
    let (_process, input, output) = Process::piped(command, 0)?;
    let mut pipe = Pipe { input, output, unread: Vec::new() };
    pipe.initialize().await
}

struct Pipe {
    input: ChildStdin,
    output: ChildStdout,
    unread: Vec<u8>,
}

impl Pipe {
    /// The handshake, and a first request whose answer is looked at.
    async fn begin(&mut self, work: &Work) -> Outcome<()> {
        self.initialize().await?;
        self.input.write_all(format!("{}\n", message::INITIALIZED).as_bytes()).await?;
        let (mut request, _) = message::request(work.era, work.call);
        request.push(b'\n');
        self.input.write_all(&request).await?;
        work.call.check(&self.line().await?)
    }

    async fn initialize(&mut self) -> Outcome<()> {
        self.input.write_all(format!("{}\n", message::initialize()).as_bytes()).await?;
        self.line().await?;
        Ok(())
    }

    async fn keep_busy(&mut self, work: &Work, tally: &Tally) -> Outcome<()> {
        let (mut request, id_at) = message::request(work.era, work.call);
        request.push(b'\n');
        let (mut id, mut free) = (FIRST_ID, work.at_once);
        let mut out = Vec::new();
        loop {
            out.clear();
            for _ in 0..free {
                id += 1;
                message::put_id(&mut request, id_at, id);
                out.extend_from_slice(&request);
            }
            let asked = Instant::now();
            self.input.write_all(&out).await?;
            self.unread.clear();
            if self.output.read_buf(&mut self.unread).await? == 0 {
                return Err("it closed its output".into());
            }
            free = self.unread.split(|byte| *byte == b'\n').count() - 1;
            if work.at_once == 1 && free == 1 {
                tally.add_after(asked.elapsed());
            } else {
                tally.add(u32::try_from(free)?);
            }
        }
    }

    async fn line(&mut self) -> Outcome<Vec<u8>> {
        loop {
            if let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                return Ok(self.unread.drain(..=end).collect());
            }
            if self.output.read_buf(&mut self.unread).await? == 0 {
                return Err("it closed its output".into());
            }
        }
    }
}

const CHUNK: usize = 256 * 1024;
