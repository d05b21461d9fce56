//! A conversation in lines, on any pair of byte streams.

use std::{
    future::poll_fn,
    io,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures_util::FutureExt;
use proofmark_core::framing::lines::{Line, LineDecoder};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio_util::sync::CancellationToken;

use super::{
    Lost,
    engine::{Engine, Generation, Job, Opened},
    server_requests::ServerRequests,
};
use crate::{clock::Alarm, woken::WakeFlag};

/// How a conversation in lines came to its end.
#[derive(Debug)]
pub(super) enum End {
    /// The client was told to close it.
    Asked,
    Broken(io::Error),
    Failed(Lost),
    /// The server's output ended.
    Output,
    Stalled(Duration),
}

/// Carries one session until something ends it. Dropping the future closes the writer.
pub(super) async fn run(
    engine: &Arc<Engine>,
    generation: Generation,
    reader: impl AsyncRead + Send,
    writer: impl AsyncWrite + Send + 'static,
    closing: &CancellationToken,
) -> End {
    let mut driver =
        Driver { engine, generation, server_requests: ServerRequests::new(engine.clone()) };
    driver.run(reader, writer, closing).await
}

/// What a driver wakes up for, besides what the server says.
enum Event {
    Ended(End),
    Time,
    Unwritable(io::Error),
    Work,
}

struct Driver<'a> {
    engine: &'a Arc<Engine>,
    generation: Generation,
    server_requests: ServerRequests,
}

impl Driver<'_> {
    async fn run(
        &mut self,
        reader: impl AsyncRead + Send,
        writer: impl AsyncWrite + Send + 'static,
        closing: &CancellationToken,
    ) -> End {
        let mut reader = pin!(reader);
        let (engine, generation) = (self.engine, self.generation);
        let stall = engine.settings.child.write_stall;
        let mut decoder = LineDecoder::new(engine.settings.messages.bytes);
        let mut chunk = vec![0; CHUNK];
        let pipe = engine.open_pipe(generation, writer);
        // These wait from one turn to the next, because to begin to wait costs more than a turn.
        let mut alarm = Alarm::default();
        let mut closed = pin!(closing.cancelled());
        let mut more_work = pin!(engine.work.notified());
        // Nearly always an answer came, and nothing else is to be done.
        let mut woken = WakeFlag::new();
        let mut full = false;
        loop {
            if !full && let Some(end) = self.work(&pipe) {
                return end;
            }
            let waits = pipe.waits(engine.next_deadline(), stall);
            full = waits.full;
            woken.set();
            let mut besides = |context: &mut Context<'_>| {
                if waits.writing
                    && let Poll::Ready(taken) = pipe.poll_write(context)
                {
                    return Poll::Ready(taken.map_or_else(Event::Unwritable, |()| Event::Work));
                }
                if !self.server_requests.is_idle()
                    && pin!(self.server_requests.next()).poll(context).is_ready()
                {
                    return Poll::Ready(Event::Work);
                }
                if more_work.as_mut().poll(context).is_ready() {
                    more_work.set(engine.work.notified());
                    return Poll::Ready(Event::Work);
                }
                if closed.as_mut().poll(context).is_ready() {
                    return Poll::Ready(Event::Ended(End::Asked));
                }
                pin!(alarm.wait(waits.until)).poll(context).map(|()| Event::Time)
            };
            let event = poll_fn(|context| {
                for _ in 0..AT_ONCE {
                    if woken.take(context)
                        && let Poll::Ready(event) = besides(&mut woken.context())
                    {
                        return Poll::Ready(event);
                    }
                    if full {
                        return Poll::Pending;
                    }
                    let mut read = ReadBuf::new(&mut chunk);
                    if let Err(error) = ready!(reader.as_mut().poll_read(context, &mut read)) {
                        return Poll::Ready(Event::Ended(End::Broken(error)));
                    }
                    if read.filled().is_empty() {
                        return Poll::Ready(Event::Ended(End::Output));
                    }
                    receive(engine, generation, &mut decoder, read.filled());
                    // What it said may have to be followed up soon.
                    let sooner = |then| waits.until.is_none_or(|until| then < until);
                    if engine.next_deadline().is_some_and(sooner) {
                        return Poll::Ready(Event::Work);
                    }
                }
                // Others have their turn.
                context.waker().wake_by_ref();
                Poll::Pending
            })
            .await;
            match event {
                Event::Work => {}
                Event::Time => {
                    if pipe.woke(stall) {
                        return End::Stalled(stall);
                    }
                    engine.time_passed();
                }
                // Its output may still tell why it does not take any more.
                Event::Unwritable(error) => {
                    let rest = last_words(engine, generation, &mut decoder, &mut reader, error);
                    return rest.boxed().await;
                }
                Event::Ended(end) => {
                    if let (End::Output, Some(unfinished)) = (&end, decoder.finish()) {
                        tracing::debug!(
                            bytes = unfinished.length,
                            "the output ended within a line"
                        );
                    }
                    return end;
                }
            }
        }
    }

    /// Does what waits to be done; messages go into the pipe.
    // Out of line, because nearly always there is nothing to do.
    #[inline(never)]
    fn work(&mut self, pipe: &Opened<'_>) -> Option<End> {
        for job in self.engine.take_jobs() {
            match job {
                Job::Send { generation, transmit, .. } => pipe.push(generation, &transmit),
                Job::Ask { generation, ask, what } => {
                    self.server_requests.start(generation, ask, what);
                }
                Job::Withdrawn { generation, ask } => {
                    self.server_requests.withdraw(generation, ask);
                }
                Job::Failed { generation, why, .. } if generation == self.generation => {
                    return Some(End::Failed(Lost::Handshake(why)));
                }
                // A pipe has one stream for all.
                Job::Abandon { .. } | Job::Connected(_) | Job::Failed { .. } => {}
            }
        }
        None
    }
}

fn receive(engine: &Engine, generation: Generation, decoder: &mut LineDecoder, mut chunk: &[u8]) {
    while let Some(line) = decoder.decode(&mut chunk) {
        match line {
            Line::Message(bytes) => engine.receive(generation, bytes, None),
            Line::Oversized { limit } => engine.oversized(generation, limit),
        }
    }
}

/// What a server that takes no more may still have said.
async fn last_words(
    engine: &Engine,
    generation: Generation,
    decoder: &mut LineDecoder,
    reader: &mut (impl AsyncRead + Unpin + Send),
    error: io::Error,
) -> End {
    let mut chunk = vec![0; CHUNK];
    let rest = async {
        while let Ok(count @ 1..) = reader.read(&mut chunk).await {
            receive(engine, generation, decoder, &chunk[..count]);
        }
    };
    match tokio::time::timeout(LAST_WORDS, rest).await {
        Ok(()) => End::Output,
        Err(_) => End::Broken(error),
    }
}

const CHUNK: usize = 64 * 1024;
/// Chunks that are read before others have their turn.
const AT_ONCE: usize = 8;
const LAST_WORDS: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests;
