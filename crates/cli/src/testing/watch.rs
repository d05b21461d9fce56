//! `proofmark test --watch`: runs again what a change concerns, and cancels what runs.

mod sources;

use std::{collections::BTreeSet, io::BufRead, path::PathBuf, time::Duration};

use anyhow::Context;
use notify::{EventKind, RecommendedWatcher};
use proofmark_check::record::platform::OrphanReaper;
use proofmark_test::{
    file::Suite,
    outcome::RunOutcome,
    run::{Filter, Selection},
    snapshot::{Snapshots, Update},
};
use tokio::sync::mpsc;

use super::{conclude, failed, loaded, once, update};
use crate::{arguments::Test, check, exit, say};

/// The exit code of the last run.
pub(super) fn run(arguments: &Test, suite: Suite, seed: u64) -> anyhow::Result<u8> {
    let runtime = check::event_loop()?;
    let _orphans = OrphanReaper::start();
    let watched = runtime.block_on(check::unless_told(watch(arguments, suite, seed)));
    // A thread that waits for a key does not hold the process.
    runtime.shutdown_background();
    watched?
}

/// What a person or a file wants.
enum Event {
    Changed(PathBuf),
    Key(String),
}

/// Which tests are run next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Round {
    /// By their ids; `None` for all that the filter lets through.
    among: Option<BTreeSet<String>>,
    update: bool,
}

impl Round {
    /// This one and another, which came before it was over.
    fn and(self, other: Self) -> Self {
        let among = match (self.among, other.among) {
            (Some(one), Some(other)) => Some(one.union(&other).cloned().collect()),
            _ => None,
        };
        Self { among, update: self.update || other.update }
    }
}

async fn watch(arguments: &Test, mut suite: Suite, seed: u64) -> anyhow::Result<u8> {
    let (sender, mut events) = mpsc::channel(MOST_EVENTS);
    let mut watcher = watcher(sender.clone())?;
    read_keys(sender);
    let mut filters = arguments.filter.clone();
    sources::follow(&mut watcher, &suite);
    say::on_stderr(HELP);
    let mut next = Some(Round::default());
    let mut code = exit::SUCCESS;
    loop {
        let event = if let Some(round) = next.take() {
            let running = run_round(arguments, &suite, &filters, &round, seed);
            tokio::select! {
                biased;
                event = next_event(&mut events, &suite) => {
                    say::on_stderr("cancelled: something changed");
                    next = Some(round);
                    event
                }
                outcome = running => {
                    if let Some(outcome) = outcome? {
                        code = conclude(arguments, &outcome)?;
                    }
                    say::on_stderr("waiting for changes; h for help");
                    continue;
                }
            }
        } else {
            next_event(&mut events, &suite).await
        };
        let before = next.take();
        let wanted = match event {
            None => return Ok(code),
            Some(Event::Key(key)) => match pressed(&key, arguments, &mut filters) {
                Pressed::Run(round) => Some(round),
                Pressed::Nothing => before.clone(),
                Pressed::Quit => return Ok(code),
            },
            Some(Event::Changed(first)) => {
                let paths = gathered(first, &mut events, &suite).await;
                let concerned = reloaded(arguments, &mut suite, &paths);
                sources::follow(&mut watcher, &suite);
                match (concerned, before) {
                    (Some(now), Some(before)) => Some(now.and(before)),
                    (one, other) => one.or(other),
                }
            }
        };
        next = wanted;
    }
}

/// The next key, or the next change that concerns anything; `None` when there will be none.
async fn next_event(events: &mut mpsc::Receiver<Event>, suite: &Suite) -> Option<Event> {
    loop {
        match events.recv().await? {
            Event::Changed(path) if !sources::concerns(suite, &path) => {}
            event => return Some(event),
        }
    }
}

/// One save is many events: all that come within a moment.
async fn gathered(
    first: PathBuf,
    events: &mut mpsc::Receiver<Event>,
    suite: &Suite,
) -> BTreeSet<PathBuf> {
    let mut paths: BTreeSet<PathBuf> = [first].into();
    while let Ok(Some(event)) = tokio::time::timeout(MOMENT, next_event(events, suite)).await {
        if let Event::Changed(path) = event {
            paths.insert(path);
        }
    }
    paths
}

