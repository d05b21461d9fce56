//! The way of one server to the store, on which anything can happen.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, Weak},
    time::Duration,
};

use bytes::Bytes;
use proofmark_sdk::{
    BoxFuture,
    store::{
        Addressee, Bus, Event, EventId, EventLog, Letters, Listening, MemoryBus, MemoryEventLog,
        MemorySessionStore, NewsMark, Principal, Replay, ServerNumber, Session, SessionId,
        SessionRecord, SessionStore, StoreError, StreamKey, StreamKind, StreamNumber, Timestamp,
    },
};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{dice::Dice, world::World};

/// One server's way.
pub(crate) struct Way {
    pub(crate) dead: CancellationToken,
    world: Weak<World>,
    events: Arc<MemoryEventLog>,
    state: Mutex<State>,
}

struct State {
    dice: Dice,
    cut_until: Instant,
    /// Something may have been missed.
    missed: bool,
    /// What the streams of this server end with, should it break down.
    last_words: HashMap<StreamNumber, (StreamKey, Bytes)>,
}

/// What becomes of one step.
enum Fate {
    Comes,
    LostThere,
    LostBack,
    CrashesBefore,
    CrashesAfter,
}

impl Way {
    pub(crate) fn new(world: &Arc<World>, dice: Dice) -> Self {
        let state =
            State { dice, cut_until: Instant::now(), missed: false, last_words: HashMap::new() };
        Self {
            dead: CancellationToken::new(),
            world: Arc::downgrade(world),
            events: Arc::clone(&world.events),
            state: Mutex::new(state),
        }
    }

    /// Ends the server, as far as anything outside of it can see.
    pub(crate) fn crash(self: &Arc<Self>) {
        if self.dead.is_cancelled() {
            return;
        }
        self.dead.cancel();
        if let Some(world) = self.world.upgrade() {
            world.count(|found| found.crashes += 1);
        }
        self.miss(LEASE);
    }

    /// Cuts the server off for a while, which may be longer than it takes to be missed.
    pub(crate) fn cut(self: &Arc<Self>, time: Duration) {
        self.state.lock().unwrap().cut_until = Instant::now() + time;
        if let Some(world) = self.world.upgrade() {
            world.count(|found| found.cuts += 1);
        }
        if time > LEASE {
            self.miss(LEASE);
        }
    }

    /// Has the others end its streams after a while.
    fn miss(self: &Arc<Self>, after: Duration) {
        let way = Arc::clone(self);
        tokio::spawn(async move {
            sleep(after).await;
            let words = std::mem::take(&mut way.state.lock().unwrap().last_words);
            for (stream, words) in words.into_values() {
                if way.events.append(&stream, words).await.is_ok() {
                    let _ = way.events.finish(&stream).await;
                }
            }
        });
    }

    /// One step to the store and back.
    async fn step<T>(
        self: &Arc<Self>,
        step: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let (fate, delay) = {
            let dice = &mut self.state.lock().unwrap().dice;
            let fate = match dice.below(400) {
                0 => Fate::CrashesBefore,
                1 => Fate::CrashesAfter,
                2..=7 => Fate::LostThere,
                8..=13 => Fate::LostBack,
                _ => Fate::Comes,
            };
            (fate, Duration::from_micros(100 + dice.below(8000)))
        };
        self.pass(delay).await?;
        match fate {
            Fate::Comes => {
                let outcome = step.await;
                self.pass(delay / 2).await?;
                outcome
            }
            Fate::LostThere => self.lose().await,
            Fate::LostBack => {
                let _ = step.await;
                self.lose().await
            }
            Fate::CrashesBefore => {
                self.crash();
                std::future::pending().await
            }
            Fate::CrashesAfter => {
                let _ = step.await;
                self.crash();
                std::future::pending().await
            }
        }
    }

    /// Takes its time, or for ever, or is lost.
    async fn pass(&self, delay: Duration) -> Result<(), StoreError> {
        sleep(delay).await;
        if self.dead.is_cancelled() {
            std::future::pending::<()>().await;
        }
        let cut_until = self.state.lock().unwrap().cut_until;
        if Instant::now() < cut_until {
            return self.lose().await;
        }
        Ok(())
    }

    async fn lose<T>(&self) -> Result<T, StoreError> {
        if let Some(world) = self.world.upgrade() {
            world.count(|found| found.lost += 1);
        }
        sleep(LIMIT).await;
        self.state.lock().unwrap().missed = true;
        Err(StoreError::Unavailable(Arc::new(io::Error::other("nothing came back"))))
    }

    /// Waits in the store, which is no step that can be lost halfway.
    async fn wait<T>(
        &self,
        wait: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        self.pass(Duration::from_micros(200)).await?;
        let outcome = wait.await;
        self.pass(Duration::from_micros(200)).await?;
        outcome
    }
}

pub(crate) struct FaultySessions(pub(crate) Arc<Way>, pub(crate) Arc<MemorySessionStore>);

