//! The last changes, each with the files as they were, so that it can be undone.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    FileError, Lock, Machine, Plan,
    file::{self, Privacy},
    platform,
};

/// A folder that remembers changes.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
}

/// A change that was written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Such as `add notes`.
    pub what: String,
    /// Where the files are as they were before.
    pub backup: PathBuf,
    pub files: Vec<PathBuf>,
}

/// A file that undoing gives its old text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    pub path: PathBuf,
    pub now: Option<String>,
    /// `None` if there was no file.
    pub then: Option<String>,
}

/// What came of undoing.
#[derive(Debug)]
pub enum Undone {
    /// Each file, as it was and as it is again.
    Done(Change),
    /// There is no change to undo.
    Nothing,
    /// These files were changed since, so that all were left alone.
    Touched(Change, Vec<PathBuf>),
}

#[derive(Debug, Deserialize, Serialize)]
struct Record {
    what: String,
    files: Vec<FileRecord>,
}

#[derive(Debug, Deserialize, Serialize)]
struct FileRecord {
    path: PathBuf,
    /// Whether there was a file before.
    existed: bool,
    /// Whether there was one after.
    exists: bool,
}

impl Journal {
    pub fn of(machine: &Machine) -> Self {
        Self { folder: machine.state().join("undo") }
    }

    /// Keeps other processes of ours from changing files at the same time.
    pub fn lock(&self) -> Result<Lock, FileError> {
        let path = self.folder.join("lock");
        Lock::wait_for(&path).map_err(|why| FileError::Unwritable { path, why })
    }

    /// Writes the files, after what they were is safe. Each is read again before and after.
    pub fn commit(&self, _lock: &Lock, what: &str, plans: &[Plan]) -> Result<Change, FileError> {
        let plans: Vec<_> = plans.iter().filter(|plan| plan.changes()).collect();
        let backup = self.write_down(what, &plans)?;
        for plan in &plans {
            if file::read(&plan.path)? != plan.before {
                return Err(FileError::Changed(plan.path.clone()));
            }
        }
        for plan in &plans {
            put(&plan.path, plan.after.as_deref(), plan.privacy)?;
            if file::read(&plan.path)? != plan.after {
                return Err(FileError::NotReadBack(plan.path.clone()));
            }
        }
        self.prune();
        let files = plans.iter().map(|plan| plan.path.clone()).collect();
        Ok(Change { what: what.to_owned(), backup, files })
    }

    /// The change that would be undone, and what that does to each file.
    pub fn last(&self) -> Result<Option<(Change, Vec<Restored>)>, FileError> {
        let Some((folder, record)) = self.newest()? else { return Ok(None) };
        let mut files = Vec::new();
        for (number, it) in record.files.iter().enumerate() {
            let then = saved(&folder, number, "before", it.existed)?;
            files.push(Restored { path: it.path.clone(), now: file::read(&it.path)?, then });
        }
        Ok(Some((change(folder, &record), files)))
    }

    /// Undoes the last change, if nothing has touched its files since.
    pub fn undo(&self, _lock: &Lock) -> Result<Undone, FileError> {
        let Some((folder, record)) = self.newest()? else { return Ok(Undone::Nothing) };
        let mut to_write = Vec::new();
        let mut touched = Vec::new();
        for (number, it) in record.files.iter().enumerate() {
            let before = saved(&folder, number, "before", it.existed)?;
            let after = saved(&folder, number, "after", it.exists)?;
            let now = file::read(&it.path)?;
            // A process that was ended in between has not written every file.
            if now == after && now != before {
                to_write.push((&it.path, before));
            } else if now != before {
                touched.push(it.path.clone());
            }
        }
        let change = change(folder.clone(), &record);
        if !touched.is_empty() {
            return Ok(Undone::Touched(change, touched));
        }
        for (path, before) in to_write {
            put(path, before.as_deref(), Privacy::Private)?;
        }
        fs::remove_dir_all(&folder).map_err(|why| FileError::Unwritable { path: folder, why })?;
        Ok(Undone::Done(change))
    }

    fn write_down(&self, what: &str, plans: &[&Plan]) -> Result<PathBuf, FileError> {
        let number = self.folders()?.last().map_or(1, |(number, _)| number + 1);
        let folder = self.folder.join(format!("{number:08}"));
        let why = |why| FileError::Unwritable { path: folder.clone(), why };
        platform::private_folder(&folder).map_err(why)?;
        let mut files = Vec::new();
        for (number, plan) in plans.iter().enumerate() {
            for (name, text) in [("before", &plan.before), ("after", &plan.after)] {
                if let Some(text) = text {
                    let path = folder.join(format!("{number}.{name}"));
                    file::replace(&path, text, Privacy::Private)?;
                }
            }
            let (existed, exists) = (plan.before.is_some(), plan.after.is_some());
            files.push(FileRecord { path: plan.path.clone(), existed, exists });
        }
        let record = Record { what: what.to_owned(), files };
        let text = serde_json::to_string_pretty(&record).map_err(|it| why(io::Error::other(it)))?;
        // Last: without it the folder says nothing.
        file::replace(&folder.join(RECORD), &text, Privacy::Private)?;
        Ok(folder)
    }

    /// The newest change that was written down whole.
    fn newest(&self) -> Result<Option<(PathBuf, Record)>, FileError> {
        for (_, folder) in self.folders()?.into_iter().rev() {
            let path = folder.join(RECORD);
            let Some(text) = file::read(&path)? else { continue };
            let record = serde_json::from_str(&text)
                .map_err(|why| FileError::Unreadable { path, why: io::Error::other(why) })?;
            return Ok(Some((folder, record)));
        }
        Ok(None)
    }

    fn folders(&self) -> Result<Vec<(u64, PathBuf)>, FileError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(why) => return Err(FileError::Unreadable { path: self.folder.clone(), why }),
        };
        let number = |path: &Path| path.file_name()?.to_str()?.parse::<u64>().ok();
        let mut folders: Vec<_> = entries
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                Some((number(&path)?, path))
            })
            .collect();
        folders.sort();
        Ok(folders)
    }

    /// Old backups may hold secrets, and are not kept for ever.
    fn prune(&self) {
        let Ok(folders) = self.folders() else { return };
        for (_, folder) in folders.iter().rev().skip(KEPT) {
            let _next_time = fs::remove_dir_all(folder);
        }
    }
}

fn change(backup: PathBuf, record: &Record) -> Change {
    let files = record.files.iter().map(|it| it.path.clone()).collect();
    Change { what: record.what.clone(), backup, files }
}

fn put(path: &Path, text: Option<&str>, privacy: Privacy) -> Result<(), FileError> {
    match text {
        Some(text) => file::replace(path, text, privacy),
        None => file::remove(path),
    }
}

fn saved(
    folder: &Path,
    number: usize,
    name: &str,
    there: bool,
) -> Result<Option<String>, FileError> {
    if !there {
        return Ok(None);
    }
    let path = folder.join(format!("{number}.{name}"));
    let text = file::read(&path)?;
    let missing = || FileError::Unreadable { path, why: io::ErrorKind::NotFound.into() };
    text.map(Some).ok_or_else(missing)
}

const RECORD: &str = "change.json";
const KEPT: usize = 20;
