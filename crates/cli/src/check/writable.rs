//! Whether reports will find their places, asked before a run that may take minutes.

use std::{
    fs::{self, OpenOptions},
    io,
    path::Path,
};

use anyhow::Context;

use crate::arguments::{Judging, Reports};

/// For all that a run is to write.
pub(crate) fn verify(judging: &Judging) -> anyhow::Result<()> {
    verify_reports(&judging.reports)?;
    judging.record.iter().chain(&judging.write_baseline).try_for_each(|path| verify_file(path))
}

pub(crate) fn verify_reports<F>(reports: &Reports<F>) -> anyhow::Result<()> {
    reports.wanted.iter().filter_map(|(_, path)| path.as_deref()).try_for_each(verify_file)
}

fn verify_file(path: &Path) -> anyhow::Result<()> {
    try_to_open(path).with_context(|| format!("cannot write {}", path.display()))
}

/// Leaves everything as it was: what is there keeps its contents, and what is not there is not left behind.
fn try_to_open(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if found.is_file() => OpenOptions::new().append(true).open(path).map(drop),
        // Pipes and devices may wait for a reader.
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            OpenOptions::new().write(true).create_new(true).open(path)?;
            fs::remove_file(path)
        }
        Err(error) => Err(error),
    }
}
