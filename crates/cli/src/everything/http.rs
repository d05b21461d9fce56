//! The Everything Server over HTTP, until it is told to stop.

use std::net::SocketAddr;

use anyhow::Context;
use proofmark_everything::auth::{AuthorizationServer, Settings};
use proofmark_sdk::{
    server::Server,
    transport::http::{HttpServer, HttpSettings, ServeError},
};
use tokio::{net::TcpListener, sync::Notify};

use super::TITLE;
use crate::{address::Address, say};

/// Whom the server lets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// All clients.
    Open,
    /// Clients with a token of the authorization server that runs beside it.
    Tokens,
}

/// Listens, says where, and serves until it is told to stop.
pub(super) async fn serve(
    server: Server,
    address: &Address,
    access: Access,
    stop: &Notify,
) -> anyhow::Result<()> {
    let mut settings = HttpSettings::default();
    let (path, sse_path) = (settings.path.clone(), settings.sse_path.clone());
    let listener = bind(address.resolve().await?).await?;
    let origin = format!("http://{}", listener.local_addr()?);
    let http = match access {
        Access::Open => HttpServer::on(listener, server, settings)?,
        Access::Tokens => {
            let authorization = authorization_server(&origin, &path)?;
            settings.authorization = Some(authorization.authorization()?);
            HttpServer::on(listener, server, settings)?.beside(move |request| {
                let authorization = authorization.clone();
                Box::pin(async move { authorization.answer(request).await })
            })
        }
    };
    say::on_stdout(format_args!("{TITLE} running on {origin}"));
    say::on_stdout(format_args!("  - MCP endpoint: {origin}{path}"));
    say::on_stdout(format_args!("  - HTTP+SSE endpoint: {origin}{sse_path}"));
    if access == Access::Tokens {
        say::on_stdout(format_args!("  - Authorization server: {origin}"));
        say::on_stderr(format_args!(
            "for tests and demos only: this authorization server lets everyone in"
        ));
    }
    http.run_until(stop.notified()).await?;
    Ok(())
}

async fn bind(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|error| ServeError::Bind { address, error })
}

fn authorization_server(origin: &str, path: &str) -> anyhow::Result<AuthorizationServer> {
    let mut settings = Settings::new(origin, format!("{origin}{path}"));
    // Tokens can be had for something else too, to see that they are not taken here.
    settings.resources.push(format!("{origin}/other"));
    let server = AuthorizationServer::new(settings)?;
    server.authorization().with_context(|| {
        format!("--auth is for this machine only, and {origin} is reached by others")
    })?;
    Ok(server)
}