/// Reads the file again if it changed, and says which tests are concerned.
fn reloaded(arguments: &Test, suite: &mut Suite, paths: &BTreeSet<PathBuf>) -> Option<Round> {
    let mut servers = sources::servers_of(suite, paths);
    let mut concerned = BTreeSet::new();
    if paths.iter().any(|path| sources::is_test_file(suite, path)) {
        let new = check::sensible(loaded(arguments)).ok()?;
        for (name, server) in &new.servers {
            let old = suite.servers.get(name);
            if old.is_none_or(|old| format!("{old:?}") != format!("{server:?}")) {
                servers.insert(name.clone());
            }
        }
        let known: BTreeSet<String> = suite.tests.iter().map(meaning).collect();
        let changed = new.tests.iter().filter(|test| !known.contains(&meaning(test)));
        concerned.extend(changed.map(|test| id(&test.server, &test.name)));
        *suite = new;
    }
    let of_servers = suite.tests.iter().filter(|test| servers.contains(&test.server));
    concerned.extend(of_servers.map(|test| id(&test.server, &test.name)));
    (!concerned.is_empty()).then_some(Round { among: Some(concerned), update: false })
}

/// A test but for where it is written.
fn meaning(test: &proofmark_test::file::Test) -> String {
    let mut test = test.clone();
    test.place = proofmark_test::yaml::Place::default();
    let steps = test.setup.iter_mut().chain(&mut test.steps).chain(&mut test.teardown);
    for step in steps {
        step.place = proofmark_test::yaml::Place::default();
    }
    format!("{test:?}")
}

fn id(server: &str, test: &str) -> String {
    format!("{server} › {test}")
}

async fn run_round(
    arguments: &Test,
    suite: &Suite,
    filters: &[Filter],
    round: &Round,
    seed: u64,
) -> anyhow::Result<Option<RunOutcome>> {
    let selection = Selection {
        filters: filters.to_vec(),
        among: round.among.clone(),
        shard: arguments.shard,
        shuffle: arguments.shuffle.then_some(seed),
    };
    let selected = match selection.choose(suite) {
        Ok(selected) if !selected.is_empty() => selected,
        Ok(_) => {
            say::on_stderr("no test is concerned");
            return Ok(None);
        }
        Err(nothing) => {
            say::error(&nothing);
            return Ok(None);
        }
    };
    let update = if round.update { Update::Always } else { update(arguments) };
    let snapshots = Snapshots::beside(&arguments.file, update);
    Ok(Some(once(arguments, suite, &selected, &snapshots, seed).await))
}

enum Pressed {
    Nothing,
    Quit,
    Run(Round),
}

fn pressed(key: &str, arguments: &Test, filters: &mut Vec<Filter>) -> Pressed {
    let (key, rest) = key.split_once(' ').unwrap_or((key, ""));
    match key {
        "" | "a" => Pressed::Run(Round::default()),
        "f" => Pressed::Run(Round { among: Some(failed(&arguments.file)), update: false }),
        "u" => Pressed::Run(Round { among: None, update: true }),
        "p" if rest.trim().is_empty() => {
            filters.clear();
            Pressed::Run(Round::default())
        }
        "p" => match rest.trim().parse() {
            Ok(filter) => {
                *filters = vec![filter];
                Pressed::Run(Round::default())
            }
            Err(why) => {
                say::error(&why);
                Pressed::Nothing
            }
        },
        "q" => Pressed::Quit,
        _ => {
            say::on_stderr(HELP);
            Pressed::Nothing
        }
    }
}

fn watcher(sender: mpsc::Sender<Event>) -> anyhow::Result<RecommendedWatcher> {
    let told = move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        for path in event.paths {
            // What does not fit is one of many, and the first is enough.
            let _ = sender.try_send(Event::Changed(path));
        }
    };
    notify::recommended_watcher(told).context("the system does not tell which files change")
}

/// Lines of standard input. A thread of its own, because such a read cannot be taken back.
fn read_keys(sender: mpsc::Sender<Event>) {
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if sender.blocking_send(Event::Key(line.trim().to_owned())).is_err() {
                break;
            }
        }
    });
}

const HELP: &str = "watching; with Enter behind it: a all tests, f those that failed, p PATTERN only these (p alone: no filter), \
u take snapshots as they are, q quit";
const MOST_EVENTS: usize = 1024;
const MOMENT: Duration = Duration::from_millis(150);
