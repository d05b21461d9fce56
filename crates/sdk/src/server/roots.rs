//! The handler that is told when the client's roots have changed.

use std::sync::Arc;

use super::Context;
use crate::BoxFuture;

pub(super) type RootsChanged = Arc<dyn Fn(Context) -> BoxFuture<'static, ()> + Send + Sync>;

pub(super) fn roots_changed<F, Fut>(handler: F) -> RootsChanged
where
    F: Fn(Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    Arc::new(move |context| Box::pin(handler(context)))
}
