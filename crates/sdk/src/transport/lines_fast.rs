//! Fast path of `lines`, for standard input and output that are pipes: a call is answered by the thread that reads it, so that no task has
//! to be woken.
//!
//! `tests::equivalence` has the same conversations on both paths and compares what comes back.
//!
//! The thread blocks until there is something to read, lets the handlers begin, and writes what they have answered by then: two calls to
//! the system for a request that need not wait, and no task has to be woken. Handlers that wait are handed to the driver, a future of the
//! server's runtime, and so is what cannot be written at once.

use std::{
    io,
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use futures_util::future::OptionFuture;
use proofmark_core::{
    framing::lines::LineDecoder,
    session::{
        Time,
        server::{Input, ServerSession},
    },
};
use tokio::{runtime::Handle, time::Instant};
use tracing::{Span, dispatcher, subscriber::NoSubscriber};

use crate::{
    caller::Principal,
    platform::{Blocked, PipeReader, PipeWriter},
    server::{
        Server,
        conversation::{Conversation, MessageSink},
        handoff::{HandOff, HandlerFuture, Handlers},
    },
    transport::{
        LineSettings,
        lines::{CHUNK, LineBuffer, receive},
    },
};

/// Serves until the input ends or `stop` is done, and then until what was asked for is answered or the time for that is over.
pub(super) async fn serve(
    server: &Server,
    input: PipeReader,
    output: PipeWriter,
    settings: LineSettings,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let buffer = Arc::new(LineBuffer::new(Arc::clone(server.offer()), settings.backlog));
    let session = ServerSession::new(Arc::clone(server.offer()));
    let conversation = Conversation::new(server.clone(), session, Principal::Local, buffer.clone());
    server.register(&conversation);
    let piped = Arc::new(Piped {
        conversation,
        buffer,
        settings,
        output,
        unwritten: Mutex::default(),
        reading: Mutex::default(),
        stopping: AtomicBool::new(false),
    });
    let _closing = Closing(&piped);
    start_reading(input, &piped)?;
    piped.drive(stop).await
}

/// What the thread and the driver share.
struct Piped {
    conversation: Arc<Conversation>,
    buffer: Arc<LineBuffer>,
    settings: LineSettings,
    output: PipeWriter,
    unwritten: Mutex<Unwritten>,
    reading: Mutex<Reading>,
    /// Nothing more is taken in.
    stopping: AtomicBool,
}

/// What is being written.
#[derive(Default)]
struct Unwritten {
    bytes: Vec<u8>,
    /// So many are written.
    start: usize,
}

/// What the thread has for the driver.
#[derive(Default)]
struct Reading {
    handlers: Vec<HandlerFuture>,
    /// When the driver looks by itself, as it decided the last time.
    planned: Option<Time>,
    /// Nothing more will be read.
    ended: Option<io::Result<()>>,
}

/// How far writing came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    All,
    /// The client has to read before there is room for the rest.
    Part,
}

/// Whether the thread has something for the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HandedOn {
    Nothing,
    Something,
}

/// Ends the conversation, also when the driver is dropped.
struct Closing<'a>(&'a Piped);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.buffer.close();
        self.0.conversation.close();
    }
}

impl Piped {
    async fn drive(&self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let mut stop = pin!(stop);
        let mut handlers = Handlers::default();
        let mut ends_at: Option<Instant> = None;
        // Only there while the client is slow to read: each of its reads would wake the driver otherwise.
        let mut blocked: Option<Blocked> = None;
        loop {
            let (handed_on, ended) = self.take_over();
            handlers.extend(handed_on);
            if let Some(ended) = ended {
                ended?;
                if ends_at.is_none() {
                    self.conversation.feed(Input::InputEnded, None);
                    ends_at = Some(Instant::now() + self.settings.drain);
                }
            }
            match self.write()? {
                Written::All => blocked = None,
                Written::Part if blocked.is_some() => {}
                Written::Part => blocked = Some(Blocked::new(&self.output)?),
            }
            if ends_at.is_some() && blocked.is_none() && handlers.is_empty() {
                return Ok(());
            }
            let deadline = self.plan();
            tokio::select! {
                biased;
                Some(ready) = OptionFuture::from(blocked.as_ref().map(Blocked::writable)) => {
                    ready?;
                    blocked = None;
                }
                () = handlers.step(&self.conversation, deadline, ends_at) => {
                    if ends_at.is_some_and(|end| end <= Instant::now()) {
                        return Ok(());
                    }
                }
                () = self.buffer.filled.notified() => {}
                () = &mut stop, if !self.stopping.load(Ordering::Relaxed) => {
                    // The client has gone already, and the time for what it asked for is over now.
                    if ends_at.is_some() {
                        return Ok(());
                    }
                    self.stopping.store(true, Ordering::Relaxed);
                    self.conversation.feed(Input::InputEnded, None);
                    ends_at = Some(Instant::now() + self.settings.drain);
                }
            }
        }
    }

