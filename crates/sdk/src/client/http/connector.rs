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

/// Trusts what the machine trusts. A machine without roots still reaches servers without TLS.
#[cfg(feature = "https")]
pub(in crate::client) fn connector<R>(mut tcp: HttpConnector<R>) -> Connector<R> {
    use std::sync::Arc;

    use rustls::{ClientConfig, RootCertStore, crypto::ring};
    use rustls_platform_verifier::BuilderVerifierExt as _;

    tcp.enforce_http(false);
    let builder = || {
        ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring has what these versions need")
    };
    let config = match builder().with_platform_verifier() {
        Ok(trusting) => trusting.with_no_client_auth(),
        Err(error) => {
            tracing::warn!(%error, "no https server can be trusted");
            builder().with_root_certificates(RootCertStore::empty()).with_no_client_auth()
        }
    };
    hyper_rustls::HttpsConnectorBuilder::new()
        .with_tls_config(config)
        .https_or_http()
        .enable_http1()
        .wrap_connector(tcp)
}
