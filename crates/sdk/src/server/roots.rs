//! The handler that is told when the client's roots have changed.

use std::sync::Arc;

use proofmark_core::{session::server::Outcome, types::ServerResult};

use super::Context;
use crate::BoxFuture;

pub(super) type RootsChanged = Arc<dyn Fn(Context) -> BoxFuture<'static, Outcome> + Send + Sync>;

/// A handler as the hand-off runs it. A notification has no answer, so what it results in is not sent.
pub(super) fn roots_changed<F, Fut>(handler: F) -> RootsChanged
where
    F: Fn(Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    let handler = Arc::new(handler);
    Arc::new(move |context| {
        let handler = Arc::clone(&handler);
        Box::pin(async move {
            handler(context).await;
            Ok(ServerResult::empty())
        })
    })
}
