//! Writes what came of a job, once.

use std::collections::BTreeMap;

use proofmark_check::record::text::excerpt_of;

use super::{
    Store, StoreError,
    database::{Database, Failed, values},
    interface, keep,
};
use crate::outcome::{Found, Kind, Outcome, Severity, Subject};

/// Whether a result was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// The run has a result of this way already, which stays.
    AlreadyThere,
    New(i64),
}

/// When a job was, and how often it was tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// Milliseconds since 1970.
    pub started: i64,
    /// Milliseconds.
    pub took: i64,
    pub attempts: u32,
}

impl Store {
    /// Writes a result with all that belongs to it, or nothing of it.
    pub fn record(
        &mut self,
        run: i64,
        way: i64,
        outcome: &Outcome,
        trial: Trial,
    ) -> Result<Recorded, StoreError> {
        let budget = self.report_budget;
        self.change(|change| write(change, run, way, outcome, trial, budget))
    }

    /// As [`Self::record`], for many ways in one go: all are written, or none.
    pub fn record_all(
        &mut self,
        run: i64,
        outcomes: &[(i64, Outcome, Trial)],
    ) -> Result<(), StoreError> {
        let budget = self.report_budget;
        self.change(|change| {
            for (way, outcome, trial) in outcomes {
                write(change, run, *way, outcome, *trial, budget)?;
            }
            Ok(())
        })
    }
}

fn write(
    change: &Database,
    run: i64,
    way: i64,
    outcome: &Outcome,
    trial: Trial,
    budget: u64,
) -> Result<Recorded, Failed> {
    // Results of one way are written one after the other, so that their numbers are in that order.
    let lock = format!("SELECT id FROM way WHERE id = ?1 {}", change.locks().rows);
    change.query(&lock, values![way], |_| Ok(()))?;
    let Some(result) = insert(change, run, way, outcome, trial)? else {
        return Ok(Recorded::AlreadyThere);
    };
    if !outcome.verdict.is_failure() || !outcome.found.is_empty() {
        findings(change, way, result, outcome)?;
    }
    if let Some(interface) = &outcome.interface {
        interface::write(change, way, result, interface)?;
    }
    if !outcome.report.is_empty() {
        keep::write(change, result, outcome.report.as_bytes(), budget)?;
    }
    Ok(Recorded::New(result))
}

fn insert(
    change: &Database,
    run: i64,
    way: i64,
    outcome: &Outcome,
    trial: Trial,
) -> Result<Option<i64>, Failed> {
    let counts = outcome.counts;
    let short = |text: &Option<String>| text.as_ref().map(|it| cut(it, LONGEST_NAME));
    let result: Option<i64> = change.one(
            "INSERT INTO result (way, run, verdict, score, pass, fail, warn, skip, untestable, excused, observed,
                 applicable, tests_passed, tests_failed, revision, peer_name, peer_version, comparable, attempts,
                 started, took, why)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)
             ON CONFLICT (way, run) DO NOTHING RETURNING id",
        values![
            way,
            run,
            outcome.verdict.as_str(),
            outcome.score,
            counts.pass,
            counts.fail,
            counts.warn,
            counts.skip,
            counts.untestable,
            counts.excused,
            outcome.observed.0,
            outcome.observed.1,
            outcome.tests.passed,
            outcome.tests.failed,
            short(&outcome.revision),
            short(&outcome.peer_name),
            short(&outcome.peer_version),
            outcome.comparable,
            trial.attempts,
            trial.started,
            trial.took,
            outcome.why.as_ref().map(|it| cut(it, LONGEST_TEXT)),
        ],
        |row| row.get(0),
    )?;
    if result.is_some() {
        change.execute("UPDATE way SET latest = ?2 WHERE id = ?1", values![way, result])?;
    }
    Ok(result)
}

/// Ends the findings that were looked for and are gone, and begins those that are new.
fn findings(change: &Database, way: i64, result: i64, outcome: &Outcome) -> Result<(), Failed> {
    let rows = change.query(
        "SELECT id, kind, subject, severity FROM finding WHERE way = ?1 AND until IS NULL",
        values![way],
        |row| {
            let (kind, severity): (String, String) = (row.get(1)?, row.get(3)?);
            let known = Kind::parse(&kind).zip(Severity::parse(&severity));
            let (subject, id): (String, i64) = (row.get(2)?, row.get(0)?);
            Ok(known.map(|(kind, severity)| ((Subject { kind, id: subject }, severity), id)))
        },
    )?;
    let mut open: BTreeMap<(Subject, Severity), i64> = rows.into_iter().flatten().collect();
    let version = outcome.peer_version.as_ref().map(|it| cut(it, LONGEST_NAME));
    for found in &outcome.found {
        if open.remove(&(stored(&found.subject), found.severity)).is_none() {
            begin(change, way, result, found, version.as_deref())?;
        }
    }
    for ((subject, _), id) in open {
        if outcome.unseen.iter().any(|it| stored(it) == subject) {
            continue;
        }
        change.execute(
            "UPDATE finding SET until = ?2, until_version = ?3 WHERE id = ?1",
            values![id, result, version],
        )?;
    }
    Ok(())
}

fn begin(
    change: &Database,
    way: i64,
    result: i64,
    found: &Found,
    version: Option<&str>,
) -> Result<(), Failed> {
    let subject = stored(&found.subject);
    change
        .execute(
            "INSERT INTO finding (way, kind, subject, severity, since, since_version, expected, actual)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (way, kind, subject, severity) WHERE until IS NULL DO NOTHING",
            values![
                way,
                subject.kind.as_str(),
                subject.id,
                found.severity.as_str(),
                result,
                version,
                cut(&found.expected, LONGEST_TEXT),
                cut(&found.actual, LONGEST_TEXT),
            ],
        )
        .map(drop)
}

fn stored(subject: &Subject) -> Subject {
    Subject { kind: subject.kind, id: cut(&subject.id, LONGEST_NAME) }
}

/// So much of a text, made fit for a terminal.
fn cut(text: &str, longest: usize) -> String {
    excerpt_of(text.as_bytes(), longest)
}

/// Characters of names and versions.
const LONGEST_NAME: usize = 200;
/// Characters of sentences.
const LONGEST_TEXT: usize = 2_000;
