//! What a server that wants tokens does before it looks at a request.

use tokio::sync::mpsc;

use super::{
    ENDPOINT, HostedServer,
    http::{Exchange, PRETENDED},
};
use crate::{
    hosted::authorization_server::{AuthorizationServer, HttpResponse},
    http_request::HttpRequest,
};
use proofmark_record::{
    event::{Border, EventKind, Frame},
    topic::Topic,
};

impl HostedServer {
    /// Has tokens demanded of the client.
    pub(crate) fn demand_tokens(&mut self, authorization_server: AuthorizationServer) {
        self.authorization_server = Some(authorization_server);
    }

    pub(super) fn topic(&self, request: &HttpRequest) -> Topic {
        match (&self.authorization_server, request.path.split('?').next()) {
            (_, Some(ENDPOINT)) => Topic::Endpoint,
            (Some(_), _) => AuthorizationServer::topic(request),
            (None, _) => Topic::Elsewhere,
        }
    }

    /// The answer to a request that does not get as far as to the server.
    pub(super) fn answer_for_tokens(
        &mut self,
        exchange: u32,
        request: &HttpRequest,
    ) -> Option<HttpResponse> {
        let topic = self.topic(request);
        let authorization_server = self.authorization_server.as_mut()?;
        let response = match topic {
            Topic::Endpoint => authorization_server.refuses(request)?,
            _ => authorization_server.answer(request),
        };
        if !request.body.is_empty() {
            let frame = Frame::new(request.body.clone(), Border::Body);
            self.recorder.received(exchange, frame);
        }
        Some(response)
    }

    pub(super) fn send_response(&mut self, exchange: u32, response: HttpResponse) {
        if let Some(kept) = self.exchanges.get_mut(&exchange) {
            kept.headers.extend(response.headers);
        }
        let kind = (!response.body.is_empty()).then_some("application/json");
        self.respond(exchange, response.status, response.body.as_bytes(), kind);
    }

    /// What a mutated client sends of its own beside a request.
    pub(super) fn send_beside(&mut self, request: &HttpRequest) {
        let variant = self.authorization_server.as_ref().map(|it| it.variant);
        let Some((mutator, variant)) = self.mutator.as_ref().zip(variant) else { return };
        for other in mutator.beside(variant, request) {
            self.pretended += 1;
            let exchange = PRETENDED + self.pretended;
            let (topic, line) = (self.topic(&other), format!("{} {}", other.method, other.path));
            self.note(EventKind::Requested {
                topic,
                exchange,
                line,
                headers: other.headers.clone(),
            });
            self.exchanges.insert(exchange, Exchange::new(mpsc::channel(1).0));
            let response = self.answer_for_tokens(exchange, &other).unwrap_or_default();
            self.send_response(exchange, response);
        }
    }
}
