//! A future that waits beside busier ones, and is polled only when it was woken itself.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use futures_util::task::AtomicWaker;

/// What takes turns with others in one task is polled whenever one of them is woken. To be polled for nothing costs this one next to
/// nothing.
pub(crate) struct WhenWoken<F> {
    future: F,
    woken: Arc<Woken>,
    waker: Waker,
}

struct Woken {
    since: AtomicBool,
    task: AtomicWaker,
}

impl<F: Future + Unpin> WhenWoken<F> {
    pub(crate) fn new(future: F) -> Self {
        let woken = Arc::new(Woken { since: AtomicBool::new(true), task: AtomicWaker::new() });
        Self { future, waker: woken.clone().into(), woken }
    }
}

impl<F: Future + Unpin> Future for WhenWoken<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Self { future, woken, waker } = &mut *self;
        // Whoever wakes it from here on wakes the task, so that nothing is missed between the two.
        woken.task.register(context.waker());
        if !woken.since.swap(false, Ordering::AcqRel) {
            return Poll::Pending;
        }
        let polled = Pin::new(future).poll(&mut Context::from_waker(waker));
        // What can be ready again has not asked to be woken yet.
        if polled.is_ready() {
            woken.since.store(true, Ordering::Release);
        }
        polled
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.since.store(true, Ordering::Release);
        self.task.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, future::poll_fn, pin::pin};

    use tokio::sync::Notify;

    use super::*;

    #[tokio::test]
    async fn it_is_polled_when_it_was_woken_and_not_when_another_was() {
        let (notify, polls) = (Notify::new(), Cell::new(0));
        let mut notified = pin!(notify.notified());
        let mut rare = WhenWoken::new(poll_fn(|context| {
            polls.set(polls.get() + 1);
            notified.as_mut().poll(context)
        }));
        for _ in 0..5 {
            tokio::select! {
                biased;
                () = &mut rare => panic!("nobody notified it"),
                () = tokio::task::yield_now() => {}
            }
        }
        assert_eq!(polls.get(), 1);
        let another = async {
            tokio::task::yield_now().await;
            notify.notify_one();
        };
        tokio::join!(rare, another);
        assert_eq!(polls.get(), 2);
    }

    #[tokio::test]
    async fn what_can_be_ready_again_is_polled_again() {
        let (notify, times) = (Notify::new(), Cell::new(0));
        let mut notified = pin!(notify.notified());
        let mut rare = WhenWoken::new(poll_fn(|context| {
            std::task::ready!(notified.as_mut().poll(context));
            notified.set(notify.notified());
            times.set(times.get() + 1);
            Poll::Ready(())
        }));
        for expected in 1..=3 {
            notify.notify_one();
            (&mut rare).await;
            assert_eq!(times.get(), expected);
        }
    }
}
