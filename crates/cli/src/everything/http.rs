//! The Everything Server over HTTP, until it is told to stop.

use std::net::SocketAddr;

use anyhow::Context;
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use proofmark_everything::auth::{AuthorizationServer, Settings};
use proofmark_redis::RedisStores;
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
    mut settings: HttpSettings,
    stores: Option<RedisStores>,
    stop: &Notify,
) -> anyhow::Result<()> {
    let (path, sse_path) = (settings.path.clone(), settings.sse_path.clone());
    let listener = bind(address.resolve().await?).await?;
    let origin = format!("http://{}", listener.local_addr()?);
    let http = match access {
        Access::Open => {
            let http = HttpServer::on(listener, server, settings)?;
            http.beside(move |request| {
                let stores = stores.clone();
                Box::pin(async move { health(&request, stores.as_ref()).await })
            })
        }
        Access::Tokens => {
            let authorization = authorization_server(&origin, &path)?;
            settings.authorization = Some(authorization.authorization()?);
            HttpServer::on(listener, server, settings)?.beside(move |request| {
                let (authorization, stores) = (authorization.clone(), stores.clone());
                Box::pin(async move {
                    match request.uri().path() {
                        HEALTH | READY => health(&request, stores.as_ref()).await,
                        _ => authorization.answer(request).await,
                    }
                })
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

/// Whether the process lives, and whether it can do its work.
async fn health(request: &Request<Bytes>, stores: Option<&RedisStores>) -> Response<Bytes> {
    let (status, text) = match (request.uri().path(), stores) {
        (HEALTH, _) | (READY, None) => (StatusCode::OK, "ok"),
        (READY, Some(stores)) => match stores.check().await {
            Ok(()) => (StatusCode::OK, "ok"),
            Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the store does not answer"),
        },
        _ => (StatusCode::NOT_FOUND, ""),
    };
    let mut response = Response::new(Bytes::from_static(text.as_bytes()));
    *response.status_mut() = status;
    response
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

const HEALTH: &str = "/health";
const READY: &str = "/ready";
