//! How a client behaves, with a bound on everything.

use std::time::Duration;

use http::{HeaderName, HeaderValue};
use proofmark_core::{cache::CacheLimits, jsonrpc::Limits, session::client::ClientLimits};

use super::http::Observer;
use crate::schema::SchemaLimits;

/// How a client behaves.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// Calls, questions and times of one conversation.
    pub session: ClientLimits,
    /// Limits on each message.
    pub messages: Limits,
    /// Pages of one list that are followed.
    pub pages: usize,
    /// Tools whose schemas are remembered.
    pub tools: usize,
    pub schemas: SchemaLimits,
    pub cache: CacheLimits,
    /// Notifications that wait for one reader; a reader that is slower loses the oldest.
    pub notifications: usize,
    pub child: ChildSettings,
    pub http: HttpClientSettings,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            session: ClientLimits::default(),
            messages: Limits { bytes: LARGEST, ..Limits::default() },
            pages: 64,
            tools: 4096,
            schemas: SchemaLimits::default(),
            cache: CacheLimits::default(),
            notifications: 256,
            child: ChildSettings::default(),
            http: HttpClientSettings::default(),
        }
    }
}

/// How a server that runs as a child is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildSettings {
    /// How long it has to end after its input was closed, before it is told to terminate.
    pub close_grace: Duration,
    /// How long it has to terminate, before it is killed.
    pub term_grace: Duration,
    /// How long it may leave what it is sent unread.
    pub write_stall: Duration,
    /// Bytes of standard error that are kept.
    pub stderr: usize,
    pub restart: Restart,
}

impl Default for ChildSettings {
    fn default() -> Self {
        Self {
            close_grace: Duration::from_secs(2),
            term_grace: Duration::from_secs(2),
            write_stall: Duration::from_secs(30),
            stderr: 64 * 1024,
            restart: Restart::Never,
        }
    }
}

/// What becomes of a server that ended on its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restart {
    #[default]
    Never,
    /// It is started again, after a pause that doubles up to `longest_pause` while it keeps ending early. Calls that were open fail; later
    /// ones wait for it.
    Crashed { most: u32, pause: Duration, longest_pause: Duration },
}

/// How a client behaves over HTTP.
#[derive(Clone, Debug)]
pub struct HttpClientSettings {
    /// Sent with every request, such as `Authorization`. Never sent to another origin.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub connect_timeout: Duration,
    /// How long a server may take to accept a notification or an answer, and to end a session.
    pub post_timeout: Duration,
    /// When to come back for the rest of a stream, if the server does not say.
    pub retry: Duration,
    /// The longest pause before coming back, whatever the server says.
    pub longest_retry: Duration,
    /// How long to come back for a stream without getting anything useful.
    pub give_up: Duration,
    /// Bytes of a page that explains an error.
    pub error_page: usize,
    /// Answers to the server that may be on their way at once; more are not sent.
    pub posts: usize,
    /// Sees every exchange, with its tokens.
    pub observer: Option<Observer>,
}

impl Default for HttpClientSettings {
    fn default() -> Self {
        Self {
            headers: Vec::new(),
            connect_timeout: Duration::from_secs(10),
            post_timeout: Duration::from_secs(30),
            retry: Duration::from_secs(1),
            longest_retry: Duration::from_secs(30),
            give_up: Duration::from_secs(120),
            error_page: 64 * 1024,
            posts: 256,
            observer: None,
        }
    }
}

const LARGEST: usize = 16 * 1024 * 1024;
