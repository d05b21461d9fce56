//! What was sent on the streams of legacy sessions, in the store.

mod totals;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use proofmark_sdk::{
    BoxFuture,
    store::{
        Cap, Event, EventId, EventLog, EventLogSettings, Principal, Replay, SessionId, StoreError,
        StreamEnd, StreamKey, StreamKind, StreamNumber, What,
    },
};
use redis::Script;

use self::totals::Totals;
use crate::{
    bus::Life,
    keys,
    link::{Link, growing_script, script},
    reply::{Reply, full, unexpected},
};

/// Streams that all servers with the same store and prefix have together.
///
/// The streams of a session are one hash, and the events of each a stream of the store. What all of them take is counted in a place of
/// its own, at the beginning and the end of a stream and whenever one has grown by much.
pub struct RedisEventLog {
    link: Link,
    /// Of the server that writes the streams which begin here.
    life: Arc<Life>,
    totals: Totals,
    scripts: Scripts,
}

struct Scripts {
    open: Script,
    append: Script,
    finish: Script,
    replay: Script,
    shrink: Script,
    bury: Script,
    forget: Script,
}

impl RedisEventLog {
    pub(crate) fn new(link: Link, life: Arc<Life>) -> Self {
        let scripts = Scripts {
            open: growing(include_str!("event_log/open.lua")),
            append: growing(include_str!("event_log/append.lua")),
            finish: streams(include_str!("event_log/finish.lua")),
            replay: streams(include_str!("event_log/replay.lua")),
            bury: streams(include_str!("event_log/bury.lua")),
            shrink: streams(include_str!("event_log/shrink.lua")),
            forget: streams(include_str!("event_log/forget.lua")),
        };
        Self { totals: Totals::new(link.clone()), link, life, scripts }
    }

    async fn open_now(
        &self,
        session: &SessionId,
        owner: &Principal,
        kind: StreamKind,
    ) -> Result<StreamKey, StoreError> {
        let key = StreamKey { session: session.clone(), number: StreamNumber::random()? };
        let (number, owner) = (keys::stream(key.number), keys::owner(owner));
        let settings = self.settings();
        let (most, lives) =
            (settings.streams.to_string(), millis(self.link.settings().open_stream));
        let kind: &[u8] = match kind {
            StreamKind::Request => b"r",
            StreamKind::Standalone => b"s",
        };
        let arguments =
            [owner.as_bytes(), number.as_bytes(), kind, most.as_bytes(), lives.as_bytes()];
        let reply = self.step(&self.scripts.open, session, &arguments).await?;
        match reply.word.as_str() {
            "full" => return Err(full(Cap::Streams, settings.streams)),
            "unknown" => return Err(StoreError::Unknown(What::Session)),
            _ => {}
        }
        for dropped in reply.of(What::Stream)?.rest::<String>()? {
            self.totals.remove(session, &dropped).await?;
        }
        let room = self.totals.set(session, &number, EMPTY, false).await?;
        self.drop_streams(room.dropped).await?;
        if room.missing > 0 {
            self.drop_streams(vec![(session.clone(), number.clone())]).await?;
            self.totals.remove(session, &number).await?;
            return Err(full(Cap::Bytes, settings.total_bytes));
        }
        Ok(key)
    }

    async fn append_now(
        &self,
        stream: &StreamKey,
        event: &[u8],
        last: bool,
    ) -> Result<EventId, StoreError> {
        let (number, settings) = (keys::stream(stream.number), self.settings());
        let (events, bytes) = (settings.events.to_string(), settings.bytes.to_string());
        let lives = millis(self.link.settings().open_stream);
        let once = once()?;
        let channel = self.link.keys().log_grown(&stream.session);
        let arguments = [
            number.as_bytes(),
            event,
            events.as_bytes(),
            bytes.as_bytes(),
            lives.as_bytes(),
            channel.as_bytes(),
            &once,
            if last { b"1" } else { b"" },
        ];
        let mut reply = self.step(&self.scripts.append, &stream.session, &arguments).await;
        // The same event is never kept twice, so that a step whose outcome is unknown can be taken again.
        if reply.as_ref().is_err_and(StoreError::is_unavailable) {
            reply = self.step(&self.scripts.append, &stream.session, &arguments).await;
        }
        let mut reply = reply?.of(What::Stream)?;
        let (sequence, cost) = (reply.take()?, reply.take::<usize>()?);
        if last {
            let room = self.totals.set(&stream.session, &number, EMPTY + cost, true).await?;
            self.drop_streams(room.dropped).await?;
        } else {
            self.settle(stream, &number, EMPTY + cost).await?;
        }
        Ok(EventId { stream: stream.number, sequence })
    }

