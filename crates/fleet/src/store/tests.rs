use std::{collections::BTreeSet, path::PathBuf};

use rusqlite::Connection;
use serde_json::json;

use super::*;
use crate::{
    inventory::Fleet,
    outcome::{Found, Kind, Outcome, Severity, Subject, Verdict},
};

#[test]
fn every_earlier_version_becomes_the_same_file() {
    let newest = Place::new("newest");
    newest.open();
    let wanted = schema(&newest.0);
    for version in 0..migrations::SQLITE.len() {
        let place = Place::new("migration");
        let old = Database::Sqlite(Connection::open(&place.0).unwrap());
        migrations::run_until(&old, &place.place(), version).unwrap();
        if version > 0 {
            old.batch(
                "INSERT INTO server (name) VALUES ('old');
                     INSERT INTO way (server, wanted, transport) VALUES (1, 'newest', 'stdio');",
            )
            .unwrap();
        }
        drop(old);
        let store = place.open();
        assert_eq!(schema(&place.0), wanted, "from version {version}");
        assert_eq!(store.server("old").unwrap().is_some(), version > 0);
    }
}

#[test]
fn a_file_of_a_newer_version_is_left_alone() {
    let place = Place::new("newer");
    place.open();
    Connection::open(&place.0).unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
    let error = Store::open(&place.place()).unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
    let version: i64 = Connection::open(&place.0)
        .unwrap()
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap();
    assert_eq!(version, 99);
}

#[test]
fn files_that_are_no_history_are_refused() {
    let place = Place::new("other");
    Connection::open(&place.0).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
    assert!(matches!(Store::open(&place.place()).unwrap_err(), StoreError::NotOurs { .. }));
    std::fs::write(&place.0, vec![b'x'; 5000]).unwrap();
    assert!(matches!(Store::open(&place.place()).unwrap_err(), StoreError::NotOurs { .. }));
}

#[test]
fn a_result_is_written_once() {
    let place = Place::new("once");
    let mut store = place.with_servers();
    let run = store.begin(&BTreeSet::from(["a", "b"]), "", 1).unwrap();
    assert_eq!(run.jobs, 2);
    let jobs = store.remaining(run.id).unwrap();
    let first = store.record(run.id, jobs[0].way, &broken(&["M001"]), Trial::default()).unwrap();
    assert!(matches!(first, Recorded::New(_)));
    let again = store.record(run.id, jobs[0].way, &broken(&["M002"]), Trial::default()).unwrap();
    assert_eq!(again, Recorded::AlreadyThere);
    assert_eq!(store.remaining(run.id).unwrap(), jobs[1..]);
    assert_eq!(subjects(&store.open_findings(jobs[0].way).unwrap()), ["M001"]);
}

#[test]
fn a_finding_lasts_from_the_first_result_that_has_it_until_the_first_without() {
    let place = Place::new("lasts");
    let mut store = place.with_servers();
    let way = one_way(&mut store);
    let mut unseen = broken(&[]);
    unseen.unseen = vec![Subject { kind: Kind::Requirement, id: "M001".to_owned() }];
    let gone = Outcome::failed(Verdict::Unreachable, "not there".to_owned());
    let mut runs = Vec::new();
    for outcome in
        [broken(&[]), broken(&["M001"]), unseen, gone, broken(&["M001", "M002"]), broken(&["M002"])]
    {
        let run = store.begin(&BTreeSet::from(["a"]), "", 1).unwrap().id;
        store.record(run, way, &outcome, Trial::default()).unwrap();
        store.finish(run, 2).unwrap();
        runs.push(run);
    }
    let all = store.occurrences(way, "m001").unwrap();
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].since_run, all[0].flaky), (Some(runs[1]), true));
    let between =
        |from, to, state| subjects(&store.findings_between(from, to, state, 10).unwrap()).join(" ");
    assert_eq!(between(None, runs[1], FindingState::New), "M001");
    assert_eq!(between(None, runs[5], FindingState::Gone), "M001");
    assert_eq!(between(None, runs[5], FindingState::Still), "M002");
    assert_eq!(between(Some(runs[0]), runs[4], FindingState::New), "M001 M002");
    assert_eq!(between(Some(runs[0]), runs[5], FindingState::New), "M002");
    assert_eq!(store.count_still(Some(runs[4]), runs[5]).unwrap(), 1);
}

#[test]
fn reports_stay_within_the_budget_and_the_last_of_each_way_stays() {
    let place = Place::new("budget");
    let mut store = place.with_servers();
    store.report_budget = 10;
    let way = one_way(&mut store);
    let mut results = Vec::new();
    for number in 0..3 {
        let run = store.begin(&BTreeSet::from(["a"]), "", 1).unwrap().id;
        let outcome = Outcome { report: format!("report {number}"), ..broken(&[]) };
        let Recorded::New(result) = store.record(run, way, &outcome, Trial::default()).unwrap()
        else {
            panic!()
        };
        store.finish(run, 2).unwrap();
        results.push(result);
    }
    assert_eq!(store.report(results[0]).unwrap(), None);
    assert_eq!(store.report(results[2]).unwrap().as_deref(), Some("report 2"));
    let pruned = store.prune(1, 0).unwrap();
    assert_eq!(pruned.runs, 2);
    assert_eq!(store.course(way, 10).unwrap().len(), 1);
    assert_eq!(store.report(results[2]).unwrap().as_deref(), Some("report 2"));
}

