//! The history of a fleet: in one `SQLite` file, or in a database of `PostgreSQL` that several machines share.
//!
//! A finding is one row from the result that had it first until the result that had it no more, so that the history of a server that does
//! not change costs nothing but a row for each result. Results have numbers in the order in which they were written; time is for people.

mod claims;
mod database;
mod interface;
mod keep;
mod migrations;
mod overview;
mod place;
mod postgres;
mod promotions;
mod read;
mod results;
mod runs;
#[cfg(test)]
mod tests;
mod write;

use std::{path::Path, time::Duration};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use database::{Cell, Database, Row, Value};

pub use claims::Claim;
pub use database::Failed;
pub use interface::InterfaceChange;
pub use keep::Pruned;
pub use overview::{Listed, Overview, Wish};
pub use place::Place;
pub use promotions::Promotion;
pub use read::{FindingRow, FindingState};
pub use results::{ResultRow, ServerRow};
pub use runs::{Changes, Job, RunRow};
pub use write::{Recorded, Trial};

/// An open history.
#[derive(Debug)]
pub struct Store {
    database: Database,
    place: Place,
    /// Bytes of compressed reports that are kept.
    pub report_budget: u64,
    /// How long a job is believed to be done without a sign of life of its worker.
    pub lease: Duration,
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{place} is busy: another program has written to it for more than {} s", BUSY.as_secs())]
    Busy { place: Place },
    #[error("{place} is damaged: {source}; a backup of it is needed")]
    Damaged { place: Place, source: Failed },
    #[error("{place}: {source}")]
    Failed { place: Place, source: Failed },
    #[error("the disk with {place} is full; what is there stays, and `fleet run --resume` goes on")]
    Full { place: Place },
    #[error(
        "{place} cannot be reached: {why}; what is written stays, and `fleet run --resume` goes on"
    )]
    Gone { place: Place, why: String },
    #[error(
        "{place} was written by a newer proofmark: its format is {found}, and this program knows up to {known}"
    )]
    Newer { place: Place, found: usize, known: usize },
    #[error("there is no run {0}")]
    NoSuchRun(i64),
    #[error("{place} is no file: its own program copies it, `pg_dump`")]
    NotAFile { place: Place },
    #[error("{place} is a database, but no history of a fleet")]
    NotOurs { place: Place },
}

impl Store {
    /// Opens a history, and makes it or brings it up to date if need be.
    pub fn open(place: &Place) -> Result<Self, StoreError> {
        Self::open_with(place, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// Opens a history whose file has to be there. It is brought up to date all the same.
    pub fn open_existing(place: &Place) -> Result<Self, StoreError> {
        Self::open_with(place, OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    fn open_with(place: &Place, flags: OpenFlags) -> Result<Self, StoreError> {
        let database = match place {
            Place::File(path) => file(path, flags),
            Place::Url(url) => postgres::Postgres::open(url).map(Database::Postgres),
        };
        let database = database.map_err(|why| StoreError::of(place, why))?;
        migrations::run(&database, place)?;
        let store =
            Self { database, place: place.clone(), report_budget: REPORT_BUDGET, lease: LEASE };
        if matches!(store.database, Database::Sqlite(_)) {
            store
                .database
                .batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;")
                .map_err(|why| store.wrong(why))?;
        }
        Ok(store)
    }

    pub fn place(&self) -> &Place {
        &self.place
    }

    fn wrong(&self, why: Failed) -> StoreError {
        StoreError::of(&self.place, why)
    }

    fn change<T>(&self, write: impl Fn(&Database) -> Result<T, Failed>) -> Result<T, StoreError> {
        self.database.change(write).map_err(|why| self.wrong(why))
    }

    fn execute(&self, statement: &str, given: &[Value]) -> Result<(), StoreError> {
        self.database.execute(statement, given).map(drop).map_err(|why| self.wrong(why))
    }

    fn rows<T>(
        &self,
        query: &str,
        given: &[Value],
        read: impl FnMut(&Row) -> Result<T, Failed>,
    ) -> Result<Vec<T>, StoreError> {
        self.database.query(query, given, read).map_err(|why| self.wrong(why))
    }

    fn one<T>(
        &self,
        query: &str,
        given: &[Value],
        read: impl FnMut(&Row) -> Result<T, Failed>,
    ) -> Result<Option<T>, StoreError> {
        self.database.one(query, given, read).map_err(|why| self.wrong(why))
    }

    fn number<T: Cell>(&self, query: &str, given: &[Value]) -> Result<T, StoreError> {
        self.database.number(query, given).map_err(|why| self.wrong(why))
    }
}

fn file(path: &Path, flags: OpenFlags) -> Result<Database, Failed> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(Database::Sqlite(connection))
}

impl StoreError {
    fn of(place: &Place, why: Failed) -> Self {
        let place = place.clone();
        let code = match &why {
            Failed::Gone(why) => return Self::Gone { place, why: why.clone() },
            Failed::Sqlite(error) => error.sqlite_error_code(),
            Failed::Postgres(error)
                if error.code() == Some(&::postgres::error::SqlState::DISK_FULL) =>
            {
                Some(ErrorCode::DiskFull)
            }
            _ => None,
        };
        match code {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { place },
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged { place, source: why },
            Some(ErrorCode::NotADatabase) => Self::NotOurs { place },
            Some(ErrorCode::DiskFull) => Self::Full { place },
            _ => Self::Failed { place, source: why },
        }
    }
}

/// How long a program waits for another one that writes.
const BUSY: Duration = Duration::from_secs(30);
const REPORT_BUDGET: u64 = 256 * 1024 * 1024;
/// Several signs of life fit into it, and a machine that wakes up late is not robbed at once.
pub const LEASE: Duration = Duration::from_secs(30);
/// That are kept ready.
const STATEMENTS: usize = 64;
