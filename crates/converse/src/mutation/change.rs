//! A change that is made while a self-test runs, with data of its own; a [`Mutation`](super::Mutation) is written down beforehand.

use std::fmt;

use serde_json::Value;

use super::{Context, HttpContext, Reply};
use crate::http_request::HttpRequest;

/// What a changed peer does otherwise. One value serves all connections of a peer, so that it can count.
pub trait Change: fmt::Debug + Send + Sync {
    /// A message for the peer arrives. `None` lets it pass, otherwise these texts answer it.
    fn hear(&self, message: &Value) -> Option<Vec<String>> {
        let _ = message;
        None
    }

    /// What the peer says by itself, as soon as it has been given a message.
    fn beside(&self, message: &Value) -> Vec<String> {
        let _ = message;
        Vec::new()
    }

    /// The texts that leave in place of a message of the peer. `None` leaves it as it is.
    fn say(&self, context: &Context<'_>, text: &str) -> Option<Vec<String>> {
        let _ = (context, text);
        None
    }

    /// The bytes of a line, with its newline. Pipes only.
    fn line(&self, text: &str) -> Option<Vec<u8>> {
        let _ = text;
        None
    }

    /// The head of an HTTP response, and its body if that is replaced.
    fn http(&self, context: &HttpContext<'_>, reply: &mut Reply) {
        let _ = (context, reply);
    }

    /// An event of a stream as it is written.
    fn event(&self, context: &HttpContext<'_>, text: String) -> String {
        let _ = context;
        text
    }

    /// Whether a stream that answers a request stays open after its last event.
    fn lingers(&self) -> bool {
        false
    }

    /// An HTTP request of a client.
    fn request(&self, request: &mut HttpRequest) {
        let _ = request;
    }
}
