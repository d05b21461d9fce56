//! Where programs run that are measured.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::Outcome;

/// While this is there, whatever is started is kept on one processor, and sees no other.
pub(crate) struct OneProcessor {
    before: CpuSet,
}

impl OneProcessor {
    pub(crate) fn take() -> Outcome<Self> {
        let before = sched_getaffinity(None)?;
        let mut one = CpuSet::new();
        one.set((0..CpuSet::MAX_CPU).find(|&cpu| before.is_set(cpu)).ok_or("no processor")?);
        sched_setaffinity(None, &one)?;
        Ok(Self { before })
    }
}

impl Drop for OneProcessor {
    fn drop(&mut self) {
        // It was allowed before.
        let _ = sched_setaffinity(None, &self.before);
    }
}
