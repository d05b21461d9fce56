//! Who may use a file, which is not said in the same way on every system.

#[cfg(not(all(unix, not(proofmark_portable))))]
mod portable;
#[cfg(all(unix, not(proofmark_portable)))]
mod unix;

#[cfg(not(all(unix, not(proofmark_portable))))]
pub(super) use self::portable::{check_owner, create_file, create_folder};
#[cfg(all(unix, not(proofmark_portable)))]
pub(super) use self::unix::{check_owner, create_file, create_folder};
