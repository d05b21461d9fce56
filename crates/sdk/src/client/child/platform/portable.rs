//! A server is one process: what it started itself is not known, and there is no gentler way to end it than to kill it.

use std::{future::ready, time::Duration};

use tokio::process::{Child, Command};

/// The child is killed when its handle is dropped.
pub(in crate::client::child) struct Processes;

impl Processes {
    pub(in crate::client::child) fn prepare(_: &mut Command) {}

    pub(in crate::client::child) fn of(_: &Child) -> Self {
        Self
    }

    pub(in crate::client::child) fn terminate(&self, child: &mut Child) {
        self.kill(child);
    }

    #[expect(clippy::unused_self, reason = "where there are process groups, they are known here")]
    pub(in crate::client::child) fn kill(&self, child: &mut Child) {
        // A process that has ended is what was wanted.
        let _ended = child.start_kill();
    }

    pub(in crate::client::child) fn clear(&mut self, _: Duration) -> impl Future<Output = ()> {
        ready(())
    }
}
