//! A process group: a server and whatever it started.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::time::{Instant, sleep};

/// Killed when dropped, unless it was cleared before.
pub(super) struct Group(Option<Pid>);

impl Group {
    /// The group of a process that was made its leader.
    pub(super) fn led_by(id: Option<u32>) -> Self {
        Self(id.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }

    pub(super) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    pub(super) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Ends what the leader left behind. The leader itself has ended.
    pub(super) async fn clear(&mut self, grace: Duration) {
        self.terminate();
        let deadline = Instant::now() + grace;
        while self.exists() {
            if Instant::now() >= deadline {
                self.kill();
                break;
            }
            sleep(LOOK_AGAIN).await;
        }
        self.0 = None;
    }

    fn exists(&self) -> bool {
        self.0.is_some_and(|group| test_kill_process_group(group).is_ok())
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.0 {
            // A group without processes is what was wanted.
            let _gone = kill_process_group(group, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

const LOOK_AGAIN: Duration = Duration::from_millis(10);
