//! From a queue into the event log, and from there to the client.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;

use super::{fitted, message};
use crate::{
    BoxFuture,
    server::conversation::Conversation,
    store::{EventId, EventLog, StoreError, StreamKey},
    transport::{
        http::{HttpSettings, Unkept},
        queue::Message,
    },
};

/// How the messages of a stream become events.
#[derive(Clone, Copy)]
pub(in crate::transport::http) struct EventRules {
    pub(in crate::transport::http) max_event: usize,
    pub(in crate::transport::http) unkept: Unkept,
    pub(in crate::transport::http) keep_alive: Duration,
    pub(in crate::transport::http) retry: Duration,
}

/// The event that is being appended, if one is.
///
/// A stream that appends may be dropped, as when its connection breaks: the stream that goes on in its place finds the same attempt
/// here, so that the event is in the log once.
#[derive(Default)]
pub(in crate::transport::http) struct Append(
    Option<BoxFuture<'static, Result<EventId, StoreError>>>,
);

/// What became of a message.
pub(in crate::transport::http) enum Appended {
    /// There is nothing to send for it.
    Dropped,
    /// It is to be sent.
    Event { frame: Bytes, is_final: bool, id: Option<EventId> },
    /// The log did not take it, and what is not kept is not sent.
    Refused(StoreError),
}

impl EventRules {
    pub(in crate::transport::http) fn of(settings: &HttpSettings) -> Self {
        let HttpSettings { max_event, unkept, keep_alive, retry, .. } = *settings;
        Self { max_event, unkept, keep_alive, retry }
    }
}

impl Append {
    /// Makes an event of the first message of a queue, and keeps it before it is sent. The message stays in the queue meanwhile.
    pub(in crate::transport::http) async fn event(
        &mut self,
        first: Message,
        log: Option<(&Arc<dyn EventLog>, &StreamKey)>,
        rules: EventRules,
        conversation: &Conversation,
    ) -> Appended {
        let Some(first) = fitted(first, rules.max_event, conversation) else {
            return Appended::Dropped;
        };
        let id = match log {
            None => None,
            Some((log, stream)) => match (self.keep(log, stream, &first).await, rules.unkept) {
                (Ok(id), _) => Some(id),
                (Err(error), Unkept::IsSent) => {
                    tracing::warn!(%error, "a message is sent that is not kept");
                    None
                }
                (Err(error), Unkept::Fails) => return Appended::Refused(error),
            },
        };
        Appended::Event { frame: message(id, &first.json), is_final: first.is_final, id }
    }

    /// Appends an event, or waits for it to be appended if that has begun.
    pub(super) async fn keep(
        &mut self,
        log: &Arc<dyn EventLog>,
        stream: &StreamKey,
        event: &Message,
    ) -> Result<EventId, StoreError> {
        let begin = || {
            let (log, stream, last) = (Arc::clone(log), stream.clone(), event.is_final);
            let event = event.json.clone();
            Box::pin(async move {
                if last {
                    return log.append_last(&stream, event).await;
                }
                log.append(&stream, event).await
            }) as BoxFuture<'static, _>
        };
        let kept = self.0.get_or_insert_with(begin).await;
        self.0 = None;
        kept
    }

    pub(super) fn has_begun(&self) -> bool {
        self.0.is_some()
    }
}

/// Says in the log that nothing more comes on a stream.
pub(in crate::transport::http) async fn finish(log: &dyn EventLog, stream: &StreamKey) {
    if let Err(error) = log.finish(stream).await {
        tracing::debug!(%error, "the end of a stream is not kept");
    }
}
