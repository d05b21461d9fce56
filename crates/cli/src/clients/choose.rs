//! Which files of which clients are meant.

use std::{env, path::PathBuf};

use anyhow::Context;
use proofmark_clients::{CLIENTS, Client, Machine, PlanError, Scope};

use crate::{
    arguments::{ALL, Place},
    say,
};

/// A client's file.
pub(super) struct Target {
    pub(super) client: &'static Client,
    pub(super) path: PathBuf,
    pub(super) scope: Scope,
}

/// Who chose the clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    /// Each was named, so that each has to work.
    ByName,
    /// All that are there; what one cannot do is told, and the others go on.
    All,
}

pub(super) fn machine() -> anyhow::Result<Machine> {
    Machine::this().context("nothing says where your home folder is")
}

pub(super) fn scope(place: &Place) -> anyhow::Result<Scope> {
    let here = || env::current_dir().context("the current folder is gone");
    Ok(match (place.project, place.local) {
        (true, _) => Scope::Project(here()?),
        (_, true) => Scope::Local(here()?),
        _ => Scope::User,
    })
}

/// The clients that are named, or the only one that is there.
pub(super) fn clients(
    place: &Place,
    machine: &Machine,
) -> anyhow::Result<(Vec<&'static Client>, Chosen)> {
    let there = || CLIENTS.into_iter().filter(|client| client.is_there(machine));
    if place.to.iter().any(|id| id == ALL) {
        let all: Vec<_> = there().collect();
        anyhow::ensure!(!all.is_empty(), "no client that is known is on this machine");
        return Ok((all, Chosen::All));
    }
    if !place.to.is_empty() {
        let mut named: Vec<_> = place.to.iter().filter_map(|id| Client::find(id)).collect();
        named.dedup_by_key(|client| client.id);
        return Ok((named, Chosen::ByName));
    }
    let found: Vec<_> = there().collect();
    match found[..] {
        [] => anyhow::bail!("no client that is known is on this machine: name one with --to"),
        [client] => Ok((vec![client], Chosen::ByName)),
        _ => {
            let ids: Vec<_> = found.iter().map(|client| client.id).collect();
            anyhow::bail!(
                "there are several clients: {}; say which with --to, or --to all",
                ids.join(", ")
            )
        }
    }
}

pub(super) fn target(
    client: &'static Client,
    place: &Place,
    scope: &Scope,
    machine: &Machine,
) -> Result<Target, PlanError> {
    let path = match &place.file {
        Some(file) => file.clone(),
        None => client.locate(scope, machine)?,
    };
    Ok(Target { client, path, scope: scope.clone() })
}

/// Does something for each client. What cannot be done is told; the answer is `None` if that ends it.
pub(super) fn for_each<T>(
    clients: &[&'static Client],
    chosen: Chosen,
    mut work: impl FnMut(&'static Client) -> Result<T, PlanError>,
) -> anyhow::Result<Option<Vec<T>>> {
    let mut done = Vec::new();
    let mut failed = false;
    for client in clients {
        match work(client) {
            Ok(it) => done.push(it),
            Err(PlanError::File(error)) => return Err(error.into()),
            Err(why) => {
                failed = true;
                say::error(format_args!("{}: {why}", client.name));
            }
        }
    }
    let go_on = !done.is_empty() && (!failed || chosen == Chosen::All);
    Ok(go_on.then_some(done))
}
