//! Files that are read whole, and replaced at once.

use std::{
    fs, io,
    io::{Read, Write},
    path::{Path, PathBuf},
};

use crate::platform;

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{} was changed by another program meanwhile; nothing was written", .0.display())]
    Changed(PathBuf),
    #[error("{} is larger than {} MiB", .0.display(), MAX_BYTES >> 20)]
    Large(PathBuf),
    #[error("{} is not what was just written: another program changed it at the same time", .0.display())]
    NotReadBack(PathBuf),
    #[error("{} is not UTF-8", .0.display())]
    NotText(PathBuf),
    #[error("cannot read {}: {why}", path.display())]
    Unreadable { path: PathBuf, why: io::Error },
    #[error("cannot write {}: {why}", path.display())]
    Unwritable { path: PathBuf, why: io::Error },
}

/// More than any configuration that a person looks at.
pub const MAX_BYTES: u64 = 64 << 20;

/// Where the bytes of a path are, behind all links.
pub(crate) fn real(path: &Path) -> Result<PathBuf, FileError> {
    let why = |why| FileError::Unreadable { path: path.to_owned(), why };
    match fs::canonicalize(path) {
        Ok(real) => Ok(real),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if fs::symlink_metadata(path).is_ok() {
                return Err(why(io::Error::other("the link leads nowhere")));
            }
            // The file is new; its folder may be a link, or new as well.
            let folder = path.parent().and_then(|folder| fs::canonicalize(folder).ok());
            Ok(folder
                .zip(path.file_name())
                .map_or_else(|| path.to_owned(), |(folder, name)| folder.join(name)))
        }
        Err(error) => Err(why(error)),
    }
}

/// The text; `None` if there is no file.
pub(crate) fn read(path: &Path) -> Result<Option<String>, FileError> {
    let why = |why| FileError::Unreadable { path: path.to_owned(), why };
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(why(error)),
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(why)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(FileError::Large(path.to_owned()));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| FileError::NotText(path.to_owned()))
}

/// Who can read a file that is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privacy {
    /// Its owner.
    Private,
    /// As the system has it for new files: a project's file is for all who work on it.
    Usual,
}

/// Puts another text in the place of a file: a program that opens it finds the old one or the new one. Its mode stays.
pub(crate) fn replace(path: &Path, text: &str, privacy: Privacy) -> Result<(), FileError> {
    let why = |why| FileError::Unwritable { path: path.to_owned(), why };
    let folder =
        path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    fs::create_dir_all(folder).map_err(why)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.proofmark-{}", std::process::id()));
    let written = write_beside(path, &beside, text, privacy);
    if written.is_err() {
        // What is left of it is of no use.
        let _gone = fs::remove_file(&beside);
    }
    written.map_err(why)?;
    platform::sync_folder(folder);
    Ok(())
}

fn write_beside(path: &Path, beside: &Path, text: &str, privacy: Privacy) -> io::Result<()> {
    let _stale = fs::remove_file(beside);
    let mut file = match privacy {
        Privacy::Private => platform::create_private(beside)?,
        Privacy::Usual => fs::File::create_new(beside)?,
    };
    file.write_all(text.as_bytes())?;
    if let Ok(old) = fs::metadata(path) {
        if old.permissions().readonly() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
        }
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()?;
    drop(file);
    fs::rename(beside, path)
}

/// Takes a file away.
pub(crate) fn remove(path: &Path) -> Result<(), FileError> {
    match fs::remove_file(path) {
        Err(why) if why.kind() != io::ErrorKind::NotFound => {
            Err(FileError::Unwritable { path: path.to_owned(), why })
        }
        _ => Ok(()),
    }
}
