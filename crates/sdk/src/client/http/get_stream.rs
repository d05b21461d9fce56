//! The stream that a GET opens, for messages of the server that belong to no request.

use std::sync::Arc;

use http::StatusCode;
use proofmark_core::{revision::Revision, session::client::HttpFacts};
use tokio::{
    sync::oneshot,
    time::{Instant, sleep},
};

use super::{
    events::{Event, Events, Step, Useful},
    exchange::{is_stream, pause, resume},
    wire::Wire,
};
use crate::client::engine::{Engine, Generation};

/// Why the stream is not listened to any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StreamEnd {
    /// The server has no such stream, or none that is worth coming back for.
    NotOffered,
    SessionGone,
}

/// Listens, and says so through `opened` as soon as the server has agreed to talk or not; comes back when the stream breaks, until the server does not want that.
pub(super) async fn listen(
    engine: Arc<Engine>,
    wire: Arc<Wire>,
    generation: Generation,
    revision: Revision,
    opened: oneshot::Sender<()>,
) -> StreamEnd {
    let mut opened = Some(opened);
    let mut events = Events::new(engine.settings.messages.bytes);
    let mut since = Instant::now();
    let mut failures = 0;
    let mut known = false;
    loop {
        let cursor = events.cursor().map(str::to_owned);
        let response = resume(&wire, generation, Some(revision), cursor.as_deref()).await;
        if let Some(opened) = opened.take() {
            // The driver does not wait long for this.
            let _gone = opened.send(());
        }
        match response {
            Ok(mut response) if is_stream(&response) => {
                known = true;
                let facts = HttpFacts { status: response.status().as_u16(), request: None };
                let take = |event: Event<'_>| {
                    match event {
                        Event::Message(data) => {
                            engine.receive(generation, data, Some(facts.clone()));
                        }
                        Event::Oversized(limit) => engine.oversized(generation, limit),
                        Event::Endpoint(_) => {}
                    }
                    Step::More
                };
                let (useful, end) = events.read(response.body_mut(), take).await;
                if let Err(error) = end {
                    tracing::debug!(%error, "the GET stream broke off");
                }
                if useful == Useful::Yes {
                    since = Instant::now();
                    failures = 0;
                }
            }
            Ok(response) if response.status() == StatusCode::NOT_FOUND => {
                // Of a stream that never was, this says nothing about the session.
                let gone = known && wire.session(generation).is_some();
                return if gone { StreamEnd::SessionGone } else { StreamEnd::NotOffered };
            }
            Ok(response) if response.status().is_server_error() => {
                tracing::debug!(status = %response.status(), "no GET stream now");
            }
            Ok(response) => {
                tracing::debug!(status = %response.status(), "the server offers no GET stream");
                return StreamEnd::NotOffered;
            }
            Err(error) => tracing::debug!(%error, "no GET stream now"),
        }
        let pause = pause(&wire.settings, events.retry(), failures);
        if since.elapsed() + pause > wire.settings.give_up {
            tracing::debug!("the GET stream brings nothing and is given up");
            return StreamEnd::NotOffered;
        }
        sleep(pause).await;
        failures += 1;
    }
}
