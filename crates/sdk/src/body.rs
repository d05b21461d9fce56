//! Bodies that are read whole, however small the pieces are in which they come.

use bytes::Bytes;
use http_body::Body;
use http_body_util::BodyExt as _;

/// Why a body was not read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotRead<E> {
    #[error("the body broke off: {0}")]
    Broken(E),
    /// There was no room for it.
    #[error("there is no room for the body")]
    NoRoom,
    #[error("the body is too large")]
    TooLarge,
}

/// There is no room for so many bytes.
#[derive(Debug)]
pub(crate) struct NoRoom;

/// Reads at most `limit` bytes. A body of one piece is taken as it is; the pieces of others are copied together and let go at once, since
/// a piece of one byte can hold a whole read buffer.
///
/// `charge` is told what the body takes, each time that this grows and before it does: at most twice what was received, and [`LEAST`].
pub(crate) async fn read_whole<B: Body<Data = Bytes>>(
    body: B,
    limit: usize,
    mut charge: impl FnMut(usize) -> Result<(), NoRoom>,
) -> Result<Bytes, NotRead<B::Error>> {
    let mut body = std::pin::pin!(body);
    let mut whole = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(piece) = frame.map_err(NotRead::Broken)?.into_data() else { continue };
        let needed = whole.len().saturating_add(piece.len());
        if needed > limit {
            return Err(NotRead::TooLarge);
        }
        let is_end = body.is_end_stream();
        if needed > whole.capacity() {
            let capacity = if whole.is_empty() {
                needed
            } else {
                let to_come =
                    body.size_hint().upper().and_then(|bytes| usize::try_from(bytes).ok());
                let most = needed.saturating_add(to_come.unwrap_or(usize::MAX)).min(limit);
                needed.max(whole.capacity() * 2).max(LEAST).min(most)
            };
            charge(capacity).map_err(|NoRoom| NotRead::NoRoom)?;
            if whole.is_empty() && is_end {
                return Ok(piece);
            }
            whole.reserve_exact(capacity - whole.len());
        }
        whole.extend_from_slice(&piece);
        if is_end {
            break;
        }
    }
    Ok(whole.into())
}

/// Bytes that are set aside as soon as there is a second piece, if so many can come.
const LEAST: usize = 1024;

#[cfg(test)]
mod tests {
    use std::{
        collections::VecDeque,
        convert::Infallible,
        pin::Pin,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        task::{Context, Poll},
    };

    use http_body::Frame;

    use super::*;

    /// A body in these pieces, which does not say how long it is.
    struct Pieces(VecDeque<Bytes>);

    impl Body for Pieces {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Poll::Ready(self.0.pop_front().map(|piece| Ok(Frame::data(piece))))
        }
    }

    /// A read buffer that counts how many are still held.
    struct ReadBuffer(Vec<u8>, Arc<AtomicUsize>);

    impl AsRef<[u8]> for ReadBuffer {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }

    impl Drop for ReadBuffer {
        fn drop(&mut self) {
            self.1.fetch_sub(1, Ordering::SeqCst);
        }
    }

    fn pieces(count: usize) -> Pieces {
        Pieces((0..count).map(|_| Bytes::from_static(b"x")).collect())
    }

    #[tokio::test]
    async fn pieces_of_one_byte_take_at_most_twice_what_was_received() {
        for count in [1, 2, 1024, 1025, 4000, 100_000] {
            let mut taken = 0;
            let read = read_whole(pieces(count), 1 << 20, |bytes| {
                taken = bytes;
                Ok(())
            });
            assert_eq!(read.await.unwrap().len(), count);
            assert!(taken >= count && taken <= (2 * count).max(LEAST), "{taken} for {count}");
        }
    }

    #[tokio::test]
    async fn no_piece_is_held_when_the_next_comes() {
        struct Watched(Arc<AtomicUsize>, usize);
        impl Body for Watched {
            type Data = Bytes;
            type Error = Infallible;

            fn poll_frame(
                mut self: Pin<&mut Self>,
                _: &mut Context<'_>,
            ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
                assert_eq!(self.0.load(Ordering::SeqCst), 0);
                if self.1 == 0 {
                    return Poll::Ready(None);
                }
                self.1 -= 1;
                self.0.fetch_add(1, Ordering::SeqCst);
                let buffer = ReadBuffer(vec![b'x'; 8192], Arc::clone(&self.0));
                Poll::Ready(Some(Ok(Frame::data(Bytes::from_owner(buffer).slice(..1)))))
            }
        }
        let read = read_whole(Watched(Arc::default(), 2000), 2000, |_| Ok(()));
        assert_eq!(read.await.unwrap().len(), 2000);
    }

    #[tokio::test]
    async fn a_body_of_one_piece_is_not_copied() {
        let piece = Bytes::from(vec![b'x'; 100]);
        let body = http_body_util::Full::new(piece.clone());
        let whole = read_whole(body, 100, |_| Ok(())).await.unwrap();
        assert_eq!(whole.as_ptr(), piece.as_ptr());
    }

    #[tokio::test]
    async fn the_limit_is_what_can_be_read_and_not_one_byte_more() {
        assert_eq!(read_whole(pieces(3000), 3000, |_| Ok(())).await.unwrap().len(), 3000);
        let more = read_whole(pieces(3001), 3000, |_| Ok(())).await;
        assert_eq!(more, Err(NotRead::TooLarge));
        assert_eq!(read_whole(pieces(0), 0, |_| Ok(())).await.unwrap().len(), 0);
    }

    #[tokio::test]
    async fn a_body_without_room_is_not_read() {
        let room = |bytes| if bytes > 1500 { Err(NoRoom) } else { Ok(()) };
        assert!(read_whole(pieces(1024), 3000, room).await.is_ok());
        assert_eq!(read_whole(pieces(1025), 3000, room).await, Err(NotRead::NoRoom));
    }
}
