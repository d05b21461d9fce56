//! What is going on, for those who wait.

use std::{fmt, sync::Arc};

/// A function to be told, if there is one.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Fn(Step) + Send + Sync>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// So many conversations more are to come.
    Planned(usize),
    /// A conversation, by the title of its scenario.
    Began(&'static str),
    Ended(&'static str),
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
