//! The server that a command talks to.

use std::{io::IsTerminal, time::Duration};

use anyhow::Context;
use http::header::AUTHORIZATION;
use proofmark_check::record::{text::Untrusted, transport::Transport};
use proofmark_sdk::{
    client::{Client, ClientSettings, Error, Inherit, Progress, ServerCommand, Target},
    core::{
        revision::Era,
        session::client::{Gating, Preference},
    },
};
use tokio::runtime::Builder;

use crate::{arguments::Peer, environment, everything::NO_RUNTIME, exit, login, questions, say};

/// Connects, does something, and closes the connection in good order.
pub(crate) fn with<T>(
    peer: &Peer,
    settings: ClientSettings,
    act: impl AsyncFnOnce(&Client) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let runtime = Builder::new_current_thread().enable_all().build().context(NO_RUNTIME)?;
    runtime.block_on(async {
        let client = connect(peer, settings).await?;
        let done = act(&client).await;
        client.close().await;
        done
    })
}

/// `inherit` is asked only where a command is started.
pub(crate) fn target(
    url: Option<&str>,
    command: &[std::ffi::OsString],
    inherit: impl FnOnce() -> Inherit,
) -> Target {
    match (url, command) {
        (None, [program, arguments @ ..]) => {
            ServerCommand::new(program).args(arguments).inherit(inherit()).into()
        }
        (url, _) => Target::Url(url.unwrap_or_default().to_owned()),
    }
}

/// The target with all that was said about the way to it.
fn way(peer: &Peer) -> Target {
    let inherit = || environment::inherit(peer.inherit_env);
    match (target(peer.url.as_deref(), &peer.command, inherit), peer.transport) {
        (Target::Command(mut command), _) => {
            command.folder.clone_from(&peer.cwd);
            for (name, value) in &peer.env {
                command = command.env(name, value);
            }
            command.into()
        }
        (Target::Url(url), Some(Transport::Sse)) => Target::SseUrl(url),
        (target, _) => target,
    }
}

/// The exit code where the server answered with an error: it was reached, and said no.
pub(crate) fn refused(error: anyhow::Error) -> anyhow::Result<u8> {
    let answer = error.downcast_ref::<Error>();
    if answer.is_some_and(|it| !it.is_lost() && it.refusal().is_some()) {
        say::error(error);
        return Ok(exit::BROKEN);
    }
    Err(error)
}

/// Shows how far a call is, to a person who waits.
pub(crate) fn show(progress: &Progress) {
    if !std::io::stderr().is_terminal() {
        return;
    }
    let of = progress.total.map(|total| format!(" of {total}")).unwrap_or_default();
    let message =
        progress.message.as_ref().map(|text| format!(": {}", Untrusted(text))).unwrap_or_default();
    say::on_stderr(format_args!("{}{of}{message}", progress.progress));
}

async fn connect(peer: &Peer, mut settings: ClientSettings) -> anyhow::Result<Client> {
    settings.session.patience = Duration::from_secs(peer.timeout);
    settings.http.headers.clone_from(&peer.header);
    if let Some(name) = &peer.token_env {
        let token = std::env::var(name).with_context(|| format!("no token in {name}"))?;
        let value = format!("Bearer {token}").parse().ok();
        let value =
            value.with_context(|| format!("the token in {name} has forbidden characters"))?;
        settings.http.headers.push((AUTHORIZATION, value));
    }
    let mut builder = Client::builder("proofmark", env!("CARGO_PKG_VERSION"))
        .settings(settings)
        .gating(Gating::Trusting)
        .tasks();
    if let Some(revision) = peer.revision {
        let preference = match revision.era() {
            Era::Legacy => Preference::Legacy(revision),
            Era::Modern => Preference::Modern,
        };
        builder = builder.revisions(vec![revision]).preference(preference);
    }
    if let Some(login) = login::means(peer) {
        builder = builder.authorization(login);
    }
    let builder = questions::answered(builder, peer)?;
    let connected = builder.connect(way(peer)).await;
    if connected.is_err() && !peer.command.is_empty() {
        environment::tell_what_is_withheld(peer.inherit_env);
    }
    connected.map_err(|error| match hint(&error.to_string()) {
        Some(hint) => anyhow::anyhow!("{error}\n{hint}"),
        None => error.into(),
    })
}

/// What would probably help a person who reads that there is no connection.
fn hint(why: &str) -> Option<&'static str> {
    let has = |words: &str| why.contains(words);
    if has("text/html") {
        Some(
            "That is a page for browsers: is the path of the URL right? Servers are often at /mcp or /sse.",
        )
    } else if has("HTTP status 3") {
        Some("It redirects to another place: give the address that it redirects to.")
    } else if has("HTTP status 5") {
        Some("The server, or a proxy before it, failed: its own log says why.")
    } else if has("HTTP status 404") || has("HTTP status 405") {
        Some(
            "Nothing speaks MCP there: is the path of the URL right? Servers are often at /mcp or /sse.",
        )
    } else if has("is no message") {
        Some(
            "What answers there does not write messages: is it an MCP server, and the path of the URL right?",
        )
    } else if has("cannot be reached") {
        Some("Nothing listens there: does the server run, and is the port right?")
    } else if has("could not be started") {
        Some("Is the program installed, and in a folder of PATH?")
    } else {
        None
    }
}
