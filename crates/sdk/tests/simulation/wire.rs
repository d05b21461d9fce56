//! Requests and answers without a network. A connection ends with its server.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use proofmark_sdk::transport::http::HttpBody;
use serde_json::Value;
use tokio::time::{Duration, Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tower_service::Service;

use crate::server::Instance;

/// A response, read as far as its headers.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    is_stream: bool,
    body: HttpBody,
    dead: CancellationToken,
    /// All of it has to be there by then.
    deadline: Instant,
    text: String,
    /// The id of the last event.
    pub(crate) last: Option<String>,
}

/// What comes next of an answer.
pub(crate) enum Next {
    Message(Value),
    /// In order.
    End,
    Broken,
    /// Nothing in so long a time that nothing will come.
    Silence,
}

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    Broken,
    Silence,
}

/// Sends a request.
pub(crate) async fn send(
    instance: &Instance,
    method: &str,
    headers: &[(&str, &str)],
    body: String,
) -> Result<Answer, NoAnswer> {
    let mut request = Request::builder().method(method).uri("/mcp").header("host", "localhost");
    request = request.header("accept", "application/json, text/event-stream");
    if !body.is_empty() {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(Bytes::from(body))).unwrap();
    let (mut service, dead) = (instance.service.clone(), instance.way.dead.clone());
    if dead.is_cancelled() {
        return Err(NoAnswer::Broken);
    }
    let answered = tokio::select! {
        biased;
        () = dead.cancelled() => return Err(NoAnswer::Broken),
        answered = timeout(PATIENCE, service.call(request)) => answered,
    };
    match answered {
        Ok(Ok(response)) => Ok(Answer::new(response, dead)),
        Err(_) => Err(NoAnswer::Silence),
    }
}

impl Answer {
    fn new(response: Response<HttpBody>, dead: CancellationToken) -> Self {
        let header = |name: &str| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
        Self {
            status: response.status().as_u16(),
            session: header("mcp-session-id"),
            is_stream: header("content-type").is_some_and(|it| it == "text/event-stream"),
            body: response.into_body(),
            dead,
            deadline: Instant::now() + PATIENCE,
            text: String::new(),
            last: None,
        }
    }

    pub(crate) async fn next(&mut self) -> Next {
        loop {
            while let Some(at) = self.text.find("\n\n").filter(|_| self.is_stream) {
                let rest = self.text.split_off(at + 2);
                let event = std::mem::replace(&mut self.text, rest);
                if let Some(message) = self.event(&event) {
                    return Next::Message(message);
                }
            }
            let dead = self.dead.clone();
            let frame = tokio::select! {
                biased;
                () = dead.cancelled() => return Next::Broken,
                frame = timeout_at(self.deadline, self.body.frame()) => frame,
            };
            match frame {
                Err(_) => return Next::Silence,
                Ok(Some(Err(_))) => return Next::Broken,
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        self.text.push_str(std::str::from_utf8(&data).unwrap());
                    }
                }
                Ok(None) if self.is_stream || self.text.is_empty() => return Next::End,
                Ok(None) => {
                    let text = std::mem::take(&mut self.text);
                    return serde_json::from_str(&text).map_or(Next::End, Next::Message);
                }
            }
        }
    }

    fn event(&mut self, event: &str) -> Option<Value> {
        let mut data = String::new();
        for line in event.lines() {
            if let Some(id) = line.strip_prefix("id:") {
                self.last = Some(id.trim().to_owned());
            } else if let Some(text) = line.strip_prefix("data:") {
                data.push_str(text.trim());
            }
        }
        serde_json::from_str(&data).ok()
    }
}

/// Longer than anything takes, in the time of the simulation.
const PATIENCE: Duration = Duration::from_secs(600);
