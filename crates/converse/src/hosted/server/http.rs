//! Exchanges over HTTP: what is done about a request, and how a response is put together.

use serde_json::Value;
use tokio::sync::mpsc;

use super::{ENDPOINT, HostedServer, MESSAGES};
use crate::{
    hosted::{
        scenario::Stream,
        steps::{Channel, StepQueue},
    },
    http_request::HttpRequest,
    mutation::{Mutator, Passing},
};
use proofmark_record::{
    event::{Border, EventKind, Frame, Headers},
    topic::Topic,
    wire::http::write_headers,
};

/// A request whose response is not over.
pub(super) struct Exchange {
    pieces: mpsc::Sender<Vec<u8>>,
    pub(super) stream: Stream,
    /// Whether the head of an event stream was sent.
    pub(super) begun: bool,
    pub(super) headers: Headers,
    /// Whether this is the standing stream that GET opens.
    pub(super) standing: bool,
}

impl Exchange {
    pub(super) fn new(pieces: mpsc::Sender<Vec<u8>>) -> Self {
        let (stream, headers) = (Stream::Json, Vec::new());
        Self { pieces, stream, begun: false, headers, standing: false }
    }
}

impl HostedServer {
    pub(super) fn request(
        &mut self,
        exchange: u32,
        mut request: HttpRequest,
        pieces: mpsc::Sender<Vec<u8>>,
    ) {
        let mut beside = Vec::new();
        if let Some(mutator) = &self.mutator {
            let passes = mutator
                .request(self.authorization_server.as_ref().map(|it| it.variant), &mut request);
            let text = match self.topic(&request) {
                Topic::Endpoint => String::from_utf8_lossy(&request.body).into_owned(),
                Topic::Elsewhere if self.behaviour.is_older() && mutator.is_made() => {
                    String::from_utf8_lossy(&request.body).into_owned()
                }
                _ => String::new(),
            };
            if !text.is_empty() {
                beside = mutator.say(&text);
            }
            if passes == Passing::No || (!text.is_empty() && beside.is_empty()) {
                // The client believes that it was heard.
                let status = if request.method == "GET" { 405 } else { 202 };
                let _ = pieces.try_send(head(status, &[("content-length".into(), "0".into())]));
                return;
            }
            if !text.is_empty() {
                request.body = beside.remove(0).into_bytes();
            }
        }
        if let Some(host) = request.header("host") {
            self.behaviour.found_at(host);
        }
        let topic = self.topic(&request);
        let line = format!("{} {}", request.method, request.path);
        self.note(EventKind::Requested { topic, exchange, line, headers: request.headers.clone() });
        self.exchanges.insert(exchange, Exchange::new(pieces));
        if let Some(response) = self.answer_for_tokens(exchange, &request) {
            self.send_response(exchange, response);
            return self.send_beside(&request);
        }
        if self.behaviour.is_older() {
            self.older(exchange, &request);
        } else if topic == Topic::Endpoint {
            self.serve(exchange, &request);
        } else {
            return self.respond(exchange, 404, &[], None);
        }
        self.last_headers = Some(request.headers);
        for text in beside {
            self.pretend(&text);
        }
    }

    fn serve(&mut self, exchange: u32, request: &HttpRequest) {
        match request.method.as_str() {
            "GET" => self.open(exchange, request),
            "DELETE" => self.respond(exchange, self.behaviour.deleted(), &[], None),
            _ => self.post(exchange, request),
        }
    }

    /// What a mutated client says by itself, as if it came from the client.
    pub(super) fn pretend(&mut self, text: &str) {
        let Some(headers) = self.last_headers.clone() else {
            let frame = Frame::new(text, Border::Line);
            self.recorder.received(0, frame.clone());
            return self.take(Channel::Pipe, &frame);
        };
        self.pretended += 1;
        let (place, topic) = if self.behaviour.is_older() {
            (MESSAGES, Topic::Elsewhere)
        } else {
            (ENDPOINT, Topic::Endpoint)
        };
        let (exchange, line) = (PRETENDED + self.pretended, format!("POST {place}"));
        self.note(EventKind::Requested { topic, exchange, line, headers });
        let frame = Frame::new(text, Border::Body);
        self.recorder.received(exchange, frame.clone());
        self.note(EventKind::Responded { exchange, status: 202, headers: Vec::new() });
        self.take(Channel::Exchange(exchange), &frame);
    }

    /// A mutated client looks at what it hears of.
    pub(super) fn pretend_visits(&mut self, text: &str) {
        let path = self.mutator.as_ref().and_then(Mutator::visits);
        let Some(path) = path.filter(|path| text.contains(path)) else { return };
        self.pretended += 1;
        let (exchange, line) = (PRETENDED + self.pretended, format!("GET {path}"));
        let headers = Vec::new();
        self.note(EventKind::Requested { topic: Topic::Elsewhere, exchange, line, headers });
    }

