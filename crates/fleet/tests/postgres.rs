//! A history in `PostgreSQL`: it answers as one in `SQLite` does, jobs are taken once, and a connection that breaks loses nothing.
//!
//! `PROOFMARK_POSTGRES` names a database in which schemas may be made; without it the tests say so and do nothing.
#![expect(clippy::print_stderr, clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
};

use postgres::{Client, NoTls};
use proofmark_fleet::{
    inventory::Fleet,
    outcome::{Found, Kind, Outcome, Severity, Subject, Verdict},
    store::{FindingState, Place, Promotion, Recorded, Store, StoreError, Trial, Wish},
};
use serde_json::json;

#[test]
fn it_answers_as_a_file_does() {
    let Some(schema) = Schema::new() else { return };
    let file = std::env::temp_dir().join(format!("proofmark-same-{}.db", std::process::id()));
    let mut answers = Vec::new();
    for place in [Place::File(file.clone()), schema.place()] {
        let mut store = Store::open(&place).unwrap();
        let told = history(&mut store);
        // Once more, from the start.
        drop(store);
        answers.push((told, asked(&Store::open_existing(&place).unwrap())));
    }
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", file.display()));
    }
    let (in_file, in_postgres) = (&answers[0], &answers[1]);
    assert_eq!(in_file.0, in_postgres.0);
    for (one, other) in in_file.1.iter().zip(&in_postgres.1) {
        assert_eq!(one, other);
    }
    assert_eq!(in_file.1.len(), in_postgres.1.len());
}

#[test]
fn each_job_is_taken_once_by_many_workers() {
    let Some(schema) = Schema::new() else { return };
    let mut store = Store::open(&schema.place()).unwrap();
    store.register(&fleet(40)).unwrap();
    let names: Vec<String> = (0..40).map(|it| format!("s{it:02}")).collect();
    let run = store.begin(&names.iter().map(String::as_str).collect(), "", 1).unwrap();
    let taken: Vec<i64> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..6)
            .map(|worker| {
                let place = schema.place();
                scope.spawn(move || {
                    let mut own = Store::open(&place).unwrap();
                    let name = format!("worker {worker}");
                    let mut ways = Vec::new();
                    while let Some(claim) = own.claim(None, &name).unwrap() {
                        own.record(claim.run, claim.job.way, &outcome(&["M001"]), Trial::default())
                            .unwrap();
                        ways.push(claim.job.way);
                    }
                    ways
                })
            })
            .collect();
        workers.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    let different: BTreeSet<i64> = taken.iter().copied().collect();
    assert_eq!((taken.len(), different.len()), (80, 80), "{:?}", run.jobs);
    assert_eq!(store.done_runs().unwrap(), [run.id]);
    assert_eq!(store.finish(run.id, 2).unwrap().broken, 80);
}

#[test]
fn two_who_write_the_same_result_at_once_write_it_once() {
    let Some(schema) = Schema::new() else { return };
    let mut store = Store::open(&schema.place()).unwrap();
    store.register(&fleet(1)).unwrap();
    let run = store.begin(&BTreeSet::from(["s00"]), "", 1).unwrap().id;
    let way = store.remaining(run).unwrap()[0].way;
    let written: usize = std::thread::scope(|scope| {
        let all: Vec<_> = (0..8)
            .map(|_| {
                let place = schema.place();
                scope.spawn(move || {
                    let mut own = Store::open(&place).unwrap();
                    let wrote = own.record(run, way, &outcome(&["M001"]), Trial::default());
                    usize::from(matches!(wrote.unwrap(), Recorded::New(_)))
                })
            })
            .collect();
        all.into_iter().map(|it| it.join().unwrap()).sum()
    });
    assert_eq!(written, 1);
    assert_eq!(store.open_findings(way).unwrap().len(), 1);
}

#[test]
fn a_connection_that_is_cut_is_made_again() {
    let Some(mut schema) = Schema::new() else { return };
    let mut store = Store::open(&schema.place()).unwrap();
    store.register(&fleet(2)).unwrap();
    for cut in 0..5 {
        let run = store.begin(&BTreeSet::from(["s00", "s01"]), "", cut).unwrap().id;
        schema.cut();
        while let Some(claim) = store.claim(Some(run), "one").unwrap() {
            schema.cut();
            store.record(run, claim.job.way, &outcome(&[]), Trial::default()).unwrap();
        }
        schema.cut();
        assert_eq!(store.finish(run, cut).unwrap().conformant, 4);
    }
}

