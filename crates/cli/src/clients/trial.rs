//! The server is tried before a client is told about it.

use std::time::Duration;

use futures_util::TryStreamExt;
use proofmark_check::{
    Options, check,
    converse::peer::Peer as Checked,
    record::{
        platform::OrphanReaper,
        text::Untrusted,
        transport::Transport,
        wire::{Url, process::CommandLine},
    },
    report::{Report, Strictness},
};
use proofmark_clients::{Machine, Template};
use proofmark_sdk::{
    client::{ClientSettings, Error, Lost},
    core::session::client::Failure,
};

use crate::{
    arguments::{Add, Peer},
    check::{event_loop, unless_told},
    exit, peer, say,
};

/// Asks the server for its tools, and judges it if that is wanted. The exit code if it is not to be added.
pub(super) fn run(arguments: &Add, machine: &Machine) -> anyhow::Result<Option<u8>> {
    let environment = values(&arguments.env, machine);
    let headers = values(&arguments.header, machine);
    if arguments.check {
        return judge(arguments, environment, headers);
    }
    let peer = Peer {
        url: arguments.url.clone(),
        timeout: arguments.timeout.into(),
        header: headers
            .iter()
            .filter_map(|(name, value)| Some((name.parse().ok()?, value.parse().ok()?)))
            .collect(),
        env: environment,
        transport: arguments.sse.then_some(Transport::Sse),
        command: arguments.command.iter().map(Into::into).collect(),
        ..Peer::default()
    };
    let settings = ClientSettings { tools: 0, ..ClientSettings::default() };
    let tried = peer::with(&peer, settings, async |client| {
        let server = client.server();
        let name = server.as_ref().and_then(|server| server.info.clone());
        let has_tools = server
            .and_then(|server| server.capabilities.clone())
            .is_none_or(|capabilities| capabilities.tools.is_some());
        let tools: Vec<_> =
            if has_tools { client.tools().try_collect().await? } else { Vec::new() };
        Ok((name, tools.len()))
    });
    match tried {
        Ok((server, tools)) => {
            let name = server.map_or_else(
                || "the server".to_owned(),
                |it| format!("{} {}", Untrusted(&it.name), Untrusted(&it.version)),
            );
            say::on_stderr(format_args!("tried: {name} answers, and has {tools} tools"));
            Ok(None)
        }
        Err(error) if wants_login(&error) => {
            say::on_stderr(
                "tried: the server is there, and wants a login; the client will ask for it",
            );
            Ok(None)
        }
        Err(error) => {
            say::error(error.context("the server was not added; --no-try adds it all the same"));
            Ok(Some(exit::UNREACHABLE))
        }
    }
}

fn wants_login(error: &anyhow::Error) -> bool {
    let Some(Error::Lost(lost)) = error.downcast_ref::<Error>() else { return false };
    match &**lost {
        Lost::Unauthorized(_) => true,
        Lost::Handshake(why) | Lost::HandshakeOverHttp { why, .. } => {
            matches!(why, Failure::Rejected { status: 401, .. })
        }
        _ => false,
    }
}

fn judge(
    arguments: &Add,
    environment: Vec<(String, String)>,
    headers: Vec<(String, String)>,
) -> anyhow::Result<Option<u8>> {
    let (peer, transport) = if let Some(url) = &arguments.url {
        let url: Url = match url.parse() {
            Ok(url) => url,
            Err(error) => {
                say::error(format_args!("{url}: {error}"));
                return Ok(Some(exit::USAGE));
            }
        };
        let transport = if arguments.sse { Transport::Sse } else { Transport::Http };
        (Checked::Url(url), transport)
    } else {
        let mut words = arguments.command.clone();
        let program = words.remove(0);
        let environment = environment.into_iter().collect();
        let line = CommandLine { program, arguments: words, environment, ..CommandLine::default() };
        (Checked::Command(line), Transport::Stdio)
    };
    let headers = headers.into_iter().map(|(name, value)| (name.to_lowercase(), value)).collect();
    let start_timeout = Duration::from_secs(arguments.timeout.into());
    let options = Options { transport, headers, start_timeout, ..Options::default() };
    let runtime = event_loop()?;
    let outcome = {
        let _orphans = OrphanReaper::start();
        runtime.block_on(unless_told(check(&peer, &options)))?
    };
    let report = match outcome {
        Ok(report) => report,
        Err(unreachable) => {
            say::error(unreachable);
            return Ok(Some(exit::UNREACHABLE));
        }
    };
    Ok(told(&report))
}

fn told(report: &Report) -> Option<u8> {
    let strictness = Strictness::Failures;
    let verdict = report.verdict(strictness).as_str();
    let score = report.score().map(|score| format!(", score {score}")).unwrap_or_default();
    say::on_stderr(format_args!("judged: {verdict}{score}, {}", report.revision));
    let broken: Vec<_> = report.entries.iter().filter(|it| it.is_broken(strictness)).collect();
    for entry in &broken {
        say::on_stderr(format_args!("  FAIL {}  {}", entry.requirement.id, entry.requirement.text));
    }
    if report.is_conformant(strictness) {
        return None;
    }
    say::error(
        "the server was not added; `proofmark check server` says more, and without --check it is added",
    );
    Some(exit::BROKEN)
}

/// What the templates stand for here; one that has no value here is left out.
fn values(given: &[(String, Template)], machine: &Machine) -> Vec<(String, String)> {
    let mut values = Vec::new();
    for (name, template) in given {
        match template.expand(&machine.variables) {
            Ok(value) => values.push((name.clone(), value)),
            Err(variable) => say::on_stderr(format_args!(
                "note: {variable} has no value here, so that the server is tried without {name}"
            )),
        }
    }
    values
}
