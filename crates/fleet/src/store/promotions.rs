//! Who moved a server to another stage, and when.

use rusqlite::params;

use super::{Store, StoreError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promotion {
    pub from: Option<String>,
    pub to: String,
    pub who: String,
    /// Milliseconds since 1970.
    pub at: i64,
}

impl Store {
    pub fn promote(&mut self, server: i64, promotion: &Promotion) -> Result<(), StoreError> {
        let Promotion { from, to, who, at } = promotion;
        self.connection
            .execute(
                "INSERT INTO promotion (server, from_stage, to_stage, who, at) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![server, from, to, who, at],
            )
            .and_then(|_| {
                self.connection
                    .execute("UPDATE server SET stage = ?2 WHERE id = ?1", params![server, to])
            })
            .map(drop)
            .map_err(|error| self.wrong(error))
    }

    /// Newest first.
    pub fn promotions(&self, server: i64) -> Result<Vec<Promotion>, StoreError> {
        self.rows(
            "SELECT from_stage, to_stage, who, at FROM promotion WHERE server = ?1 ORDER BY id DESC LIMIT 100",
            params![server],
            |row| {
                Ok(Promotion {
                    from: row.get(0)?,
                    to: row.get(1)?,
                    who: row.get(2)?,
                    at: row.get(3)?,
                })
            },
        )
    }
}
