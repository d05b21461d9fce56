//! File modes say who may use a file.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
};

pub(in crate::client::oauth::store::file) fn create_file(path: &Path) -> io::Result<fs::File> {
    fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

pub(in crate::client::oauth::store::file) fn create_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Refuses a file that others than its owner may use.
pub(in crate::client::oauth::store::file) fn check_owner(
    file: &fs::File,
    path: &Path,
) -> io::Result<()> {
    let mode = file.metadata()?.permissions().mode();
    if mode.trailing_zeros() >= OTHERS {
        return Ok(());
    }
    let why = format!("{} can be used by others (mode {:o})", path.display(), mode & 0o777);
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}

/// How many of a mode's bits are about others than the owner.
const OTHERS: u32 = 6;
