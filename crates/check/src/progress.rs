//! What is going on, for those who wait.

use std::{fmt, sync::Arc};

use proofmark_converse::scenario::Scenario;

/// A function that is told of each step, or none.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Fn(Step) + Send + Sync>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Began(Scenario),
    Ended(Scenario),
}

impl Progress {
    pub fn new(tell: impl Fn(Step) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    pub(crate) fn tell(&self, step: Step) {
        if let Some(tell) = &self.0 {
            tell(step);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Progress" } else { "no Progress" })
    }
}
