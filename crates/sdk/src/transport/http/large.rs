//! Large messages take turns, so that they do not keep all threads from the small ones.

use std::sync::OnceLock;

use tokio::{
    runtime::Handle,
    sync::{Semaphore, SemaphorePermit},
};

/// Turns for large messages: half of the runtime's threads work on them at most.
#[derive(Default)]
pub(super) struct Turns(OnceLock<Semaphore>);

/// A large message is being worked on. Small ones need none.
pub(super) struct Turn<'a>(#[expect(dead_code, reason = "held")] Option<SemaphorePermit<'a>>);

impl Turns {
    /// Waits for a turn, if a message of so many bytes needs one. They come in the order in which they are asked for.
    pub(super) async fn take(&self, bytes: usize) -> Turn<'_> {
        if bytes < LARGE {
            return Turn(None);
        }
        let turns = self.0.get_or_init(|| {
            let threads =
                Handle::try_current().map_or(1, |runtime| runtime.metrics().num_workers());
            Semaphore::new((threads / 2).max(1))
        });
        Turn(turns.acquire().await.ok())
    }
}

/// Bytes of a message that takes about a millisecond.
const LARGE: usize = 256 * 1024;
