//! The older transport: one stream for all that is said, and a place of its own for all that is posted.

use super::{ENDPOINT, HostedServer};
use crate::{
    hosted::{
        scenario::Stream,
        server::http::{Exchange, chunk},
        steps::Channel,
    },
    http_request::HttpRequest,
};
use proofmark_record::{
    event::{Border, EventKind, Frame},
    topic::Topic,
};

impl HostedServer {
    /// A request to a server that knows no newer transport.
    pub(super) fn older(&mut self, exchange: u32, request: &HttpRequest) {
        let carries = !request.body.is_empty();
        let frame = Frame::new(request.body.clone(), Border::Body);
        if carries {
            self.recorder.received(exchange, frame.clone());
        }
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", ENDPOINT) => self.open_older(exchange),
            ("POST", MESSAGES) => {
                let standing = self.exchanges.iter().find(|(_, it)| it.standing);
                let standing = standing.map(|(exchange, _)| *exchange);
                let status = if standing.is_some() { 202 } else { 404 };
                self.respond(exchange, status, &[], None);
                if let Some(standing) = standing {
                    self.take(Channel::Exchange(standing), &frame);
                }
            }
            (_, ENDPOINT) => self.respond(exchange, 405, &[], None),
            _ => self.respond(exchange, 404, &[], None),
        }
    }

    fn open_older(&mut self, exchange: u32) {
        if let Some(Exchange { stream, standing, .. }) = self.exchanges.get_mut(&exchange) {
            (*stream, *standing) = (Stream::Events, true);
        }
        self.begin(exchange);
        let border = Border::Event { name: "endpoint".to_owned(), id: None, retry: None };
        let frame = Frame::new(MESSAGES, border);
        self.note(EventKind::Sent { topic: Topic::Reply, exchange, frame });
        self.piece(exchange, chunk(format!("event: endpoint\ndata: {MESSAGES}\n\n").as_bytes()));
    }
}

/// Where messages are posted to.
pub const MESSAGES: &str = "/messages?session=one";
