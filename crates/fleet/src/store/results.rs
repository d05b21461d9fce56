//! Results, and the servers that they are about.

use super::{
    Store, StoreError,
    database::{Failed, Row, values},
};
use crate::outcome::{Counts, TestCounts, Verdict};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerRow {
    pub id: i64,
    pub name: String,
    pub owner: Option<String>,
    pub tags: Vec<String>,
    pub stage: Option<String>,
    pub in_fleet: bool,
}

/// A result, with the way that it is about.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultRow {
    pub id: i64,
    pub way: i64,
    pub run: i64,
    pub server: String,
    pub owner: Option<String>,
    pub stage: Option<String>,
    pub wanted: String,
    pub transport: String,
    pub verdict: Verdict,
    pub score: Option<u32>,
    pub counts: Counts,
    pub observed: (u32, u32),
    pub tests: TestCounts,
    pub revision: Option<String>,
    pub peer_name: Option<String>,
    pub peer_version: Option<String>,
    pub comparable: i64,
    pub attempts: u32,
    /// Milliseconds since 1970.
    pub started: i64,
    /// Milliseconds.
    pub took: i64,
    pub why: Option<String>,
}

impl Store {
    pub fn server(&self, name: &str) -> Result<Option<ServerRow>, StoreError> {
        self.one(
            "SELECT id, name, owner, tags, stage, in_fleet FROM server WHERE name = ?1",
            values![name],
            |row| {
                let tags: String = row.get(3)?;
                Ok(ServerRow {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    owner: row.get(2)?,
                    tags: tags.lines().map(str::to_owned).collect(),
                    stage: row.get(4)?,
                    in_fleet: row.get(5)?,
                })
            },
        )
    }

    /// All results of a run, by the names of servers.
    pub fn results_of_run(&self, run: i64) -> Result<Vec<ResultRow>, StoreError> {
        let query = format!(
            "{RESULT} WHERE result.run = ?1 ORDER BY server.name, way.wanted, way.transport"
        );
        self.rows(&query, values![run], result_row)
    }

    /// For each result of a run the one before it of the same way.
    pub fn results_before_run(&self, run: i64) -> Result<Vec<ResultRow>, StoreError> {
        let query = format!(
            "WITH pair AS MATERIALIZED (
                 SELECT (SELECT max(id) FROM result WHERE way = b.way AND id < b.id) AS a FROM result b WHERE b.run = ?1
             ) {RESULT} JOIN pair ON pair.a = result.id"
        );
        self.rows(&query, values![run], result_row)
    }

    /// The last result of each way of a server.
    pub fn latest_of_server(&self, server: i64) -> Result<Vec<ResultRow>, StoreError> {
        let query = format!(
            "{RESULT} WHERE way.server = ?1 AND way.in_fleet AND result.id = way.latest
             ORDER BY way.wanted, way.transport"
        );
        self.rows(&query, values![server], result_row)
    }

    /// The last result of each way of the fleet, by the names of servers.
    pub fn latest(&self) -> Result<Vec<ResultRow>, StoreError> {
        let query = format!(
            "{RESULT} WHERE result.id = way.latest AND way.in_fleet
             ORDER BY server.name, way.wanted, way.transport"
        );
        self.rows(&query, values![], result_row)
    }

    /// The last results of a way, newest first.
    pub fn course(&self, way: i64, most: u32) -> Result<Vec<ResultRow>, StoreError> {
        let query = format!("{RESULT} WHERE result.way = ?1 ORDER BY result.id DESC LIMIT ?2");
        self.rows(&query, values![way, most], result_row)
    }

    /// The result of the same way before a result.
    pub fn before(&self, way: i64, result: i64) -> Result<Option<ResultRow>, StoreError> {
        let query = format!(
            "{RESULT} WHERE result.way = ?1 AND result.id < ?2 ORDER BY result.id DESC LIMIT 1"
        );
        let mut rows = self.rows(&query, values![way, result], result_row)?;
        Ok(rows.pop())
    }

    pub fn result(&self, id: i64) -> Result<Option<ResultRow>, StoreError> {
        let query = format!("{RESULT} WHERE result.id = ?1");
        Ok(self.rows(&query, values![id], result_row)?.pop())
    }
}

pub(super) fn result_row(row: &Row) -> Result<ResultRow, Failed> {
    let verdict: String = row.get(8)?;
    let counts = Counts {
        pass: row.get(10)?,
        fail: row.get(11)?,
        warn: row.get(12)?,
        skip: row.get(13)?,
        untestable: row.get(14)?,
        excused: row.get(15)?,
    };
    Ok(ResultRow {
        id: row.get(0)?,
        way: row.get(1)?,
        run: row.get(2)?,
        server: row.get(3)?,
        owner: row.get(4)?,
        stage: row.get(5)?,
        wanted: row.get(6)?,
        transport: row.get(7)?,
        verdict: Verdict::parse(&verdict).unwrap_or(Verdict::NotObserved),
        score: row.get(9)?,
        counts,
        observed: (row.get(16)?, row.get(17)?),
        tests: TestCounts { passed: row.get(18)?, failed: row.get(19)? },
        revision: row.get(20)?,
        peer_name: row.get(21)?,
        peer_version: row.get(22)?,
        comparable: row.get(23)?,
        attempts: row.get(24)?,
        started: row.get(25)?,
        took: row.get(26)?,
        why: row.get(27)?,
    })
}

pub(super) const RESULT: &str = "SELECT result.id, result.way, result.run, server.name, server.owner, server.stage,
    way.wanted, way.transport, result.verdict, result.score, result.pass, result.fail, result.warn, result.skip,
    result.untestable, result.excused, result.observed, result.applicable, result.tests_passed, result.tests_failed,
    result.revision, result.peer_name, result.peer_version, result.comparable, result.attempts, result.started,
    result.took, result.why
    FROM result JOIN way ON way.id = result.way JOIN server ON server.id = way.server";
