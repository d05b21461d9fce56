//! `proofmark fleet run`.

use std::collections::BTreeSet;

use anyhow::Context;
use proofmark_fleet::{
    gates::{self, Gates},
    inventory, report,
    run::{Settings, carry_out, now},
    selection::Filter,
    stages,
    store::{RunRow, Store},
};

use super::progress::Progress;
use crate::{
    arguments::{Fleet, FleetFormat, FleetRun},
    check, exit,
    platform::Ending,
    say,
};

pub(super) fn run(arguments: &Fleet, options: &FleetRun) -> anyhow::Result<u8> {
    match prepared(arguments, options) {
        Ok((fleet, store, run)) => carry_on(options, &fleet, store, &run),
        Err(code) => Ok(code),
    }
}

/// The run to be done, or the exit code if there is nothing to do.
fn prepared(
    arguments: &Fleet,
    options: &FleetRun,
) -> Result<(inventory::Fleet, Store, RunRow), u8> {
    let fleet = super::load(arguments)?;
    let members = super::chosen(&fleet, &options.filter)?;
    if options.dry_run {
        for member in &members {
            for route in &member.routes {
                for wanted in &member.held_to.revisions {
                    let wanted = wanted.as_str();
                    say::on_stdout(format_args!("{} {wanted} {}", member.name, route.transport));
                }
            }
        }
        return Err(exit::SUCCESS);
    }
    let mut store = super::opened(Store::open(&arguments.database()))?;
    super::opened(store.register(&fleet))?;
    let run = if options.resume {
        match super::opened(store.unfinished())? {
            Some(run) => run,
            None => {
                say::on_stderr("there is no run that was interrupted");
                return Err(exit::USAGE);
            }
        }
    } else {
        let servers: BTreeSet<&str> = members.iter().map(|it| it.name.as_str()).collect();
        let filters: Vec<&str> = options.filter.iter().map(Filter::as_str).collect();
        super::opened(store.begin(&servers, &filters.join(" | "), now()))?
    };
    Ok((fleet, store, run))
}

fn carry_on(
    options: &FleetRun,
    fleet: &inventory::Fleet,
    mut store: Store,
    run: &RunRow,
) -> anyhow::Result<u8> {
    let left = store.remaining(run.id)?.len();
    say::on_stderr(format_args!("run {}: {left} of {} to do", run.id, run.jobs));
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let progress = Progress::new(left);
    let settings = Settings {
        program: std::env::current_exe().context("the program does not find itself")?,
        jobs: options.jobs.map_or(cores, usize::from),
        told: &|event| progress.tell(&event),
    };
    let runtime = check::event_loop()?;
    let work = carry_out(&mut store, fleet, run, &settings);
    let done = runtime.block_on(check::unless_told(work));
    progress.clear();
    let finished = match done {
        Ok(finished) => finished?,
        Err(error) => {
            if error.downcast_ref::<Ending>().is_some() {
                say::on_stderr(format_args!(
                    "run {} is not finished; what is done is written down, and `fleet run --resume` goes on",
                    run.id
                ));
            }
            return Err(error);
        }
    };
    let wanted = Gates {
        min_score: options.min_score.map(u32::from),
        no_new_findings: options.no_new_findings,
        stage: options.stage,
    };
    let breaches = gates::judge(&store, fleet, run.id, wanted)?;
    let summary = report::Summary::of(&store, &finished, breaches)?;
    store.note_changes(run.id, summary.comparison.counted())?;
    let servers: BTreeSet<&str> = summary.results.iter().map(|it| it.server.as_str()).collect();
    stages::note_slipping(&mut store, fleet, servers.into_iter())?;
    match options.format {
        FleetFormat::Json => say::report(report::json::summary(&summary).trim_end()),
        FleetFormat::Markdown => say::report(report::markdown::summary(&summary).trim_end()),
        FleetFormat::Pretty => say::report(report::pretty::summary(&summary).trim_end()),
    }
    let failed = summary.breaches.iter().any(|it| !it.unreachable);
    let unreachable = !summary.breaches.is_empty();
    Ok(match (failed, unreachable) {
        (true, _) => exit::BROKEN,
        (false, true) => exit::UNREACHABLE,
        (false, false) => exit::SUCCESS,
    })
}
