//! `proofmark fleet`: many servers, one verdict a day.

mod changed;
mod compared;
mod history;
mod listed;
mod progress;
mod promoted;
mod reported;
mod running;
mod served;
mod why;
mod working;

use proofmark_fleet::{
    inventory::{self, Member},
    job::{self, JobSpec},
    selection::{self, Filter},
    store::{Store, StoreError},
};

use crate::{
    arguments::{Fleet, FleetBackup, FleetCommand, FleetJob, FleetPrune},
    check, exit, say,
};

/// The exit code.
pub(crate) fn run(arguments: &Fleet) -> anyhow::Result<u8> {
    match &arguments.command {
        FleetCommand::Add(options) => Ok(changed::add(arguments, options)),
        FleetCommand::Backup(options) => backup(arguments, options),
        FleetCommand::Diff(options) => compared::run(arguments, options),
        FleetCommand::History(options) => history::run(arguments, options),
        FleetCommand::Import(options) => Ok(changed::import(arguments, options)),
        FleetCommand::Job(options) => job(arguments, options),
        FleetCommand::Lint => Ok(lint(arguments)),
        FleetCommand::List(options) => Ok(listed::run(arguments, options)),
        FleetCommand::Promote(options) => promoted::run(arguments, options),
        FleetCommand::Prune(options) => prune(arguments, options),
        FleetCommand::Remove(options) => Ok(changed::remove(arguments, options)),
        FleetCommand::Report(options) => reported::run(arguments, options),
        FleetCommand::Run(options) => running::run(arguments, options),
        FleetCommand::Serve(options) => served::run(arguments, options),
        FleetCommand::Why(options) => why::run(arguments, options),
        FleetCommand::Worker(options) => working::run(arguments, options),
    }
}

fn lint(arguments: &Fleet) -> u8 {
    let fleet = match load(arguments) {
        Ok(fleet) => fleet,
        Err(code) => return code,
    };
    let (servers, ways) = (fleet.members.len(), fleet.members.values().map(ways).sum::<usize>());
    say::on_stdout(format_args!("{servers} servers, {ways} ways to check: nothing is wrong"));
    exit::SUCCESS
}

/// In how many ways a server is checked.
fn ways(member: &Member) -> usize {
    member.routes.len() * member.held_to.revisions.len()
}

fn backup(arguments: &Fleet, options: &FleetBackup) -> anyhow::Result<u8> {
    let store = match history(arguments) {
        Ok(store) => store,
        Err(code) => return Ok(code),
    };
    if options.to.exists() {
        say::error(format!("{} is there already", options.to.display()));
        return Ok(exit::USAGE);
    }
    store.backup(&options.to)?;
    say::on_stdout(format_args!("{} is a copy of the history", options.to.display()));
    Ok(exit::SUCCESS)
}

fn prune(arguments: &Fleet, options: &FleetPrune) -> anyhow::Result<u8> {
    let mut store = match history(arguments) {
        Ok(store) => store,
        Err(code) => return Ok(code),
    };
    let pruned = store.prune(options.keep, options.reports.saturating_mul(1024 * 1024))?;
    say::on_stdout(format_args!("{} runs and {} reports are gone", pruned.runs, pruned.reports));
    Ok(exit::SUCCESS)
}

fn job(arguments: &Fleet, options: &FleetJob) -> anyhow::Result<u8> {
    let spec = JobSpec {
        file: arguments.file.clone(),
        server: options.server.clone(),
        wanted: options.revision,
        transport: options.transport,
    };
    let runtime = check::event_loop()?;
    let document = runtime.block_on(check::unless_told(job::perform(&spec)))??;
    say::report(&document);
    // A read of standard input that goes on would be waited for.
    runtime.shutdown_background();
    Ok(exit::SUCCESS)
}

/// The inventory, or the exit code if it makes no sense.
fn load(arguments: &Fleet) -> Result<inventory::Fleet, u8> {
    let environment = |name: &str| std::env::var(name).ok();
    check::sensible(inventory::Fleet::load(&arguments.file, &environment).map_err(Into::into))
}

/// The history that is there, or the exit code.
fn history(arguments: &Fleet) -> Result<Store, u8> {
    let place = arguments.database();
    if place.is_missing() {
        say::error(format!("there is no history {place}: `fleet run` begins one"));
        return Err(exit::USAGE);
    }
    opened(Store::open_existing(&place))
}

fn opened<T>(store: Result<T, StoreError>) -> Result<T, u8> {
    check::sensible(store.map_err(Into::into))
}

/// The servers that are meant, or the exit code if there are none.
fn chosen<'f>(fleet: &'f inventory::Fleet, filters: &[Filter]) -> Result<Vec<&'f Member>, u8> {
    let found: Vec<&Member> =
        fleet.members.values().filter(|it| selection::chosen(filters, it)).collect();
    if found.is_empty() {
        let texts: Vec<&str> = filters.iter().map(Filter::as_str).collect();
        say::error(format!("no server fits {}", texts.join(", ")));
        return Err(exit::USAGE);
    }
    Ok(found)
}