impl SessionStore for FaultySessions {
    fn create<'a>(
        &'a self,
        id: &'a SessionId,
        record: SessionRecord,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.0.step(self.1.create(id, record)))
    }

    fn load<'a>(
        &'a self,
        id: &'a SessionId,
        principal: &'a Principal,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Session, StoreError>> {
        Box::pin(self.0.step(self.1.load(id, principal, now)))
    }

    fn save<'a>(
        &'a self,
        id: &'a SessionId,
        version: u64,
        record: SessionRecord,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(self.0.step(self.1.save(id, version, record, now)))
    }

    fn touch<'a>(
        &'a self,
        id: &'a SessionId,
        principal: &'a Principal,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.0.step(self.1.touch(id, principal, now)))
    }

    fn remove<'a>(
        &'a self,
        id: &'a SessionId,
        principal: &'a Principal,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.0.step(self.1.remove(id, principal)))
    }
}

pub(crate) struct FaultyEvents(pub(crate) Arc<Way>, pub(crate) Arc<MemoryEventLog>);

impl EventLog for FaultyEvents {
    fn open<'a>(
        &'a self,
        session: &'a SessionId,
        owner: &'a Principal,
        kind: StreamKind,
    ) -> BoxFuture<'a, Result<StreamKey, StoreError>> {
        Box::pin(self.0.step(self.1.open(session, owner, kind)))
    }

    fn append<'a>(
        &'a self,
        stream: &'a StreamKey,
        event: Bytes,
    ) -> BoxFuture<'a, Result<EventId, StoreError>> {
        Box::pin(self.0.step(self.1.append(stream, event)))
    }

    fn append_last<'a>(
        &'a self,
        stream: &'a StreamKey,
        event: Bytes,
    ) -> BoxFuture<'a, Result<EventId, StoreError>> {
        let append = async move {
            let appended = self.1.append_last(stream, event).await;
            self.0.state.lock().unwrap().last_words.remove(&stream.number);
            appended
        };
        Box::pin(async move { self.0.step(append).await })
    }

    fn leave_last_words<'a>(
        &'a self,
        stream: &'a StreamKey,
        event: Bytes,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let leave = async move {
            let words = (stream.clone(), event);
            self.0.state.lock().unwrap().last_words.insert(stream.number, words);
            Ok(())
        };
        Box::pin(async move { self.0.step(leave).await })
    }

    fn finish<'a>(&'a self, stream: &'a StreamKey) -> BoxFuture<'a, Result<(), StoreError>> {
        let finish = async move {
            let finished = self.1.finish(stream).await;
            self.0.state.lock().unwrap().last_words.remove(&stream.number);
            finished
        };
        Box::pin(async move { self.0.step(finish).await })
    }

    fn replay<'a>(
        &'a self,
        session: &'a SessionId,
        principal: &'a Principal,
        last: EventId,
    ) -> BoxFuture<'a, Result<Replay, StoreError>> {
        Box::pin(self.0.step(self.1.replay(session, principal, last)))
    }

    fn grown<'a>(
        &'a self,
        session: &'a SessionId,
        principal: &'a Principal,
        last: EventId,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.0.wait(self.1.grown(session, principal, last)))
    }

    fn forget<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.0.step(self.1.forget(session)))
    }
}

pub(crate) struct FaultyBus(pub(crate) Arc<Way>, pub(crate) MemoryBus);

impl Bus for FaultyBus {
    fn server(&self) -> ServerNumber {
        self.1.server()
    }

    fn send(&self, to: Addressee, letter: Bytes) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.0.step(self.1.send(to, letter)))
    }

    fn receive(&self) -> BoxFuture<'_, Result<Letters, StoreError>> {
        Box::pin(async move {
            self.0.pass(Duration::from_micros(200)).await?;
            let mut letters = self.1.receive().await?;
            let delay = {
                let mut state = self.0.state.lock().unwrap();
                letters.missed |= std::mem::take(&mut state.missed);
                // A place that was forgotten is begun from again.
                if state.dice.one_in(6) {
                    letters.letters.extend(letters.letters.clone());
                }
                Duration::from_micros(state.dice.below(20_000))
            };
            // They are late, also because of a way that is cut, but they come.
            sleep(delay).await;
            loop {
                let cut_until = self.0.state.lock().unwrap().cut_until;
                if Instant::now() >= cut_until {
                    break;
                }
                tokio::time::sleep_until(cut_until).await;
            }
            if self.0.dead.is_cancelled() {
                std::future::pending::<()>().await;
            }
            Ok(letters)
        })
    }

    fn say<'a>(
        &'a self,
        session: &'a SessionId,
        owner: &'a Principal,
        message: Bytes,
        mark: Option<NewsMark>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.0.step(self.1.say(session, owner, message, mark)))
    }

    fn listen<'a>(
        &'a self,
        session: &'a SessionId,
        owner: &'a Principal,
        after: Option<EventId>,
    ) -> BoxFuture<'a, Result<Listening, StoreError>> {
        Box::pin(self.0.step(self.1.listen(session, owner, after)))
    }

    fn take<'a>(
        &'a self,
        listening: &'a Listening,
    ) -> BoxFuture<'a, Result<Vec<Event>, StoreError>> {
        Box::pin(self.0.step(self.1.take(listening)))
    }

    fn spoken<'a>(&'a self, listening: &'a Listening) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.0.wait(self.1.spoken(listening)))
    }

    fn forget<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.0.step(self.1.forget(session)))
    }
}

/// How long a server waits for the store.
const LIMIT: Duration = Duration::from_secs(1);
/// How long a server is taken to be alive after its last sign of life.
pub(crate) const LEASE: Duration = Duration::from_secs(15);
