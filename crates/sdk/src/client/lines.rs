//! A conversation in lines, on any pair of byte streams.

use std::{future::poll_fn, io, pin::pin, sync::Arc, task::Poll, time::Duration};

use proofmark_core::framing::lines::{Line, LineDecoder};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::{
    Lost,
    asking::Asking,
    engine::{Engine, Generation, Job, Opened},
};
use crate::{clock::Alarm, woken::WhenWoken};

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
    reader: impl AsyncRead,
    writer: impl AsyncWrite + Send + 'static,
    closing: &CancellationToken,
) -> End {
    let mut driver = Driver { engine, generation, asking: Asking::new(engine.clone()) };
    driver.run(reader, writer, closing).await
}

/// What others tell a driver.
enum Told {
    Work,
    Close,
}

struct Driver<'a> {
    engine: &'a Arc<Engine>,
    generation: Generation,
    asking: Asking,
}

impl Driver<'_> {
    async fn run(
        &mut self,
        reader: impl AsyncRead,
        writer: impl AsyncWrite + Send + 'static,
        closing: &CancellationToken,
    ) -> End {
        let mut reader = pin!(reader);
        let engine = self.engine;
        let stall = self.engine.settings.child.write_stall;
        let mut decoder = LineDecoder::new(self.engine.settings.messages.bytes);
        let mut chunk = vec![0; CHUNK];
        let pipe = self.engine.open_pipe(self.generation, writer);
        // These wait from one turn to the next, because to begin to wait costs more than a turn.
        let mut alarm = Alarm::default();
        let mut closed = pin!(closing.cancelled());
        let mut more_work = pin!(self.engine.work.notified());
        let mut told = WhenWoken::new(poll_fn(|context| {
            if more_work.as_mut().poll(context).is_ready() {
                more_work.set(engine.work.notified());
                return Poll::Ready(Told::Work);
            }
            closed.as_mut().poll(context).map(|()| Told::Close)
        }));
        let mut full = false;
        loop {
            if !full && let Some(end) = self.work(&pipe) {
                return end;
            }
            let waits = pipe.waits(self.engine.next_deadline(), stall);
            full = waits.full;
            tokio::select! {
                biased;
                taken = poll_fn(|context| pipe.poll_write(context)), if waits.writing => {
                    // Its output may still tell why it does not take any more.
                    if let Err(error) = taken {
                        let (engine, generation) = (self.engine, self.generation);
                        return last_words(engine, generation, &mut decoder, &mut reader, error).await;
                    }
                }
                count = reader.read(&mut chunk), if !full => match count {
                    Ok(0) => {
                        if let Some(unfinished) = decoder.finish() {
                            tracing::debug!(bytes = unfinished.length, "the output ended within a line");
                        }
                        return End::Output;
                    }
                    Ok(count) => receive(self.engine, self.generation, &mut decoder, &chunk[..count]),
                    Err(error) => return End::Broken(error),
                },
                () = self.asking.next(), if !self.asking.is_idle() => {}
                told = &mut told => match told {
                    Told::Work => {}
                    Told::Close => return End::Asked,
                },
                () = alarm.wait(waits.until) => {
                    if pipe.woke(stall) {
                        return End::Stalled(stall);
                    }
                    self.engine.time_passed();
                }
            }
        }
    }

    /// Does what waits to be done; messages go into the pipe.
    fn work(&mut self, pipe: &Opened<'_>) -> Option<End> {
        for job in self.engine.take_jobs() {
            match job {
                Job::Send { generation, transmit, .. } => pipe.push(generation, &transmit),
                Job::Ask { generation, ask, what } => self.asking.ask(generation, ask, what),
                Job::Withdrawn { generation, ask } => self.asking.withdraw(generation, ask),
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
    reader: &mut (impl AsyncRead + Unpin),
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
const LAST_WORDS: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests;
