//! An event on its way into the log.

use std::sync::Arc;

use bytes::Bytes;

use crate::{
    BoxFuture,
    store::{EventId, EventLog, StoreError, StreamKey},
};

/// The event that is being appended, if one is. Whoever appends may be dropped, as when its connection breaks: whoever goes on in its
/// place finds the same attempt here, so that the event is in the log once.
#[derive(Default)]
pub(super) struct Keeping(Option<BoxFuture<'static, Result<EventId, StoreError>>>);

impl Keeping {
    /// Appends an event, or waits for it to be appended if that has begun.
    pub(super) async fn keep(
        &mut self,
        log: &Arc<dyn EventLog>,
        stream: &StreamKey,
        event: &Bytes,
    ) -> Result<EventId, StoreError> {
        let begin = || {
            let (log, stream, event) = (Arc::clone(log), stream.clone(), event.clone());
            Box::pin(async move { log.append(&stream, event).await }) as BoxFuture<'static, _>
        };
        let kept = self.0.get_or_insert_with(begin).await;
        self.0 = None;
        kept
    }

    pub(super) fn has_begun(&self) -> bool {
        self.0.is_some()
    }
}
