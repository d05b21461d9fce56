//! A connection to an HTTP peer, in the clear or over TLS.

use std::{io, sync::Arc};

use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, crypto::ring, pki_types::ServerName},
};

use super::{Scheme, Url};

/// Bytes both ways.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

pub type Stream = Box<dyn Duplex>;

/// Opens a connection, and makes sure over `https` that the peer is who the URL says.
pub async fn connect(url: &Url) -> io::Result<Stream> {
    let stream = TcpStream::connect((url.host.as_str(), url.port)).await?;
    stream.set_nodelay(true)?;
    match url.scheme {
        Scheme::Http => Ok(Box::new(stream)),
        Scheme::Https => {
            let name = ServerName::try_from(url.host.clone()).map_err(io::Error::other)?;
            let connector = TlsConnector::from(Arc::new(trust()?));
            let connecting = Box::pin(connector.connect(name, stream));
            Ok(Box::new(connecting.await?))
        }
    }
}

/// What the machine trusts.
fn trust() -> io::Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_platform_verifier()
        .map_err(io::Error::other)?;
    Ok(config.with_no_client_auth())
}
