//! The form of a history, and how each earlier form becomes the next.

use super::{
    StoreError,
    database::{Database, Failed, values},
    place::Place,
};

/// Brings a history up to date, all at once or not at all.
pub(super) fn run(database: &Database, place: &Place) -> Result<(), StoreError> {
    run_until(database, place, steps(database).len())
}

/// As far as a version; the tests make histories of earlier versions with it.
pub(super) fn run_until(database: &Database, place: &Place, last: usize) -> Result<(), StoreError> {
    let named = |why| StoreError::of(place, why);
    if version(database, place)? == last {
        return Ok(());
    }
    let changed = database.change(|change| {
        if let Database::Postgres(_) = change {
            // One program after the other: a table that is not there yet cannot be locked.
            change.execute("SELECT pg_advisory_xact_lock(?1)", values![APPLICATION])?;
        }
        // Another program may have done it meanwhile.
        let found = format_of(change)?.unwrap_or_default();
        for step in steps(change).iter().take(last).skip(found) {
            change.batch(step)?;
        }
        let format = last.max(found);
        match change {
            Database::Postgres(_) => change
                .execute(
                    "UPDATE setting SET value = ?1 WHERE name = 'format'",
                    values![i64::try_from(format).unwrap_or(i64::MAX)],
                )
                .map(drop),
            Database::Sqlite(_) => change.batch(&format!(
                "PRAGMA user_version = {format}; PRAGMA application_id = {APPLICATION};"
            )),
        }
    });
    changed.map_err(named)
}

/// The version of what is there, if it is one of ours.
fn version(database: &Database, place: &Place) -> Result<usize, StoreError> {
    let named = |why| StoreError::of(place, why);
    let not_ours = || StoreError::NotOurs { place: place.clone() };
    // Looked for before the format: another program may make both in between.
    let is_empty = match database {
        Database::Postgres(_) => !has_table(database, "way").map_err(named)?,
        Database::Sqlite(_) => false,
    };
    let found = format_of(database).map_err(named)?;
    let is_ours = match database {
        Database::Postgres(_) => is_empty || found.is_some(),
        Database::Sqlite(_) => {
            let number = |pragma: &str| database.number(pragma, values![]).map_err(named);
            let (application, tables): (i64, i64) =
                (number("PRAGMA application_id")?, number("SELECT count(*) FROM sqlite_schema")?);
            application == APPLICATION || tables == 0
        }
    };
    if !is_ours {
        return Err(not_ours());
    }
    let (found, known) = (found.unwrap_or_default(), steps(database).len());
    if found > known {
        return Err(StoreError::Newer { place: place.clone(), found, known });
    }
    Ok(found)
}

/// `None` where nothing says so.
fn format_of(database: &Database) -> Result<Option<usize>, Failed> {
    let found: Option<i64> = match database {
        Database::Postgres(_) => {
            if !has_table(database, "setting")? {
                return Ok(None);
            }
            let format = "SELECT value FROM setting WHERE name = 'format'";
            database.one(format, values![], |row| row.get(0))?
        }
        Database::Sqlite(_) => Some(database.number("PRAGMA user_version", values![])?),
    };
    Ok(found.map(|it| usize::try_from(it).unwrap_or_default()))
}

/// Asks the table of tables. `to_regclass` would answer from what the connection remembers, also of tables that another program made since.
fn has_table(database: &Database, name: &str) -> Result<bool, Failed> {
    let is_there = "SELECT EXISTS (SELECT FROM pg_tables WHERE tablename::text = ?1 AND schemaname = ANY (current_schemas(false)))";
    database.number(is_there, values![name])
}

fn steps(database: &Database) -> &'static [&'static str] {
    match database {
        Database::Postgres(_) => &POSTGRES,
        Database::Sqlite(_) => &SQLITE,
    }
}

/// "PMfl": tells a history of ours from other files of `SQLite`.
const APPLICATION: i64 = 0x504d_666c;

/// Each brings a file from the version of its index to the next. What was released is never changed; a change is one more.
pub(super) const SQLITE: [&str; 5] = [
    include_str!("1.sql"),
    include_str!("2.sql"),
    include_str!("3.sql"),
    include_str!("4.sql"),
    include_str!("5.sql"),
];

pub(super) const POSTGRES: [&str; 1] = [include_str!("postgres/1.sql")];
