//! The fleet at a glance: a page of its servers, and what is true of all.

use super::{Store, StoreError, database::values, runs::RunRow};

/// Which servers are to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// A part of the name.
    pub search: String,
    pub owner: Option<String>,
    pub stage: Option<String>,
    /// Counted from 0.
    pub page: u32,
    pub per_page: u32,
}

/// A server, and the worst of its ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub id: i64,
    pub name: String,
    pub owner: Option<String>,
    pub stage: Option<String>,
    pub slips: Option<String>,
    /// 0 without a verdict, 1 broken, 2 conformant.
    pub rank: u32,
    pub score: Option<u32>,
    pub fail: u32,
    pub warn: u32,
    pub failed_tests: u32,
    pub ways: u32,
    /// One of them, for the course.
    pub way: i64,
    pub version: Option<String>,
    /// Milliseconds since 1970.
    pub checked: i64,
}

/// What is true of the whole fleet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    pub servers: u32,
    pub slipping: u32,
    pub conformant: u32,
    pub broken: u32,
    pub failed: u32,
    /// Owners with the number of requirements that their servers break, most first.
    pub owners: Vec<(Option<String>, u32)>,
    pub last: Option<RunRow>,
}

impl Store {
    /// The servers that fit, what needs attention first; and how many there are.
    pub fn list(&self, wish: &Wish) -> Result<(Vec<Listed>, u32), StoreError> {
        let escaped = wish.search.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        let search = format!("%{escaped}%");
        let condition = "server.in_fleet AND (?1 = '%%' OR lower(server.name) LIKE lower(?1) ESCAPE '\\')
            AND (CAST(?2 AS TEXT) IS NULL OR server.owner = ?2) AND (CAST(?3 AS TEXT) IS NULL OR server.stage = ?3)";
        let query = format!(
            "SELECT server.id, server.name, server.owner, server.stage, server.slips,
                 min(CASE result.verdict WHEN 'broken' THEN 1 WHEN 'conformant' THEN 2 ELSE 0 END) AS rank,
                 min(result.score) AS score, CAST(sum(result.fail) AS BIGINT), CAST(sum(result.warn) AS BIGINT),
                 CAST(sum(result.tests_failed) AS BIGINT), count(*),
                 min(way.id), max(result.peer_version), max(result.started)
             FROM server JOIN way ON way.server = server.id AND way.in_fleet JOIN result ON result.id = way.latest
             WHERE {condition}
             GROUP BY server.id ORDER BY (server.slips IS NULL), rank, score NULLS FIRST, server.name LIMIT ?4 OFFSET ?5"
        );
        let skipped = u64::from(wish.page) * u64::from(wish.per_page);
        let skipped = i64::try_from(skipped).unwrap_or(i64::MAX);
        let given = values![search, wish.owner, wish.stage, wish.per_page, skipped];
        let rows = self.rows(&query, given, |row| {
            Ok(Listed {
                id: row.get(0)?,
                name: row.get(1)?,
                owner: row.get(2)?,
                stage: row.get(3)?,
                slips: row.get(4)?,
                rank: row.get(5)?,
                score: row.get(6)?,
                fail: row.get(7)?,
                warn: row.get(8)?,
                failed_tests: row.get(9)?,
                ways: row.get(10)?,
                way: row.get(11)?,
                version: row.get(12)?,
                checked: row.get(13)?,
            })
        })?;
        let count = self.number(
            &format!(
                "SELECT count(*) FROM server WHERE {condition} AND EXISTS (
                     SELECT 1 FROM way WHERE way.server = server.id AND way.in_fleet AND way.latest IS NOT NULL)"
            ),
            values![search, wish.owner, wish.stage],
        )?;
        Ok((rows, count))
    }

    pub fn overview(&self) -> Result<Overview, StoreError> {
        let mut overview = Overview { last: self.runs(1)?.pop(), ..Overview::default() };
        let verdicts: Vec<(String, u32)> = self.rows(
            "SELECT result.verdict, count(*) FROM way JOIN result ON result.id = way.latest
             WHERE way.in_fleet GROUP BY result.verdict",
            values![],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        for (verdict, count) in verdicts {
            match verdict.as_str() {
                "conformant" => overview.conformant += count,
                "broken" => overview.broken += count,
                _ => overview.failed += count,
            }
        }
        (overview.servers, overview.slipping) = self
            .one("SELECT count(*), count(slips) FROM server WHERE in_fleet", values![], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?
            .unwrap_or_default();
        overview.owners = self.rows(
            "SELECT server.owner, CAST(sum(result.fail) AS BIGINT) AS broken
             FROM way JOIN server ON server.id = way.server JOIN result ON result.id = way.latest
             WHERE way.in_fleet AND result.fail > 0 GROUP BY server.owner ORDER BY broken DESC LIMIT 10",
            values![],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        Ok(overview)
    }

    /// The last scores of a way, oldest first.
    pub fn scores(&self, way: i64, most: u32) -> Result<Vec<Option<u32>>, StoreError> {
        let mut scores = self.rows(
            "SELECT score FROM result WHERE way = ?1 ORDER BY id DESC LIMIT ?2",
            values![way, most],
            |row| row.get(0),
        )?;
        scores.reverse();
        Ok(scores)
    }

    /// What the ways of a server break: the subjects, and whether one of them must be.
    pub fn broken_subjects(&self, server: i64) -> Result<Vec<(String, bool)>, StoreError> {
        self.rows(
            "SELECT finding.subject, max(CASE finding.severity WHEN 'fail' THEN 1 ELSE 0 END) FROM way JOIN finding ON finding.way = way.id
             WHERE way.server = ?1 AND way.in_fleet AND finding.until IS NULL
             GROUP BY finding.subject ORDER BY finding.subject",
            values![server],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    }

    /// Results of a run that were written after a result, oldest first: for those who watch.
    pub fn results_after(
        &self,
        run: i64,
        after: i64,
        most: u32,
    ) -> Result<Vec<super::ResultRow>, StoreError> {
        let query = format!(
            "{} WHERE result.run = ?1 AND result.id > ?2 ORDER BY result.id LIMIT ?3",
            super::results::RESULT
        );
        self.rows(&query, values![run, after, most], super::results::result_row)
    }
}
