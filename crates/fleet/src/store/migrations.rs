//! The form of the file, and how each earlier form becomes the next.

use rusqlite::TransactionBehavior;

use super::{Store, StoreError};

/// Brings a file up to date, all at once or not at all.
pub(super) fn run(store: &mut Store) -> Result<(), StoreError> {
    run_until(store, MIGRATIONS.len())
}

/// As far as a version; the tests make files of earlier versions with it.
pub(super) fn run_until(store: &mut Store, last: usize) -> Result<(), StoreError> {
    let path = store.path.clone();
    let named = |source| StoreError::from_sqlite(&path, source);
    let found = version(store, &path)?;
    if found == last {
        return Ok(());
    }
    let behavior = TransactionBehavior::Immediate;
    let change = store.connection.transaction_with_behavior(behavior).map_err(named)?;
    // Another program may have done it meanwhile.
    let found: i64 =
        change.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(named)?;
    let found = usize::try_from(found).unwrap_or_default();
    for step in MIGRATIONS.iter().take(last).skip(found) {
        change.execute_batch(step).map_err(named)?;
    }
    change
        .execute_batch(&format!(
            "PRAGMA user_version = {}; PRAGMA application_id = {APPLICATION};",
            last.max(found)
        ))
        .map_err(named)?;
    change.commit().map_err(named)
}

/// The version of the file, if it is one of ours.
fn version(store: &Store, path: &std::path::Path) -> Result<usize, StoreError> {
    let number = |pragma: &str| -> Result<i64, StoreError> {
        store
            .connection
            .query_row(pragma, [], |row| row.get(0))
            .map_err(|error| StoreError::from_sqlite(path, error))
    };
    let found = number("PRAGMA user_version")?;
    let application = number("PRAGMA application_id")?;
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    if application != APPLICATION && tables > 0 {
        return Err(StoreError::NotOurs { path: path.to_owned() });
    }
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    Ok(usize::try_from(found).unwrap_or_default())
}

/// "PMfl": tells a history of ours from other files of SQLite.
const APPLICATION: i64 = 0x504d_666c;

/// Each brings a file from the version of its index to the next. What was released is never changed; a change is one more.
pub(super) const MIGRATIONS: [&str; 4] =
    [include_str!("1.sql"), include_str!("2.sql"), include_str!("3.sql"), include_str!("4.sql")];
