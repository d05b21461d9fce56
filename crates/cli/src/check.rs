//! `proofmark check server`: whether a server keeps the specification.

mod all;
mod authorization;
mod client;
mod progress;
mod target;
mod writable;

use std::{fs, path::Path, time::Duration};

use anyhow::Context;
use proofmark_check::{
    Options, Profile, Unreachable, check, check_all,
    converse::scenario::Policy,
    record::{
        platform::OrphanReaper,
        side::Side,
        transcript::{Header, TranscriptKind, Writer},
        transport::Transport,
    },
    report::{
        Report, Strictness,
        baseline::Baseline,
        github, html, json, junit, markdown,
        pretty::{self, Colours},
        sarif, selection,
    },
};
use tokio::runtime::{Builder, Runtime};

pub(crate) use authorization::run as run_authorization;
pub(crate) use client::run as run_client;
pub(crate) use writable::verify_reports;

use crate::{
    arguments::{CheckServer, Format, Judging, ProfileName, Reports, Revisions},
    colour, environment, exit, job, platform, say,
};

/// The exit code.
pub(crate) fn run(arguments: &CheckServer) -> anyhow::Result<u8> {
    let (options, baseline) = match sensible(settings(arguments)) {
        Ok(settings) => settings,
        Err(code) => return Ok(code),
    };
    let runtime = event_loop()?;
    let (bar, progress) = progress::bar();
    let options = Options { progress, ..options };
    let own = arguments.url.is_none() && arguments.command.is_empty();
    let name = own.then_some("the built-in Everything Server");
    if arguments.revision == Some(Revisions::All) {
        let outcome = {
            let _orphans = OrphanReaper::start();
            runtime.block_on(async {
                let (peer, server) = target::find(arguments, options.transport).await?;
                let checking = target::serve_while(server, check_all(&peer, &options));
                bar.show_while(unless_told(checking)).await?
            })
        };
        return all::conclude(outcome?, &arguments.judging, &baseline, name);
    }
    let outcome = {
        let _orphans = OrphanReaper::start();
        runtime.block_on(async {
            let (peer, server) = target::find(arguments, options.transport).await?;
            let checking = target::serve_while(server, check(&peer, &options));
            bar.show_while(unless_told(checking)).await?
        })
    };
    let code = conclude(outcome?, &arguments.judging, &baseline, name)?;
    if code == exit::UNREACHABLE && !arguments.command.is_empty() {
        environment::tell_what_is_withheld(arguments.inherit_env);
    }
    Ok(code)
}

fn settings(arguments: &CheckServer) -> anyhow::Result<(Options, Baseline)> {
    let baseline = baseline(arguments.judging.baseline.as_deref())?;
    let mut headers = arguments.header.clone();
    if let Some(name) = &arguments.token_env {
        headers.push(("authorization".to_owned(), bearer(name)?));
    }
    let other_user = arguments.other_token_env.as_deref().map(bearer).transpose()?;
    let by_target = if arguments.url.is_some() { Transport::Http } else { Transport::Stdio };
    let transport = arguments.transport.unwrap_or(by_target);
    let over_pipes = transport == Transport::Stdio;
    anyhow::ensure!(!over_pipes || arguments.url.is_none(), "a URL is not checked over stdio");
    anyhow::ensure!(
        over_pipes || arguments.command.is_empty(),
        "a command is checked over stdio only"
    );
    anyhow::ensure!(
        arguments.requirements.is_none() || arguments.revision != Some(Revisions::All),
        "a frozen set is of one revision, and not of all"
    );
    let timeout = Duration::from_secs(arguments.timeout.into());
    let options = Options {
        revision: arguments
            .revision
            .and_then(Revisions::one)
            .or_else(|| arguments.requirements.as_ref().map(|set| set.revision)),
        transport,
        timeout,
        start_timeout: Duration::from_secs(arguments.start_timeout.into()).max(timeout),
        run_timeout: Duration::from_secs(arguments.max_time.into()),
        headers,
        other_user,
        policy: Policy { calls: arguments.call.clone(), call_all: arguments.call_all },
        profile: match arguments.profile {
            // Without a target it is the Everything Server that is checked.
            ProfileName::Any if arguments.url.is_none() && arguments.command.is_empty() => {
                Profile::Everything
            }
            ProfileName::Any => Profile::Any,
            ProfileName::Everything => Profile::Everything,
        },
        only: arguments.judging.selection.only.clone(),
        within: arguments
            .requirements
            .as_ref()
            .map(|set| set.ids.iter().map(|id| (*id).to_owned()).collect()),
        skip: arguments.judging.selection.skip.clone(),
        ..Options::default()
    };
    selection::verify_for(Side::Server, &options)?;
    writable::verify(&arguments.judging)?;
    Ok((options, baseline))
}

