//! What is too much.

/// Numbers that rules go by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// More tokens than this in a model's context are too many.
    pub max_tokens: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_tokens: 20_000 }
    }
}
