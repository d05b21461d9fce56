//! A server and what it started are a process group.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::{
    process::{Child, Command},
    time::{Instant, sleep},
};

/// Killed when dropped, unless it was cleared before.
pub(in crate::client::child) struct Processes(Option<Pid>);

impl Processes {
    /// Makes the child the leader of a group of its own.
    pub(in crate::client::child) fn prepare(command: &mut Command) {
        command.process_group(0);
    }

    /// The processes of a child that was started after [`Self::prepare`].
    pub(in crate::client::child) fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }

    /// Asks them to end.
    pub(in crate::client::child) fn terminate(&self, _: &mut Child) {
        self.signal(Signal::TERM);
    }

    pub(in crate::client::child) fn kill(&self, _: &mut Child) {
        self.signal(Signal::KILL);
    }

    /// Ends what the child left behind. The child itself has ended.
    pub(in crate::client::child) async fn clear(&mut self, grace: Duration) {
        self.signal(Signal::TERM);
        let deadline = Instant::now() + grace;
        while self.exist() {
            if Instant::now() >= deadline {
                self.signal(Signal::KILL);
                break;
            }
            sleep(LOOK_AGAIN).await;
        }
        self.0 = None;
    }

    fn exist(&self) -> bool {
        self.0.is_some_and(|group| test_kill_process_group(group).is_ok())
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.0 {
            // A group without processes is what was wanted.
            let _gone = kill_process_group(group, signal);
        }
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

const LOOK_AGAIN: Duration = Duration::from_millis(10);
