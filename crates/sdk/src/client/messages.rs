//! A conversation over a transport that keeps messages whole.

use std::{
    collections::VecDeque,
    io,
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use futures_util::future::OptionFuture;
use tokio::{task::consume_budget, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{
    ClientTransport, Lost,
    engine::{Engine, Generation, Job},
    server_requests::ServerRequests,
};
use crate::{
    clock::Alarm,
    transport::{MessageReceiver, MessageSender},
};

/// Connects, and carries one session until something ends it.
pub(super) async fn run(
    engine: &Arc<Engine>,
    transport: impl ClientTransport,
    closing: &CancellationToken,
) {
    let connecting = transport.connect(engine.settings.messages);
    let connected = tokio::select! {
        biased;
        () = closing.cancelled() => return engine.lose(Lost::Closed),
        connected = timeout(engine.settings.session.patience, connecting) => connected,
    };
    let (sender, receiver) = match connected {
        Ok(Ok(halves)) => halves,
        Ok(Err(error)) => return engine.lose(Lost::NotConnected(error)),
        Err(_) => return engine.lose(Lost::NotConnected(io::ErrorKind::TimedOut.into())),
    };
    let mut driver = Driver {
        engine,
        generation: engine.begin(|_| {}),
        server_requests: ServerRequests::new(engine.clone()),
        queue: VecDeque::new(),
        queued: 0,
    };
    let (lost, sender) = driver.run(sender, receiver, closing).await;
    // Callers are told at once; the transport takes its time.
    engine.lose(lost);
    if let Some(mut sender) = sender {
        match timeout(engine.settings.child.close_grace, sender.close()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::debug!(%error, "the connection was not closed in good order");
            }
            Err(_) => tracing::debug!("the connection was not closed in time"),
        }
    }
}

struct Driver<'a> {
    engine: &'a Arc<Engine>,
    generation: Generation,
    server_requests: ServerRequests,
    /// Messages that wait to be sent, and their bytes.
    queue: VecDeque<Bytes>,
    queued: usize,
}

impl Driver<'_> {
    /// Says how it ended, and gives back the sender unless a message is stuck in it.
    async fn run<S: MessageSender, R: MessageReceiver>(
        &mut self,
        sender: S,
        receiver: R,
        closing: &CancellationToken,
    ) -> (Lost, Option<S>) {
        let (engine, generation) = (self.engine, self.generation);
        let stall = engine.settings.child.write_stall;
        let mut idle = Some(sender);
        // Both go on from one turn to the next, so that a transport need not bear to be interrupted.
        let mut sending = pin!(OptionFuture::from(None));
        let mut receiving = pin!(receive(receiver));
        let mut closed = pin!(closing.cancelled());
        let mut alarm = Alarm::default();
        loop {
            // A server that does not read is not read either.
            let full = self.queued >= BACKLOG;
            if !full && let Some(lost) = self.work() {
                return (lost, idle);
            }
            if !self.queue.is_empty()
                && let Some(sender) = idle.take()
            {
                let message = self.queue.pop_front().unwrap_or_default();
                self.queued -= message.len();
                sending.set(Some(send(sender, message, stall)).into());
            }
            tokio::select! {
                biased;
                () = closed.as_mut() => {
                    engine.lose(Lost::Closed);
                    // A message that is half sent is sent to its end, so that the connection can be closed in good order.
                    if idle.is_none() {
                        let sent = timeout(engine.settings.child.close_grace, sending).await;
                        idle = sent.ok().flatten().and_then(|(sender, sent)| sent.is_ok().then_some(sender));
                    }
                    return (Lost::Closed, idle);
                }
                Some((sender, sent)) = sending.as_mut(), if idle.is_none() => {
                    match sent {
                        Ok(()) => idle = Some(sender),
                        Err(lost @ Lost::Stalled { .. }) => return (lost, None),
                        Err(lost) => {
                            let rest = last_words(engine, generation, receiving, lost);
                            return (rest.await, Some(sender));
                        }
                    }
                    sending.set(None.into());
                }
                () = self.server_requests.next(), if !self.server_requests.is_idle() => {}
                () = engine.work.notified() => {}
                (receiver, next) = receiving.as_mut(), if !full => {
                    match next {
                        Ok(Some(message)) => take(engine, generation, &message),
                        Ok(None) => return (Lost::Ended { stderr: String::new() }, idle),
                        Err(error) => return (Lost::Io(error), idle),
                    }
                    receiving.set(receive(receiver));
                    // A server that always has more to say leaves others their turn.
                    consume_budget().await;
                }
                () = alarm.wait(engine.next_deadline()) => engine.time_passed(),
            }
        }
    }

    /// Does what waits to be done; messages go into the queue.
    fn work(&mut self) -> Option<Lost> {
        for job in self.engine.take_jobs() {
            match job {
                Job::Send { generation, transmit, .. } if generation == self.generation => {
                    let mut message = Vec::new();
                    transmit.write(&mut message);
                    self.queued += message.len();
                    self.queue.push_back(message.into());
                }
                Job::Ask { generation, ask, what } => {
                    self.server_requests.start(generation, ask, what);
                }
                Job::Withdrawn { generation, ask } => {
                    self.server_requests.withdraw(generation, ask);
                }
                Job::Failed { generation, why, .. } if generation == self.generation => {
                    return Some(Lost::Handshake(why));
                }
                // All messages share one connection.
                Job::Abandon { .. } | Job::Connected(_) | Job::Failed { .. } | Job::Send { .. } => {
                }
            }
        }
        None
    }
}

async fn send<S: MessageSender>(
    mut sender: S,
    message: Bytes,
    stall: Duration,
) -> (S, Result<(), Lost>) {
    let sent = match timeout(stall, sender.send(message)).await {
        Ok(sent) => sent.map_err(Lost::Io),
        Err(_) => Err(Lost::Stalled { seconds: stall.as_secs() }),
    };
    (sender, sent)
}

async fn receive<R: MessageReceiver>(mut receiver: R) -> (R, io::Result<Option<Bytes>>) {
    let next = receiver.receive().await;
    (receiver, next)
}

/// What a server that takes no more may still have said.
async fn last_words<R: MessageReceiver>(
    engine: &Engine,
    generation: Generation,
    mut receiving: Pin<&mut impl Future<Output = (R, io::Result<Option<Bytes>>)>>,
    lost: Lost,
) -> Lost {
    let rest = async {
        let (mut receiver, mut next) = receiving.as_mut().await;
        while let Ok(Some(message)) = next {
            take(engine, generation, &message);
            next = receiver.receive().await;
        }
    };
    match timeout(LAST_WORDS, rest).await {
        Ok(()) => Lost::Ended { stderr: String::new() },
        Err(_) => lost,
    }
}

fn take(engine: &Engine, generation: Generation, message: &Bytes) {
    let limit = engine.settings.messages.bytes;
    if message.len() > limit {
        engine.oversized(generation, limit);
    } else {
        engine.receive(generation, message, None);
    }
}

/// Bytes that may wait to be sent before nothing more is read.
const BACKLOG: usize = 4 * 1024 * 1024;
const LAST_WORDS: Duration = Duration::from_millis(50);
