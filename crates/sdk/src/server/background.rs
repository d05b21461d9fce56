//! Work that no connection polls.

use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// The background work of one server. All of it ends when it is told to stop.
#[derive(Default)]
pub(super) struct Background {
    tracker: TaskTracker,
    stopping: CancellationToken,
}

impl Background {
    /// Runs `work` to its end. Long work watches [`stopping`](Self::stopping).
    ///
    /// Outside a runtime nothing can run it: it is dropped, which a future that waits for it has to notice.
    pub(super) fn start(&self, work: impl Future<Output = ()> + Send + 'static) {
        if self.stopping.is_cancelled() {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            self.tracker.spawn_on(work, &runtime);
        }
    }

    pub(super) fn stopping(&self) -> CancellationToken {
        self.stopping.clone()
    }

    /// Lets no new work begin, tells the running work to end, and waits for it.
    pub(super) async fn stop(&self) {
        self.stopping.cancel();
        self.tracker.close();
        self.tracker.wait().await;
    }
}
