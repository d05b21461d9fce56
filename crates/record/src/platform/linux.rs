//! Processes that a peer leaves behind where its process group does not reach them: those that began a session of their own.

use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid,
};

/// While it lives, orphans of peers become children of this program; when it is dropped they are ended. A program has one at most, and
/// starts no other children meanwhile that it wants to keep.
#[derive(Debug)]
pub struct OrphanReaper {
    own: Pid,
}

impl OrphanReaper {
    /// `None` where the system refuses it.
    pub fn start() -> Option<Self> {
        let own = getpid();
        set_child_subreaper(Some(own)).ok()?;
        Some(Self { own })
    }
}

impl Drop for OrphanReaper {
    fn drop(&mut self) {
        // An orphan may have children, which become orphans in turn.
        for _ in 0..MOST_GENERATIONS {
            let children = children_of(self.own);
            if children.is_empty() {
                break;
            }
            for child in children {
                // A process that is gone needs no signal.
                let _ = kill_process(child, Signal::KILL);
                let _ = waitpid(Some(child), WaitOptions::empty());
            }
        }
        let _ = set_child_subreaper(None);
    }
}

/// By what the system says of every process: the fourth word is the parent, behind a name that may have spaces and brackets.
fn children_of(parent: Pid) -> Vec<Pid> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_child = |id: &i32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let (_, rest) = stat.rsplit_once(')')?;
        let above: i32 = rest.split_whitespace().nth(1)?.parse().ok()?;
        Some(above == parent.as_raw_nonzero().get())
    };
    ids.filter(|id| is_child(id) == Some(true)).filter_map(Pid::from_raw).collect()
}

const MOST_GENERATIONS: usize = 16;
