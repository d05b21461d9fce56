//! `proofmark add`: a server becomes an entry of clients' files.

use std::{fs, path::Path};

use anyhow::Context;
use proofmark_clients::{
    Journal, Machine, Plan, RemoteKind, Replace, Secrets, Server, Transport, add as plan_add,
};

use super::{
    choose::{self, Target},
    trial, write,
};
use crate::{arguments::Add, check::sensible, exit, say};

/// The exit code.
pub(crate) fn run(arguments: &Add) -> anyhow::Result<u8> {
    let machine = choose::machine()?;
    let prepared = sensible((|| {
        let server = server(arguments, &machine)?;
        let scope = choose::scope(&arguments.place)?;
        Ok((server, scope, choose::clients(&arguments.place, &machine)?))
    })());
    let (server, scope, (clients, chosen)) = match prepared {
        Ok(prepared) => prepared,
        Err(code) => return Ok(code),
    };
    let plan = |target: &Target| {
        let secrets = if arguments.allow_secrets { Secrets::Write } else { Secrets::Refuse };
        let replace = if arguments.replace { Replace::Replace } else { Replace::Refuse };
        plan_add(target.client, &target.path, &target.scope, &server, (secrets, replace), &machine)
    };
    let planned = choose::for_each(&clients, chosen, |client| {
        let target = choose::target(client, &arguments.place, &scope, &machine)?;
        let plan = plan(&target)?;
        Ok((target, plan))
    })?;
    let Some(planned) = planned else { return Ok(exit::USAGE) };
    let (targets, plans): (Vec<_>, Vec<Plan>) = planned.into_iter().unzip();
    if !write::show(&plans, "has it already") {
        return Ok(exit::SUCCESS);
    }
    let consent = &arguments.place.consent;
    if !consent.dry_run && !arguments.no_try {
        if let Some(code) = trial::run(arguments, &machine)? {
            return Ok(code);
        }
    }
    if !write::confirmed(consent)? {
        return Ok(if consent.dry_run { exit::SUCCESS } else { exit::USAGE });
    }
    if arguments.tap {
        let folder = taps(&machine);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let journal = Journal::of(&machine);
    let lock = journal.lock()?;
    // Other processes may have written in the meantime.
    let plans = targets.iter().map(plan).collect::<Result<Vec<_>, _>>();
    let plans = match sensible(plans.map_err(Into::into)) {
        Ok(plans) => plans,
        Err(code) => return Ok(code),
    };
    let change = journal.commit(&lock, &format!("add {}", arguments.name), &plans)?;
    write::tell(&change, &plans);
    say::on_stderr("Clients that run have to be restarted, or told to read their settings again.");
    Ok(exit::SUCCESS)
}

fn server(arguments: &Add, machine: &Machine) -> anyhow::Result<Server> {
    let name = arguments.name.clone();
    if let Some(url) = &arguments.url {
        anyhow::ensure!(
            url.starts_with("https://") || url.starts_with("http://"),
            "{url:?} is no URL; a command stands after `--`"
        );
        let kind = if arguments.sse { RemoteKind::Sse } else { RemoteKind::Http };
        let headers = arguments.header.clone();
        let transport = Transport::Remote { url: url.clone(), kind, headers };
        return Ok(Server { name, transport });
    }
    let mut words = arguments.command.clone();
    if arguments.tap {
        words = tapped(&words, &taps(machine))?;
    }
    let command = words.remove(0);
    let environment = arguments.env.clone();
    Ok(Server { name, transport: Transport::Stdio { command, arguments: words, environment } })
}

/// The command with our tap in front, which leaves a transcript of each run in a folder.
fn tapped(words: &[String], folder: &Path) -> anyhow::Result<Vec<String>> {
    let own = std::env::current_exe().context("the program does not find itself")?;
    let text = |path: &Path| path.to_str().map(str::to_owned).context("a path is not UTF-8");
    let tap = [text(&own)?, "tap".into(), "--output".into(), text(folder)?, "--".into()];
    Ok([&tap[..], words].concat())
}

fn taps(machine: &Machine) -> std::path::PathBuf {
    machine.state().join("taps")
}
