//! Runs: what each is to do, and how far it is.

use std::collections::BTreeSet;

use super::{
    Store, StoreError,
    database::{Failed, Row, values},
};
use crate::inventory::Fleet;

/// One thing that a run is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub way: i64,
    pub server: String,
    pub wanted: String,
    pub transport: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    pub id: i64,
    /// Milliseconds since 1970.
    pub started: i64,
    pub finished: Option<i64>,
    pub program: String,
    pub filter: String,
    pub jobs: u32,
    pub conformant: u32,
    pub broken: u32,
    pub failed: u32,
    /// What it changed, once that was counted.
    pub changes: Option<Changes>,
}

/// How much a run changed, compared with the result before of each way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub new: u32,
    pub gone: u32,
    /// Ways that got worse.
    pub worse: u32,
}

impl Store {
    /// Writes the inventory down; what is not in it any more keeps its history.
    pub fn register(&mut self, fleet: &Fleet) -> Result<(), StoreError> {
        self.change(|change| {
            change.execute("UPDATE server SET in_fleet = FALSE", values![])?;
            change.execute("UPDATE way SET in_fleet = FALSE", values![])?;
            for member in fleet.members.values() {
                let tags = member.tags.join("\n");
                let id: i64 = change.number(
                    "INSERT INTO server (name, owner, tags, stage) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (name) DO UPDATE SET owner = ?2, tags = ?3, stage = ?4, in_fleet = TRUE
                     RETURNING id",
                    values![member.name, member.owner, tags, member.stage],
                )?;
                for route in &member.routes {
                    for wanted in &member.held_to.revisions {
                        change.execute(
                            "INSERT INTO way (server, wanted, transport) VALUES (?1, ?2, ?3)
                             ON CONFLICT (server, wanted, transport) DO UPDATE SET in_fleet = TRUE",
                            values![id, wanted.as_str(), route.transport.as_str()],
                        )?;
                    }
                }
            }
            Ok(())
        })
    }

    /// Begins a run of all ways of these servers that are in the fleet.
    pub fn begin(
        &mut self,
        servers: &BTreeSet<&str>,
        filter: &str,
        now: i64,
    ) -> Result<RunRow, StoreError> {
        let run: i64 = self.change(|change| {
            let run: i64 = change.number(
                "INSERT INTO run (started, program, filter, jobs) VALUES (?1, ?2, ?3, 0) RETURNING id",
                values![now, env!("CARGO_PKG_VERSION"), filter],
            )?;
            for server in servers {
                change.execute(
                    "INSERT INTO job (run, way) SELECT CAST(?1 AS BIGINT), way.id
                     FROM way JOIN server ON server.id = way.server WHERE server.name = ?2 AND way.in_fleet",
                    values![run, *server],
                )?;
            }
            change.execute(
                "UPDATE run SET jobs = (SELECT count(*) FROM job WHERE run = ?1) WHERE id = ?1",
                values![run],
            )?;
            Ok(run)
        })?;
        self.run(run)
    }

    /// What a run has still to do, in the order of the servers' names.
    pub fn remaining(&self, run: i64) -> Result<Vec<Job>, StoreError> {
        self.rows(
            "SELECT way.id, server.name, way.wanted, way.transport
             FROM job JOIN way ON way.id = job.way JOIN server ON server.id = way.server
             WHERE job.run = ?1
               AND NOT EXISTS (SELECT 1 FROM result WHERE result.way = job.way AND result.run = job.run)
             ORDER BY server.name, way.wanted, way.transport",
            values![run],
            |row| {
                Ok(Job {
                    way: row.get(0)?,
                    server: row.get(1)?,
                    wanted: row.get(2)?,
                    transport: row.get(3)?,
                })
            },
        )
    }

    /// Leaves something out that a run was to do, because it is not in the fleet any more.
    pub fn drop_job(&mut self, run: i64, way: i64) -> Result<(), StoreError> {
        self.execute("DELETE FROM job WHERE run = ?1 AND way = ?2", values![run, way])
    }

    /// Counts a run that has nothing left to do. Doing it twice changes nothing.
    pub fn finish(&mut self, run: i64, now: i64) -> Result<RunRow, StoreError> {
        self.change(|change| {
            change.execute(
                "UPDATE run SET finished = ?2,
                     conformant = (SELECT count(*) FROM result WHERE run = ?1 AND verdict = 'conformant'),
                     broken = (SELECT count(*) FROM result WHERE run = ?1 AND verdict = 'broken'),
                     failed = (SELECT count(*) FROM result WHERE run = ?1 AND verdict NOT IN ('conformant', 'broken'))
                 WHERE id = ?1 AND finished IS NULL",
                values![run, now],
            )?;
            change.execute("DELETE FROM job WHERE run = ?1", values![run]).map(drop)
        })?;
        self.run(run)
    }

    /// Writes down how much a run changed.
    pub fn note_changes(&mut self, run: i64, changes: Changes) -> Result<(), StoreError> {
        let Changes { new, gone, worse } = changes;
        self.execute(
            "UPDATE run SET new_findings = ?2, gone_findings = ?3, worse = ?4 WHERE id = ?1",
            values![run, new, gone, worse],
        )
    }

    /// Writes down why a server is below its stage, or that it is not.
    pub fn note_slipping(&mut self, server: &str, why: Option<&str>) -> Result<(), StoreError> {
        self.execute("UPDATE server SET slips = ?2 WHERE name = ?1", values![server, why])
    }

    pub fn run(&self, run: i64) -> Result<RunRow, StoreError> {
        self.one(&format!("{RUN} WHERE id = ?1"), values![run], run_row)?
            .ok_or(StoreError::NoSuchRun(run))
    }

    /// The last runs, newest first.
    pub fn runs(&self, most: u32) -> Result<Vec<RunRow>, StoreError> {
        self.rows(&format!("{RUN} ORDER BY id DESC LIMIT ?1"), values![most], run_row)
    }

    /// The last run that has something left to do.
    pub fn unfinished(&self) -> Result<Option<RunRow>, StoreError> {
        let query = format!("{RUN} WHERE finished IS NULL ORDER BY id DESC LIMIT 1");
        self.one(&query, values![], run_row)
    }

    /// Runs that have nothing left to do and are not finished, because the program that did the last of it ended too early.
    pub fn done_runs(&self) -> Result<Vec<i64>, StoreError> {
        self.rows(
            "SELECT id FROM run WHERE finished IS NULL AND NOT EXISTS (
                 SELECT 1 FROM job WHERE job.run = run.id AND NOT EXISTS (
                     SELECT 1 FROM result WHERE result.way = job.way AND result.run = job.run))",
            values![],
            |row| row.get(0),
        )
    }

    /// How many results a run has.
    pub fn done(&self, run: i64) -> Result<u32, StoreError> {
        self.number("SELECT count(*) FROM result WHERE run = ?1", values![run])
    }
}

fn run_row(row: &Row) -> Result<RunRow, Failed> {
    Ok(RunRow {
        id: row.get(0)?,
        started: row.get(1)?,
        finished: row.get(2)?,
        program: row.get(3)?,
        filter: row.get(4)?,
        jobs: row.get(5)?,
        conformant: row.get(6)?,
        broken: row.get(7)?,
        failed: row.get(8)?,
        changes: match (row.get(9)?, row.get(10)?, row.get(11)?) {
            (Some(new), Some(gone), Some(worse)) => Some(Changes { new, gone, worse }),
            _ => None,
        },
    })
}

const RUN: &str = "SELECT id, started, finished, program, filter, jobs, conformant, broken, failed,
    new_findings, gone_findings, worse FROM run";
