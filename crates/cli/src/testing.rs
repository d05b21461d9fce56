//! `proofmark test`: whether servers still do what their owners want.

pub(crate) mod generate;
mod import;
mod interface;
mod progress;
mod review;
mod watch;

use std::{collections::BTreeSet, path::Path, time::SystemTime};

use anyhow::Context;
use proofmark_check::{record::platform::OrphanReaper, report::pretty::Colours};
use proofmark_test::{
    Judging, file, history,
    outcome::RunOutcome,
    report,
    run::{self, Options, Selection},
    snapshot::{Snapshots, Update},
};

use crate::{
    arguments::{Judge, Reports, Test, TestFormat},
    check, exit, job, say,
};

/// The exit code.
pub(crate) fn run(arguments: &Test) -> anyhow::Result<u8> {
    if arguments.schema {
        say::report(file::SCHEMA.trim_end());
        return Ok(exit::SUCCESS);
    }
    if arguments.generated {
        return generate::test(arguments);
    }
    if !arguments.target.command.is_empty() || arguments.target.url.is_some() {
        say::error(
            "a server is given on the command line for --generated only; a file names its own",
        );
        return Ok(exit::USAGE);
    }
    if let Some(from) = &arguments.import {
        return Ok(import::run(from, &arguments.file));
    }
    let suite = match check::sensible(loaded(arguments)) {
        Ok(suite) => suite,
        Err(code) => return Ok(code),
    };
    let seed = arguments.seed.unwrap_or_else(any_seed);
    if arguments.interface {
        return interface::run(arguments, &suite, seed);
    }
    if arguments.watch {
        return watch::run(arguments, suite, seed);
    }
    let selection = selection(arguments, seed);
    let selected = match check::sensible(selection.choose(&suite).map_err(Into::into)) {
        Ok(selected) => selected,
        Err(code) => return Ok(code),
    };
    if arguments.list {
        for test in &selected {
            say::on_stdout(format_args!("{} › {}", test.server, test.name));
        }
        return Ok(exit::SUCCESS);
    }
    if arguments.failed && selected.is_empty() {
        say::on_stderr("no test failed the last time");
        return Ok(exit::SUCCESS);
    }
    let snapshots = Snapshots::beside(&arguments.file, update(arguments));
    let runtime = check::event_loop()?;
    let mut outcome = {
        let _orphans = OrphanReaper::start();
        let running = once(arguments, &suite, &selected, &snapshots, seed);
        runtime.block_on(check::unless_told(running))?
    };
    if arguments.review {
        review::run(&snapshots, &mut outcome)?;
    }
    conclude(arguments, &outcome)
}

/// Runs tests, and tells how far it is.
async fn once(
    arguments: &Test,
    suite: &file::Suite,
    selected: &[&file::Test],
    snapshots: &Snapshots,
    seed: u64,
) -> RunOutcome {
    let progress = progress::Progress::new(selected.len());
    let options = Options {
        seed,
        jobs: arguments.jobs,
        fail_fast: arguments.fail_fast,
        judging: if arguments.judge == Judge::Off { Judging::Off } else { Judging::On },
        lanes: 1,
        budget: None,
        snapshots,
        told: &|test| progress.tell(test),
    };
    let outcome = run::run(suite, selected, &options).await;
    progress.end();
    outcome
}

/// Remembers and reports what came of it. The exit code.
fn conclude(arguments: &Test, outcome: &RunOutcome) -> anyhow::Result<u8> {
    if let Err(error) = history::remember(&arguments.file, outcome) {
        say::on_stderr(format_args!("what failed is not remembered: {error}"));
    }
    publish(&arguments.reports, outcome, &arguments.file)?;
    Ok(code(outcome, arguments.judge))
}

fn selection(arguments: &Test, seed: u64) -> Selection {
    Selection {
        filters: arguments.filter.clone(),
        among: if arguments.failed { Some(failed(&arguments.file)) } else { None },
        shard: arguments.shard,
        shuffle: arguments.shuffle.then_some(seed),
    }
}

fn loaded(arguments: &Test) -> anyhow::Result<file::Suite> {
    check::verify_reports(&arguments.reports)?;
    anyhow::ensure!(!(arguments.review && in_ci()), "--review is for people, and CI is set");
    Ok(file::load(&arguments.file, &|name| std::env::var(name).ok())?)
}

fn failed(path: &Path) -> BTreeSet<String> {
    history::failed(path).unwrap_or_default()
}

/// In CI a missing snapshot is a failure and not written.
fn update(arguments: &Test) -> Update {
    match (arguments.update, in_ci()) {
        (true, _) => Update::Always,
        (false, true) => Update::Never,
        (false, false) if arguments.review => Update::Review,
        (false, false) => Update::Missing,
    }
}

fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|it| !it.is_empty() && it != "false" && it != "0")
}

/// A seed by the clock.
fn any_seed() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    since.as_secs() % 1_000_000
}

/// What failed comes before what could not be reached.
fn code(outcome: &RunOutcome, judge: Judge) -> u8 {
    let unreachable: BTreeSet<&str> =
        outcome.unreachable.iter().map(|(server, _)| server.as_str()).collect();
    let failed = outcome.failures().any(|(test, failures)| {
        !unreachable.contains(test.server.as_str())
            || failures.iter().any(|it| it.step != "connect")
    });
    let broken =
        judge == Judge::Fail && outcome.breaches.iter().any(|breach| breach.status == "fail");
    match (failed || broken, unreachable.is_empty()) {
        (true, _) => exit::BROKEN,
        (false, false) => exit::UNREACHABLE,
        (false, true) => exit::SUCCESS,
    }
}

fn publish(reports: &Reports<TestFormat>, outcome: &RunOutcome, file: &Path) -> anyhow::Result<()> {
    for (format, path) in &reports.wanted {
        let colours = check::colours(reports, path.as_deref());
        let text = render(*format, outcome, file, colours)?;
        match path {
            Some(path) => check::write(path, &text)?,
            None => say::report(text.trim_end()),
        }
    }
    job::tell(
        reports,
        &TestFormat::Github,
        || report::github::write(outcome, file),
        || report::markdown::write(outcome),
    );
    Ok(())
}

fn render(
    format: TestFormat,
    outcome: &RunOutcome,
    file: &Path,
    colours: Colours,
) -> anyhow::Result<String> {
    Ok(match format {
        TestFormat::Github => report::github::write(outcome, file),
        TestFormat::Html => report::html::write(outcome),
        TestFormat::Json => report::json::write(outcome),
        TestFormat::Junit => report::junit::write(outcome).context("cannot write JUnit's XML")?,
        TestFormat::Markdown => report::markdown::write(outcome),
        TestFormat::Pretty => report::pretty::write(outcome, colours),
        TestFormat::Tap => report::tap::write(outcome),
    })
}