    fn post(&mut self, exchange: u32, request: &HttpRequest) {
        let frame = Frame::new(request.body.clone(), Border::Body);
        self.recorder.received(exchange, frame.clone());
        if let Some(status) = self.behaviour.refuses(request) {
            self.respond(exchange, status, &[], None);
            return;
        }
        let asks = frame.messages().iter().any(is_request);
        let stream = match frame.messages() {
            [message] => self.behaviour.stream(message),
            _ => Stream::Events,
        };
        let session = self.behaviour.session_for(&frame);
        if let Some(kept) = self.exchanges.get_mut(&exchange) {
            kept.stream = stream;
            kept.headers.extend(session.map(|id| ("mcp-session-id".to_owned(), id)));
        }
        self.take(Channel::Exchange(exchange), &frame);
        if !asks {
            let status = if frame.json.is_ok() { 202 } else { 400 };
            self.respond(exchange, status, &[], None);
        }
    }

    /// GET: the standing stream, or one that broke off.
    fn open(&mut self, exchange: u32, request: &HttpRequest) {
        let last = request.header("last-event-id").map(str::to_owned);
        let Some((id, steps)) = self.behaviour.opened(last.as_deref()) else {
            return self.respond(exchange, 405, &[], None);
        };
        if let Some(kept) = self.exchanges.get_mut(&exchange) {
            kept.stream = Stream::Events;
            kept.standing = id.is_none();
        }
        self.begin(exchange);
        self.queues.push(StepQueue::new(Channel::Exchange(exchange), id, steps));
    }

    /// The head of an event stream, unless it was sent.
    pub(super) fn begin(&mut self, exchange: u32) {
        let Some(kept) = self.exchanges.get_mut(&exchange).filter(|it| !it.begun) else { return };
        kept.begun = true;
        let mut headers = kept.headers.clone();
        headers.push(("content-type".to_owned(), "text/event-stream".to_owned()));
        headers.push(("cache-control".to_owned(), "no-cache".to_owned()));
        self.note(EventKind::Responded { exchange, status: 200, headers: headers.clone() });
        headers.push(("transfer-encoding".to_owned(), "chunked".to_owned()));
        let headers = self.behaviour.cased(headers);
        self.piece(exchange, head(200, &headers));
    }

    pub(super) fn end(&mut self, channel: Channel) {
        let Channel::Exchange(exchange) = channel else { return };
        if self.exchanges.contains_key(&exchange) {
            self.begin(exchange);
            self.piece(exchange, b"0\r\n\r\n".to_vec());
            self.exchanges.remove(&exchange);
            self.note(EventKind::Ended { exchange });
        }
    }

    /// The whole response at once.
    pub(super) fn respond(&mut self, exchange: u32, status: u16, body: &[u8], kind: Option<&str>) {
        let Some(kept) = self.exchanges.remove(&exchange) else { return };
        let mut headers = kept.headers;
        if let Some(kind) = kind {
            headers.push(("content-type".to_owned(), kind.to_owned()));
        }
        self.note(EventKind::Responded { exchange, status, headers: headers.clone() });
        headers.push(("content-length".to_owned(), body.len().to_string()));
        let mut bytes = head(status, &self.behaviour.cased(headers));
        bytes.extend_from_slice(body);
        if !body.is_empty() {
            let frame = Frame::new(body, Border::Body);
            self.note(EventKind::Sent { topic: Topic::Reply, exchange, frame });
        }
        let _ = kept.pieces.try_send(bytes);
        self.note(EventKind::Ended { exchange });
    }

    pub(super) fn piece(&mut self, exchange: u32, bytes: Vec<u8>) {
        let Some(kept) = self.exchanges.get(&exchange) else { return };
        if kept.pieces.try_send(bytes).is_err() {
            self.exchanges.remove(&exchange);
            let why = "the client does not read what it asked for".to_owned();
            self.note(EventKind::Broken { exchange, why });
        }
    }
}

fn head(status: u16, headers: &[(String, String)]) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status} Hosted\r\n").into_bytes();
    write_headers(&mut bytes, headers);
    bytes.extend_from_slice(b"connection: close\r\n\r\n");
    bytes
}

pub(super) fn chunk(bytes: &[u8]) -> Vec<u8> {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    chunk
}

fn is_request(message: &Value) -> bool {
    message.get("id").is_some() && message.get("method").is_some()
}

/// Exchanges of a mutated client are numbered from here.
pub(super) const PRETENDED: u32 = 1_000_000;
