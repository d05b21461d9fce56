//! Connections, with TLS where the library was built with it.

use hyper_util::client::legacy::connect::{HttpConnector, dns::GaiResolver};

#[cfg(not(feature = "https"))]
pub(in crate::client) type Connector<R = GaiResolver> = HttpConnector<R>;
#[cfg(feature = "https")]
pub(in crate::client) type Connector<R = GaiResolver> =
    hyper_rustls::HttpsConnector<HttpConnector<R>>;

#[cfg(not(feature = "https"))]
pub(in crate::client) fn connector<R>(tcp: HttpConnector<R>) -> Connector<R> {
    tcp
}

/// Trusts what the machine trusts.
#[cfg(feature = "https")]
pub(in crate::client) fn connector<R>(mut tcp: HttpConnector<R>) -> Connector<R> {
    use rustls_platform_verifier::ConfigVerifierExt;

    tcp.enforce_http(false);
    let config = rustls::ClientConfig::with_platform_verifier()
        .expect("ring is compiled in, and it has all that is needed");
    hyper_rustls::HttpsConnectorBuilder::new()
        .with_tls_config(config)
        .https_or_http()
        .enable_http1()
        .wrap_connector(tcp)
}
