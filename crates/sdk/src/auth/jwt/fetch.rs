//! Fetching a JWKS document, within bounds.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use url::Url;

use super::key::KeySet;
use crate::BoxFuture;
use crate::auth::BadUrl;
use crate::auth::url::secure;

/// Why there are no keys. The authorization server or the way to it is to blame, never a token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeysUnavailable {
    #[error("no JWKS document with a public key for signatures")]
    NoKeys,
    #[error("the authorization server answered with status {0}")]
    Status(u16),
    #[error("the authorization server took too long")]
    Timeout,
    #[error("this machine's trusted certificates cannot be read: {0}")]
    Tls(String),
    #[error("the JWKS document is too large")]
    TooLarge,
    /// A fetch has failed or was given up a moment ago.
    #[error("it is too soon to fetch them again")]
    TooSoon,
    #[error("the authorization server cannot be reached: {0}")]
    Unreachable(String),
}

/// A place that a JWKS document is fetched from.
pub(super) struct Source {
    url: Url,
}

impl Source {
    pub(super) fn new(url: &str) -> Result<Self, BadUrl> {
        Ok(Self { url: secure(url)? })
    }

    pub(super) fn fetch(&self) -> BoxFuture<'static, Result<Arc<KeySet>, KeysUnavailable>> {
        let url = self.url.clone();
        Box::pin(async move {
            let json = get(url).await?;
            KeySet::parse(&json).map(Arc::new).map_err(|_| KeysUnavailable::NoKeys)
        })
    }
}

/// A client for each fetch: there are minutes between them, so a connection kept open would be of no use.
async fn get(url: Url) -> Result<Vec<u8>, KeysUnavailable> {
    let request = client(&url)?.get(url).header(ACCEPT, HeaderValue::from_static(TYPES));
    let mut response = request.send().await.map_err(failure)?;
    if response.status().as_u16() != 200 {
        return Err(KeysUnavailable::Status(response.status().as_u16()));
    }
    read(&mut response).await
}

async fn read(response: &mut Response) -> Result<Vec<u8>, KeysUnavailable> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failure)? {
        if body.len() + chunk.len() > MAX_BODY {
            return Err(KeysUnavailable::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn client(url: &Url) -> Result<Client, KeysUnavailable> {
    let origin = url.origin();
    let redirects = Policy::custom(move |attempt| {
        if attempt.url().origin() == origin && attempt.previous().len() <= MAX_REDIRECTS {
            attempt.follow()
        } else {
            attempt.stop()
        }
    });
    let mut client = Client::builder()
        .tls_backend_preconfigured(tls(url)?)
        .timeout(TIMEOUT)
        .redirect(redirects)
        .user_agent(concat!("proofmark/", env!("CARGO_PKG_VERSION")));
    if url.scheme() == "http" {
        client = client.no_proxy();
    }
    client.build().map_err(failure)
}

/// TLS that trusts what the machine trusts; without TLS there is no need to know what that is.
fn tls(url: &Url) -> Result<ClientConfig, KeysUnavailable> {
    let broken = |error: rustls::Error| KeysUnavailable::Tls(error.to_string());
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(broken)?;
    Ok(if url.scheme() == "http" {
        builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth()
    } else {
        builder.with_platform_verifier().map_err(broken)?.with_no_client_auth()
    })
}

fn failure(error: reqwest::Error) -> KeysUnavailable {
    if error.is_timeout() {
        return KeysUnavailable::Timeout;
    }
    let error = error.without_url();
    let mut cause: &dyn Error = &error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    KeysUnavailable::Unreachable(cause.to_string())
}

pub(super) const TIMEOUT: Duration = Duration::from_secs(10);
/// In bytes.
const MAX_BODY: usize = 1 << 20;
const MAX_REDIRECTS: usize = 3;
const TYPES: &str = "application/jwk-set+json, application/json";
