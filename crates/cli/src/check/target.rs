//! Who is checked.

use std::{collections::BTreeMap, net::Ipv4Addr};

use anyhow::Context;
use proofmark_check::{
    converse::peer::Peer,
    record::{
        transport::Transport,
        wire::{Url, process::CommandLine},
    },
};
use proofmark_sdk::transport::http::{HttpServer, HttpSettings};

use crate::{arguments::CheckServer, environment};

/// Runs the server, if it is ours, for as long as the work takes.
pub(super) async fn serve_while<T>(
    server: Option<HttpServer>,
    work: impl Future<Output = T>,
) -> anyhow::Result<T> {
    let Some(server) = server else { return Ok(work.await) };
    tokio::select! {
        ended = server.run_until(std::future::pending()) => {
            ended?;
            anyhow::bail!("the built-in server ended");
        }
        done = work => Ok(done),
    }
}

/// The peer, and the server behind it if that is ours to run.
pub(super) async fn find(
    arguments: &CheckServer,
    transport: Transport,
) -> anyhow::Result<(Peer, Option<HttpServer>)> {
    if let Some(url) = &arguments.url {
        return Ok((Peer::Url(url.clone()), None));
    }
    if let Some((program, rest)) = arguments.command.split_first() {
        return Ok((Peer::Command(command(arguments, program.clone(), rest.to_vec())), None));
    }
    if transport == Transport::Stdio {
        let own = std::env::current_exe().context("the program does not find itself")?;
        let program = own.to_str().context("the program's path is not UTF-8")?.to_owned();
        let words = vec!["everything".to_owned(), "--stdio".to_owned()];
        return Ok((Peer::Command(command(arguments, program, words)), None));
    }
    let server = proofmark_everything::server(proofmark_everything::Options::default())
        .context("the Everything Server cannot be put together")?;
    let settings = HttpSettings::default();
    let path = if transport == Transport::Sse { &settings.sse_path } else { &settings.path };
    let path = path.clone();
    let server = HttpServer::bind(server, (Ipv4Addr::LOCALHOST, 0).into(), settings).await?;
    let url = Url::local(server.address().port(), path);
    Ok((Peer::Url(url), Some(server)))
}

fn command(arguments: &CheckServer, program: String, words: Vec<String>) -> CommandLine {
    CommandLine {
        program,
        arguments: words,
        inherited: environment::inherited(arguments.inherit_env),
        environment: arguments.env.iter().cloned().collect::<BTreeMap<_, _>>(),
        directory: arguments.cwd.clone(),
    }
}
