//! `proofmark fleet run`.

use std::{collections::BTreeSet, time::Duration};

use anyhow::Context;
use proofmark_fleet::{
    gates::{self, Gates},
    inventory, report,
    run::{Event, Settings, carry_out, now},
    selection::Filter,
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
    store.lease = Duration::from_secs(options.lease.into());
    super::opened(store.register(&fleet))?;
    let run = if options.resume {
        let Some(run) = super::opened(store.unfinished())? else {
            say::on_stderr("there is no run that was interrupted");
            return Err(exit::USAGE);
        };
        super::opened(store.take_over(run.id))?;
        run
    } else {
        let servers: BTreeSet<&str> = members.iter().map(|it| it.name.as_str()).collect();
        let filters: Vec<&str> = options.filter.iter().map(Filter::as_str).collect();
        super::opened(store.begin(&servers, &filters.join(" | "), now()))?
    };
    Ok((fleet, store, run))
}

/// How jobs are done on this machine.
pub(super) fn settings(
    jobs: Option<u16>,
    told: &dyn Fn(Event<'_>),
) -> anyhow::Result<Settings<'_>> {
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    Ok(Settings {
        program: std::env::current_exe().context("the program does not find itself")?,
        jobs: jobs.map_or(cores, usize::from),
        worker: worker_name(),
        told,
    })
}

fn carry_on(
    options: &FleetRun,
    fleet: &inventory::Fleet,
    mut store: Store,
    run: &RunRow,
) -> anyhow::Result<u8> {
    let left = store.remaining(run.id)?.len();
    say::on_stderr(format_args!("run {}: {left} of {} to do", run.id, run.jobs));
    let progress = Progress::new(left);
    let told = |event: Event<'_>| progress.tell(&event);
    let settings = settings(options.jobs, &told)?;
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

/// Says where it is, for people, and is no other's.
fn worker_name() -> String {
    use std::hash::{BuildHasher, RandomState};
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host: String = host.chars().filter(char::is_ascii_graphic).take(60).collect();
    let random = RandomState::new().hash_one(std::process::id());
    format!("{host}:{}:{random:016x}", std::process::id())
}