    /// Counts what a stream takes, and makes room if that is too much.
    async fn settle(
        &self,
        stream: &StreamKey,
        number: &str,
        cost: usize,
    ) -> Result<(), StoreError> {
        let Some(room) = self.totals.grown(&stream.session, number, cost).await? else {
            return Ok(());
        };
        self.drop_streams(room.dropped).await?;
        if room.missing == 0 {
            return Ok(());
        }
        let missing = room.missing.to_string();
        let arguments = [number.as_bytes(), missing.as_bytes()];
        let reply = self.step(&self.scripts.shrink, &stream.session, &arguments).await?;
        let cost: usize = reply.of(What::Stream)?.take()?;
        self.totals.set(&stream.session, number, EMPTY + cost, false).await.map(|_| ())
    }

    async fn finish_now(&self, stream: &StreamKey) -> Result<(), StoreError> {
        let number = keys::stream(stream.number);
        let channel = self.link.keys().log_grown(&stream.session);
        let arguments = [number.as_bytes(), channel.as_bytes()];
        let reply = self.step(&self.scripts.finish, &stream.session, &arguments).await?;
        let cost: usize = reply.of(What::Stream)?.take()?;
        let room = self.totals.set(&stream.session, &number, EMPTY + cost, true).await?;
        self.drop_streams(room.dropped).await
    }

    async fn replay_now(
        &self,
        session: &SessionId,
        principal: &Principal,
        last: EventId,
        wanted: &[u8],
    ) -> Result<Reply, StoreError> {
        let (owner, number) = (keys::owner(principal), keys::stream(last.stream));
        let sequence = last.sequence.to_string();
        let arguments = [owner.as_bytes(), number.as_bytes(), sequence.as_bytes(), wanted];
        self.step(&self.scripts.replay, session, &arguments).await?.of(What::Event)
    }

    async fn wait(
        &self,
        session: &SessionId,
        principal: &Principal,
        last: EventId,
    ) -> Result<(), StoreError> {
        let reader = self.link.watch(self.link.keys().log_grown(session)).await?;
        loop {
            // Before the look, so that nothing is missed in between.
            let mut news = std::pin::pin!(reader.news.notified());
            news.as_mut().enable();
            let mut reply = self.replay_now(session, principal, last, b"").await?;
            if reply.take()? {
                return Ok(());
            }
            if let Some(server) = reply.take::<Option<u32>>()?
                && !self.is_alive(server).await?
            {
                self.bury(session, last, server).await?;
                continue;
            }
            let _ = tokio::time::timeout(LOOK_AGAIN, news).await;
        }
    }

    async fn is_alive(&self, server: u32) -> Result<bool, StoreError> {
        self.link.command(redis::cmd("EXISTS").arg(self.link.keys().alive(server))).await
    }

    /// Ends a stream whose server is gone.
    async fn bury(
        &self,
        session: &SessionId,
        last: EventId,
        server: u32,
    ) -> Result<(), StoreError> {
        let (number, server) = (keys::stream(last.stream), server.to_string());
        let channel = self.link.keys().log_grown(session);
        let arguments = [number.as_bytes(), server.as_bytes(), channel.as_bytes()];
        self.step(&self.scripts.bury, session, &arguments).await.map(|_| ())
    }

    async fn forget_now(&self, session: &SessionId) -> Result<(), StoreError> {
        let channel = self.link.keys().log_grown(session);
        let reply = self.step(&self.scripts.forget, session, &[channel.as_bytes()]).await?;
        for number in reply.of(What::Session)?.rest::<String>()? {
            self.totals.remove(session, &number).await?;
        }
        Ok(())
    }

