//! Which exchange belongs to which conversation.

use std::collections::HashMap;

use crate::event::{Headers, header};

/// A session is a conversation. What belongs to none is one by itself, or one with what else came over the same connection.
#[derive(Debug, Default)]
pub(super) struct Conversations {
    begun: usize,
    sessions: HashMap<String, usize>,
    /// Paths to post to, of the older transport.
    endpoints: HashMap<String, usize>,
}

impl Conversations {
    /// The conversation of a request, if it says so.
    pub(super) fn of(&self, path: &str, headers: &Headers) -> Option<usize> {
        let session = header(headers, SESSION).and_then(|session| self.sessions.get(session));
        session.or_else(|| self.endpoints.get(path)).copied()
    }

    pub(super) fn begin(&mut self) -> usize {
        self.begun += 1;
        self.begun - 1
    }

    /// What a request or a response says about the session.
    pub(super) fn learn(&mut self, headers: &Headers, conversation: usize) {
        let Some(session) = header(headers, SESSION) else { return };
        if self.sessions.contains_key(session) {
            return;
        }
        if self.sessions.len() >= MOST_SESSIONS {
            self.sessions.clear();
        }
        self.sessions.insert(session.to_owned(), conversation);
    }

    pub(super) fn learn_endpoint(&mut self, reference: &str, conversation: usize) {
        let path = match reference.split_once("://") {
            Some((_, rest)) => rest.find('/').map_or("/", |at| &rest[at..]),
            None => reference,
        };
        if self.endpoints.len() >= MOST_SESSIONS {
            self.endpoints.clear();
        }
        self.endpoints.insert(path.trim().to_owned(), conversation);
    }
}

const SESSION: &str = "mcp-session-id";
/// When there are more, all are forgotten; their messages are then judged apart.
const MOST_SESSIONS: usize = 65_536;