    /// Writes what waits, as far as that goes without waiting.
    fn write(&self) -> io::Result<Written> {
        let mut unwritten = self.unwritten.lock().unwrap_or_else(PoisonError::into_inner);
        let Unwritten { bytes, start } = &mut *unwritten;
        loop {
            if *start == bytes.len() {
                bytes.clear();
                *start = 0;
                self.buffer.swap(bytes);
            }
            if bytes.is_empty() {
                return Ok(Written::All);
            }
            match self.output.write(&bytes[*start..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => *start += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Ok(Written::Part);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes in what was read.
    fn take_in(&self, decoder: &mut LineDecoder, mut chunk: &[u8]) -> io::Result<()> {
        while !chunk.is_empty() && self.buffer.wait_for_room() {
            let mut handlers = Vec::new();
            let conversation = &self.conversation;
            let sink: Arc<dyn MessageSink> = self.buffer.clone();
            let rest = receive(
                HandOff { conversation, sink: &sink, caller: None, headers: None },
                &self.buffer,
                &self.settings.limits,
                decoder,
                chunk,
                |work| handlers.push(work),
            );
            chunk = &chunk[chunk.len() - rest..];
            let handed_on = self.hand_on(handlers);
            let written = self.write()?;
            if handed_on == HandedOn::Something || written == Written::Part {
                self.buffer.filled.notify_one();
            }
        }
        Ok(())
    }

    /// Leaves to the driver what only it can do: let handlers go on, and look at the time sooner than it meant to.
    fn hand_on(&self, mut handlers: Vec<HandlerFuture>) -> HandedOn {
        let deadline = self.conversation.next_deadline();
        if handlers.is_empty() && deadline.is_none() {
            return HandedOn::Nothing;
        }
        let mut reading = self.reading();
        let sooner = deadline.is_some_and(|next| reading.planned.is_none_or(|then| next < then));
        if handlers.is_empty() && !sooner {
            return HandedOn::Nothing;
        }
        reading.handlers.append(&mut handlers);
        HandedOn::Something
    }

    /// When the driver has to look by itself. Decided while the thread cannot ask, so that it knows of everything earlier.
    fn plan(&self) -> Option<Time> {
        let mut reading = self.reading();
        reading.planned = self.conversation.next_deadline();
        reading.planned
    }

    /// Nothing more is read, because the input ended or something broke.
    fn end(&self, why: io::Result<()>) {
        self.reading().ended = Some(why);
        self.buffer.filled.notify_one();
    }

    fn take_over(&self) -> (Vec<HandlerFuture>, Option<io::Result<()>>) {
        let mut reading = self.reading();
        (std::mem::take(&mut reading.handlers), reading.ended.take())
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts the thread. What runs on it belongs to the same runtime, the same span and the same log as the driver.
///
/// It holds on to nothing while it waits, and finds that it is no longer needed when there is something to read.
fn start_reading(input: PipeReader, piped: &Arc<Piped>) -> io::Result<()> {
    let runtime = Handle::try_current().map_err(io::Error::other)?;
    let (limit, piped) = (piped.settings.limits.bytes, Arc::downgrade(piped));
    let (log, span) = (dispatcher::get_default(Clone::clone), Span::current());
    let read = move || {
        let _runtime = runtime.enter();
        let _span = span.enter();
        let read = || read_all(&input, LineDecoder::new(limit), &piped);
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
        if let Some(piped) = piped.upgrade() {
            piped.end(ended.unwrap_or_else(|_| Err(io::Error::other("the reader failed"))));
        }
    };
    let read_and_log = move || {
        if log.is::<NoSubscriber>() { read() } else { dispatcher::with_default(&log, read) }
    };
    thread::Builder::new().name("mcp-stdin".to_owned()).spawn(read_and_log)?;
    Ok(())
}

/// Reads until the input ends or the driver is gone.
fn read_all(input: &PipeReader, mut decoder: LineDecoder, piped: &Weak<Piped>) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = input.read(&mut chunk)?;
        let Some(piped) = piped.upgrade() else { return Ok(()) };
        if piped.stopping.load(Ordering::Relaxed) {
            return Ok(());
        }
        if count == 0 {
            if let Some(unfinished) = decoder.finish() {
                tracing::debug!(bytes = unfinished.length, "the input ended within a line");
            }
            return Ok(());
        }
        piped.take_in(&mut decoder, &chunk[..count])?;
        if piped.buffer.is_closed() {
            return Ok(());
        }
    }
}

// It has pipes of the system at its ends.
#[cfg(test)]
#[cfg(all(unix, not(proofmark_portable)))]
mod tests;