#[test]
fn what_is_newer_or_other_or_not_there_is_told() {
    let Some(mut schema) = Schema::new() else { return };
    drop(Store::open(&schema.place()).unwrap());
    schema.client.batch_execute("UPDATE setting SET value = 99 WHERE name = 'format'").unwrap();
    let error = Store::open(&schema.place()).unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
    schema.client.batch_execute("DROP TABLE setting").unwrap();
    let error = Store::open(&schema.place()).unwrap_err();
    assert!(matches!(error, StoreError::NotOurs { .. }), "{error}");
    let nowhere = Place::Url("postgres://ann:secret@127.0.0.1:1/none".to_owned());
    let error = Store::open(&nowhere).unwrap_err().to_string();
    assert!(error.contains("postgres://ann@127.0.0.1:1/none cannot be reached"), "{error}");
    assert!(!error.contains("secret"), "{error}");
    let error = Store::open(&Place::Url(format!("{}&sslmode=require", schema.url))).unwrap_err();
    assert!(error.to_string().contains("TLS"), "{error}");
}

/// Runs in which findings come, stay, go and come back, with everything that can be written down.
fn history(store: &mut Store) -> Vec<String> {
    let mut told = Vec::new();
    store.register(&fleet(4)).unwrap();
    let names = BTreeSet::from(["s00", "s01", "s02", "s03"]);
    let mut random: u64 = 7;
    for number in 0..6 {
        let run = store.begin(&names, "a filter", number * 1_000).unwrap();
        told.push(format!("{run:?} {:?}", store.remaining(run.id).unwrap()));
        while let Some(claim) = store.claim(Some(run.id), "one").unwrap() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040);
            let mut outcome = match random >> 60 {
                0 => Outcome::failed(Verdict::Unreachable, "not there".to_owned()),
                bits => {
                    outcome(&["M001", "M002", "x's test"][..usize::try_from(bits % 4).unwrap()])
                }
            };
            let tool = format!("t{}", random >> 62);
            outcome.interface = Some(json!({"tools": {tool: {"inputSchema": {"type": "object"}}}}));
            outcome.report = format!("report {random}");
            outcome.peer_version = Some(format!("{}", number / 2));
            let trial = Trial { started: number * 1_000 + 5, took: 7, attempts: 1 };
            told.push(format!(
                "{:?}",
                store.record(run.id, claim.job.way, &outcome, trial).unwrap()
            ));
        }
        told.push(format!("{:?}", store.finish(run.id, number * 1_000 + 9).unwrap()));
    }
    let server = store.server("s01").unwrap().unwrap().id;
    let moved = Promotion { from: None, to: "b".into(), who: "ann".into(), at: 3 };
    store.promote(server, &moved).unwrap();
    store.note_slipping("s02", Some("too slow")).unwrap();
    told.push(format!("{:?}", store.prune(4, 200).unwrap()));
    told
}

