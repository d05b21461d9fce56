//! One message a line, both ways, on any pair of byte streams.

mod buffer;

use std::{
    io,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Waker},
    time::Duration,
};

use futures_util::{StreamExt, stream::FuturesUnordered};
use proofmark_core::{
    framing::lines::{Line, LineDecoder},
    jsonrpc::{Limits, NotAMessage, Reason, parse},
    session::server::{Input, ServerSession},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    time::{Instant, sleep_until},
};

pub(super) use self::buffer::Buffer;
use crate::{
    caller::Principal,
    clock,
    server::{
        Server,
        conversation::Conversation,
        scope::{Outlet, Work},
    },
    store::SessionId,
};

/// How a line transport behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSettings {
    /// Limits on each message.
    pub limits: Limits,
    /// Bytes that may wait to be written before nothing more is read. Notifications beyond it are dropped.
    pub backlog: usize,
    /// How long running requests have to finish after the input ended.
    pub drain: Duration,
}

impl Default for LineSettings {
    fn default() -> Self {
        Self {
            limits: Limits { bytes: 16 * 1024 * 1024, ..Limits::default() },
            backlog: 1024 * 1024,
            drain: Duration::from_millis(1500),
        }
    }
}

/// Serves one client until its input ends, and then until what it asked for is answered or the time for that is over.
///
/// An error means that a stream broke; the input ending is how such a conversation is meant to end.
pub async fn serve_lines(
    server: &Server,
    reader: impl AsyncRead,
    writer: impl AsyncWrite,
    settings: LineSettings,
) -> io::Result<()> {
    let owner = Principal::Session(SessionId::random().map_err(io::Error::other)?);
    serve_lines_of(server, reader, writer, settings, owner).await
}

/// The same for a client that is known to be somebody.
pub(super) async fn serve_lines_of(
    server: &Server,
    reader: impl AsyncRead,
    writer: impl AsyncWrite,
    settings: LineSettings,
    owner: Principal,
) -> io::Result<()> {
    let outlet = Arc::new(Buffer::new(Arc::clone(server.offer()), settings.backlog));
    let session = ServerSession::new(Arc::clone(server.offer()));
    let conversation = Conversation::new(server.clone(), session, owner, outlet.clone());
    server.register(&conversation);
    let driver =
        Driver { conversation: &conversation, outlet, settings, works: FuturesUnordered::new() };
    let ended = driver.run(reader, writer).await;
    conversation.close();
    ended
}

struct Driver<'a> {
    conversation: &'a Arc<Conversation>,
    outlet: Arc<Buffer>,
    settings: LineSettings,
    works: FuturesUnordered<Work>,
}

impl Driver<'_> {
    async fn run(mut self, reader: impl AsyncRead, writer: impl AsyncWrite) -> io::Result<()> {
        let (mut reader, mut writer) = (pin!(reader), pin!(writer));
        let mut decoder = LineDecoder::new(self.settings.limits.bytes);
        let mut chunk = vec![0; CHUNK];
        // What was read and not yet taken in, because the answers to what came before wait to be written.
        let mut unread = 0..0;
        let mut out = Vec::new();
        let mut written = 0;
        let mut ends_at: Option<Instant> = None;
        loop {
            if !unread.is_empty() && self.outlet.has_room() {
                let rest = receive(
                    self.conversation,
                    &self.outlet,
                    &self.settings.limits,
                    &mut decoder,
                    &chunk[unread.clone()],
                    |work| self.works.push(work),
                );
                unread.start = unread.end - rest;
            }
            if written == out.len() {
                out.clear();
                written = 0;
                self.outlet.swap(&mut out);
            }
            if ends_at.is_some() && out.is_empty() && self.works.is_empty() {
                return writer.flush().await;
            }
            let reading = ends_at.is_none() && unread.is_empty() && self.outlet.has_room();
            let deadline = self.conversation.next_deadline().map(clock::instant);
            let wake = [ends_at, deadline].into_iter().flatten().min();
            tokio::select! {
                biased;
                count = writer.write(&out[written..]), if written < out.len() => match count? {
                    0 => return Err(io::ErrorKind::WriteZero.into()),
                    count => written += count,
                },
                count = reader.read(&mut chunk), if reading => match count? {
                    0 => {
                        if let Some(unfinished) = decoder.finish() {
                            tracing::debug!(bytes = unfinished.length, "the input ended within a line");
                        }
                        self.conversation.feed(Input::InputEnded, None);
                        ends_at = Some(Instant::now() + self.settings.drain);
                    }
                    count => unread = 0..count,
                },
                Some(()) = self.works.next(), if !self.works.is_empty() => {}
                () = self.outlet.filled.notified(), if out.is_empty() => {}
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {
                    if ends_at.is_some_and(|end| end <= Instant::now()) {
                        return writer.flush().await;
                    }
                    self.conversation.feed(Input::TimePassed, None);
                }
            }
        }
    }
}

/// Takes in what was read, as long as there is room for answers, and says how many bytes are left over.
///
/// Handlers that need not wait are done at once, so that their answers leave together. The others are handed on, to be polled again.
pub(super) fn receive(
    conversation: &Arc<Conversation>,
    outlet: &Arc<Buffer>,
    limits: &Limits,
    decoder: &mut LineDecoder,
    mut chunk: &[u8],
    mut hand_on: impl FnMut(Work),
) -> usize {
    let here: Arc<dyn Outlet> = outlet.clone();
    let mut first_look = Context::from_waker(Waker::noop());
    while outlet.has_room()
        && let Some(line) = decoder.decode(&mut chunk)
    {
        let input = match line {
            Line::Message(bytes) => match parse(bytes, limits) {
                Ok(incoming) => Input::Received(incoming),
                Err(refused) => Input::Refused(refused),
            },
            Line::Oversized { limit } => {
                Input::Refused(NotAMessage::from(Reason::TooLarge { limit }))
            }
        };
        for call in conversation.feed(input, Some(&here)).calls {
            let scope = conversation.begin(&call, Arc::clone(&here), None);
            let future = conversation.server.run(call, &scope);
            let mut work = Work::new(scope, future);
            if Pin::new(&mut work).poll(&mut first_look).is_pending() {
                hand_on(work);
            }
        }
    }
    chunk.len()
}

/// How much is read at once.
pub(super) const CHUNK: usize = 64 * 1024;
