//! The way to a server that reads lines, shared by the driver and by callers.
//!
//! A caller that finds nothing else on its way writes by itself: to wake the driver for it would cost more than the writing.

use std::{
    io,
    pin::Pin,
    sync::{MutexGuard, PoisonError},
    task::{Context, Poll, Waker, ready},
    time::Duration,
};

use proofmark_core::{
    framing::lines::end_line,
    session::client::{Output, Transmit},
};
use tokio::{io::AsyncWrite, time::Instant};

use super::{Engine, Generation, State};

/// Where lines go, and what was not taken yet.
pub(super) struct Pipe {
    generation: Generation,
    writer: Pin<Box<dyn AsyncWrite + Send>>,
    out: Vec<u8>,
    written: usize,
    /// Since when the server has taken nothing.
    stuck: Option<Instant>,
    /// When the driver looks at the clock next.
    wakes: Option<Instant>,
}

/// What a driver waits for.
#[derive(Clone, Copy, Debug)]
pub(in crate::client) struct Waits {
    pub(in crate::client) writing: bool,
    /// So much waits to be written that nothing may be added.
    pub(in crate::client) full: bool,
    pub(in crate::client) until: Option<Instant>,
}

impl Engine {
    /// Has lines of this session go there until what is returned is dropped, which closes it.
    pub(in crate::client) fn open_pipe(
        &self,
        generation: Generation,
        writer: impl AsyncWrite + Send + 'static,
    ) -> Opened<'_> {
        *self.pipe() = Some(Pipe {
            generation,
            writer: Box::pin(writer),
            out: Vec::new(),
            written: 0,
            stuck: None,
            wakes: None,
        });
        Opened(self)
    }

    fn pipe(&self) -> MutexGuard<'_, Option<Pipe>> {
        self.pipe.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Where many call at once, one write of the driver carries many lines.
    pub(super) fn is_quiet(&self) -> bool {
        self.calls.len() <= 1
            && self.open_at_last_end <= 1
            && self.jobs.is_empty()
            && self.to_watch.is_empty()
    }

    /// Fast path of [`Opened::push`]: puts what a call is to send into the pipe, if that is all there is to do and the driver is not about
    /// to write. The caller then writes by itself, because to wake the driver for it would cost more.
    ///
    /// Equivalence: `lines::tests::what_the_server_takes_in_pieces_arrives_whole_and_in_order`.
    pub(super) fn push_fast(&mut self, pipe: &mut Pipe, outputs: &mut Vec<Output>) -> bool {
        let [Output::Transmit(transmit)] = outputs.as_slice() else { return false };
        let awake = match (self.deadline(), pipe.wakes) {
            (Some(deadline), Some(wakes)) => wakes <= deadline,
            (deadline, _) => deadline.is_none(),
        };
        if !awake || !pipe.out.is_empty() || pipe.generation != self.generation {
            return false;
        }
        self.sent(self.generation, &transmit.message);
        pipe.push(transmit);
        outputs.clear();
        true
    }
}

/// An open way to the server.
pub(in crate::client) struct Opened<'a>(&'a Engine);

impl Opened<'_> {
    pub(in crate::client) fn push(&self, generation: Generation, transmit: &Transmit) {
        // What another process was to be told is of no use to this one.
        if let Some(pipe) = &mut *self.0.pipe()
            && pipe.generation == generation
        {
            pipe.push(transmit);
        }
    }

    /// What to wait for, until a deadline or until the server has been stuck for too long.
    pub(in crate::client) fn waits(&self, deadline: Option<Instant>, stall: Duration) -> Waits {
        let mut pipe = self.0.pipe();
        let Some(pipe) = &mut *pipe else {
            return Waits { writing: false, full: false, until: deadline };
        };
        let writing = !pipe.out.is_empty();
        let stalls = writing.then(|| *pipe.stuck.get_or_insert_with(Instant::now) + stall);
        // To look too early once costs less than to put it off each time, and callers can rely on it.
        pipe.wakes = [pipe.wakes, stalls, deadline].into_iter().flatten().min();
        Waits { writing, full: pipe.out.len() >= BACKLOG, until: pipe.wakes }
    }

    /// It was time to look at the clock. Whether the server has been stuck for too long.
    pub(in crate::client) fn woke(&self, stall: Duration) -> bool {
        let mut pipe = self.0.pipe();
        let Some(pipe) = &mut *pipe else { return false };
        pipe.wakes = None;
        pipe.stuck.is_some_and(|stuck| stuck + stall <= Instant::now())
    }

    /// Ready when the server has taken something.
    pub(in crate::client) fn poll_write(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self.0.pipe() {
            Some(pipe) => pipe.poll_write(context),
            None => Poll::Pending,
        }
    }
}

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        let closed = self.0.pipe().take();
        drop(closed);
    }
}

impl Pipe {
    fn push(&mut self, transmit: &Transmit) {
        let start = self.out.len();
        transmit.write(&mut self.out);
        end_line(&mut self.out, start);
    }

    /// Writes what the server takes at once. Whether that was all; what is left, and what went wrong, is the driver's.
    pub(super) fn write_now(&mut self) -> bool {
        let _driver = self.poll_write(&mut Context::from_waker(Waker::noop()));
        self.out.is_empty()
    }

    fn poll_write(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.out.is_empty() {
            return Poll::Ready(Ok(()));
        }
        let rest = &self.out[self.written..];
        if !rest.is_empty() {
            let count = ready!(self.writer.as_mut().poll_write(context, rest))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.written += count;
            self.stuck = None;
            if self.written < self.out.len() {
                return Poll::Ready(Ok(()));
            }
        }
        // Some streams keep what they are given until they are told.
        ready!(self.writer.as_mut().poll_flush(context))?;
        self.stuck = None;
        self.out.clear();
        self.out.shrink_to(KEPT);
        self.written = 0;
        Poll::Ready(Ok(()))
    }
}

/// Bytes of room that an empty buffer keeps.
const KEPT: usize = 64 * 1024;
/// What is not written yet must not grow without end: a server that does not read is not read either.
const BACKLOG: usize = 4 * 1024 * 1024;
