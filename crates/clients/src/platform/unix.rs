//! Unix: locks end with their process, and files have modes.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
};

use rustix::fs::{FlockOperation, flock};

/// One process at a time; ends when it is dropped, or with the process.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits until no other process has it.
    pub fn wait_for(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            private_folder(folder)?;
        }
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        loop {
            match flock(&file, FlockOperation::LockExclusive) {
                Ok(()) => return Ok(Self { _file: file }),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// A new file that only its owner can read.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().create_new(true).write(true).mode(0o600).open(path)
}

pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// A new name is on the disk only when its folder is. Where that cannot be asked for, the system does it in its own time.
pub(crate) fn sync_folder(path: &Path) {
    let _in_its_own_time = File::open(path).and_then(|folder| folder.sync_all());
}
