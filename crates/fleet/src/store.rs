//! The history of a fleet, in one SQLite file.
//!
//! A finding is one row from the result that had it first until the result that had it no more, so that the history of a server that does
//! not change costs nothing but a row for each result. Results have numbers in the order in which they were written; time is for people.

mod interface;
mod keep;
mod migrations;
mod overview;
mod promotions;
mod read;
mod results;
mod runs;
#[cfg(test)]
mod tests;
mod write;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags};

pub use interface::InterfaceChange;
pub use keep::Pruned;
pub use overview::{Listed, Overview, Wish};
pub use promotions::Promotion;
pub use read::{FindingRow, FindingState};
pub use results::{ResultRow, ServerRow};
pub use runs::{Changes, Job, RunRow};
pub use write::{Recorded, Trial};

/// An open file.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
    /// Bytes of compressed reports that are kept.
    pub report_budget: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{path} is busy: another program has written to it for more than {} s", BUSY.as_secs())]
    Busy { path: PathBuf },
    #[error("{path} is damaged: {source}; a backup of it is needed")]
    Damaged { path: PathBuf, source: rusqlite::Error },
    #[error("the disk with {path} is full; what is there stays, and `fleet run --resume` goes on")]
    Full { path: PathBuf },
    #[error(
        "{path} was written by a newer proofmark: its format is {found}, and this program knows up to {known}"
    )]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("there is no run {0}")]
    NoSuchRun(i64),
    #[error("{path} is a database, but no history of a fleet")]
    NotOurs { path: PathBuf },
    #[error("{path}: {source}")]
    Sqlite { path: PathBuf, source: rusqlite::Error },
}

impl Store {
    /// Opens a file, and makes it or brings it up to date if need be.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// Opens a file that has to be there. It is brought up to date all the same.
    pub fn open_existing(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    fn open_with(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let named = |source| StoreError::from_sqlite(path, source);
        let connection = Connection::open_with_flags(path, flags).map_err(named)?;
        connection.busy_timeout(BUSY).map_err(named)?;
        let mut store = Self { connection, path: path.to_owned(), report_budget: REPORT_BUDGET };
        migrations::run(&mut store)?;
        store
            .connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;",
            )
            .map_err(named)?;
        Ok(store)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn wrong(&self, source: rusqlite::Error) -> StoreError {
        StoreError::from_sqlite(&self.path, source)
    }
}

impl StoreError {
    fn from_sqlite(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { path },
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged { path, source },
            Some(ErrorCode::NotADatabase) => Self::NotOurs { path },
            Some(ErrorCode::DiskFull) => Self::Full { path },
            _ => Self::Sqlite { path, source },
        }
    }
}

/// How long a program waits for another one that writes.
const BUSY: Duration = Duration::from_secs(30);
const REPORT_BUDGET: u64 = 256 * 1024 * 1024;
