//! How many bytes of bodies are held at once, of all clients together.

use std::{
    error::Error,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// What is held of all bodies that are being read and parsed.
#[derive(Clone, Default)]
pub(super) struct Load(Arc<AtomicUsize>);

/// What is held of one body. Dropping it gives the room back.
pub(super) struct Share {
    load: Load,
    bytes: usize,
}

/// All clients together send too much.
#[derive(Debug, thiserror::Error)]
#[error("too many bytes are being read")]
pub(super) struct TooMuch;

/// A body whose bytes are counted as they come, whatever its headers say.
pub(super) struct Counted<'a, B> {
    body: Pin<&'a mut B>,
    share: &'a mut Share,
    limit: usize,
}

impl Load {
    pub(super) fn share(&self) -> Share {
        Share { load: self.clone(), bytes: 0 }
    }
}

impl Share {
    /// Counts what comes in this body. It breaks off when that is more than `limit` together with all others.
    pub(super) fn count<'a, B>(&'a mut self, body: Pin<&'a mut B>, limit: usize) -> Counted<'a, B> {
        Counted { body, share: self, limit }
    }

    fn grow(&mut self, bytes: usize, limit: usize) -> Result<(), TooMuch> {
        self.bytes += bytes;
        let before = self.load.0.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > limit { Err(TooMuch) } else { Ok(()) }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.load.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl<B> Body for Counted<'_, B>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Self { body, share, limit } = self.get_mut();
        let frame = ready!(body.as_mut().poll_frame(context));
        let bytes =
            frame.as_ref().and_then(|it| it.as_ref().ok()?.data_ref()).map_or(0, Bytes::len);
        if let Err(too_much) = share.grow(bytes, *limit) {
            return Poll::Ready(Some(Err(too_much.into())));
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
