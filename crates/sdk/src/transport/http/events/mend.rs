//! The end of a stream whose log did not answer, as soon as it does again.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use proofmark_core::jsonrpc::Id;

use super::answered;
use crate::{
    caller::Principal,
    store::{EventId, EventLog, StoreError, StreamEnd, StreamKey},
};

/// A stream that is to end in the log, for clients that follow it there.
///
/// Of the last step it is not known whether it was taken: the log is looked at before anything is added to it, so that no request is
/// answered twice.
pub(in crate::transport::http) struct Mend {
    log: Arc<dyn EventLog>,
    owner: Principal,
    stream: StreamKey,
    /// The last event that is known to be there.
    last: EventId,
    /// What the requests are answered with that are not answered there.
    answers: Vec<(Id<'static>, Bytes)>,
    /// How often the log answered and did not take an answer.
    refused: u32,
    /// The answer that the stream ended with.
    pub(in crate::transport::http) ended_with: Option<EventId>,
}

impl Mend {
    pub(in crate::transport::http) fn new(
        log: Arc<dyn EventLog>,
        owner: Principal,
        stream: StreamKey,
        last: EventId,
        answers: Vec<(Id<'static>, Bytes)>,
    ) -> Self {
        Self { log, owner, stream, last, answers, refused: 0, ended_with: None }
    }

    pub(in crate::transport::http) async fn run(mut self) {
        for _ in 0..TRIES {
            match self.step().await {
                Err(error) if error.is_unavailable() => tokio::time::sleep(PAUSE).await,
                Err(error) => {
                    tracing::debug!(%error, "the end of a stream is not kept");
                    return;
                }
                Ok(()) => return,
            }
        }
        tracing::warn!("the log of events was away for so long that a stream has no end");
    }

    /// Does all that is left to do.
    pub(in crate::transport::http) async fn step(&mut self) -> Result<(), StoreError> {
        let kept = self.log.replay(&self.stream.session, &self.owner, self.last).await?;
        if kept.end == StreamEnd::Ended {
            return Ok(());
        }
        for event in &kept.events {
            self.last = event.id;
            if let Some(id) = answered(&event.data) {
                self.answers.retain(|(asked, _)| *asked != id);
            }
        }
        if self.refused >= REFUSALS {
            // An end without an answer is better than none.
            self.answers.clear();
        }
        while let [(_, answer), rest @ ..] = &self.answers[..] {
            let is_last = rest.is_empty();
            let append = if is_last {
                self.log.append_last(&self.stream, answer.clone())
            } else {
                self.log.append(&self.stream, answer.clone())
            };
            self.last = append.await.inspect_err(|_| self.refused += 1)?;
            if is_last {
                self.ended_with = Some(self.last);
                return Ok(());
            }
            self.answers.remove(0);
        }
        self.log.finish(&self.stream).await
    }
}

/// Ten minutes, after which the events are over, too.
const TRIES: u32 = 1200;
/// A log that refuses so often will go on to do so.
const REFUSALS: u32 = 8;
const PAUSE: Duration = Duration::from_millis(500);