#[test]
fn changes_of_what_a_server_offers_are_written_down() {
    let place = Place::new("interface");
    let mut store = place.with_servers();
    let way = one_way(&mut store);
    let tool = |name: &str| json!({"tools": {name: {"inputSchema": {"type": "object"}}}});
    for interface in [tool("add"), tool("add"), tool("sum")] {
        let run = store.begin(&BTreeSet::from(["a"]), "", 1).unwrap().id;
        let outcome = Outcome { interface: Some(interface), ..broken(&[]) };
        store.record(run, way, &outcome, Trial::default()).unwrap();
    }
    let changes = store.interface_changes(way, 0, i64::MAX).unwrap();
    assert_eq!(changes.len(), 1);
    let last = store.runs(1).unwrap()[0].id;
    assert_eq!(store.interface_changes_between(None, last).unwrap(), changes);
    assert_eq!(store.interface_changes_between(Some(last - 2), last).unwrap(), changes);
    assert_eq!(store.interface_changes_between(None, last - 1).unwrap(), []);
    assert!(changes[0].breaking[0].contains("add"), "{changes:?}");
}

#[test]
fn two_programs_on_one_file_wait_for_each_other() {
    let place = Place::new("two");
    let mut store = place.with_servers();
    let run = store.begin(&BTreeSet::from(["a", "b"]), "", 1).unwrap().id;
    let jobs = store.remaining(run).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut own = place.open();
                for _ in 0..10 {
                    for job in &jobs {
                        own.record(run, job.way, &broken(&["M001"]), Trial::default()).unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(store.done(run).unwrap(), 2);
    assert_eq!(store.finish(run, 5).unwrap().broken, 2);
}

#[test]
fn a_job_is_taken_by_one_at_a_time_and_by_another_when_its_worker_is_gone() {
    let place = Place::new("claims");
    let mut store = place.with_servers();
    let run = store.begin(&BTreeSet::from(["a", "b"]), "", 1).unwrap().id;
    let (first, second) =
        (store.claim(None, "one").unwrap().unwrap(), store.claim(None, "two").unwrap().unwrap());
    assert_ne!(first.job, second.job);
    assert_eq!(store.claim(Some(run), "three").unwrap(), None);
    // As if half a minute had passed without a sign of life of the one, and the clock had been set back under the other.
    let lapse = |worker: &str, to: i64| {
        let connection = Connection::open(&place.0).unwrap();
        connection.execute("UPDATE job SET lease = ?2 WHERE worker = ?1", (worker, to)).unwrap();
    };
    lapse("one", crate::time::now() - 1);
    assert_eq!(store.claim(None, "three").unwrap(), Some(first.clone()));
    lapse("two", crate::time::now() + 24 * 60 * 60 * 1_000);
    assert_eq!(store.claim(None, "three").unwrap(), Some(second));
    lapse("three", 0);
    store.renew("three").unwrap();
    assert_eq!(store.claim(None, "four").unwrap(), None);
    store.take_over(run).unwrap();
    assert_eq!(store.claim(None, "four").unwrap(), Some(first.clone()));
    // What was done is not taken again, and a worker that comes back does not write it twice.
    store.record(run, first.job.way, &broken(&[]), Trial::default()).unwrap();
    store.take_over(run).unwrap();
    assert_ne!(store.claim(None, "five").unwrap().unwrap().job, first.job);
    let late = store.record(run, first.job.way, &broken(&["M001"]), Trial::default()).unwrap();
    assert_eq!(late, Recorded::AlreadyThere);
}

#[test]
fn a_backup_is_a_history_of_its_own() {
    let (place, copy) = (Place::new("backed-up"), Place::new("backup"));
    let store = place.with_servers();
    store.backup(&copy.0).unwrap();
    assert!(copy.open().server("a").unwrap().is_some());
}

fn subjects(rows: &[FindingRow]) -> Vec<&str> {
    rows.iter().map(|it| it.subject.id.as_str()).collect()
}

fn one_way(store: &mut Store) -> i64 {
    let run = store.begin(&BTreeSet::from(["a"]), "", 1).unwrap().id;
    store.remaining(run).unwrap()[0].way
}

fn broken(ids: &[&str]) -> Outcome {
    let found = ids.iter().map(|id| Found {
        subject: Subject { kind: Kind::Requirement, id: (*id).to_owned() },
        severity: Severity::Fail,
        expected: "this".to_owned(),
        actual: "that".to_owned(),
    });
    let found: Vec<_> = found.collect();
    let verdict = if found.is_empty() { Verdict::Conformant } else { Verdict::Broken };
    Outcome {
        found,
        peer_version: Some("1.0".to_owned()),
        why: None,
        ..Outcome::failed(verdict, String::new())
    }
}

fn schema(path: &PathBuf) -> Vec<(String, String)> {
    let connection = Connection::open(path).unwrap();
    let mut query = connection
        .prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
        .unwrap();
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

/// A file that is gone with the test.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let file = format!("proofmark-store-{}-{number}-{name}.db", std::process::id());
        Self(std::env::temp_dir().join(file))
    }

    fn with_servers(&self) -> Store {
        let file = self.0.with_extension("yaml");
        std::fs::write(&file, "servers: {a: {command: x}, b: {command: y}}").unwrap();
        let fleet = Fleet::load(&file, &|_| None).unwrap();
        std::fs::remove_file(file).unwrap();
        let mut store = self.open();
        store.register(&fleet).unwrap();
        store
    }

    fn open(&self) -> Store {
        Store::open(&self.place()).unwrap()
    }

    fn place(&self) -> super::Place {
        super::Place::File(self.0.clone())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{end}", self.0.display()));
        }
    }
}
