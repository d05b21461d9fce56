//! Futures that wait beside busier ones in the same task, and are polled only when they were woken themselves.

use std::{
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

/// What takes turns with others in one task is polled whenever one of them is woken. To be polled for nothing costs this one next to
/// nothing.
pub(crate) struct WhenWoken<F> {
    future: F,
    woken: WakeFlag,
}

impl<F: Future + Unpin> WhenWoken<F> {
    pub(crate) fn new(future: F) -> Self {
        Self { future, woken: WakeFlag::new() }
    }
}

impl<F: Future + Unpin> Future for WhenWoken<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Self { future, woken } = &mut *self;
        if !woken.take(context) {
            return Poll::Pending;
        }
        let polled = Pin::new(future).poll(&mut woken.context());
        // What can be ready again has not asked to be woken yet.
        if polled.is_ready() {
            woken.set();
        }
        polled
    }
}

/// Wakes a task, and remembers that it did. It is set when it is new.
pub(crate) struct WakeFlag {
    shared: Arc<SharedFlag>,
    waker: Waker,
    /// The task that it wakes.
    task: Waker,
}

struct SharedFlag {
    set: AtomicBool,
    task: Mutex<Waker>,
}

impl SharedFlag {
    fn task(&self) -> MutexGuard<'_, Waker> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WakeFlag {
    pub(crate) fn new() -> Self {
        let task = Waker::noop();
        let shared =
            Arc::new(SharedFlag { set: AtomicBool::new(true), task: Mutex::new(task.clone()) });
        Self { waker: shared.clone().into(), shared, task: task.clone() }
    }

    /// Whether it was set since this was last asked. From here on it wakes this task.
    pub(crate) fn take(&mut self, context: &Context<'_>) -> bool {
        let task = context.waker();
        if !self.task.will_wake(task) {
            self.task.clone_from(task);
            self.shared.task().clone_from(task);
        }
        // A wake-up after this finds that task, and one before is seen here.
        self.shared.set.load(Ordering::Acquire) && self.shared.set.swap(false, Ordering::AcqRel)
    }

    /// As if it had been woken, but no task is.
    pub(crate) fn set(&self) {
        self.shared.set.store(true, Ordering::Release);
    }

    /// A future that is polled with this sets it when it can go on.
    pub(crate) fn context(&self) -> Context<'_> {
        Context::from_waker(&self.waker)
    }
}

impl Wake for SharedFlag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.set.store(true, Ordering::Release);
        let task = self.task().clone();
        task.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, future::poll_fn, pin::pin, time::Duration};

    use futures_util::{StreamExt, stream::FuturesUnordered};
    use tokio::{
        sync::{Notify, mpsc},
        task::JoinSet,
        time::timeout,
    };

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
                () = &mut rare => panic!("it was not notified"),
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

    #[tokio::test(flavor = "multi_thread")]
    async fn no_wake_up_from_another_thread_is_missed() {
        let (sender, mut receiver) = mpsc::channel(1);
        let mut other = JoinSet::new();
        other.spawn(async move {
            for number in 0..WAKE_UPS {
                sender.send(number).await.unwrap();
            }
        });
        let mut rare = WhenWoken::new(poll_fn(|context| receiver.poll_recv(context)));
        for expected in 0..WAKE_UPS {
            // This has a waker of its own, another one each time.
            let mut alone = FuturesUnordered::from_iter([&mut rare]);
            let next = timeout(Duration::from_secs(20), alone.next()).await;
            assert_eq!(next.unwrap(), Some(Some(expected)));
        }
    }

    const WAKE_UPS: usize = 20_000;
}
