//! The way between servers of one process.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard},
};

use bytes::Bytes;
use tokio::{sync::Notify, time::Instant};

use super::{Addressee, Bus, BusSettings, Letters, Listening, NewsMark, ServerNumber};
use crate::BoxFuture;
use crate::store::{
    Event, EventId, Principal, SessionId, StoreError, StreamKey, StreamNumber, What, lock::lock,
};

/// One server's end of a way between servers in one process, for tests of programs that share sessions.
pub struct MemoryBus {
    shared: Arc<Shared>,
    server: ServerNumber,
}

struct Shared {
    settings: BusSettings,
    state: Mutex<State>,
    /// Something happened to letters or messages.
    news: Notify,
}

#[derive(Default)]
struct State {
    servers: HashMap<ServerNumber, Letters>,
    last: u32,
    sessions: HashMap<SessionId, Said>,
}

/// What was said to the client of one session.
struct Said {
    owner: Principal,
    /// Under which the latest listeners heard it, so that no two of them are given the same ids.
    numbers: VecDeque<StreamNumber>,
    messages: VecDeque<(Instant, Bytes)>,
    bytes: usize,
    /// The sequence of the newest message, and of the newest that was taken.
    last: u64,
    taken: u64,
    turn: u64,
    /// The latest news of each server that the client was told of.
    marks: HashMap<ServerNumber, VecDeque<u64>>,
    used: Instant,
}

impl MemoryBus {
    pub fn new(settings: BusSettings) -> Self {
        let shared = Shared { settings, state: Mutex::default(), news: Notify::new() };
        Self::join_to(Arc::new(shared))
    }

    /// Another server on the same way.
    pub fn join(&self) -> Self {
        Self::join_to(Arc::clone(&self.shared))
    }

    fn join_to(shared: Arc<Shared>) -> Self {
        let server = {
            let mut state = lock(&shared.state);
            state.last += 1;
            let server = ServerNumber(state.last);
            state.servers.insert(server, Letters::default());
            server
        };
        Self { shared, server }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.shared.state)
    }

    fn send_now(&self, to: Addressee, letter: &Bytes) {
        let most = self.shared.settings.letters;
        for (server, inbox) in &mut self.lock().servers {
            let meant = match to {
                Addressee::Others => *server != self.server,
                Addressee::One(one) => *server == one,
            };
            if meant {
                inbox.letters.push(letter.clone());
            }
            if inbox.letters.len() > most {
                inbox.letters.remove(0);
                inbox.missed = true;
            }
        }
        self.shared.news.notify_waiters();
    }

    fn say_now(
        &self,
        session: &SessionId,
        owner: &Principal,
        message: Bytes,
        mark: Option<NewsMark>,
    ) -> Result<(), StoreError> {
        let mut state = self.lock();
        let said = state.said(session, owner, &self.shared.settings)?;
        if let Some(NewsMark { server, number }) = mark {
            let told = said.marks.entry(server).or_default();
            if told.contains(&number) {
                return Ok(());
            }
            told.push_back(number);
            if told.len() > NewsMark::REMEMBERED {
                told.pop_front();
            }
        }
        said.last += 1;
        said.bytes += message.len();
        said.messages.push_back((Instant::now(), message));
        said.trim(&self.shared.settings);
        drop(state);
        self.shared.news.notify_waiters();
        Ok(())
    }

    fn listen_now(
        &self,
        session: &SessionId,
        owner: &Principal,
        after: Option<EventId>,
    ) -> Result<Listening, StoreError> {
        let mut state = self.lock();
        if after.is_some() && !state.sessions.contains_key(session) {
            return Err(StoreError::Unknown(What::Event));
        }
        let said = state.said(session, owner, &self.shared.settings)?;
        said.trim(&self.shared.settings);
        let first = said.last - said.messages.len() as u64;
        if let Some(after) = after {
            if !said.numbers.contains(&after.stream) || after.sequence > said.last {
                return Err(StoreError::Unknown(What::Event));
            }
            if after.sequence < first {
                return Err(StoreError::Forgotten);
            }
            said.taken = after.sequence;
        }
        said.taken = said.taken.max(first);
        said.turn += 1;
        let number = match after {
            Some(after) => after.stream,
            None => said.new_number()?,
        };
        let stream = StreamKey { session: session.clone(), number };
        let after = EventId { stream: number, sequence: said.taken };
        let listening = Listening { stream, turn: said.turn, after };
        drop(state);
        self.shared.news.notify_waiters();
        Ok(listening)
    }

    fn take_now(&self, listening: &Listening) -> Result<Vec<Event>, StoreError> {
        let mut state = self.lock();
        let said = state.heard(listening)?;
        said.used = Instant::now();
        let first = said.last - said.messages.len() as u64;
        let from = said.taken.max(first);
        let events = (first + 1..).zip(&said.messages).filter(|(sequence, _)| *sequence > from);
        let event = |(sequence, (_, data)): (u64, &(Instant, Bytes))| Event {
            id: EventId { stream: listening.stream.number, sequence },
            data: data.clone(),
        };
        let events = events.map(event).collect();
        said.taken = said.last;
        Ok(events)
    }
}

