//! Load on standard input and output.

use std::{cell::Cell, ffi::OsString, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{ChildStdin, ChildStdout},
};

use crate::{
    Outcome,
    message::{self, FIRST_ID},
    process::Process,
    work::{Cost, Work},
};

pub(crate) async fn load(work: &Work, command: &[OsString], time: Duration) -> Outcome<Cost> {
    let (process, input, output) = Process::piped(command, work)?;
    let mut pipe = Pipe { input, output, unread: Vec::with_capacity(CHUNK) };
    let answered = Cell::new(0);
    pipe.begin(work).await?;
    tokio::select! {
        cost = process.watch(time, || answered.get()) => cost,
        ended = pipe.keep_busy(work, &answered) => Err(ended.err().unwrap_or_else(|| "it ended".into())),
    }
}

struct Pipe {
    input: ChildStdin,
    output: ChildStdout,
    unread: Vec<u8>,
}

impl Pipe {
    /// The handshake, and a first request whose answer is looked at.
    async fn begin(&mut self, work: &Work) -> Outcome<()> {
        self.input.write_all(format!("{}\n", message::initialize()).as_bytes()).await?;
        self.line().await?;
        self.input.write_all(format!("{}\n", message::INITIALIZED).as_bytes()).await?;
        let (mut request, _) = message::request(work.era, work.call);
        request.push(b'\n');
        self.input.write_all(&request).await?;
        work.call.check(&self.line().await?)
    }

    async fn keep_busy(&mut self, work: &Work, answered: &Cell<u32>) -> Outcome<()> {
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
            self.input.write_all(&out).await?;
            self.unread.clear();
            if self.output.read_buf(&mut self.unread).await? == 0 {
                return Err("it closed its output".into());
            }
            free = self.unread.iter().filter(|byte| **byte == b'\n').count();
            answered.set(answered.get() + u32::try_from(free)?);
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
