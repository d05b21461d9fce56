//! An event on its way into the log.

use std::sync::Arc;

use bytes::Bytes;

use crate::{
    BoxFuture,
    store::{EventId, EventLog, StreamKey},
};

/// The event that is being appended, if one is. Whoever appends may be dropped, as when its connection breaks: whoever goes on in its
/// place finds the same attempt here, so that the event is in the log once.
#[derive(Default)]
pub(super) struct Keeping(Option<BoxFuture<'static, Option<EventId>>>);

impl Keeping {
    /// Appends an event, or waits for it to be appended if that has begun. `None` if it is not kept.
    pub(super) async fn keep(
        &mut self,
        log: &Arc<dyn EventLog>,
        stream: &StreamKey,
        event: &Bytes,
    ) -> Option<EventId> {
        let begin = || {
            let (log, stream, event) = (Arc::clone(log), stream.clone(), event.clone());
            Box::pin(async move {
                let kept = log.append(&stream, event).await;
                kept.inspect_err(|error| tracing::debug!(%error, "an event is not kept")).ok()
            }) as BoxFuture<'static, _>
        };
        let id = self.0.get_or_insert_with(begin).await;
        self.0 = None;
        id
    }

    pub(super) fn has_begun(&self) -> bool {
        self.0.is_some()
    }
}