impl Bus for MemoryBus {
    fn server(&self) -> ServerNumber {
        self.server
    }

    fn send(&self, to: Addressee, letter: Bytes) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.send_now(to, &letter);
            Ok(())
        })
    }

    fn receive(&self) -> BoxFuture<'_, Result<Letters, StoreError>> {
        Box::pin(async move {
            loop {
                let mut news = std::pin::pin!(self.shared.news.notified());
                news.as_mut().enable();
                if let Some(inbox) = self.lock().servers.get_mut(&self.server)
                    && (inbox.missed || !inbox.letters.is_empty())
                {
                    return Ok(std::mem::take(inbox));
                }
                news.await;
            }
        })
    }

    fn say<'a>(
        &'a self,
        session: &'a SessionId,
        owner: &'a Principal,
        message: Bytes,
        mark: Option<NewsMark>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.say_now(session, owner, message, mark) })
    }

    fn listen<'a>(
        &'a self,
        session: &'a SessionId,
        owner: &'a Principal,
        after: Option<EventId>,
    ) -> BoxFuture<'a, Result<Listening, StoreError>> {
        Box::pin(async move { self.listen_now(session, owner, after) })
    }

    fn take<'a>(
        &'a self,
        listening: &'a Listening,
    ) -> BoxFuture<'a, Result<Vec<Event>, StoreError>> {
        Box::pin(async move { self.take_now(listening) })
    }

    fn spoken<'a>(&'a self, listening: &'a Listening) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            loop {
                let mut news = std::pin::pin!(self.shared.news.notified());
                news.as_mut().enable();
                {
                    let mut state = self.lock();
                    let said = state.heard(listening)?;
                    if said.taken < said.last {
                        return Ok(());
                    }
                }
                news.await;
            }
        })
    }

    fn forget<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.lock().sessions.remove(session);
            self.shared.news.notify_waiters();
            Ok(())
        })
    }
}

impl Drop for MemoryBus {
    fn drop(&mut self) {
        self.lock().servers.remove(&self.server);
    }
}

impl State {
    /// What was said in a session that belongs to this owner; nothing yet, if it is new.
    fn said(
        &mut self,
        session: &SessionId,
        owner: &Principal,
        settings: &BusSettings,
    ) -> Result<&mut Said, StoreError> {
        self.sessions.retain(|_, said| said.used.elapsed() < settings.age);
        if !self.sessions.contains_key(session) {
            self.sessions.insert(session.clone(), Said::new(owner.clone()));
        }
        let said = self.sessions.get_mut(session).filter(|said| said.owner == *owner);
        let said = said.ok_or(StoreError::Unknown(What::Session))?;
        said.used = Instant::now();
        Ok(said)
    }

    fn heard(&mut self, listening: &Listening) -> Result<&mut Said, StoreError> {
        let Listening { stream, turn, .. } = listening;
        let said = self.sessions.get_mut(&stream.session);
        said.filter(|said| said.turn == *turn && said.numbers.contains(&stream.number))
            .ok_or(StoreError::Unknown(What::Stream))
    }
}

impl Said {
    fn new(owner: Principal) -> Self {
        Self {
            owner,
            numbers: VecDeque::new(),
            messages: VecDeque::new(),
            bytes: 0,
            last: 0,
            taken: 0,
            turn: 0,
            marks: HashMap::new(),
            used: Instant::now(),
        }
    }

    fn new_number(&mut self) -> Result<StreamNumber, StoreError> {
        let number = StreamNumber::random()?;
        self.numbers.push_back(number);
        if self.numbers.len() > Listening::REMEMBERED {
            self.numbers.pop_front();
        }
        Ok(number)
    }

    fn trim(&mut self, settings: &BusSettings) {
        while let Some((at, message)) = self.messages.front()
            && (self.messages.len() > settings.messages
                || self.bytes > settings.bytes
                || at.elapsed() >= settings.age)
        {
            self.bytes -= message.len();
            self.messages.pop_front();
        }
    }
}
