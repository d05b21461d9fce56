//! What goes over HTTP.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use bytes::Bytes;
use http::{HeaderMap, StatusCode, request};
use proofmark_check::record::{
    event::{Border, EventKind, Frame, Headers, header},
    topic::Topic,
    wire::{
        MOST_FRAME,
        http::event_stream::{EventStream, Streamed},
    },
};
use proofmark_sdk::client::{HttpEnding, HttpObserver};

use super::Recorder;

/// Hears the exchanges of a client.
pub(crate) struct HttpRecorder {
    recorder: Recorder,
    /// Responses that are not over.
    open: Mutex<HashMap<u32, Content>>,
}

enum Content {
    Events(Box<EventStream>),
    Whole(Vec<u8>),
}

impl HttpRecorder {
    pub(crate) fn new(recorder: Recorder) -> Self {
        Self { recorder, open: Mutex::default() }
    }

    fn open(&self) -> std::sync::MutexGuard<'_, HashMap<u32, Content>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HttpObserver for HttpRecorder {
    fn requested(&self, exchange: u32, head: &request::Parts, body: &Bytes) {
        let path = head.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
        let line = format!("{} {path} HTTP/1.1", head.method);
        let mut headers = readable(&head.headers);
        if let Some(authority) = head.uri.authority().filter(|_| header(&headers, "host").is_none())
        {
            headers.insert(0, ("host".to_owned(), authority.to_string()));
        }
        if !body.is_empty() {
            headers.push(("content-length".to_owned(), body.len().to_string()));
        }
        self.recorder.note(EventKind::Requested {
            topic: Topic::Overheard,
            exchange,
            line,
            headers,
        });
        if !body.is_empty() {
            let frame = Frame::new(&body[..body.len().min(MOST_FRAME)], Border::Body);
            self.recorder.note(EventKind::Sent { topic: Topic::Overheard, exchange, frame });
        }
    }

    fn responded(&self, exchange: u32, status: StatusCode, headers: &HeaderMap) {
        let headers = readable(headers);
        let kind = header(&headers, "content-type").unwrap_or_default().to_ascii_lowercase();
        let content = if kind.starts_with("text/event-stream") {
            Content::Events(Box::default())
        } else {
            Content::Whole(Vec::new())
        };
        self.recorder.note(EventKind::Responded { exchange, status: status.as_u16(), headers });
        self.open().insert(exchange, content);
    }

    fn received(&self, exchange: u32, mut bytes: &[u8]) {
        let mut open = self.open();
        match open.get_mut(&exchange) {
            Some(Content::Whole(body)) => {
                let room = MOST_FRAME.saturating_sub(body.len());
                body.extend_from_slice(&bytes[..bytes.len().min(room)]);
            }
            Some(Content::Events(stream)) => {
                while let Some(streamed) = stream.next(&mut bytes) {
                    let what = match streamed {
                        Streamed::Event(event) => {
                            let border = Border::Event {
                                name: event.name.to_owned(),
                                id: event.id.map(str::to_owned),
                                retry: event.retry,
                            };
                            let frame = Frame::new(event.data.unwrap_or_default(), border);
                            EventKind::Received { exchange, frame }
                        }
                        Streamed::TooLarge { limit } => EventKind::Flooded { limit },
                    };
                    self.recorder.note(what);
                }
            }
            None => {}
        }
    }

    fn ended(&self, exchange: u32, ending: HttpEnding<'_>) {
        let content = self.open().remove(&exchange);
        if let Some(Content::Whole(body)) = content.filter(|_| ending == HttpEnding::Complete)
            && !body.is_empty()
        {
            self.recorder
                .note(EventKind::Received { exchange, frame: Frame::new(body, Border::Body) });
        }
        self.recorder.note(match ending {
            HttpEnding::Complete => EventKind::Ended { exchange },
            HttpEnding::Left => EventKind::Left { exchange },
            HttpEnding::Broken(why) => EventKind::Broken { exchange, why: why.to_owned() },
        });
    }
}

/// In the order in which they are sent; bytes that are no text are shown as such.
fn readable(headers: &HeaderMap) -> Headers {
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}
