//! Between a client and a server that listens somewhere.

mod admission;
mod connection;
mod conversations;

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicU32},
    time::Instant,
};

pub use admission::Allowed;
use connection::Connection;
use conversations::Conversations;
use tokio::{net::TcpListener, task::JoinSet};

use crate::{event::EventKind, transcript::Writer, wire::Url};

/// A listener that passes every connection on to one server.
pub struct HttpTap {
    listener: TcpListener,
    shared: Arc<Shared>,
}

/// What all connections know.
struct Shared {
    server: Url,
    /// Of our own, as clients name it.
    port: u16,
    allowed: Allowed,
    began: Instant,
    exchanges: AtomicU32,
    record: Mutex<Record>,
}

struct Record {
    writer: Writer,
    conversations: Conversations,
    /// Whether the disk refused the transcript; the traffic goes on.
    broken: bool,
}

impl HttpTap {
    pub async fn bind(
        listen: SocketAddr,
        server: Url,
        allowed: Allowed,
        writer: Writer,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        let record = Record { writer, conversations: Conversations::default(), broken: false };
        let shared = Shared {
            server,
            port: listener.local_addr()?.port(),
            allowed,
            began: Instant::now(),
            exchanges: AtomicU32::new(1),
            record: Mutex::new(record),
        };
        Ok(Self { listener, shared: Arc::new(shared) })
    }

    /// Where clients are to connect to.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until it is dropped.
    pub async fn run(self) {
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
                accepted = self.listener.accept(), if connections.len() < MOST_CONNECTIONS => {
                    match accepted {
                        Ok((client, _)) => {
                            let shared = Arc::clone(&self.shared);
                            connections.spawn(Connection::new(shared).run(client));
                        }
                        // No descriptor is free, for example; one will be.
                        Err(_) => tokio::time::sleep(PAUSE).await,
                    }
                }
            }
        }
    }
}

impl Shared {
    fn with<T>(&self, work: impl FnOnce(&mut Record) -> T) -> T {
        work(&mut self.record.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, conversation: usize, what: EventKind) {
        let at = self.began.elapsed();
        self.with(|record| {
            let written = record.writer.event(conversation, at, what);
            record.check(written);
        });
    }

    /// Before anything is passed on that was noted.
    fn flush(&self) {
        self.with(|record| {
            let written = record.writer.flush();
            record.check(written);
        });
    }
}

impl Record {
    fn check(&mut self, written: io::Result<()>) {
        if let Err(error) = written
            && !std::mem::replace(&mut self.broken, true)
        {
            super::tell(&format!("the transcript is not whole: {error}"));
        }
    }
}

const MOST_CONNECTIONS: usize = 4096;
const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);
