//! What a server that wants tokens does before anybody looks at a request.

use tokio::sync::mpsc;

use super::{
    ENDPOINT, Stage,
    http::{Exchange, PRETENDED},
};
use crate::{
    hosted::desk::{Desk, Reply},
    http_request::HttpRequest,
};
use proofmark_record::{
    event::{Border, Frame, What},
    topic::Topic,
};

impl Stage {
    /// Has tokens demanded of the client.
    pub(crate) fn guard(&mut self, desk: Desk) {
        self.desk = Some(desk);
    }

    pub(super) fn topic(&self, request: &HttpRequest) -> Topic {
        match (&self.desk, request.path.split('?').next()) {
            (_, Some(ENDPOINT)) => Topic::Endpoint,
            (Some(_), _) => Desk::topic(request),
            (None, _) => Topic::Elsewhere,
        }
    }

    /// The answer to a request that does not get as far as to the server.
    pub(super) fn turned_away(&mut self, exchange: u32, request: &HttpRequest) -> Option<Reply> {
        let topic = self.topic(request);
        let desk = self.desk.as_mut()?;
        let reply = match topic {
            Topic::Endpoint => desk.refuses(request)?,
            _ => desk.answer(request),
        };
        if !request.body.is_empty() {
            let frame = Frame::new(request.body.clone(), Border::Body);
            self.recorder.received(exchange, frame);
        }
        Some(reply)
    }

    pub(super) fn reply(&mut self, exchange: u32, reply: Reply) {
        if let Some(kept) = self.exchanges.get_mut(&exchange) {
            kept.headers.extend(reply.headers);
        }
        let kind = (!reply.body.is_empty()).then_some("application/json");
        self.respond(exchange, reply.status, reply.body.as_bytes(), kind);
    }

    /// What a changed client sends of its own beside a request.
    pub(super) fn send_beside(&mut self, request: &HttpRequest) {
        let Some((mutator, desk)) = self.mutator.as_ref().zip(self.desk.as_ref()) else { return };
        for other in mutator.beside(desk.variant, request) {
            self.pretended += 1;
            let exchange = PRETENDED + self.pretended;
            let (topic, line) = (self.topic(&other), format!("{} {}", other.method, other.path));
            self.note(What::Requested { topic, exchange, line, headers: other.headers.clone() });
            self.exchanges.insert(exchange, Exchange::new(mpsc::channel(1).0));
            let reply = self.turned_away(exchange, &other).unwrap_or_default();
            self.reply(exchange, reply);
        }
    }
}
