//! `proofmark check client`: whether a client keeps the specification.

use std::{collections::BTreeMap, time::Duration};

use anyhow::Context;
use proofmark_check::{
    Options, check_client, check_client_all,
    converse::hosted::ClientPeer,
    record::{
        platform::OrphanReaper, side::Side, transport::Transport, wire::process::CommandLine,
    },
    report::{baseline::Baseline, selection},
};
use proofmark_core::revision::Era;

use super::{all, baseline, conclude, event_loop, progress, sensible, unless_told, writable};
use crate::{
    arguments::{CheckClient, Revisions},
    environment, exit,
};

/// The exit code.
pub(crate) fn run(arguments: &CheckClient) -> anyhow::Result<u8> {
    let (peer, options, baseline) = match sensible(settings(arguments)) {
        Ok(settings) => settings,
        Err(code) => return Ok(code),
    };
    let runtime = event_loop()?;
    let (bar, progress) = progress::bar();
    let options = Options { progress, ..options };
    if arguments.revision == Some(Revisions::All) {
        let outcome = {
            let _orphans = OrphanReaper::start();
            runtime.block_on(bar.show_while(unless_told(check_client_all(&peer, &options))))
        };
        return all::conclude(outcome?, &arguments.judging, &baseline, None);
    }
    let outcome = {
        let _orphans = OrphanReaper::start();
        runtime.block_on(bar.show_while(unless_told(check_client(&peer, &options))))
    };
    let code = conclude(outcome?, &arguments.judging, &baseline, None)?;
    if code == exit::UNREACHABLE && !arguments.command.is_empty() {
        environment::tell_what_is_withheld(arguments.inherit_env);
    }
    Ok(code)
}

fn settings(arguments: &CheckClient) -> anyhow::Result<(ClientPeer, Options, Baseline)> {
    let own = std::env::current_exe().context("the program does not find itself")?;
    let own = own.to_str().context("the program's path is not UTF-8")?.to_owned();
    let names = |what: &str| arguments.command.iter().any(|word| word.contains(what));
    let (program, words) = match arguments.command.split_first() {
        Some((program, words)) => (program.clone(), words.to_vec()),
        // Without a target it is the Everything Client that is checked.
        None => (own.clone(), everything(arguments.transport)),
    };
    let by_command = names("{command}") && !names("{url}");
    let transport = match arguments.transport {
        Some(transport) => transport,
        None if by_command => Transport::Stdio,
        None => Transport::Http,
    };
    let revision = arguments.revision.and_then(Revisions::one);
    let modern = revision.is_some_and(|revision| revision.era() == Era::Modern);
    anyhow::ensure!(
        transport != Transport::Sse || !modern,
        "HTTP+SSE is gone in revisions without a handshake"
    );
    let over_pipes = transport == Transport::Stdio;
    anyhow::ensure!(
        !over_pipes || arguments.command.is_empty() || names("{command}"),
        "over stdio the client has to start its server: say with {{command}} where it is told to"
    );
    anyhow::ensure!(
        over_pipes || !by_command,
        "over http and sse the client has to be told a URL: say with {{url}} where"
    );
    let timeout = Duration::from_secs(arguments.timeout.into());
    let options = Options {
        revision,
        transport,
        timeout,
        start_timeout: Duration::from_secs(arguments.start_timeout.into()).max(timeout),
        run_timeout: Duration::from_secs(arguments.max_time.into()),
        only: arguments.judging.selection.only.clone(),
        skip: arguments.judging.selection.skip.clone(),
        ..Options::default()
    };
    selection::verify_for(Side::Client, &options)?;
    writable::verify(&arguments.judging)?;
    let template = CommandLine {
        program,
        arguments: words,
        inherited: environment::inherited(arguments.inherit_env),
        environment: arguments.env.iter().cloned().collect::<BTreeMap<_, _>>(),
        directory: arguments.cwd.clone(),
    };
    let bridge = vec![own, "hosted-server".to_owned(), "--connect".to_owned()];
    let peer = ClientPeer::Command { template, bridge };
    Ok((peer, options, baseline(arguments.judging.baseline.as_deref())?))
}

/// The words after our own name that make the Everything Client.
fn everything(transport: Option<Transport>) -> Vec<String> {
    let mut words = vec!["everything-client".to_owned()];
    if transport == Some(Transport::Stdio) {
        words.extend(["--".to_owned(), "{command}".to_owned()]);
    }
    words
}
