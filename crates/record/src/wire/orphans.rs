//! Processes that a peer leaves behind where its process group does not reach them: those that began a session of their own.

use rustix::process::{Pid, Signal, kill_process, set_child_subreaper};

/// While it lives, orphans of peers become children of this program; when it is dropped they are ended. A program has one at most, and
/// starts no other children meanwhile that it wants to keep.
#[derive(Debug)]
pub struct Orphanage {
    own: Pid,
}

impl Orphanage {
    /// `None` where the system has no such thing.
    pub fn open() -> Option<Self> {
        let own = rustix::process::getpid();
        set_child_subreaper(Some(own)).ok()?;
        Some(Self { own })
    }
}

impl Drop for Orphanage {
    fn drop(&mut self) {
        // An orphan may have children, who become orphans in turn.
        for _ in 0..MOST_GENERATIONS {
            let children = children_of(self.own);
            if children.is_empty() {
                break;
            }
            for child in children {
                // Whoever is gone needs no signal.
                let _ = kill_process(child, Signal::KILL);
                let _ =
                    rustix::process::waitpid(Some(child), rustix::process::WaitOptions::empty());
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
