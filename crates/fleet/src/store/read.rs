//! Findings: since when, until when, and between which results.

use super::{
    Store, StoreError,
    database::{Failed, Row, values},
};
use crate::outcome::{Kind, Severity, Subject};

/// A finding, with the way that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingRow {
    pub way: i64,
    pub server: String,
    pub owner: Option<String>,
    pub wanted: String,
    pub transport: String,
    pub subject: Subject,
    pub severity: Severity,
    /// The result that had it first, its run, and when that was, in milliseconds since 1970.
    pub since: i64,
    pub since_run: Option<i64>,
    pub since_time: Option<i64>,
    /// The result that had it no more.
    pub until: Option<i64>,
    pub since_version: Option<String>,
    pub until_version: Option<String>,
    pub expected: String,
    pub actual: String,
    /// It came back, or went, while the server said the same version of itself.
    pub flaky: bool,
}

/// How a finding stands in one run compared with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingState {
    Gone,
    New,
    Still,
}

impl Store {
    /// The findings of a way that are open at its last result, the worst first.
    pub fn open_findings(&self, way: i64) -> Result<Vec<FindingRow>, StoreError> {
        let query = format!(
            "{FINDING} WHERE finding.way = ?1 AND finding.until IS NULL
             ORDER BY finding.severity, finding.kind, finding.subject LIMIT 1000"
        );
        self.rows(&query, values![way], finding_row)
    }

    /// Every time that a way had a finding of this subject, newest first.
    pub fn occurrences(&self, way: i64, subject: &str) -> Result<Vec<FindingRow>, StoreError> {
        let query = format!(
            "{FINDING} WHERE finding.way = ?1 AND lower(finding.subject) = lower(?2)
             ORDER BY finding.since DESC LIMIT 100"
        );
        self.rows(&query, values![way, subject], finding_row)
    }

    /// The ways of the fleet that have a finding of this subject, by the names of servers.
    pub fn breakers(&self, subject: &str, most: u32) -> Result<Vec<FindingRow>, StoreError> {
        let query = format!(
            "{FINDING} WHERE finding.subject = ?1 AND finding.until IS NULL AND way.in_fleet
             ORDER BY server.name, way.wanted, way.transport LIMIT ?2"
        );
        self.rows(&query, values![subject, most], finding_row)
    }

    /// Findings of the ways that both runs looked at, in one state. `None` for the earlier run: the result of each way before that of
    /// the later run.
    pub fn findings_between(
        &self,
        earlier: Option<i64>,
        later: i64,
        state: FindingState,
        most: u32,
    ) -> Result<Vec<FindingRow>, StoreError> {
        let before = match earlier {
            Some(_) => "SELECT id FROM result WHERE way = b.way AND run = ?1",
            None => {
                "SELECT max(id) FROM result WHERE way = b.way AND id < b.id AND CAST(?1 AS BIGINT) IS NULL"
            }
        };
        let condition = match state {
            FindingState::New => {
                "finding.since > a AND finding.since <= b AND (finding.until IS NULL OR finding.until > b)"
            }
            FindingState::Gone => "finding.since <= a AND finding.until > a AND finding.until <= b",
            FindingState::Still => {
                "finding.since <= a AND (finding.until IS NULL OR finding.until > b)"
            }
        };
        let query = format!(
            "WITH pair AS MATERIALIZED (SELECT b.way AS way, ({before}) AS a, b.id AS b FROM result b WHERE b.run = ?2)
             SELECT * FROM (
                {FINDING} JOIN pair ON pair.way = finding.way AND pair.a IS NOT NULL WHERE {condition}
             ) AS found ORDER BY 2, 4, 5, 8, 6, 7 LIMIT ?3"
        );
        self.rows(&query, values![earlier, later, most], finding_row)
    }

    /// How many there are in one state, without looking at each.
    pub fn count_still(&self, earlier: Option<i64>, later: i64) -> Result<u32, StoreError> {
        let before = match earlier {
            Some(_) => "SELECT id FROM result WHERE way = b.way AND run = ?1",
            None => {
                "SELECT max(id) FROM result WHERE way = b.way AND id < b.id AND CAST(?1 AS BIGINT) IS NULL"
            }
        };
        let query = format!(
            "WITH pair AS MATERIALIZED (SELECT b.way AS way, ({before}) AS a, b.id AS b FROM result b WHERE b.run = ?2)
             SELECT count(*) FROM pair JOIN finding ON finding.way = pair.way
             WHERE pair.a IS NOT NULL AND finding.since <= a AND (finding.until IS NULL OR finding.until > b)"
        );
        self.number(&query, values![earlier, later])
    }
}

fn finding_row(row: &Row) -> Result<FindingRow, Failed> {
    let (kind, severity): (String, String) = (row.get(5)?, row.get(7)?);
    Ok(FindingRow {
        way: row.get(0)?,
        server: row.get(1)?,
        owner: row.get(2)?,
        wanted: row.get(3)?,
        transport: row.get(4)?,
        subject: Subject { kind: Kind::parse(&kind).unwrap_or(Kind::Requirement), id: row.get(6)? },
        severity: Severity::parse(&severity).unwrap_or(Severity::Fail),
        since: row.get(8)?,
        until: row.get(9)?,
        since_version: row.get(10)?,
        until_version: row.get(11)?,
        expected: row.get(12)?,
        actual: row.get(13)?,
        since_run: row.get(14)?,
        since_time: row.get(15)?,
        flaky: row.get(16)?,
    })
}

/// It is flaky if it went without a change of version after it had come, or came back without one.
const FINDING: &str = "SELECT finding.way, server.name, server.owner, way.wanted, way.transport, finding.kind,
    finding.subject, finding.severity, finding.since, finding.until, finding.since_version, finding.until_version,
    finding.expected, finding.actual, first.run, first.started,
    EXISTS (SELECT 1 FROM finding e WHERE e.way = finding.way AND e.subject = finding.subject AND e.kind = finding.kind
            AND e.until <= finding.since AND e.until_version IS NOT DISTINCT FROM finding.since_version)
    OR (finding.until IS NOT NULL AND finding.until_version IS NOT DISTINCT FROM finding.since_version
        AND EXISTS (SELECT 1 FROM result e WHERE e.way = finding.way AND e.id < finding.since))
    FROM finding JOIN way ON way.id = finding.way JOIN server ON server.id = way.server
    LEFT JOIN result first ON first.id = finding.since";
