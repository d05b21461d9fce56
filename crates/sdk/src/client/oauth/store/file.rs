//! Credentials in a file that only its owner can read.

mod platform;

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write as _},
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde::{Deserialize, Serialize};

use self::platform::{check_owner, create_file, create_folder};
use super::{CredentialStore, Grant};
use crate::{BoxFuture, client::oauth::Registration};

/// Keeps credentials in a JSON file with permissions for its owner alone.
///
/// The file is replaced as a whole, so that half of it is never read. One that others may read or write is not used: what is in it may
/// be known to them, or come from them. On systems without file modes it is as safe as its folder is. Two processes that change it in the same moment may lose one of the changes, which costs an
/// authorization and nothing else.
#[derive(Debug)]
pub struct FileStore {
    path: PathBuf,
    /// One change at a time.
    turn: Mutex<()>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    /// By the server's URL.
    grants: BTreeMap<String, Grant>,
    /// By issuer.
    registrations: BTreeMap<String, Registration>,
}

impl FileStore {
    /// The file and its folder are made when there is something to keep.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), turn: Mutex::default() }
    }

    fn read(&self) -> io::Result<Kept> {
        let file = match fs::File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Kept::default()),
            Err(error) => return Err(error),
        };
        check_owner(&file, &self.path)?;
        let text = io::read_to_string(io::Read::take(file, LARGEST))?;
        // The parser may quote what it read, and that is secret.
        serde_json::from_str(&text).map_err(|error| {
            let place = format!("{} is damaged in line {}", self.path.display(), error.line());
            io::Error::new(io::ErrorKind::InvalidData, place)
        })
    }

    fn change(&self, change: impl FnOnce(&mut Kept)) -> io::Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kept = self.read()?;
        change(&mut kept);
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            create_folder(folder)?;
        }
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        let draft = DRAFTS.fetch_add(1, Ordering::Relaxed);
        name.push(format!(".{}.{draft}", std::process::id()));
        let draft = self.path.with_file_name(name);
        // One that was left behind may belong to another user.
        match fs::remove_file(&draft) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = create_file(&draft)?;
        let written = serde_json::to_vec_pretty(&kept)
            .map_err(io::Error::other)
            .and_then(|json| file.write_all(&json))
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&draft, &self.path));
        if written.is_err() {
            // Nothing more can be done about it.
            let _left_behind = fs::remove_file(&draft);
        }
        written
    }
}

impl CredentialStore for FileStore {
    fn grant<'a>(&'a self, server: &'a str) -> BoxFuture<'a, io::Result<Option<Grant>>> {
        Box::pin(async move { Ok(self.read()?.grants.remove(server)) })
    }

    fn keep_grant<'a>(
        &'a self,
        server: &'a str,
        grant: Option<Grant>,
    ) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            self.change(|kept| match grant {
                Some(grant) => drop(kept.grants.insert(server.to_owned(), grant)),
                None => drop(kept.grants.remove(server)),
            })
        })
    }

    fn registration<'a>(
        &'a self,
        issuer: &'a str,
    ) -> BoxFuture<'a, io::Result<Option<Registration>>> {
        Box::pin(async move { Ok(self.read()?.registrations.remove(issuer)) })
    }

    fn keep_registration<'a>(
        &'a self,
        issuer: &'a str,
        registration: Option<Registration>,
    ) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            self.change(|kept| match registration {
                Some(registration) => {
                    drop(kept.registrations.insert(issuer.to_owned(), registration));
                }
                None => drop(kept.registrations.remove(issuer)),
            })
        })
    }
}

/// So that no two drafts have the same name.
static DRAFTS: AtomicUsize = AtomicUsize::new(0);
/// In bytes.
const LARGEST: u64 = 16 * 1024 * 1024;

#[cfg(test)]
mod tests;
