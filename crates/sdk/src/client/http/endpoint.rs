//! The address of a server, and addresses that a server gives in return.

use std::fmt;

use http::{Uri, uri::PathAndQuery};

/// An absolute `http` or `https` address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoint(Uri);

/// Why text is no address to talk to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadEndpoint {
    #[error("it leads to another origin")]
    AnotherOrigin,
    #[error("it has a user or a password in it")]
    Credentials,
    #[error("https needs the feature `https` of this library")]
    NoTls,
    #[error("it is not an absolute http or https URL")]
    NotHttp,
}

impl Endpoint {
    pub(super) fn parse(text: &str) -> Result<Self, BadEndpoint> {
        // A fragment is for a browser, and never sent.
        let text = text.split('#').next().unwrap_or_default();
        let uri: Uri = text.parse().map_err(|_| BadEndpoint::NotHttp)?;
        let authority = uri.authority().ok_or(BadEndpoint::NotHttp)?;
        if authority.as_str().contains('@') {
            return Err(BadEndpoint::Credentials);
        }
        match uri.scheme_str() {
            Some("http") => Ok(Self(uri)),
            Some("https") if cfg!(feature = "https") => Ok(Self(uri)),
            Some("https") => Err(BadEndpoint::NoTls),
            _ => Err(BadEndpoint::NotHttp),
        }
    }

    /// An address that the server gave, absolute or relative to this one. Only the same origin will do: a server that names another would
    /// have the client carry its messages, and its credentials, to a stranger.
    pub(super) fn join(&self, reference: &str) -> Result<Self, BadEndpoint> {
        let reference = reference.trim();
        if reference.contains("://") {
            let other = Self::parse(reference)?;
            return if other.origin() == self.origin() {
                Ok(other)
            } else {
                Err(BadEndpoint::AnotherOrigin)
            };
        }
        if reference.starts_with("//") {
            return Err(BadEndpoint::AnotherOrigin);
        }
        let reference = reference.split('#').next().unwrap_or_default();
        let path = match reference.chars().next() {
            Some('/') => reference.to_owned(),
            Some('?') => format!("{}{reference}", self.0.path()),
            _ => {
                let folder = self.0.path().rsplit_once('/').map_or("", |(folder, _)| folder);
                format!("{folder}/{reference}")
            }
        };
        let mut parts = self.0.clone().into_parts();
        parts.path_and_query =
            Some(PathAndQuery::try_from(path).map_err(|_| BadEndpoint::NotHttp)?);
        Uri::from_parts(parts).map(Self).map_err(|_| BadEndpoint::NotHttp)
    }

    pub(super) fn uri(&self) -> &Uri {
        &self.0
    }

    fn origin(&self) -> (Option<&str>, String, Option<u16>) {
        let default = if self.0.scheme_str() == Some("https") { 443 } else { 80 };
        let host = self.0.host().unwrap_or_default().to_ascii_lowercase();
        (self.0.scheme_str(), host, Some(self.0.port_u16().unwrap_or(default)))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn join(reference: &str) -> Result<String, BadEndpoint> {
        let base = Endpoint::parse("http://server:3000/a/sse?x=1").unwrap();
        base.join(reference).map(|endpoint| endpoint.to_string())
    }

    #[test]
    fn references_are_relative_to_the_address() {
        assert_eq!(join("/message?id=1").unwrap(), "http://server:3000/message?id=1");
        assert_eq!(join("message").unwrap(), "http://server:3000/a/message");
        assert_eq!(join("?id=1").unwrap(), "http://server:3000/a/sse?id=1");
        assert_eq!(join("http://SERVER:3000/m").unwrap(), "http://SERVER:3000/m");
    }

    #[test]
    fn another_origin_is_refused() {
        for reference in
            ["http://server/m", "http://evil:3000/m", "//evil/m", "http://server:3001/"]
        {
            assert_eq!(join(reference), Err(BadEndpoint::AnotherOrigin), "{reference}");
        }
    }

    #[test]
    fn what_is_no_address_is_told_apart() {
        assert_eq!(Endpoint::parse("ftp://a/b"), Err(BadEndpoint::NotHttp));
        assert_eq!(Endpoint::parse("/only/a/path"), Err(BadEndpoint::NotHttp));
        assert_eq!(Endpoint::parse("http://user:secret@a/b"), Err(BadEndpoint::Credentials));
        assert!(Endpoint::parse("http://[::1]:3000/mcp#part").is_ok());
    }
}
