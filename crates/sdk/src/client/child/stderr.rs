//! What a server writes to standard error: kept apart, and never more than a bounded rest of it.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::io::{AsyncRead, AsyncReadExt};

/// The end of what was written. Clones share it.
#[derive(Clone)]
pub(in crate::client) struct StderrTail {
    kept: Arc<Mutex<VecDeque<u8>>>,
    limit: usize,
}

impl StderrTail {
    pub(in crate::client) fn new(limit: usize) -> Self {
        Self { kept: Arc::default(), limit }
    }

    /// Reads until the end.
    pub(super) async fn keep(&self, mut pipe: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; CHUNK];
        while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
            self.push(&chunk[..count]);
        }
    }

    /// The last bytes, at most `limit`; what is not UTF-8 is replaced.
    pub(in crate::client) fn tail(&self, limit: usize) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.iter().skip(kept.len().saturating_sub(limit)).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = &bytes[bytes.len().saturating_sub(self.limit)..];
        let surplus = (kept.len() + bytes.len()).saturating_sub(self.limit);
        kept.drain(..surplus);
        kept.extend(bytes);
    }
}

const CHUNK: usize = 8 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_end_is_kept() {
        let tail = StderrTail::new(4);
        tail.keep(&b"abcdefgh"[..]).await;
        assert_eq!(tail.tail(10), "efgh");
        tail.keep(&b"ij"[..]).await;
        assert_eq!(tail.tail(10), "ghij");
        assert_eq!(tail.tail(2), "ij");
    }
}
