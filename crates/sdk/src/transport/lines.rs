//! One message a line, both ways, on any pair of byte streams.

mod line_buffer;

use std::{future::pending, io, pin::pin, sync::Arc, time::Duration};

use proofmark_core::{
    framing::lines::{Line, LineDecoder},
    jsonrpc::{Limits, NotAMessage, Reason},
    session::server::{Input, ServerSession},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    time::Instant,
};

pub(super) use self::line_buffer::LineBuffer;
use crate::{
    caller::{Caller, Principal},
    server::{
        Server,
        conversation::{Conversation, MessageSink},
        handoff::{HandOff, HandlerFuture, Handlers},
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
    /// How long running requests have to finish after the input ended, or after the server was told to stop.
    pub drain: Duration,
}

impl Default for LineSettings {
    fn default() -> Self {
        Self {
            limits: Limits { bytes: 16 * 1024 * 1024, ..Limits::default() },
            backlog: 1024 * 1024,
            drain: Duration::from_secs(30),
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
    serve_lines_of(server, (reader, writer), settings, Client { owner, caller: None }, pending())
        .await
}

/// The client at the other end.
pub(crate) struct Client {
    /// Whom the tasks belong to that begin here.
    pub(crate) owner: Principal,
    /// Who it was proved to be.
    pub(crate) caller: Option<Caller>,
}

/// The same for a client that is known, until `stop` is done.
pub(crate) async fn serve_lines_of(
    server: &Server,
    (reader, writer): (impl AsyncRead, impl AsyncWrite),
    settings: LineSettings,
    Client { owner, caller }: Client,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let buffer = Arc::new(LineBuffer::new(Arc::clone(server.offer()), settings.backlog));
    let session = ServerSession::new(Arc::clone(server.offer()));
    let conversation = Conversation::new(server.clone(), session, owner, buffer.clone());
    server.register(&conversation);
    let conversation = &conversation;
    let driver = Driver { conversation, buffer, settings, caller, handlers: Handlers::default() };
    let ended = driver.run(reader, writer, stop).await;
    conversation.close();
    ended
}

struct Driver<'a> {
    conversation: &'a Arc<Conversation>,
    buffer: Arc<LineBuffer>,
    settings: LineSettings,
    caller: Option<Caller>,
    handlers: Handlers,
}

impl Driver<'_> {
    async fn run(
        mut self,
        reader: impl AsyncRead,
        writer: impl AsyncWrite,
        stop: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let (mut reader, mut writer, mut stop) = (pin!(reader), pin!(writer), pin!(stop));
        let mut stopped = false;
        let mut decoder = LineDecoder::new(self.settings.limits.bytes);
        let mut chunk = vec![0; CHUNK];
        // What was read and not yet taken in, because the answers to what came before wait to be written.
        let mut unread = 0..0;
        let mut out = Vec::new();
        let mut written = 0;
        let mut ends_at: Option<Instant> = None;
        loop {
            if !unread.is_empty() && self.buffer.has_room() {
                let sink: Arc<dyn MessageSink> = self.buffer.clone();
                let caller = self.caller.as_ref();
                let rest = receive(
                    HandOff { conversation: self.conversation, sink: &sink, caller, headers: None },
                    &self.buffer,
                    &self.settings.limits,
                    &mut decoder,
                    &chunk[unread.clone()],
                    |handler| self.handlers.push(handler),
                );
                unread.start = unread.end - rest;
            }
            if written == out.len() {
                out.clear();
                written = 0;
                self.buffer.swap(&mut out);
            }
            if ends_at.is_some() && out.is_empty() && self.handlers.is_empty() {
                return writer.flush().await;
            }
            let reading = ends_at.is_none() && unread.is_empty() && self.buffer.has_room();
            let deadline = self.conversation.next_deadline();
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
                () = self.handlers.step(self.conversation, deadline, ends_at) => {
                    if ends_at.is_some_and(|end| end <= Instant::now()) {
                        return writer.flush().await;
                    }
                }
                () = self.buffer.filled.notified(), if out.is_empty() => {}
                () = &mut stop, if !stopped => {
                    // The client has gone already, and the time for what it asked for is over now.
                    if ends_at.is_some() {
                        return writer.flush().await;
                    }
                    stopped = true;
                    self.conversation.feed(Input::InputEnded, None);
                    ends_at = Some(Instant::now() + self.settings.drain);
                }
            }
        }
    }
}

/// Takes in what was read, as long as there is room for answers, and says how many bytes are left over.
pub(super) fn receive(
    handoff: HandOff<'_>,
    buffer: &LineBuffer,
    limits: &Limits,
    decoder: &mut LineDecoder,
    mut chunk: &[u8],
    mut waiting: impl FnMut(HandlerFuture),
) -> usize {
    while buffer.has_room()
        && let Some(line) = decoder.decode(&mut chunk)
    {
        match line {
            Line::Message(bytes) => handoff.receive_bytes(bytes, limits, &mut waiting),
            Line::Oversized { limit } => {
                let refused = NotAMessage::from(Reason::TooLarge { limit });
                handoff.receive(Input::Refused(refused), &mut waiting)
            }
        };
    }
    chunk.len()
}

/// How much is read at once.
pub(super) const CHUNK: usize = 64 * 1024;
