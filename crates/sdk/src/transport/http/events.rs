//! The one writer of event streams: what a source has becomes frames, and silence becomes signs of life.

mod append;
mod mend;
mod oversized;
mod resumed;
mod standalone;
mod told;

use std::{
    future::{Future, ready},
    time::Duration,
};

use bytes::Bytes;
use futures_util::{Stream, stream::unfold};
use proofmark_core::framing::sse::{self, EventName};
use tokio::time::Instant;

pub(super) use self::{
    append::{Append, Appended, EventRules, finish},
    mend::Mend,
    oversized::{answered, fitted},
    resumed::ResumedStream,
    standalone::{Begin, StandaloneStream},
    told::ToldStream,
};
use crate::store::{Event, EventId};

/// What an event stream is made of.
pub(super) trait EventSource: Send {
    /// What to write now. Nothing is lost if this is dropped before it is done.
    fn next(&mut self) -> impl Future<Output = Next> + Send;

    /// Waits until there may be something to write, at most until then. Nothing is lost if this is dropped.
    fn wait(&mut self, until: Instant) -> impl Future<Output = ()> + Send;

    /// Asked when the stream has been quiet for so long that it has to show a sign of life: whether it still is worth one.
    fn is_alive(&mut self) -> impl Future<Output = bool> + Send {
        ready(true)
    }
}

/// What a source has.
pub(super) enum Next {
    /// The stream is over.
    End,
    /// A frame to write.
    Frame(Bytes),
    /// Nothing at the moment.
    Nothing,
}

/// Writes all that a source has, and a sign of life whenever it has been quiet for that long.
pub(super) fn write(
    source: impl EventSource + 'static,
    keep_alive: Duration,
) -> impl Stream<Item = Bytes> + Send {
    unfold(source, move |mut source| async move {
        let frame = next_frame(&mut source, keep_alive).await?;
        Some((frame, source))
    })
}

async fn next_frame(source: &mut impl EventSource, keep_alive: Duration) -> Option<Bytes> {
    let quiet_until = Instant::now() + keep_alive;
    loop {
        match source.next().await {
            Next::End => return None,
            Next::Frame(frame) => return Some(frame),
            Next::Nothing if quiet_until <= Instant::now() => {
                return source.is_alive().await.then(sign_of_life);
            }
            Next::Nothing => source.wait(quiet_until).await,
        }
    }
}

/// A message, under the id that it has in the log.
pub(super) fn message(id: Option<EventId>, data: &[u8]) -> Bytes {
    event(id, data, None)
}

/// A message that is in the log.
fn logged(event: &Event) -> Bytes {
    message(Some(event.id), &event.data)
}

/// Tells the client, before anything else, what to come back with and when.
pub(super) fn primer(id: EventId, retry: Duration) -> Bytes {
    event(Some(id), b"", Some(retry))
}

/// An event of HTTP+SSE, where each has a name and none an id.
pub(super) fn named(name: &str, data: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(data.len() + 32);
    sse::Event { id: None, event: EventName::parse(name).ok(), data: Some(data), retry: None }
        .write(&mut out);
    out.into()
}

fn event(id: Option<EventId>, data: &[u8], retry: Option<Duration>) -> Bytes {
    let id = id.map(|id| id.to_string());
    let id = id.as_deref().and_then(|id| sse::EventId::parse(id).ok());
    let mut out = Vec::with_capacity(data.len() + 64);
    sse::Event { id, event: None, data: Some(data), retry }.write(&mut out);
    out.into()
}

fn sign_of_life() -> Bytes {
    let mut out = Vec::new();
    sse::comment(&mut out, "");
    out.into()
}

#[cfg(test)]
mod tests;
