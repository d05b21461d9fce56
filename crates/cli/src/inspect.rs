//! `proofmark inspect` and `proofmark doctor`.

use std::{
    io::{BufRead, IsTerminal},
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    process::Stdio,
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use http::header::AUTHORIZATION;
use proofmark_check::record::{platform::OrphanReaper, text::UntrustedLines, transport::Transport};
use proofmark_clients::{Client, Machine};
use proofmark_inspect::{
    ASSETS, Inspector, Login, config,
    doctor::{Examination, StepOutcome, examine},
    routes,
    server::{Over, Reach, ServerEntry},
};
use proofmark_web::{Codes, Settings, Site};

use crate::{
    arguments::{Doctor, Inspect, Peer},
    check::{event_loop, sensible, unless_told},
    exit, login, say, show,
};

/// The exit code.
pub(crate) fn run(arguments: &Inspect) -> anyhow::Result<u8> {
    let entries = match sensible(entries(arguments)) {
        Ok(entries) => entries,
        Err(code) => return Ok(code),
    };
    let runtime = event_loop()?;
    let _orphans = OrphanReaper::start();
    runtime.block_on(async {
        let inspector = Inspector::new(entries, Some(means(&arguments.peer)));
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
        let settings = Settings { address, assets: vec![ASSETS], ..Settings::default() };
        let site = Site::bind(routes(inspector.clone()), settings).await?;
        let (address, codes) = (site.address(), site.codes());
        let link = site.link();
        say::on_stderr(format_args!("proofmark inspect: {link}"));
        if !arguments.no_open {
            open_in_browser(&link);
        }
        if std::io::stdin().is_terminal() {
            more_links(address, codes);
        }
        let working = async {
            tokio::join!(site.run(), inspector.connect_named(), inspector.judge());
        };
        let ended = unless_told(working).await;
        inspector.close().await;
        // Only a signal ends it, which is how it is meant to end.
        Ok(ended.map_or(exit::SUCCESS, |()| exit::SUCCESS))
    })
}

/// The exit code.
pub(crate) fn examine_connection(arguments: &Doctor) -> anyhow::Result<u8> {
    let entry = match sensible(named(&arguments.peer)) {
        Ok(Some(entry)) => entry,
        Ok(None) => return Ok(exit::USAGE),
        Err(code) => return Ok(code),
    };
    let runtime = event_loop()?;
    let _orphans = OrphanReaper::start();
    let examined = runtime.block_on(unless_told(examine(&entry)))?;
    if arguments.peer.json {
        show::json(&examined)?;
    } else {
        tell(&examined);
    }
    Ok(if examined.is_well() { exit::SUCCESS } else { exit::UNREACHABLE })
}

fn tell(examined: &Examination) {
    for step in &examined.steps {
        let word = match step.outcome {
            StepOutcome::Failed => "FAIL",
            StepOutcome::Passed => "ok  ",
            StepOutcome::Warned => "warn",
        };
        say::on_stdout(format_args!(
            "{word}  {}: {} ({} ms)",
            step.name,
            UntrustedLines(&step.seen),
            step.ms
        ));
        if let Some(advice) = &step.advice {
            say::on_stdout(format_args!("      try: {advice}"));
        }
    }
    match examined.failed() {
        Some(step) => say::on_stdout(format_args!("\nThe connection fails at: {}", step.name)),
        None => say::on_stdout("\nThe server can be talked to."),
    }
}

fn entries(arguments: &Inspect) -> anyhow::Result<Vec<ServerEntry>> {
    let mut entries: Vec<_> = named(&arguments.peer)?.into_iter().collect();
    if let Some(path) = &arguments.config {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let read = config::read(&text, |name| std::env::var(name).ok());
        entries.extend(read.with_context(|| path.display().to_string())?);
    }
    for id in &arguments.import {
        let (client, machine) = Client::find(id).zip(Machine::this()).context("no such client")?;
        let read = config::of_client(client, &machine, |name| std::env::var(name).ok());
        entries.extend(read.with_context(|| client.name)?);
    }
    Ok(entries)
}

/// The server of the command line, if there is one.
fn named(peer: &Peer) -> anyhow::Result<Option<ServerEntry>> {
    let mut entry = match (&peer.url, &peer.command[..]) {
        (Some(url), _) => {
            let over = match peer.transport {
                Some(Transport::Sse) => Over::Sse,
                _ => Over::StreamableHttp,
            };
            let mut headers = Vec::new();
            for (name, value) in &peer.header {
                let value = value.to_str().context("a header has characters that are no text")?;
                headers.push((name.to_string(), value.to_owned()));
            }
            if let Some(name) = &peer.token_env {
                let token = std::env::var(name).with_context(|| format!("no token in {name}"))?;
                headers.push((AUTHORIZATION.to_string(), format!("Bearer {token}")));
            }
            let mut entry = ServerEntry::url(host(url), url.clone());
            entry.reach = Reach::Url { url: url.clone(), over, headers };
            entry
        }
        (None, []) => return Ok(None),
        (None, words) => {
            let words = words.iter().map(|word| word.to_str().map(str::to_owned));
            let words: Option<Vec<String>> = words.collect();
            let words = words.context("the command is not UTF-8")?;
            let name = words.first().map(|it| file_name(it)).unwrap_or_default();
            let mut entry = ServerEntry::command(name, words.clone());
            let environment = peer.env.iter().cloned().collect();
            entry.reach = Reach::Command { words, environment, folder: peer.cwd.clone() };
            entry
        }
    };
    entry.revision = peer.revision;
    entry.timeout = Duration::from_secs(peer.timeout);
    Ok(Some(entry))
}

fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest).to_owned()
}

fn file_name(program: &str) -> String {
    let name = Path::new(program).file_name().and_then(|it| it.to_str());
    name.unwrap_or(program).to_owned()
}

/// How to log in where a server demands it.
fn means(peer: &Peer) -> Login {
    let means = Peer {
        url: Some(String::new()),
        browser: peer.browser.clone(),
        credentials: peer.credentials.clone(),
        ..Peer::default()
    };
    Arc::new(move || login::means(&means))
}

/// Where there is no browser the link on the terminal is still good.
fn open_in_browser(link: &str) {
    let words: &[&str] = if cfg!(windows) {
        &["rundll32", "url.dll,FileProtocolHandler"]
    } else if cfg!(target_os = "macos") {
        &["open"]
    } else {
        &["xdg-open"]
    };
    let mut command = std::process::Command::new(words[0]);
    command.args(&words[1..]).arg(link);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    std::thread::spawn(move || command.status());
}

/// Another link for each time that Enter is pressed. The thread ends with the process.
fn more_links(address: SocketAddr, codes: Codes) {
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            if line.is_err() {
                return;
            }
            let code = codes.issue();
            say::on_stderr(format_args!("proofmark inspect: http://{address}/open?code={code}"));
        }
    });
}
