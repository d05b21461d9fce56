//! One connection of a client, and the one to the server that belongs to it.

use std::{
    collections::VecDeque,
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split},
    net::TcpStream,
};

use super::Shared;
use crate::scenario::ScenarioName;
use crate::{
    event::{Border, EventKind, Headers, header},
    side::Side,
    tap::sniff::{Piece, Sniffer},
    topic::Topic,
    wire::{
        MOST_FRAME,
        http::{
            border_of,
            event_stream::{EventStream, Streamed},
        },
        stream::connect,
    },
};

pub(super) struct Connection {
    shared: Arc<Shared>,
    /// Requests whose responses have not come yet, oldest first.
    waiting: Mutex<VecDeque<Waiting>>,
    /// Requests whose responses are not over yet.
    open: AtomicUsize,
    /// The conversation of what belongs to no session.
    loose: Mutex<Option<usize>>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    exchange: u32,
    conversation: usize,
    /// Whether the response has no body, whatever its head says.
    bodiless: bool,
}

impl Connection {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            waiting: Mutex::default(),
            open: AtomicUsize::new(0),
            loose: Mutex::default(),
        }
    }

    pub(super) async fn run(self, mut client: TcpStream) {
        let server = match client.set_nodelay(true) {
            Ok(()) => connect(&self.shared.server).await,
            Err(error) => Err(error),
        };
        let server = match server {
            Ok(server) => server,
            Err(error) => {
                let why = format!("{} cannot be reached: {error}", self.shared.server);
                let _ = client.write_all(answer("502 Bad Gateway", &why).as_bytes()).await;
                return crate::tap::tell(&why);
            }
        };
        let (mut from_client, mut to_client) = client.into_split();
        let (from_server, to_server) = split(server);
        let requests = async {
            // The server learns that the client is gone, and may still answer.
            match self.requests(&mut from_client, to_server).await {
                Ok(Some(refusal)) => refusal,
                Ok(None) | Err(_) => std::future::pending().await,
            }
        };
        let refusal = tokio::select! {
            refusal = requests => Some(refusal),
            _ = self.responses(from_server, &mut to_client) => None,
        };
        self.shared.flush();
        let Some(refusal) = refusal else { return };
        crate::tap::tell(&format!("refused a request: {refusal}"));
        // In the middle of another answer there is no place for it.
        if self.open.load(Ordering::Relaxed) == 0 {
            let _ = to_client.write_all(answer("403 Forbidden", &refusal).as_bytes()).await;
            let _ = to_client.shutdown().await;
            // A connection with unread bytes would be reset, and the answer lost.
            let mut rest = from_client.take(MOST_UNREAD);
            let mut nowhere = tokio::io::sink();
            let drain = tokio::io::copy(&mut rest, &mut nowhere);
            let _ = tokio::time::timeout(LAST_BYTES, drain).await;
        }
    }

    /// Until the client has no more of them, or has one that is not passed on: then why.
    async fn requests(
        &self,
        mut from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
    ) -> io::Result<Option<String>> {
        let mut sniffer = Sniffer::of_requests(self.shared.server.authority());
        let (mut buffer, mut out) = (vec![0; AT_ONCE], Vec::new());
        let mut body = Gathered::default();
        let mut current = None;
        loop {
            let read = from.read(&mut buffer).await?;
            if read == 0 {
                to.shutdown().await?;
                return Ok(None);
            }
            let mut input = &buffer[..read];
            out.clear();
            loop {
                let before = out.len();
                match sniffer.next(&mut input, &mut out) {
                    Ok(None) => break,
                    Ok(Some(Piece::Head { start, headers })) => {
                        let Shared { allowed, port, .. } = &*self.shared;
                        if let Some(refusal) = allowed.refusal(*port, &start, &headers) {
                            to.write_all(&out[..before]).await?;
                            to.flush().await?;
                            return Ok(Some(refusal));
                        }
                        current = Some(self.asked(start, headers));
                    }
                    Ok(Some(Piece::Body(bytes))) => body.add(bytes),
                    Ok(Some(Piece::End)) => {
                        if let Some(waiting) = current.take() {
                            self.frame(&waiting, Side::Client, &body.take(), &Border::Body);
                        }
                    }
                    Err(_) => {
                        // No HTTP that we understand: what it is, the server will say.
                        self.shared.flush();
                        to.write_all(&out).await?;
                        to.write_all(input).await?;
                        tokio::io::copy(&mut from, &mut to).await?;
                        to.shutdown().await?;
                        return Ok(None);
                    }
                }
            }
            self.shared.flush();
            to.write_all(&out).await?;
            to.flush().await?;
        }
    }

    async fn responses(
        &self,
        mut from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        let mut sniffer = Sniffer::of_responses();
        let (mut buffer, mut out) = (vec![0; AT_ONCE], Vec::new());
        let mut current: Option<(Waiting, Content)> = None;
        loop {
            let read = match from.read(&mut buffer).await {
                Ok(read) => read,
                Err(error) => {
                    self.broke(current.as_ref(), &error.to_string());
                    return Err(error);
                }
            };
            if read == 0 {
                if sniffer.ends_with_connection() {
                    self.ended(current.take());
                } else if sniffer.is_within_message() {
                    self.broke(current.as_ref(), "the connection was closed within the response");
                }
                self.shared.flush();
                return to.shutdown().await;
            }
            let mut input = &buffer[..read];
            out.clear();
            loop {
                match sniffer.next(&mut input, &mut out) {
                    Ok(None) => break,
                    Ok(Some(Piece::Head { start, headers })) => {
                        current = self.answered(&start, headers, &mut sniffer);
                    }
                    Ok(Some(Piece::Body(bytes))) => {
                        if let Some((waiting, content)) = &mut current {
                            self.content(waiting, content, bytes);
                        }
                    }
                    Ok(Some(Piece::End)) => self.ended(current.take()),
                    Err(error) => {
                        self.broke(current.as_ref(), &error.to_string());
                        self.shared.flush();
                        to.write_all(&out).await?;
                        to.write_all(input).await?;
                        tokio::io::copy(&mut from, &mut to).await?;
                        return to.shutdown().await;
                    }
                }
            }
            self.shared.flush();
            if let Err(error) = to.write_all(&out).await {
                self.left(current.as_ref());
                return Err(error);
            }
            to.flush().await?;
        }
    }

    fn asked(&self, line: String, headers: Headers) -> Waiting {
        let mut words = line.split(' ');
        let bodiless = words.next() == Some("HEAD");
        let path = words.next().unwrap_or_default();
        let exchange = self.shared.exchanges.fetch_add(1, Ordering::Relaxed);
        let conversation = self.shared.with(|record| {
            let known = record.conversations.of(path, &headers);
            let known = known.or_else(|| *lock(&self.loose));
            let conversation = known.unwrap_or_else(|| {
                let number = record.conversations.begin();
                let written = record.writer.conversation(number, &ScenarioName::OVERHEARD);
                record.check(written);
                number
            });
            record.conversations.learn(&headers, conversation);
            conversation
        });
        let waiting = Waiting { exchange, conversation, bodiless };
        self.open.fetch_add(1, Ordering::Relaxed);
        lock(&self.waiting).push_back(waiting);
        let what = EventKind::Requested { topic: Topic::Overheard, exchange, line, headers };
        self.shared.note(conversation, what);
        waiting
    }

    fn answered(
        &self,
        start: &str,
        headers: Headers,
        sniffer: &mut Sniffer,
    ) -> Option<(Waiting, Content)> {
        let status: u16 = start.split(' ').nth(1)?.parse().ok()?;
        if (100..200).contains(&status) {
            sniffer.expect_no_body();
            return None;
        }
        let waiting = lock(&self.waiting).pop_front()?;
        if waiting.bodiless || matches!(status, 204 | 304) {
            sniffer.expect_no_body();
        }
        let has_session = header(&headers, "mcp-session-id").is_some();
        self.shared.with(|record| record.conversations.learn(&headers, waiting.conversation));
        // What follows a request without a session over the same connection goes with it.
        let mut loose = lock(&self.loose);
        if has_session {
            *loose = None;
        } else if loose.is_none() {
            *loose = Some(waiting.conversation);
        }
        drop(loose);
        let exchange = waiting.exchange;
        let content = Content::of(&headers);
        self.shared.note(waiting.conversation, EventKind::Responded { exchange, status, headers });
        Some((waiting, content))
    }

    fn content(&self, waiting: &Waiting, content: &mut Content, bytes: &[u8]) {
        match content {
            Content::Whole(body) => body.add(bytes),
            Content::Unreadable => {}
            Content::Events(stream) => {
                let mut input = bytes;
                while let Some(streamed) = stream.next(&mut input) {
                    match streamed {
                        Streamed::Event(event) => {
                            let data = event.data.unwrap_or_default();
                            if event.name == "endpoint" {
                                let path = String::from_utf8_lossy(data);
                                self.shared.with(|record| {
                                    record
                                        .conversations
                                        .learn_endpoint(&path, waiting.conversation);
                                });
                            }
                            self.frame(waiting, Side::Server, data, &border_of(&event));
                        }
                        Streamed::TooLarge { limit } => {
                            self.shared.note(waiting.conversation, EventKind::Flooded { limit });
                        }
                    }
                }
            }
        }
    }

    fn ended(&self, current: Option<(Waiting, Content)>) {
        let Some((waiting, content)) = current else { return };
        self.open.fetch_sub(1, Ordering::Relaxed);
        if let Content::Whole(mut body) = content {
            self.frame(&waiting, Side::Server, &body.take(), &Border::Body);
        }
        self.shared.note(waiting.conversation, EventKind::Ended { exchange: waiting.exchange });
    }

    fn broke(&self, current: Option<&(Waiting, Content)>, why: &str) {
        let waiting = current.map(|(waiting, _)| *waiting);
        if let Some(waiting) = waiting.or_else(|| lock(&self.waiting).front().copied()) {
            let (exchange, why) = (waiting.exchange, why.to_owned());
            self.shared.note(waiting.conversation, EventKind::Broken { exchange, why });
        }
    }

    fn left(&self, current: Option<&(Waiting, Content)>) {
        self.broke(current, "the client went away");
    }

    fn frame(&self, waiting: &Waiting, by: Side, bytes: &[u8], border: &Border) {
        if bytes.is_empty() && *border == Border::Body {
            return;
        }
        let at = self.shared.began.elapsed();
        self.shared.with(|record| {
            let (conversation, exchange) = (waiting.conversation, waiting.exchange);
            let written = record.writer.overheard(conversation, at, by, exchange, bytes, border);
            record.check(written);
        });
    }
}

/// How the body of a response is read.
enum Content {
    Whole(Gathered),
    Events(Box<EventStream>),
    /// Compressed: it passes unread.
    Unreadable,
}

impl Content {
    fn of(headers: &Headers) -> Self {
        let plain = header(headers, "content-encoding")
            .is_none_or(|coding| coding.eq_ignore_ascii_case("identity"));
        let kind = header(headers, "content-type").unwrap_or_default().to_ascii_lowercase();
        match plain {
            false => Self::Unreadable,
            true if kind.starts_with("text/event-stream") => Self::Events(Box::default()),
            true => Self::Whole(Gathered::default()),
        }
    }
}

/// A body, as far as it is kept.
#[derive(Default)]
struct Gathered(Vec<u8>);

impl Gathered {
    fn add(&mut self, bytes: &[u8]) {
        let room = MOST_FRAME.saturating_sub(self.0.len());
        self.0.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}

/// The last response on a connection, by the tap itself.
fn answer(status: &str, why: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{why}\n",
        why.len() + 1
    )
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

const AT_ONCE: usize = 64 * 1024;
const MOST_UNREAD: u64 = 1024 * 1024;
const LAST_BYTES: Duration = Duration::from_secs(1);
