//! A connection that is closed before everything came.

use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::{HttpSession, exchange, note_head, take_body};
use proofmark_record::{
    event::EventKind,
    topic::Topic,
    wire::{Recorder, http::Request},
};

impl HttpSession {
    /// Posts a request and closes the connection after this time, unless all of the answer came before.
    pub async fn post_and_leave(
        &mut self,
        recorder: &mut Recorder,
        message: &Value,
        after: Duration,
    ) {
        let body = Some(message.to_string().into_bytes());
        let request = Request { method: "POST", headers: self.headers_for(message), body };
        let number = self.announce(recorder, Topic::Leave, &request);
        let (url, leaving) = (self.url.clone(), Instant::now() + after);
        // The request itself has all the time; it is this client that has not.
        let begun = timeout_at(leaving, exchange(&url, &request, self.deadline())).await;
        let response = match begun {
            Err(_) => return recorder.note(EventKind::Left { exchange: number }),
            Ok(Err(error)) => {
                return recorder
                    .note(EventKind::Broken { exchange: number, why: error.to_string() });
            }
            Ok(Ok(response)) => response,
        };
        note_head(recorder, number, &response);
        let Some(mut events) = take_body(recorder, number, response, leaving).await else { return };
        loop {
            match timeout_at(leaving, events.next()).await {
                Err(_) => return recorder.note(EventKind::Left { exchange: number }),
                Ok(Ok(Some(frame))) => recorder.received(number, frame),
                Ok(Ok(None)) => return recorder.note(EventKind::Ended { exchange: number }),
                Ok(Err(error)) => {
                    return recorder
                        .note(EventKind::Broken { exchange: number, why: error.to_string() });
                }
            }
        }
    }
}
