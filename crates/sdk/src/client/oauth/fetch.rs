//! Requests that a flow wants made, and what came of them.

use std::fmt;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use proofmark_core::revision::Revision;
use serde::Serialize;
use url::{Url, form_urlencoded};

use super::{AddressPolicy, Blocked};

/// A request to an address that was looked at. `Debug` shows neither headers nor body, which have secrets in them.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Fetch {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Fetch {
    /// Asks for a JSON document.
    pub(crate) fn get(url: Url) -> Self {
        Self { method: Method::GET, url, headers: accepting_json(), body: Bytes::new() }
    }

    /// Says which revision of MCP this is about.
    pub(crate) fn speaking(mut self, revision: Revision) -> Self {
        let value = HeaderValue::from_static(revision.as_str());
        self.headers.insert("mcp-protocol-version", value);
        self
    }

    pub(crate) fn post_form(url: Url, fields: &[(&str, String)]) -> Self {
        let form = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields.iter().map(|(name, value)| (*name, value.as_str())))
            .finish();
        Self::post(url, HeaderValue::from_static(FORM), form.into())
    }

    pub(crate) fn post_json(url: Url, body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body).expect("strings and lists are JSON");
        Self::post(url, HeaderValue::from_static(JSON), body.into())
    }

    fn post(url: Url, kind: HeaderValue, body: Bytes) -> Self {
        let mut headers = accepting_json();
        headers.insert(header::CONTENT_TYPE, kind);
        Self { method: Method::POST, url, headers, body }
    }
}

impl fmt::Debug for Fetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fetch({} {}{})", self.method, self.url.authority(), self.url.path())
    }
}

/// A response, whole. `Debug` shows neither headers nor body.
#[derive(Clone)]
pub(crate) struct Fetched {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Fetched {
    /// Where a redirect from `url` leads, if this is one that may be followed: within the origin, and only for what is read.
    pub(crate) fn redirect(
        &self,
        url: &Url,
        policy: &AddressPolicy,
    ) -> Result<Option<Url>, Blocked> {
        if !self.status.is_redirection() || self.status == StatusCode::NOT_MODIFIED {
            return Ok(None);
        }
        let location = self.headers.get(header::LOCATION);
        let location = location.and_then(|location| location.to_str().ok()).unwrap_or_default();
        let target = url.join(location).map_err(|_| Blocked::NotAbsolute)?;
        policy.check_url(&target)?;
        if target.origin() != url.origin() {
            return Err(Blocked::Redirect);
        }
        Ok(Some(target))
    }
}

impl fmt::Debug for Fetched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fetched({})", self.status)
    }
}

/// Why there is no response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotFetched {
    #[error("{0}")]
    Blocked(Blocked),
    #[error("it took too long")]
    TimedOut,
    #[error("the answer is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("{0}")]
    Unreachable(String),
}

fn accepting_json() -> HeaderMap {
    HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static(JSON))])
}

/// How many redirects of one document are followed.
pub(crate) const REDIRECTS: usize = 3;
const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";
