//! Work that outlives the connection that it began on, and the end of all work.

use tokio_util::{
    sync::CancellationToken,
    task::{TaskTracker, task_tracker::TaskTrackerToken},
};

/// The background work of one endpoint, all of which ends with it.
#[derive(Clone, Default)]
pub(super) struct Background {
    tracker: TaskTracker,
    /// What is done to its end, also if the request that waits for it is gone.
    chores: TaskTracker,
    /// What goes on as long as the server does.
    attending: TaskTracker,
    /// Requests that are being answered, wherever they run.
    requests: TaskTracker,
    /// No new work is wanted: streams end, running requests may finish.
    pub(super) closing: CancellationToken,
    /// The time to finish is over.
    pub(super) stopped: CancellationToken,
}

impl Background {
    /// Runs `work` until it is done or the server stops.
    pub(super) fn keep_running(&self, work: impl Future<Output = ()> + Send + 'static) {
        let stopped = self.stopped.clone();
        let work = async move {
            tokio::select! {
                () = work => {}
                () = stopped.cancelled() => {}
            }
        };
        // Outside a runtime nothing can run it, and nothing waits for it either.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            self.tracker.spawn_on(work, &runtime);
        }
    }

    /// Runs `work` until the server stops. Nothing waits for it.
    pub(super) fn attend(&self, work: impl Future<Output = ()> + Send + 'static) {
        let (stopped, closing) = (self.stopped.clone(), self.closing.clone());
        let work = async move {
            tokio::select! {
                () = work => {}
                () = async { closing.cancelled().await; stopped.cancelled().await } => {}
            }
        };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            self.attending.spawn_on(work, &runtime);
        }
    }

    /// Runs `work` to its end, also if the request that waits for it here goes away.
    pub(super) async fn see_through(&self, work: impl Future<Output = ()> + Send + 'static) {
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => {
                let _ = self.chores.spawn_on(work, &runtime).await;
            }
            Err(_) => work.await,
        }
    }

    /// A request is being answered for as long as this is kept.
    pub(super) fn busy(&self) -> TaskTrackerToken {
        self.requests.token()
    }

    /// Waits until all work is done.
    pub(super) async fn drained(&self) {
        self.requests.close();
        self.requests.wait().await;
        self.tracker.close();
        self.tracker.wait().await;
        self.chores.close();
        self.chores.wait().await;
    }

    /// Requests that are being answered.
    pub(super) fn running(&self) -> usize {
        self.requests.len()
    }

    pub(super) fn len(&self) -> usize {
        self.tracker.len()
    }
}
