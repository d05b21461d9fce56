//! JSON kept as it was written, and the guards that `serde_json` leaves to its caller.

mod depth;
mod raw;

pub use depth::{TooDeep, check_depth};
pub use raw::Raw;
