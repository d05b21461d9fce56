//! JSON kept as it was written, and the guards that `serde_json` leaves to its caller.

mod depth;
mod ordered;
mod raw;
mod reader_fast;
mod special;
mod strings_fast;
pub(crate) mod whole;

pub use depth::{TooDeep, check_depth};
pub use ordered::OrderedMap;
pub use raw::{Raw, RawRef};
pub use reader_fast::{MemberPosition, Reader, Unreadable};
pub use strings_fast::{read_string, write_string, write_string_unless};
