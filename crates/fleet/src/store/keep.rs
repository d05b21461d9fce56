//! What is kept, and for how long: reports within a budget, runs as many as are wanted, copies of the whole.

use std::{path::Path, time::Duration};

use miniz_oxide::{deflate::compress_to_vec_zlib, inflate::decompress_to_vec_zlib_with_limit};
use rusqlite::{Connection, backup::Backup};

use super::{
    Store, StoreError,
    database::{Database, Failed, values},
    place::Place,
};

/// What was thrown away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub runs: usize,
    pub reports: usize,
}

/// Keeps a report. The oldest ones go if there are more bytes than may be, except the last of each way.
pub(super) fn write(
    change: &Database,
    result: i64,
    report: &[u8],
    budget: u64,
) -> Result<(), Failed> {
    if report.len() > LARGEST {
        return Ok(());
    }
    let bytes = pack(report);
    let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    change.execute(
        "INSERT INTO report (result, bytes, size) VALUES (?1, ?2, ?3)",
        values![result, bytes, size],
    )?;
    add_to_total(change, size)?;
    make_room(change, budget).map(drop)
}

fn make_room(change: &Database, budget: u64) -> Result<usize, Failed> {
    let budget = i64::try_from(budget).unwrap_or(i64::MAX);
    let mut total: i64 =
        change.number("SELECT value FROM setting WHERE name = 'report_bytes'", values![])?;
    if total <= budget {
        return Ok(0);
    }
    let rows: Vec<(i64, i64)> = change.query(
        "SELECT report.result, report.size FROM report
         WHERE NOT EXISTS (SELECT 1 FROM result JOIN way ON way.id = result.way
                           WHERE result.id = report.result AND way.latest = result.id)
         ORDER BY report.result LIMIT 1000",
        values![],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let mut gone = 0;
    for (result, size) in rows {
        if total <= budget {
            break;
        }
        change.execute("DELETE FROM report WHERE result = ?1", values![result])?;
        add_to_total(change, -size)?;
        total -= size;
        gone += 1;
    }
    Ok(gone)
}

fn add_to_total(change: &Database, size: i64) -> Result<(), Failed> {
    change
        .execute("UPDATE setting SET value = value + ?1 WHERE name = 'report_bytes'", values![size])
        .map(drop)
}

pub(super) fn pack(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec_zlib(bytes, LEVEL)
}

/// `None` if the bytes are none of ours.
pub(super) fn unpack(bytes: &[u8]) -> Option<String> {
    let unpacked = decompress_to_vec_zlib_with_limit(bytes, LARGEST).ok()?;
    String::from_utf8(unpacked).ok()
}

impl Store {
    /// The report of a result, if it is still there.
    pub fn report(&self, result: i64) -> Result<Option<String>, StoreError> {
        let bytes: Option<Vec<u8>> =
            self.one("SELECT bytes FROM report WHERE result = ?1", values![result], |row| {
                row.get(0)
            })?;
        Ok(bytes.and_then(|it| unpack(&it)))
    }

    /// Throws away all runs but the last ones, and reports above the budget. The last result of each way stays.
    pub fn prune(&mut self, keep: u32, budget: u64) -> Result<Pruned, StoreError> {
        let pruned = self.change(|change| {
            let oldest: Option<i64> = change.number(
                "SELECT min(id) FROM (SELECT id FROM run ORDER BY id DESC LIMIT ?1) AS kept",
                values![keep],
            )?;
            let Some(oldest) = oldest else { return Ok(Pruned::default()) };
            change.execute(
                "DELETE FROM result WHERE run < ?1 AND id NOT IN (SELECT latest FROM way WHERE latest IS NOT NULL)",
                values![oldest],
            )?;
            let runs = change.execute(
                "DELETE FROM run WHERE id < ?1 AND finished IS NOT NULL
                 AND NOT EXISTS (SELECT 1 FROM result WHERE result.run = run.id)",
                values![oldest],
            )?;
            // A finding that ended before everything that is kept is in no comparison any more.
            change.execute(
                "DELETE FROM finding WHERE until IS NOT NULL
                 AND until < (SELECT coalesce(min(id), 0) FROM result WHERE result.way = finding.way)",
                values![],
            )?;
            change.execute(
                "UPDATE setting SET value = (SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM report) WHERE name = 'report_bytes'",
                values![],
            )?;
            let mut reports = 0;
            loop {
                let gone = make_room(change, budget)?;
                reports += gone;
                if gone == 0 {
                    return Ok(Pruned { runs, reports });
                }
            }
        })?;
        // PostgreSQL does it by itself.
        if matches!(self.database, Database::Sqlite(_)) {
            self.database.batch("VACUUM").map_err(|why| self.wrong(why))?;
        }
        Ok(pruned)
    }

    /// A copy of the whole, which is consistent while runs go on.
    pub fn backup(&self, to: &Path) -> Result<(), StoreError> {
        let Database::Sqlite(connection) = &self.database else {
            return Err(StoreError::NotAFile { place: self.place.clone() });
        };
        let place = Place::File(to.to_owned());
        let named = |source: rusqlite::Error| StoreError::of(&place, source.into());
        let mut copy = Connection::open(to).map_err(named)?;
        let backup = Backup::new(connection, &mut copy).map_err(named)?;
        backup.run_to_completion(PAGES, Duration::ZERO, None).map_err(named)
    }
}

/// Bytes of a report before it is compressed.
const LARGEST: usize = 64 * 1024 * 1024;
const LEVEL: u8 = 6;
/// Copied at a time.
const PAGES: i32 = 1_000;
