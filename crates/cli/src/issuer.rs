//! The authorization server of the Everything Server, beside it on a port of its own.

use std::{io, net::Ipv4Addr};

use proofmark_check::record::wire::Url;
use proofmark_everything::{
    Options,
    auth::{self, AuthorizationServer, Variant},
};
use proofmark_sdk::transport::http::{HttpServer, HttpSettings};
use tokio::net::TcpListener;

/// How it differs from what clients expect of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) variant: Variant,
}

/// The issuer, and a server that still has to be run.
pub(crate) async fn listen(settings: Settings) -> io::Result<(Url, HttpServer)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let url = Url::local(listener.local_addr()?.port(), "/");
    let origin = format!("http://{}", listener.local_addr()?);
    let mut http = HttpSettings::default();
    let mut of_issuer = auth::Settings::new(&origin, format!("{origin}{}", http.path));
    of_issuer.variant = settings.variant;
    of_issuer.resources.push(format!("{origin}{OTHER}"));
    let issuer = AuthorizationServer::new(of_issuer).map_err(io::Error::other)?;
    http.authorization = Some(issuer.authorization().map_err(io::Error::other)?);
    let server = proofmark_everything::server(Options::default()).map_err(io::Error::other)?;
    let server = HttpServer::on(listener, server, http).map_err(io::Error::other)?;
    let server = server.beside(move |request| {
        let issuer = issuer.clone();
        Box::pin(async move { issuer.answer(request).await })
    });
    Ok((url, server))
}

/// The path of another resource whose tokens come from the same server.
const OTHER: &str = "/other";
