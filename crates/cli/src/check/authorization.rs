//! `proofmark check authorization`: whether an authorization server keeps the specification.

use std::{future::pending, time::Duration};

use anyhow::Context;
use proofmark_check::{
    IssuerPeer, Options, check_authorization,
    oauth::KnownClient,
    report::{Strictness, baseline::Baseline},
    wire::Transport,
};
use tokio::runtime::Builder;

use super::{baseline, progress, publish, record};
use crate::{arguments::CheckAuthorization, exit, issuer, say};

/// The exit code.
pub(crate) fn run(arguments: &CheckAuthorization) -> anyhow::Result<u8> {
    let (client, options, baseline) = match settings(arguments) {
        Ok(settings) => settings,
        Err(error) => {
            say::on_stderr(format_args!("error: {error:#}"));
            return Ok(exit::USAGE);
        }
    };
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the system refuses an event loop")?;
    let (bar, progress) = progress::bar();
    let options = Options { progress, ..options };
    let outcome = runtime.block_on(bar.show_while(async {
        let (url, own) = if let Some(url) = &arguments.url {
            (url.clone(), None)
        } else {
            let (url, server) = issuer::listen(issuer::Settings::default()).await?;
            (url, Some(server))
        };
        let peer = IssuerPeer {
            client,
            resource: arguments.resource.clone(),
            scope: arguments.scope.clone(),
            headers: arguments.header.clone(),
            ..IssuerPeer::new(url)
        };
        let serving = async {
            match own {
                Some(server) => server.run_until(pending()).await,
                None => pending().await,
            }
        };
        tokio::select! {
            ended = serving => {
                ended?;
                anyhow::bail!("the built-in server ended");
            }
            outcome = check_authorization(&peer, &options) => Ok(outcome),
        }
    }));
    let mut report = match outcome? {
        Ok(report) => report,
        Err(unreachable) => {
            say::on_stderr(format_args!("error: {unreachable}"));
            return Ok(exit::UNREACHABLE);
        }
    };
    if arguments.url.is_none() {
        "the built-in authorization server".clone_into(&mut report.target.description);
    }
    baseline.apply(&mut report);
    if let Some(path) = &arguments.record {
        record(path, &report).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let strictness = if arguments.strict { Strictness::Warnings } else { Strictness::Failures };
    publish(&arguments.reports, &report, strictness)?;
    Ok(if report.is_conformant(strictness) { exit::SUCCESS } else { exit::BROKEN })
}

fn settings(
    arguments: &CheckAuthorization,
) -> anyhow::Result<(Option<KnownClient>, Options, Baseline)> {
    let secret = arguments.client_secret_env.as_ref().map(|name| {
        std::env::var(name).with_context(|| format!("no secret in the variable {name}"))
    });
    let secret = secret.transpose()?;
    let client = arguments.client_id.clone().zip(arguments.redirect_uri.clone());
    let client = client.map(|(id, redirect_uri)| KnownClient { id, secret, redirect_uri });
    let options = Options {
        revision: arguments.revision,
        transport: Transport::Http,
        timeout: Duration::from_secs(arguments.timeout.into()),
        only: arguments.only.clone(),
        skip: arguments.skip.clone(),
        ..Options::default()
    };
    Ok((client, options, baseline(arguments.baseline.as_deref())?))
}
