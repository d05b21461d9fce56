//! A made-up history of many servers, and how long questions to it take: `made_up FILE SERVERS RUNS`.
#![expect(clippy::print_stdout, reason = "a measurement for a person")]

use std::{
    collections::BTreeSet,
    error::Error,
    path::{Path, PathBuf},
    time::Instant,
};

use proofmark_fleet::{
    compare::Comparison,
    inventory::Fleet,
    outcome::{Counts, Found, Kind, Outcome, Severity, Subject, TestCounts, Verdict},
    store::{Place, Store, Trial, Wish},
};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().collect();
    let [_, file, servers, runs] = &words[..] else {
        return Err("made_up FILE SERVERS RUNS".into());
    };
    let (path, servers, runs) = (PathBuf::from(file), servers.parse()?, runs.parse()?);
    if !path.exists() {
        make(&path, servers, runs)?;
    }
    println!("{} MB", std::fs::metadata(&path)?.len() / 1_000_000);
    ask(&path)
}

fn make(path: &Path, servers: usize, runs: i64) -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let inventory = path.with_extension("yaml");
    let entry = |number: usize| {
        format!(
            "  server-{number:05}: {{command: x, owner: owner-{}, tags: [t{}]}}\n",
            number % 40,
            number % 7
        )
    };
    let entries: String = (0..servers).map(entry).collect();
    std::fs::write(&inventory, format!("servers:\n{entries}"))?;
    let fleet = Fleet::load(&inventory, &|_| None)?;
    let mut store = Store::open(&Place::parse(path))?;
    store.register(&fleet)?;
    let names: BTreeSet<&str> = fleet.members.keys().map(String::as_str).collect();
    let mut random: u64 = 1;
    for day in 0..runs {
        let now = 1_760_000_000_000 + day * 86_400_000;
        let run = store.begin(&names, "", now)?;
        let jobs = store.remaining(run.id)?;
        let outcomes: Vec<_> = jobs
            .iter()
            .map(|job| {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let trial = Trial { started: now, took: 5_000, attempts: 1 };
                (job.way, outcome(job.way, day, random >> 33), trial)
            })
            .collect();
        store.record_all(run.id, &outcomes)?;
        store.finish(run.id, now + 600_000)?;
        if day % 30 == 29 {
            println!("{} days after {:.0} s", day + 1, began.elapsed().as_secs_f64());
        }
    }
    Ok(())
}

/// Each server has some findings of its own, and one in a hundred changes on a day.
fn outcome(way: i64, day: i64, random: u64) -> Outcome {
    let mut ids: Vec<i64> = (0..way % 5).map(|it| way * 7 % 300 + it).collect();
    if random.is_multiple_of(100) {
        ids.push(400 + day % 50);
    }
    let found: Vec<Found> = ids
        .iter()
        .map(|id| Found {
            subject: Subject { kind: Kind::Requirement, id: format!("M{id:03}") },
            severity: if id % 3 == 0 { Severity::Fail } else { Severity::Warn },
            expected: "the usual result".to_owned(),
            actual: "an error".to_owned(),
        })
        .collect();
    let fail = found.iter().filter(|it| it.severity == Severity::Fail).count();
    let fail = u32::try_from(fail).unwrap_or_default();
    let warn = u32::try_from(found.len()).unwrap_or_default() - fail;
    Outcome {
        verdict: if fail > 0 { Verdict::Broken } else { Verdict::Conformant },
        score: Some(100 - fail * 3 - warn),
        counts: Counts { pass: 200, fail, warn, skip: 100, untestable: 50, excused: 0 },
        observed: (200, 250),
        tests: TestCounts::default(),
        revision: Some("2025-11-25".to_owned()),
        peer_name: Some("made up".to_owned()),
        peer_version: Some(format!("1.{}", day / 30)),
        comparable: 1,
        found,
        unseen: Vec::new(),
        why: None,
        interface: None,
        report: String::new(),
    }
}

fn ask(path: &Path) -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let store = Store::open_existing(&Place::parse(path))?;
    told("open", began);
    let began = Instant::now();
    store.overview()?;
    told("overview", began);
    let began = Instant::now();
    let wish = Wish { per_page: 50, ..Wish::default() };
    let (rows, _) = store.list(&wish)?;
    for row in &rows {
        store.scores(row.way, 30)?;
    }
    told("list of servers with courses", began);
    let began = Instant::now();
    let (rows, _) = store.list(&Wish { search: "0042".to_owned(), page: 0, ..wish })?;
    told(&format!("search, {} found", rows.len()), began);
    let Some(last) = store.runs(1)?.pop() else { return Ok(()) };
    let began = Instant::now();
    let comparison = Comparison::of(&store, None, last.id)?;
    told(
        &format!(
            "diff of the last run, {} new, {} gone",
            comparison.new.len(),
            comparison.gone.len()
        ),
        began,
    );
    let began = Instant::now();
    let comparison = Comparison::of(&store, Some(1), last.id)?;
    told(&format!("diff of the first and the last run, {} new", comparison.new.len()), began);
    let began = Instant::now();
    if let Some(server) = store.server("server-04242")? {
        for result in store.latest_of_server(server.id)? {
            store.course(result.way, 60)?;
            store.open_findings(result.way)?;
        }
    }
    told("one server", began);
    let began = Instant::now();
    let breakers = store.breakers("M042", 500)?;
    told(&format!("one requirement, {} break it", breakers.len()), began);
    let began = Instant::now();
    store.latest()?;
    told("all last results, for metrics", began);
    Ok(())
}

fn told(what: &str, began: Instant) {
    println!("{:8.1} ms  {what}", began.elapsed().as_secs_f64() * 1000.0);
}
