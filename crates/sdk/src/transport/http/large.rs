//! Large messages, worked on where they keep no small ones waiting.

use std::{num::NonZeroUsize, thread};

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::{Semaphore, SemaphorePermit},
};

/// Turns for large messages: half of the processors work on them at most, so that the others are left to the rest.
pub(super) struct Turns(Semaphore);

/// A large message is being worked on. Small ones need none.
pub(super) struct Turn<'a>(Option<SemaphorePermit<'a>>);

impl Default for Turns {
    fn default() -> Self {
        let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self(Semaphore::new((processors / 2).max(1)))
    }
}

impl Turns {
    /// Waits for a turn, if a message of so many bytes needs one. They come in the order in which they are asked for.
    pub(super) async fn take(&self, bytes: usize) -> Turn<'_> {
        if bytes < LARGE {
            return Turn(None);
        }
        Turn(self.0.acquire().await.ok())
    }
}

impl Turn<'_> {
    /// Works on the message. For a large one, the other tasks of this thread go on elsewhere meanwhile, where the runtime has other threads.
    pub(super) fn work<T>(&self, work: impl FnOnce() -> T) -> T {
        let elsewhere = self.0.is_some()
            && Handle::try_current()
                .is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
        if elsewhere { tokio::task::block_in_place(work) } else { work() }
    }
}

/// Bytes of a message that takes about a millisecond.
const LARGE: usize = 256 * 1024;
