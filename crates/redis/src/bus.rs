//! The way between servers, through the store.

mod said;

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use proofmark_sdk::{
    BoxFuture,
    store::{
        Addressee, Bus, Event, EventId, Letters, Listening, NewsMark, Principal, ServerNumber,
        SessionId, StoreError,
    },
};
use redis::{
    RedisError, Value,
    streams::{StreamRangeReply, StreamReadReply},
};
use tokio::time::{Instant, timeout};

use self::said::Said;
use crate::{
    connection::Connection,
    link::{Link, unavailable},
};

/// One server's end of the way between all servers with the same store and prefix.
///
/// Letters are two streams in the store for each server, one of its own and one for all, which it reads on a connection of its own. What is said
/// to clients waits with their sessions.
pub struct RedisBus {
    link: Link,
    life: Arc<Life>,
    said: Said,
    place: Mutex<Place>,
    /// The connection on which letters are waited for.
    reading: tokio::sync::Mutex<Option<Connection>>,
}

/// The number of a server, and whether it lets others know that it is alive.
pub(crate) struct Life {
    pub(crate) number: u32,
    shown: AtomicBool,
}

/// How far letters were read.
struct Place {
    all: String,
    own: String,
    /// Since when the others know that this server is alive.
    alive: Option<Instant>,
    /// Something may have been lost.
    missed: bool,
}

impl Life {
    pub(crate) fn is_shown(&self) -> bool {
        self.shown.load(Ordering::Relaxed)
    }
}

impl RedisBus {
    /// Gives this server a number that no other has.
    pub(crate) async fn join(link: Link) -> Result<Self, StoreError> {
        let keys = link.keys();
        let number = loop {
            let count: u64 = link.command(redis::cmd("INCR").arg(keys.servers())).await?;
            let number = u32::try_from(count % NUMBERS).unwrap_or_default();
            let mut keep = redis::cmd("PEXPIRE");
            keep.arg(keys.servers()).arg(millis(COUNT_LIVES));
            let () = link.command(&keep).await?;
            let mut take = redis::cmd("SET");
            take.arg(keys.alive(number)).arg("1").arg("NX").arg("PX");
            take.arg(millis(link.settings().lease));
            let taken: Value = link.command(&take).await?;
            if number > 0 && taken == Value::Okay {
                break number;
            }
        };
        // Whatever was sent to all before is older than anything that is known here.
        let mut last = redis::cmd("XREVRANGE");
        last.arg(keys.letters()).arg("+").arg("-").arg("COUNT").arg(1);
        let last: StreamRangeReply = link.command(&last).await?;
        let all = last.ids.into_iter().next().map_or_else(|| FIRST.to_owned(), |entry| entry.id);
        let place = Place { all, own: FIRST.to_owned(), alive: None, missed: false };
        Ok(Self {
            said: Said::new(link.clone()),
            life: Arc::new(Life { number, shown: AtomicBool::new(false) }),
            link,
            place: Mutex::new(place),
            reading: tokio::sync::Mutex::default(),
        })
    }

    pub(crate) fn life(&self) -> Arc<Life> {
        Arc::clone(&self.life)
    }

    async fn send_now(&self, to: Addressee, letter: &[u8]) -> Result<(), StoreError> {
        let keys = self.link.keys();
        let key = match to {
            Addressee::Others => keys.letters(),
            Addressee::One(server) => keys.letters_for(server.0),
        };
        let most = self.link.settings().bus.letters;
        let mut add = redis::pipe();
        add.cmd("XADD").arg(&key).arg("MAXLEN").arg("~").arg(most).arg("*");
        add.arg("from").arg(self.life.number).arg("letter").arg(letter).ignore();
        add.cmd("PEXPIRE").arg(&key).arg(millis(LETTERS_LIVE)).ignore();
        self.link.commands(&add).await
    }

    async fn receive_now(&self) -> Result<Letters, StoreError> {
        loop {
            self.show_life().await?;
            let (all, own) = {
                let place = self.place();
                (place.all.clone(), place.own.clone())
            };
            match self.read(&all, &own).await {
                Ok(reply) => {
                    let letters = self.sort(reply);
                    if letters.missed || !letters.letters.is_empty() {
                        return Ok(letters);
                    }
                }
                Err(error) => {
                    *self.reading.lock().await = None;
                    self.link.doubt(&error);
                    self.place().missed = true;
                    return Err(unavailable(error));
                }
            }
        }
    }