/// What is sent as `Authorization` with the token that is in this environment variable.
fn bearer(name: &str) -> anyhow::Result<String> {
    let token = std::env::var(name).with_context(|| format!("no token in {name}"))?;
    anyhow::ensure!(!token.contains(['\r', '\n']), "the token in {name} has more than one line");
    Ok(format!("Bearer {token}"))
}

/// What a command was told, or the exit code if that makes no sense.
pub(crate) fn sensible<T>(told: anyhow::Result<T>) -> Result<T, u8> {
    told.map_err(|error| {
        say::error(error);
        exit::USAGE
    })
}

/// What checks run on.
pub(crate) fn event_loop() -> anyhow::Result<Runtime> {
    let runtime = Builder::new_multi_thread().enable_all().build();
    runtime.context("the system refuses an event loop")
}

/// Does the work unless the process is told to end first. What the work has started ends with it.
pub(crate) async fn unless_told<T>(work: impl Future<Output = T>) -> anyhow::Result<T> {
    let told = platform::interrupted_or_terminated().context("the system delivers no signals")?;
    tokio::select! {
        done = work => Ok(done),
        ending = told => Err(ending.into()),
    }
}

/// Writes everything down that was asked for, under another name of the peer if there is one. The exit code.
fn conclude(
    outcome: Result<Report, Unreachable>,
    judging: &Judging,
    baseline: &Baseline,
    name: Option<&str>,
) -> anyhow::Result<u8> {
    let mut report = match outcome {
        Ok(report) => report,
        Err(unreachable) => {
            say::on_stderr(format_args!("error: {unreachable}"));
            return Ok(exit::UNREACHABLE);
        }
    };
    if let Some(name) = name {
        name.clone_into(&mut report.target.description);
    }
    if report.entries.is_empty() {
        let Report { side, revision, transport, .. } = report;
        say::on_stderr(format_args!(
            "error: nothing of what is selected binds a {side} over {transport} in {revision}"
        ));
        return Ok(exit::USAGE);
    }
    let strictness = judging.selection.strictness();
    baseline.apply(&mut report);
    if let Some(path) = &judging.record {
        record(path, &report).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &judging.write_baseline {
        let renewed = baseline.renewed(&report, strictness);
        write(path, &renewed.write())?;
        report.stale.clear();
        renewed.apply(&mut report);
    }
    publish(&judging.reports, &report, strictness)?;
    if let Some(broken_off) = &report.broken_off {
        say::on_stderr(format_args!("error: {broken_off}"));
    }
    Ok(match (report.is_conformant(strictness), &report.broken_off) {
        (false, _) => exit::BROKEN,
        (true, None) => exit::SUCCESS,
        (true, Some(_)) => exit::UNREACHABLE,
    })
}

fn baseline(path: Option<&Path>) -> anyhow::Result<Baseline> {
    let Some(path) = path else { return Ok(Baseline::default()) };
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Baseline::parse(&text).with_context(|| format!("cannot use {}", path.display()))
}

fn record(path: &Path, report: &Report) -> std::io::Result<()> {
    let kind = match report.side {
        Side::Authorization => TranscriptKind::CheckAuthorization,
        Side::Client => TranscriptKind::CheckClient,
        Side::Server => TranscriptKind::CheckServer,
    };
    let mut header = Header::new(kind, report.target.description.clone(), report.transport);
    header.revision = Some(report.revision.as_str().to_owned());
    Writer::append(path, &header)?.evidence(&report.evidence)
}

/// Writes every format that was asked for to its place.
fn publish(reports: &Reports, report: &Report, strictness: Strictness) -> anyhow::Result<()> {
    for (format, path) in &reports.wanted {
        let text = render(*format, report, strictness, colours(reports, path.as_deref()))?;
        match path {
            Some(path) => write(path, &text)?,
            None => say::report(text.trim_end()),
        }
    }
    job::tell(
        reports,
        &Format::Github,
        || github::write(report),
        || markdown::write(report, strictness),
    );
    Ok(())
}

/// A file has none.
pub(crate) fn colours<F>(reports: &Reports<F>, path: Option<&Path>) -> Colours {
    if path.is_some() { Colours::Off } else { colour::on_stdout(reports.color) }
}

pub(crate) fn render(
    format: Format,
    report: &Report,
    strictness: Strictness,
    colours: Colours,
) -> anyhow::Result<String> {
    Ok(match format {
        Format::Github => github::write(report),
        Format::Html => html::write(report, strictness),
        Format::Json => json::write(report, strictness),
        Format::Junit => junit::write(report, strictness).context("cannot write JUnit's XML")?,
        Format::Markdown => markdown::write(report, strictness),
        Format::Pretty => pretty::write(report, strictness, colours),
        Format::Sarif => sarif::write(report),
    })
}

pub(crate) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