    /// Drops streams that had to make room for others.
    async fn drop_streams(&self, streams: Vec<(SessionId, String)>) -> Result<(), StoreError> {
        for (session, number) in streams {
            let arguments = [&b""[..], number.as_bytes()];
            self.step(&self.scripts.forget, &session, &arguments).await?;
        }
        Ok(())
    }

    async fn step(
        &self,
        script: &Script,
        session: &SessionId,
        arguments: &[&[u8]],
    ) -> Result<Reply, StoreError> {
        let (key, age) = (self.link.keys().log(session), millis(self.settings().age));
        let mut all = vec![age.as_bytes()];
        all.extend_from_slice(arguments);
        self.link.run(script, &[&key], &all).await
    }

    fn settings(&self) -> &EventLogSettings {
        &self.link.settings().events
    }
}

impl EventLog for RedisEventLog {
    fn open<'a>(
        &'a self,
        session: &'a SessionId,
        owner: &'a Principal,
        kind: StreamKind,
    ) -> BoxFuture<'a, Result<StreamKey, StoreError>> {
        Box::pin(self.open_now(session, owner, kind))
    }

    fn append<'a>(
        &'a self,
        stream: &'a StreamKey,
        event: Bytes,
    ) -> BoxFuture<'a, Result<EventId, StoreError>> {
        Box::pin(async move { self.append_now(stream, &event, false).await })
    }

    fn append_last<'a>(
        &'a self,
        stream: &'a StreamKey,
        event: Bytes,
    ) -> BoxFuture<'a, Result<EventId, StoreError>> {
        Box::pin(async move { self.append_now(stream, &event, true).await })
    }

    fn leave_last_words<'a>(
        &'a self,
        stream: &'a StreamKey,
        event: Bytes,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            // Only a server that shows signs of life can be missed.
            if !self.life.is_shown() {
                return Ok(());
            }
            let mut words = format!("{} ", self.life.number).into_bytes();
            words.extend_from_slice(&event);
            let mut keep = redis::cmd("HSET");
            keep.arg(self.link.keys().log(&stream.session));
            keep.arg(format!("words:{}", keys::stream(stream.number))).arg(words);
            self.link.command(&keep).await
        })
    }

    fn finish<'a>(&'a self, stream: &'a StreamKey) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.finish_now(stream))
    }

    fn replay<'a>(
        &'a self,
        session: &'a SessionId,
        principal: &'a Principal,
        last: EventId,
    ) -> BoxFuture<'a, Result<Replay, StoreError>> {
        Box::pin(async move {
            let mut reply = self.replay_now(session, principal, last, b"events").await?;
            let (kind, ended): (String, bool) = (reply.take()?, reply.take()?);
            let kind = match kind.as_str() {
                "r" => StreamKind::Request,
                "s" => StreamKind::Standalone,
                _ => return Err(unexpected()),
            };
            let data: Vec<Bytes> = reply.rest()?;
            let ids = last.sequence + 1..;
            let event = |(sequence, data)| Event { id: EventId { sequence, ..last }, data };
            Ok(Replay {
                stream: StreamKey { session: session.clone(), number: last.stream },
                kind,
                events: ids.zip(data).map(event).collect(),
                end: if ended { StreamEnd::Ended } else { StreamEnd::Open },
            })
        })
    }

    fn grown<'a>(
        &'a self,
        session: &'a SessionId,
        principal: &'a Principal,
        last: EventId,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.wait(session, principal, last))
    }

    fn forget<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.forget_now(session))
    }
}

/// A script with what those about streams have in common.
fn streams(code: &str) -> Script {
    script(&format!("{}\n{code}", include_str!("event_log/streams.lua")))
}

/// The same for one that a full store refuses.
fn growing(code: &str) -> Script {
    growing_script(&format!("{}\n{code}", include_str!("event_log/streams.lua")))
}

/// What tells one append from all others.
fn once() -> Result<[u8; 8], StoreError> {
    StreamNumber::random().map(|number| number.0.to_ne_bytes()).map_err(StoreError::from)
}

fn millis(time: Duration) -> String {
    time.as_millis().max(1).to_string()
}

/// What a stream without events takes, its share of the session's hash and of the count included: a round figure above the truth.
const EMPTY: usize = 512;
/// How long a reader waits for news before it looks by itself.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
