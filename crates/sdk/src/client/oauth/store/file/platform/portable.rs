//! A file can be used by those who can use its folder.

use std::{fs, io, path::Path};

pub(in crate::client::oauth::store::file) fn create_file(path: &Path) -> io::Result<fs::File> {
    fs::OpenOptions::new().write(true).create_new(true).open(path)
}

pub(in crate::client::oauth::store::file) fn create_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

#[expect(clippy::unnecessary_wraps, reason = "where there are file modes, they may be wrong")]
pub(in crate::client::oauth::store::file) fn check_owner(_: &fs::File, _: &Path) -> io::Result<()> {
    Ok(())
}
