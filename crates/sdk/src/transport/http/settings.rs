//! How a server behaves over HTTP, with a bound on everything.

use std::{sync::Arc, time::Duration};

use proofmark_core::{
    jsonrpc::Limits,
    streamable_http::{Hosts, Origins, Sessions},
};

use super::Bearer;
use crate::store::{Bus, EventLog, EventLogSettings, MemoryEventLog, SessionStore};

/// How a server behaves over HTTP. The defaults are safe for a server on the local machine.
#[derive(Clone)]
pub struct HttpSettings {
    /// Names under which the server may be addressed; others are refused, so that no web page can reach it by a name of its own.
    pub hosts: Hosts,
    /// Web pages that may talk to the server.
    pub origins: Origins,
    /// Whether legacy clients get sessions.
    pub sessions: Sessions,
    /// Limits on each message; its bytes also bound the body.
    pub limits: Limits,
    /// How long a client may take to send its body.
    pub body_timeout: Duration,
    /// Bytes of bodies that are being read and parsed at once, of all clients together.
    pub body_bytes: usize,
    /// Bytes of bodies whose handlers have not finished, of all clients together. Only those of more than 8 KiB count.
    pub waiting_bytes: usize,
    /// Bytes of answers that are being written, of all clients together. Only large ones count, of 64 KiB and more.
    pub answer_bytes: usize,
    /// Requests that are being carried out at once, of all clients together.
    pub max_requests: usize,
    /// Requests that are being carried out at once for one client: for the user that a token names, else for a session, and for an address
    /// where no more is known. A client with next to nothing running is let in even when others have taken all.
    pub max_requests_per_client: usize,
    /// Sessions at once, of all clients together and of one principal. Beyond that a session that is not in use gives way to a new one.
    pub max_sessions: usize,
    pub max_sessions_per_principal: usize,
    /// How long a session lives without a request.
    pub session_idle: Duration,
    /// How long a session lives when its handshake is never finished.
    pub handshake_timeout: Duration,
    /// Messages, and bytes of them, that may wait for a client to read them.
    pub queue_messages: usize,
    pub queue_bytes: usize,
    /// Bytes of messages, answers included, that may wait on the one stream of an HTTP+SSE session. It ends when a client leaves more unread.
    pub unread_bytes: usize,
    /// Bytes of one message on an event stream. A larger answer becomes an error; one that goes out as a JSON body is not meant.
    pub max_event: usize,
    /// How often a quiet event stream shows a sign of life.
    pub keep_alive: Duration,
    /// When clients are told to come back for the rest of a stream.
    pub retry: Duration,
    /// Demands bearer tokens that a function of yours knows. Where a layer of yours has put a [`Caller`](crate::caller::Caller) into the
    /// extensions of the request, neither this nor `authorization` is asked.
    pub bearer: Option<Bearer>,
    /// Demands access tokens. Without it every client may talk to the server.
    #[cfg(feature = "oauth")]
    pub authorization: Option<crate::auth::Authorization>,
    /// What was sent on event streams, for clients that lost the connection. Without it nothing can be resumed.
    pub event_log: Option<Arc<dyn EventLog>>,
    /// What becomes of a message that the event log does not take.
    pub unkept: Unkept,
    /// Where sessions are kept that several servers share, so that a client may come to any of them. Without it each server knows its own
    /// sessions alone, and no request waits for a store; with it, `event_log` and the server's tasks are to be shared too.
    pub session_store: Option<Arc<dyn SessionStore>>,
    /// The way to the other servers with the same sessions. Without it, cancellations and answers to questions have to come to the server
    /// where the call runs, and what a server says outside of a call is heard by clients that listen there.
    pub bus: Option<Arc<dyn Bus>>,
    /// How long a server goes by what it knows of a shared session before it asks the store again. With zero, what is agreed or ended at
    /// one server holds at all others from the next request on. Where clients keep coming to the same server, some seconds spare the
    /// store.
    pub session_trust: Duration,
    /// How long running requests have to finish when the server goes down.
    pub drain: Duration,
    /// How long a client may take to send its headers, and to read what it is sent.
    pub header_timeout: Duration,
    pub write_stall: Duration,
    /// Bytes of headers.
    pub max_headers: usize,
    /// Connections at once.
    pub max_connections: usize,
    /// The paths of [`serve_http`](super::serve_http): the endpoint, and the two of HTTP+SSE.
    pub path: String,
    pub sse_path: String,
    pub message_path: String,
}

/// What becomes of a message that the event log does not take, although the client was told that it may come back for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unkept {
    /// It is not sent, so that nothing is ever missing between two messages: its request fails with an internal error. What belongs to no
    /// request waits for the next stream.
    #[default]
    Fails,
    /// It is sent, and a client that loses the connection may never know that it was there.
    IsSent,
}

/// Everything that servers share which serve the same sessions. The tasks, which need no sessions, are given to the server itself.
#[derive(Clone)]
pub struct SharedStores {
    pub sessions: Arc<dyn SessionStore>,
    pub events: Arc<dyn EventLog>,
    pub bus: Arc<dyn Bus>,
}

impl HttpSettings {
    /// The same for one of several servers that share their sessions, so that a client may come to any of them at any time.
    pub fn shared(self, stores: SharedStores) -> Self {
        let SharedStores { sessions, events, bus } = stores;
        Self { session_store: Some(sessions), event_log: Some(events), bus: Some(bus), ..self }
    }
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            hosts: Hosts::default(),
            origins: Origins::default(),
            sessions: Sessions::Required,
            limits: Limits::default(),
            body_timeout: Duration::from_secs(30),
            body_bytes: 64 * 1024 * 1024,
            waiting_bytes: 64 * 1024 * 1024,
            answer_bytes: 64 * 1024 * 1024,
            max_requests: 10_000,
            max_requests_per_client: 2_500,
            max_sessions: 10_000,
            max_sessions_per_principal: 100,
            session_idle: Duration::from_secs(30 * 60),
            handshake_timeout: Duration::from_secs(30),
            queue_messages: 256,
            queue_bytes: 256 * 1024,
            unread_bytes: 8 * 1024 * 1024,
            max_event: 4 * 1024 * 1024,
            keep_alive: Duration::from_secs(15),
            retry: Duration::from_millis(500),
            bearer: None,
            #[cfg(feature = "oauth")]
            authorization: None,
            event_log: Some(Arc::new(MemoryEventLog::new(EventLogSettings::default()))),
            unkept: Unkept::default(),
            session_store: None,
            bus: None,
            session_trust: Duration::ZERO,
            drain: Duration::from_secs(10),
            header_timeout: Duration::from_secs(10),
            write_stall: Duration::from_secs(30),
            max_headers: 32 * 1024,
            max_connections: 20_000,
            path: "/mcp".into(),
            sse_path: "/sse".into(),
            message_path: "/messages".into(),
        }
    }
}
