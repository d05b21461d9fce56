//! The URLs that a deployment is configured with, checked when it starts.

use url::{Host, Url};

/// Why a URL cannot be what it was given for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadUrl {
    #[error("{0} has a user or password in it")]
    Credentials(String),
    #[error("{0} has a fragment")]
    Fragment(String),
    #[error("no authorization server is given")]
    NoAuthorizationServer,
    #[error("{0:?} is not an absolute URL")]
    NotAbsolute(String),
    #[error("{0} is not https, and not http on this machine either")]
    NotSecure(String),
    #[error("{0} has a query")]
    Query(String),
}

/// Reads a URL that others will be sent to, or keys fetched from: `https`, or `http` to this very machine.
pub(super) fn secure(text: &str) -> Result<Url, BadUrl> {
    let url = Url::parse(text).map_err(|_| BadUrl::NotAbsolute(text.to_owned()))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(BadUrl::Credentials(url.host_str().unwrap_or_default().to_owned()));
    }
    match url.scheme() {
        "https" => {}
        "http" if is_loopback(&url) => {}
        _ => return Err(BadUrl::NotSecure(text.to_owned())),
    }
    match url.fragment() {
        Some(_) => Err(BadUrl::Fragment(text.to_owned())),
        None => Ok(url),
    }
}

/// Reads the identifier of a resource or of an authorization server, which has no query either.
pub(super) fn identifier(text: &str) -> Result<Url, BadUrl> {
    let url = secure(text)?;
    match url.query() {
        Some(_) => Err(BadUrl::Query(text.to_owned())),
        None => Ok(url),
    }
}

pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_for_this_machine_only() {
        for near in ["http://127.0.0.1:1/k", "http://[::1]/k", "http://localhost:8080/k"] {
            assert!(secure(near).is_ok(), "{near}");
        }
        for far in ["http://example.com/k", "http://127.0.0.1.example.com/k", "ftp://localhost/k"] {
            assert_eq!(secure(far), Err(BadUrl::NotSecure(far.to_owned())), "{far}");
        }
    }

    #[test]
    fn a_password_in_a_url_is_refused_and_not_repeated() {
        let error = secure("https://user:canary@example.com/").unwrap_err();
        assert!(!error.to_string().contains("canary"));
    }

    #[test]
    fn an_identifier_has_neither_query_nor_fragment() {
        assert!(matches!(identifier("https://a.example/?q"), Err(BadUrl::Query(_))));
        assert!(matches!(identifier("https://a.example/#f"), Err(BadUrl::Fragment(_))));
        assert!(matches!(identifier("a.example/mcp"), Err(BadUrl::NotAbsolute(_))));
    }
}
