//! Who moved a server to another stage, and when.

use super::{Store, StoreError, database::values};

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
        self.change(|database| {
            database.execute(
                "INSERT INTO promotion (server, from_stage, to_stage, who, at) VALUES (?1, ?2, ?3, ?4, ?5)",
                values![server, from, to, who, at],
            )?;
            database
                .execute("UPDATE server SET stage = ?2 WHERE id = ?1", values![server, to])
                .map(drop)
        })
    }

    /// Newest first.
    pub fn promotions(&self, server: i64) -> Result<Vec<Promotion>, StoreError> {
        self.rows(
            "SELECT from_stage, to_stage, who, at FROM promotion WHERE server = ?1 ORDER BY id DESC LIMIT 100",
            values![server],
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
