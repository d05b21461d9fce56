//! `proofmark check authorization`: whether an authorization server keeps the specification.

use std::{future::pending, time::Duration};

use anyhow::Context;
use proofmark_check::{
    Options, check_authorization,
    converse::{oauth::KnownClient, peer::IssuerPeer},
    record::{side::Side, transport::Transport},
    report::{baseline::Baseline, selection},
};

use super::{baseline, conclude, event_loop, progress, sensible, writable};
use crate::{arguments::CheckAuthorization, issuer};

/// The exit code.
pub(crate) fn run(arguments: &CheckAuthorization) -> anyhow::Result<u8> {
    let (client, options, baseline) = match sensible(settings(arguments)) {
        Ok(settings) => settings,
        Err(code) => return Ok(code),
    };
    let runtime = event_loop()?;
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
    let name = arguments.url.is_none().then_some("the built-in authorization server");
    conclude(outcome?, &arguments.judging, &baseline, name)
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
        run_timeout: Duration::from_secs(arguments.max_time.into()),
        only: arguments.judging.selection.only.clone(),
        skip: arguments.judging.selection.skip.clone(),
        ..Options::default()
    };
    selection::verify_for(Side::Authorization, &options)?;
    writable::verify(&arguments.judging)?;
    Ok((client, options, baseline(arguments.judging.baseline.as_deref())?))
}