fn asked(store: &Store) -> Vec<String> {
    let mut told = vec![format!("{:?}", store.overview().unwrap())];
    let wishes = [
        Wish { per_page: 3, ..Wish::default() },
        Wish { per_page: 3, page: 1, ..Wish::default() },
        Wish { per_page: 9, search: "S0".into(), ..Wish::default() },
        Wish { per_page: 9, search: "%_".into(), ..Wish::default() },
        Wish { per_page: 9, owner: Some("ann".into()), stage: Some("b".into()), ..Wish::default() },
    ];
    for wish in wishes {
        told.push(format!("{:?}", store.list(&wish).unwrap()));
    }
    told.push(format!("{:?} {:?}", store.latest().unwrap(), store.runs(9).unwrap()));
    for run in store.runs(9).unwrap().iter().map(|it| it.id) {
        for earlier in [None, Some(run - 1), Some(run - 2)] {
            for state in [FindingState::Gone, FindingState::New, FindingState::Still] {
                let found = store.findings_between(earlier, run, state, 99).unwrap();
                told.push(format!("{run} {earlier:?} {state:?} {found:?}"));
            }
            told.push(format!("{:?}", store.count_still(earlier, run).unwrap()));
            told.push(format!("{:?}", store.interface_changes_between(earlier, run).unwrap()));
        }
        told.push(format!("{:?}", store.results_of_run(run).unwrap()));
        told.push(format!("{:?}", store.results_before_run(run).unwrap()));
        told.push(format!("{:?}", store.results_after(run, 0, 3).unwrap()));
    }
    for result in store.latest().unwrap() {
        told.push(format!("{:?}", store.course(result.way, 3).unwrap()));
        told.push(format!("{:?}", store.scores(result.way, 3).unwrap()));
        told.push(format!("{:?}", store.before(result.way, result.id).unwrap()));
        told.push(format!("{:?}", store.open_findings(result.way).unwrap()));
        told.push(format!("{:?}", store.occurrences(result.way, "m001").unwrap()));
        told.push(format!("{:?}", store.interface_changes(result.way, 0, i64::MAX).unwrap()));
        told.push(format!("{:?}", store.report(result.id).unwrap()));
    }
    for name in ["s00", "s01", "s02", "S03"] {
        let Some(server) = store.server(name).unwrap() else { continue };
        told.push(format!("{:?}", store.promotions(server.id).unwrap()));
        told.push(format!("{:?}", store.broken_subjects(server.id).unwrap()));
        told.push(format!("{server:?} {:?}", store.latest_of_server(server.id).unwrap()));
    }
    told.push(format!("{:?}", store.breakers("M001", 99).unwrap()));
    told
}

fn outcome(ids: &[&str]) -> Outcome {
    let found = ids.iter().map(|id| Found {
        subject: Subject { kind: Kind::Requirement, id: (*id).to_owned() },
        severity: if *id == "M002" { Severity::Warn } else { Severity::Fail },
        expected: "this".to_owned(),
        actual: "that ü".to_owned(),
    });
    let verdict = if ids.is_empty() { Verdict::Conformant } else { Verdict::Broken };
    Outcome {
        found: found.collect(),
        score: Some(90),
        why: None,
        ..Outcome::failed(verdict, String::new())
    }
}

fn fleet(servers: usize) -> Fleet {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("proofmark-postgres-{}-{number}.yaml", std::process::id());
    let file: PathBuf = std::env::temp_dir().join(name);
    let server = |number: usize| {
        format!(
            "  s{number:02}: {{command: x, owner: {}, tags: [a, b], stage: a}}\n",
            ["ann", "bob"][number % 2]
        )
    };
    let servers: Vec<String> = (0..servers).map(server).collect();
    let text = format!(
        "defaults: {{revisions: [newest, 2025-06-18]}}\nstages: [a, b]\nservers:\n{}",
        servers.concat()
    );
    std::fs::write(&file, text).unwrap();
    let fleet = Fleet::load(&file, &|_| None).unwrap();
    std::fs::remove_file(file).unwrap();
    fleet
}

/// A schema that is gone with the test.
struct Schema {
    client: Client,
    name: String,
    url: String,
}

impl Schema {
    fn new() -> Option<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let Ok(base) = std::env::var("PROOFMARK_POSTGRES") else {
            assert!(std::env::var_os("PROOFMARK_POSTGRES_REQUIRED").is_none(), "no PostgreSQL");
            eprintln!("SKIPPED: PROOFMARK_POSTGRES names no database");
            return None;
        };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("proofmark_{}_{number}", std::process::id());
        let mut client = Client::connect(&base, NoTls).unwrap();
        client.batch_execute(&format!("CREATE SCHEMA {name}; SET search_path = {name}")).unwrap();
        let url = format!("{base}?options=-csearch_path%3D{name}&application_name={name}");
        Some(Self { client, name, url })
    }

    fn place(&self) -> Place {
        Place::Url(self.url.clone())
    }

    /// Ends the connections of the others that use this schema.
    fn cut(&mut self) {
        let cut =
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1";
        self.client.execute(cut, &[&self.name]).unwrap();
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        let _ = self.client.batch_execute(&format!("DROP SCHEMA {} CASCADE", self.name));
    }
}
