//! A server within this process, to be tested without starting anything.

use std::{fmt, sync::Arc};

use futures_util::future::BoxFuture;
use tokio::io::DuplexStream;

type Start = dyn Fn() -> (DuplexStream, BoxFuture<'static, ()>) + Send + Sync;

/// Gives, for each connection, the stream to a server and what serves it.
#[derive(Clone)]
pub struct MemoryServer(Arc<Start>);

impl MemoryServer {
    pub fn new(
        start: impl Fn() -> (DuplexStream, BoxFuture<'static, ()>) + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(start))
    }

    pub(crate) fn start(&self) -> (DuplexStream, BoxFuture<'static, ()>) {
        (self.0)()
    }
}

impl fmt::Debug for MemoryServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryServer").finish_non_exhaustive()
    }
}

impl PartialEq for MemoryServer {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for MemoryServer {}
