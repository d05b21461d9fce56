//! Requests to an authorization server, each written down without its secrets.

use std::{fmt, time::Duration};

use serde_json::Value;
use tokio::time::Instant;

use proofmark_record::{
    event::{Border, Event, EventKind, Frame, Headers, header},
    topic::Topic,
    transcript::redact::{COVERED, Secret, redact_with},
    wire::{
        MemoryBudget, Recorder, Url,
        http::{Request, exchange},
    },
};

/// Asks, and remembers what it was told.
pub struct HttpClient {
    recorder: Recorder,
    /// In the order in which they were met; the place of each is what is written down instead.
    secrets: Vec<String>,
    exchanges: u32,
    settings: HttpClientSettings,
}

#[derive(Clone, Debug)]
pub struct HttpClientSettings {
    /// When the run began.
    pub began: Instant,
    /// When the run is broken off.
    pub until: Instant,
    pub room: MemoryBudget,
    /// How long an answer may take.
    pub timeout: Duration,
    /// Names of headers that are not for the record: the user gave them, and they may be secret.
    pub private: Vec<String>,
}

/// An answer, with its secrets.
pub struct ServerResponse {
    pub status: u16,
    headers: Headers,
    /// Null if it is no JSON.
    pub json: Value,
}

impl ServerResponse {
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// What the server wants to be remembered of the browser.
    pub fn cookies(&self) -> impl Iterator<Item = (&str, &str)> {
        let set = self.headers.iter().filter(|(name, _)| name == "set-cookie");
        set.filter_map(|(_, value)| value.split(';').next()?.split_once('='))
    }

    pub fn text(&self, member: &str) -> Option<&str> {
        self.json.get(member).and_then(Value::as_str)
    }
}

impl HttpClient {
    pub fn new(settings: HttpClientSettings) -> Self {
        let recorder = Recorder::within(settings.began, settings.room.clone());
        Self { recorder, secrets: Vec::new(), exchanges: 0, settings }
    }

    pub fn finish(self) -> Vec<Event> {
        self.recorder.events
    }

    pub fn events(&self) -> &[Event] {
        &self.recorder.events
    }

    pub async fn get(&mut self, topic: Topic, url: &Url, more: &Headers) -> Option<ServerResponse> {
        let request = Request { method: "GET", headers: headers(url, more), body: None };
        self.request(topic, url, request).await
    }

    /// Posts a body of this type.
    pub async fn post(
        &mut self,
        topic: Topic,
        url: &Url,
        content_type: &str,
        body: String,
        more: &Headers,
    ) -> Option<ServerResponse> {
        let mut headers = headers(url, more);
        headers.push(("content-type".to_owned(), content_type.to_owned()));
        let request = Request { method: "POST", headers, body: Some(body.into_bytes()) };
        self.request(topic, url, request).await
    }

    /// Writes down that a document was found, without looking for it.
    pub fn record_document(&mut self, topic: Topic, url: &Url, document: &Value) {
        let exchange = self.number();
        let (line, headers) = (format!("GET {}", url.path), headers(url, &Vec::new()));
        self.note(EventKind::Requested { topic, exchange, line, headers });
        self.note(EventKind::Responded { exchange, status: 200, headers: Vec::new() });
        let frame = Frame::new(document.to_string().into_bytes(), Border::Body);
        self.note(EventKind::Received { exchange, frame });
        self.note(EventKind::Ended { exchange });
    }

    async fn request(
        &mut self,
        topic: Topic,
        url: &Url,
        request: Request,
    ) -> Option<ServerResponse> {
        let deadline = (Instant::now() + self.settings.timeout).min(self.settings.until);
        if self.recorder.is_flooded() || Instant::now() >= self.settings.until {
            return None;
        }
        let number = self.number();
        let line = format!("{} {}", request.method, url.path);
        let private = &self.settings.private;
        let asked = request.headers.iter().filter(|(name, _)| !private.contains(name)).cloned();
        let asked = asked.collect();
        self.note(EventKind::Requested { topic, exchange: number, line, headers: asked });
        if let Some(body) = &request.body {
            let frame = Frame::new(body.clone(), Border::Body);
            self.note(EventKind::Sent { topic, exchange: number, frame });
        }
        let mut response = match exchange(url, &request, deadline).await {
            Ok(response) => response,
            Err(error) => {
                self.note(EventKind::Broken { exchange: number, why: error.to_string() });
                return None;
            }
        };
        let (status, headers) = (response.head.status, response.head.headers.clone());
        self.note(EventKind::Responded { exchange: number, status, headers: headers.clone() });
        let json = match response.body.all(deadline).await {
            Ok(bytes) => {
                let json = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
                if !bytes.is_empty() {
                    let frame = Frame::new(bytes, Border::Body);
                    self.note(EventKind::Received { exchange: number, frame });
                }
                self.note(EventKind::Ended { exchange: number });
                json
            }
            Err(error) => {
                self.note(EventKind::Broken { exchange: number, why: error.to_string() });
                Value::Null
            }
        };
        Some(ServerResponse { status, headers, json })
    }

    pub fn number(&mut self) -> u32 {
        self.exchanges += 1;
        self.exchanges
    }

    /// Writes something down without its secrets.
    pub fn note(&mut self, mut what: EventKind) {
        let secrets = &mut self.secrets;
        redact_with(&mut what, &mut |Secret { value, .. }| {
            let known = secrets.iter().position(|known| known == value);
            let place = known.unwrap_or_else(|| {
                secrets.push(value.to_owned());
                secrets.len() - 1
            });
            format!("{COVERED}{}", place + 1)
        });
        match what {
            EventKind::Received { exchange, frame } => self.recorder.received(exchange, frame),
            what => self.recorder.note(what),
        }
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Teller").field("exchanges", &self.exchanges).finish_non_exhaustive()
    }
}

fn headers(url: &Url, more: &Headers) -> Headers {
    let mut headers = vec![
        ("host".to_owned(), url.authority()),
        ("accept".to_owned(), "application/json, text/html;q=0.5, */*;q=0.1".to_owned()),
        ("connection".to_owned(), "close".to_owned()),
    ];
    headers.extend(more.iter().cloned());
    headers
}
