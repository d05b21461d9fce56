//! An event stream of the server, read to its end.

use std::time::Duration;

use http_body_util::BodyExt;
use proofmark_core::{
    framing::sse::{Data, EventDecoder, Item, Limits},
    streamable_http::EventId,
};

use super::observer::Received;

/// An event stream, over all the connections that it takes.
pub(super) struct Events {
    decoder: EventDecoder,
}

/// What a stream brings.
pub(super) enum Event<'a> {
    /// The address for messages, on the older transport.
    Endpoint(&'a [u8]),
    Message(&'a [u8]),
    Oversized(usize),
}

/// Whether to read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Done,
    More,
}

impl Events {
    pub(super) fn new(limit: usize) -> Self {
        let limits = Limits { event: limit, ..Limits::default() };
        Self { decoder: EventDecoder::new(limits) }
    }

    /// Reads a body to its end, or until there is enough. Says whether anything useful came, and why the body ended early if it did.
    pub(super) async fn read(
        &mut self,
        body: &mut Received,
        mut take: impl FnMut(Event<'_>) -> Step,
    ) -> (Useful, Result<(), String>) {
        let mut useful = Useful::No;
        loop {
            let frame = match body.frame().await {
                None => {
                    self.decoder.finish();
                    return (useful, Ok(()));
                }
                Some(Err(error)) => {
                    self.decoder.finish();
                    return (useful, Err(error.to_string()));
                }
                Some(Ok(frame)) => frame,
            };
            let Some(data) = frame.data_ref() else { continue };
            let mut chunk = &data[..];
            while let Some(item) = self.decoder.decode(&mut chunk) {
                let event = match item {
                    Item::Comment => continue,
                    Item::Oversized { limit, .. } => Event::Oversized(limit),
                    Item::Event(event) => match (event.data, event.event) {
                        (Data::Payload(data), "message") => Event::Message(data),
                        (Data::Payload(data), "endpoint") => Event::Endpoint(data),
                        // An id alone primes a stream.
                        _ => {
                            useful = Useful::Yes;
                            continue;
                        }
                    },
                };
                useful = Useful::Yes;
                if take(event) == Step::Done {
                    return (useful, Ok(()));
                }
            }
        }
    }

    /// Where to go on; `None` if the stream cannot be resumed.
    pub(super) fn cursor(&self) -> Option<&str> {
        let id = self.decoder.last_event_id();
        EventId::new(id).ok().map(EventId::as_str)
    }

    pub(super) fn retry(&self) -> Option<Duration> {
        self.decoder.retry()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Useful {
    No,
    Yes,
}
