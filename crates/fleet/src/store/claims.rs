//! Who does which job: several programs may do the jobs of one run, and each job is taken by one of them at a time.
//!
//! A claim lasts for a while without a sign of life. A job whose worker is gone is taken by another; should the first one come back, its result is
//! not written twice, because a run has one result of each way.

use super::{Job, Store, StoreError, database::values};

/// A job that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub run: i64,
    pub job: Job,
}

impl Store {
    /// Takes a job that no worker has, of one run or of any.
    pub fn claim(&mut self, run: Option<i64>, worker: &str) -> Result<Option<Claim>, StoreError> {
        let lease = self.lease();
        self.change(|change| {
            let now = change.now()?;
            // A claim that lasts longer than any can was made before the clock was set back.
            let query = format!(
                "SELECT job.run, way.id, server.name, way.wanted, way.transport
                 FROM job JOIN run ON run.id = job.run JOIN way ON way.id = job.way
                     JOIN server ON server.id = way.server
                 WHERE run.finished IS NULL AND (CAST(?1 AS BIGINT) IS NULL OR job.run = ?1)
                     AND (job.lease IS NULL OR job.lease < ?2 OR job.lease > ?3)
                     AND NOT EXISTS (SELECT 1 FROM result WHERE result.way = job.way AND result.run = job.run)
                 ORDER BY job.run, server.name, way.wanted, way.transport LIMIT 1 {}",
                change.locks().others
            );
            let found = change.one(&query, values![run, now, now + LONGEST], |row| {
                Ok(Claim {
                    run: row.get(0)?,
                    job: Job {
                        way: row.get(1)?,
                        server: row.get(2)?,
                        wanted: row.get(3)?,
                        transport: row.get(4)?,
                    },
                })
            })?;
            if let Some(claim) = &found {
                change.execute(
                    "UPDATE job SET worker = ?3, lease = ?4 WHERE run = ?1 AND way = ?2",
                    values![claim.run, claim.job.way, worker, now + lease],
                )?;
            }
            Ok(found)
        })
    }

    /// A sign of life of a worker, about all that it has.
    pub fn renew(&mut self, worker: &str) -> Result<(), StoreError> {
        let lease = self.lease();
        self.change(|change| {
            let until = change.now()? + lease;
            change
                .execute("UPDATE job SET lease = ?2 WHERE worker = ?1", values![worker, until])
                .map(drop)
        })
    }

    /// Gives back what a worker cannot do. It is offered again after a while.
    pub fn pass_on(&mut self, claim: &Claim) -> Result<(), StoreError> {
        let lease = self.lease();
        self.change(|change| {
            let until = change.now()? + lease / 2;
            change
                .execute(
                    "UPDATE job SET worker = NULL, lease = ?3 WHERE run = ?1 AND way = ?2",
                    values![claim.run, claim.job.way, until],
                )
                .map(drop)
        })
    }

    /// Forgets who does the jobs of a run. In a file they are of this machine, and the person who resumes a run says that it does not go on;
    /// where machines share a database, the claims of the others are believed.
    pub fn take_over(&mut self, run: i64) -> Result<(), StoreError> {
        if matches!(self.database, super::Database::Postgres(_)) {
            return Ok(());
        }
        self.execute("UPDATE job SET worker = NULL, lease = NULL WHERE run = ?1", values![run])
    }

    /// In milliseconds.
    fn lease(&self) -> i64 {
        i64::try_from(self.lease.as_millis()).unwrap_or(i64::MAX / 2)
    }
}

/// Milliseconds: longer than any claim, whatever the others believe in. Half a minute more, because theirs may be newer than our look at the clock.
const LONGEST: i64 = (65_535 + 30) * 1_000;
