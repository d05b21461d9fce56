//! `proofmark fleet promote`: a server moves to another stage if its gates hold.

use proofmark_fleet::{edit, run::now, stages, store::Promotion};

use crate::{
    arguments::{Fleet, FleetPromote},
    exit, say,
};

pub(super) fn run(arguments: &Fleet, options: &FleetPromote) -> anyhow::Result<u8> {
    let fleet = match super::load(arguments) {
        Ok(fleet) => fleet,
        Err(code) => return Ok(code),
    };
    let mut store = match super::history(arguments) {
        Ok(store) => store,
        Err(code) => return Ok(code),
    };
    let name = &options.server;
    let Some(member) = fleet.members.get(name) else {
        say::error(format!("there is no server {name}"));
        return Ok(exit::USAGE);
    };
    let standing = stages::standing(&store, &fleet, name)?;
    let to = options.to.clone().or_else(|| standing.next.as_ref().map(|(stage, _)| stage.clone()));
    let Some(to) = to else {
        say::error(format!("{name} is in the last stage, or there are none"));
        return Ok(exit::USAGE);
    };
    if !fleet.stages.iter().any(|it| it.name == to) {
        say::error(format!("there is no stage {to}"));
        return Ok(exit::USAGE);
    }
    let until = fleet.stages_until(&to);
    let lacks = stages::lacks(&store, name, until.iter().map(|it| &it.gates))?;
    for lack in &lacks {
        say::on_stdout(format_args!("{name} does not reach {to}: {lack}"));
    }
    if !lacks.is_empty() {
        return Ok(exit::BROKEN);
    }
    if options.dry_run {
        say::on_stdout(format_args!("all gates of {to} hold for {name}"));
        return Ok(exit::SUCCESS);
    }
    let Some(row) = store.server(name)? else {
        say::error(format!("{name} was not checked yet: `fleet run {name}` does it"));
        return Ok(exit::USAGE);
    };
    if let Err(error) = edit::set_stage(&arguments.file, name, &to) {
        say::error(error);
        return Ok(exit::USAGE);
    }
    let who = options.who.clone().or_else(|| std::env::var("USER").ok());
    let who = who.unwrap_or_else(|| "unknown".to_owned());
    let promotion = Promotion { from: member.stage.clone(), to: to.clone(), who, at: now() };
    store.promote(row.id, &promotion)?;
    let from = member.stage.as_deref().unwrap_or("no stage");
    say::on_stdout(format_args!("{name} moved from {from} to {to}, by {}", promotion.who));
    Ok(exit::SUCCESS)
}
