//! A log that takes its time, as one at the other end of a wire does.

use std::{future::Future, sync::Arc, time::Duration};

use bytes::Bytes;
use proofmark_sdk::{
    BoxFuture,
    store::{
        EventId, EventLog, MemoryEventLog, Principal, Replay, SessionId, StoreError, StreamKey,
        StreamKind,
    },
};

/// Has done what it was asked to before it says so, with time to be dropped in between.
#[derive(Default)]
pub(crate) struct SlowLog(pub(crate) Arc<MemoryEventLog>);

type Outcome<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

fn slowly<'a, T: Send>(
    done: impl Future<Output = Result<T, StoreError>> + Send + 'a,
) -> Outcome<'a, T> {
    Box::pin(async move {
        tokio::task::yield_now().await;
        let outcome = done.await;
        tokio::time::sleep(Duration::from_millis(2)).await;
        outcome
    })
}

impl EventLog for SlowLog {
    fn open<'a>(
        &'a self,
        session: &'a SessionId,
        owner: &'a Principal,
        kind: StreamKind,
    ) -> Outcome<'a, StreamKey> {
        slowly(self.0.open(session, owner, kind))
    }

    fn append<'a>(&'a self, stream: &'a StreamKey, event: Bytes) -> Outcome<'a, EventId> {
        slowly(self.0.append(stream, event))
    }

    fn finish<'a>(&'a self, stream: &'a StreamKey) -> Outcome<'a, ()> {
        slowly(self.0.finish(stream))
    }

    fn replay<'a>(
        &'a self,
        session: &'a SessionId,
        principal: &'a Principal,
        last: EventId,
    ) -> Outcome<'a, Replay> {
        slowly(self.0.replay(session, principal, last))
    }

    fn grown<'a>(
        &'a self,
        session: &'a SessionId,
        principal: &'a Principal,
        last: EventId,
    ) -> Outcome<'a, ()> {
        slowly(self.0.grown(session, principal, last))
    }

    fn forget<'a>(&'a self, session: &'a SessionId) -> Outcome<'a, ()> {
        slowly(self.0.forget(session))
    }
}
