//! Other systems: a lock is a file that is there.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// One process at a time; ends when it is dropped. One that was left behind counts for a minute.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
}

impl Lock {
    /// Waits until no other process has it.
    pub fn wait_for(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            private_folder(folder)?;
        }
        loop {
            match create_private(path) {
                Ok(_) => return Ok(Self { path: path.to_owned() }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            let age = fs::metadata(path)
                .and_then(|it| it.modified())
                .ok()
                .and_then(|it| it.elapsed().ok());
            if age.is_some_and(|age| age > LEFT_BEHIND) {
                let _taken = fs::remove_file(path);
            }
            thread::sleep(PAUSE);
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _gone = fs::remove_file(&self.path);
    }
}

/// A new file, as private as the folder that it is in.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().create_new(true).write(true).open(path)
}

pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Folders cannot be written through here.
pub(crate) fn sync_folder(_path: &Path) {}

const LEFT_BEHIND: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(20);
