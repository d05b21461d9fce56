//! `proofmark remove`: an entry goes.

use proofmark_clients::{CLIENTS, Journal, Plan, remove as plan_remove};

use super::{
    choose::{self, Chosen, Target},
    write,
};
use crate::{arguments::Remove, check::sensible, exit, say};

/// The exit code.
pub(crate) fn run(arguments: &Remove) -> anyhow::Result<u8> {
    let machine = choose::machine()?;
    let place = &arguments.place;
    let chosen = sensible((|| {
        let scope = choose::scope(place)?;
        if place.to.is_empty() {
            return Ok((scope, (CLIENTS.to_vec(), Chosen::All)));
        }
        Ok((scope, choose::clients(place, &machine)?))
    })());
    let (scope, (mut clients, chosen)) = match chosen {
        Ok(chosen) => chosen,
        Err(code) => return Ok(code),
    };
    if place.to.is_empty() {
        // A client that has no such file has no such server.
        clients.retain(|client| client.locate(&scope, &machine).is_ok_and(|path| path.exists()));
    }
    let plan =
        |target: &Target| plan_remove(target.client, &target.path, &target.scope, &arguments.name);
    let planned = choose::for_each(&clients, chosen, |client| {
        let target = choose::target(client, place, &scope, &machine)?;
        let plan = plan(&target)?;
        Ok((target, plan))
    })?;
    let (targets, plans): (Vec<_>, Vec<Plan>) =
        planned.unwrap_or_default().into_iter().filter(|(_, plan)| plan.changes()).unzip();
    if plans.is_empty() {
        say::error(format_args!("no client has a server `{}`", arguments.name));
        return Ok(exit::USAGE);
    }
    write::show(&plans, "has it not");
    if !write::confirmed(&place.consent)? {
        return Ok(if place.consent.dry_run { exit::SUCCESS } else { exit::USAGE });
    }
    let journal = Journal::of(&machine);
    let lock = journal.lock()?;
    let plans =
        match sensible(targets.iter().map(plan).collect::<Result<Vec<_>, _>>().map_err(Into::into))
        {
            Ok(plans) => plans,
            Err(code) => return Ok(code),
        };
    let change = journal.commit(&lock, &format!("remove {}", arguments.name), &plans)?;
    write::tell(&change, &plans);
    Ok(exit::SUCCESS)
}
