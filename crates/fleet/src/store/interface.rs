//! What servers offer, and how that changed.

use proofmark_test::interface::{Effect, compare};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{
    Store, StoreError,
    database::{Database, Failed, Row, values},
    keep,
};

/// A change of what a server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterfaceChange {
    pub way: i64,
    /// The result that had it first.
    pub result: i64,
    pub breaking: Vec<String>,
    pub harmless: Vec<String>,
}

/// Writes it down if it is not what it was.
pub(super) fn write(
    change: &Database,
    way: i64,
    result: i64,
    interface: &Value,
) -> Result<(), Failed> {
    let text = interface.to_string();
    let digest = Sha256::digest(text.as_bytes()).to_vec();
    let last: Option<(Vec<u8>, Vec<u8>)> = change.one(
        "SELECT digest, bytes FROM interface WHERE way = ?1 ORDER BY result DESC LIMIT 1",
        values![way],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    if last.as_ref().is_some_and(|(known, _)| *known == digest) {
        return Ok(());
    }
    let before = last.and_then(|(_, bytes)| keep::unpack(&bytes));
    let before: Option<Value> = before.and_then(|it| serde_json::from_str(&it).ok());
    let changes = before.map(|it| compare(&it, interface)).unwrap_or_default();
    let lines = |effect: Effect| -> String {
        let said = changes.iter().filter(|it| it.effect == effect);
        let lines: Vec<String> = said
            .take(MOST)
            .map(|it| proofmark_check::record::text::excerpt_of(it.what.as_bytes(), LONGEST))
            .collect();
        lines.join("\n")
    };
    change
        .execute(
            "INSERT INTO interface (way, result, digest, bytes, breaking, harmless)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            values![
                way,
                result,
                digest,
                keep::pack(text.as_bytes()),
                lines(Effect::Breaking),
                lines(Effect::Harmless),
            ],
        )
        .map(drop)
}

impl Store {
    /// Changes of what one way offers after a result and up to another, newest first.
    pub fn interface_changes(
        &self,
        way: i64,
        after: i64,
        until: i64,
    ) -> Result<Vec<InterfaceChange>, StoreError> {
        self.rows(
            "SELECT way, result, breaking, harmless FROM interface
             WHERE way = ?1 AND result > ?2 AND result <= ?3 AND (breaking <> '' OR harmless <> '')
             ORDER BY result DESC LIMIT 100",
            values![way, after, until],
            change_row,
        )
    }

    /// Changes of what is offered between two runs, or since the result before of each way.
    pub fn interface_changes_between(
        &self,
        earlier: Option<i64>,
        later: i64,
    ) -> Result<Vec<InterfaceChange>, StoreError> {
        let before = match earlier {
            Some(_) => "SELECT id FROM result WHERE way = b.way AND run = ?1",
            None => {
                "SELECT max(id) FROM result WHERE way = b.way AND id < b.id AND CAST(?1 AS BIGINT) IS NULL"
            }
        };
        let query = format!(
            "WITH pair AS MATERIALIZED (SELECT b.way AS way, ({before}) AS a, b.id AS b FROM result b WHERE b.run = ?2)
             SELECT interface.way, interface.result, breaking, harmless
             FROM pair JOIN interface ON interface.way = pair.way AND interface.result > pair.a AND interface.result <= pair.b
             WHERE breaking <> '' OR harmless <> '' ORDER BY interface.result DESC LIMIT 10000"
        );
        self.rows(&query, values![earlier, later], change_row)
    }
}

fn change_row(row: &Row) -> Result<InterfaceChange, Failed> {
    let lines = |text: String| text.lines().map(str::to_owned).collect();
    Ok(InterfaceChange {
        way: row.get(0)?,
        result: row.get(1)?,
        breaking: lines(row.get(2)?),
        harmless: lines(row.get(3)?),
    })
}

/// Changes of a kind that are written down.
const MOST: usize = 100;
/// Characters of each.
const LONGEST: usize = 300;
