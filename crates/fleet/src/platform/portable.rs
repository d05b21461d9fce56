//! Any system: what others use is not known.

use super::Usage;

/// Nothing is known.
pub fn usage_of_descendants() -> Usage {
    Usage::default()
}