    async fn read(&self, all: &str, own: &str) -> Result<StreamReadReply, RedisError> {
        let mut reading = self.reading.lock().await;
        let settings = self.link.settings();
        let connection = match &mut *reading {
            Some(connection) => connection,
            none => {
                let limit = settings.timeout + settings.connect_timeout;
                match timeout(limit, self.link.separate(BLOCK)).await {
                    Ok(connection) => none.insert(connection?),
                    Err(elapsed) => return Err(std::io::Error::from(elapsed).into()),
                }
            }
        };
        let mut read = redis::cmd("XREAD");
        read.arg("COUNT").arg(AT_ONCE).arg("BLOCK").arg(millis(BLOCK)).arg("STREAMS");
        read.arg(self.link.keys().letters()).arg(self.link.keys().letters_for(self.life.number));
        read.arg(all).arg(own);
        let read = read.query_async::<Option<StreamReadReply>>(connection);
        let limit = BLOCK + settings.timeout + settings.connect_timeout;
        match timeout(limit, read).await {
            Ok(reply) => Ok(reply?.unwrap_or_default()),
            Err(elapsed) => Err(std::io::Error::from(elapsed).into()),
        }
    }

    /// What came from others, and how far everything was read.
    fn sort(&self, reply: StreamReadReply) -> Letters {
        let own = self.link.keys().letters_for(self.life.number);
        let mut place = self.place();
        let mut letters =
            Letters { letters: Vec::new(), missed: std::mem::take(&mut place.missed) };
        for stream in reply.keys {
            for mut entry in stream.ids {
                let from = entry.get::<u32>("from");
                if let Some(Value::BulkString(letter)) = entry.map.remove("letter")
                    && from != Some(self.life.number)
                {
                    letters.letters.push(letter.into());
                }
                if stream.key == own {
                    place.own = entry.id;
                } else {
                    place.all = entry.id;
                }
            }
        }
        letters
    }

    /// Lets the others know, now and then, that this server is alive.
    async fn show_life(&self) -> Result<(), StoreError> {
        let lease = self.link.settings().lease;
        if self.place().alive.is_some_and(|alive| alive.elapsed() < lease / 4) {
            return Ok(());
        }
        let mut set = redis::cmd("SET");
        set.arg(self.link.keys().alive(self.life.number)).arg("1").arg("PX").arg(millis(lease));
        let () = self.link.command(&set).await?;
        self.life.shown.store(true, Ordering::Relaxed);
        self.place().alive = Some(Instant::now());
        Ok(())
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Bus for RedisBus {
    fn server(&self) -> ServerNumber {
        ServerNumber(self.life.number)
    }

    fn send(&self, to: Addressee, letter: Bytes) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move { self.send_now(to, &letter).await })
    }

    fn receive(&self) -> BoxFuture<'_, Result<Letters, StoreError>> {
        Box::pin(self.receive_now())
    }

    fn say<'a>(
        &'a self,
        session: &'a SessionId,
        owner: &'a Principal,
        message: Bytes,
        mark: Option<NewsMark>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.said.say(session, owner, &message, mark).await })
    }

    fn listen<'a>(
        &'a self,
        session: &'a SessionId,
        owner: &'a Principal,
        after: Option<EventId>,
    ) -> BoxFuture<'a, Result<Listening, StoreError>> {
        Box::pin(self.said.listen(session, owner, after))
    }

    fn take<'a>(
        &'a self,
        listening: &'a Listening,
    ) -> BoxFuture<'a, Result<Vec<Event>, StoreError>> {
        Box::pin(self.said.take(listening))
    }

    fn spoken<'a>(&'a self, listening: &'a Listening) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.said.spoken(listening))
    }

    fn forget<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.said.forget(session))
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)
}

/// So many servers can be told apart.
const NUMBERS: u64 = 1 << 21;
/// How long the last number is remembered. Those of servers that are alive are not given again after that either.
const COUNT_LIVES: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Before every entry of a stream.
const FIRST: &str = "0-0";
/// Letters that are read at once.
const AT_ONCE: usize = 256;
/// How long one look for letters waits in the store.
const BLOCK: Duration = Duration::from_secs(2);
/// How long letters are kept for a server that does not read them.
const LETTERS_LIVE: Duration = Duration::from_secs(600);
