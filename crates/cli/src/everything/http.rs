//! The Everything Server over HTTP, until it is told to stop.

use std::future::pending;

use anyhow::Context;
use proofmark_sdk::{
    server::Server,
    transport::http::{HttpServer, HttpSettings},
};
use tokio::signal::unix::{SignalKind, signal};

use super::TITLE;
use crate::{address::Address, say};

/// Listens, says where, and serves until the process is interrupted or told to terminate.
pub(super) async fn serve(server: Server, address: &Address) -> anyhow::Result<()> {
    let settings = HttpSettings::default();
    let (path, sse_path) = (settings.path.clone(), settings.sse_path.clone());
    let told = stopped()?;
    let http = HttpServer::bind(server, address.resolve().await?, settings).await?;
    let origin = format!("http://{}", http.address());
    say::on_stdout(format_args!("{TITLE} running on {origin}"));
    say::on_stdout(format_args!("  - MCP endpoint: {origin}{path}"));
    say::on_stdout(format_args!("  - HTTP+SSE endpoint: {origin}{sse_path}"));
    http.run_until(told).await?;
    Ok(())
}

/// Done when the process is interrupted (SIGINT) or told to terminate (SIGTERM).
fn stopped() -> anyhow::Result<impl Future<Output = ()>> {
    let listen = |kind| signal(kind).context("the system delivers no signals");
    let mut interrupted = listen(SignalKind::interrupt())?;
    let mut terminated = listen(SignalKind::terminate())?;
    Ok(async move {
        // A stream of signals that ends will not tell any more.
        tokio::select! {
            Some(()) = interrupted.recv() => {}
            Some(()) = terminated.recv() => {}
            else => pending().await,
        }
    })
}
