//! Where an HTTP peer is.

use std::{fmt, str::FromStr};

/// An `http` or `https` URL, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    pub scheme: Scheme,
    /// Without the brackets around an IPv6 address.
    pub host: String,
    pub port: u16,
    /// With the query, and never empty.
    pub path: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    Http,
    Https,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("{0:?} is no URL that begins with http:// or https://")]
    NotHttp(String),
    #[error("{0:?} is no port")]
    NotAPort(String),
}

impl Url {
    /// A path of a server on this machine, in the clear.
    pub fn local(port: u16, path: impl Into<String>) -> Self {
        Self { scheme: Scheme::Http, host: "127.0.0.1".to_owned(), port, path: path.into() }
    }

    /// As it stands in `Host`.
    pub fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        if *port == self.scheme.port() { host } else { format!("{host}:{port}") }
    }

    /// What a reference found on this page points to, or `None` if it leads to another host.
    pub fn join(&self, reference: &str) -> Option<Self> {
        if reference.contains("://") {
            let url: Self = reference.parse().ok()?;
            let same = (url.scheme, &url.host, url.port) == (self.scheme, &self.host, self.port);
            return same.then_some(url);
        }
        let folder = self.path.split('?').next().unwrap_or("/");
        let path = match reference.strip_prefix('/') {
            Some(_) => reference.to_owned(),
            None if reference.starts_with('?') => format!("{folder}{reference}"),
            None => {
                format!("{}/{reference}", folder.rsplit_once('/').map_or("", |(folder, _)| folder))
            }
        };
        Some(Self { path, ..self.clone() })
    }
}

impl FromStr for Url {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let (scheme, rest) =
            text.split_once("://").ok_or_else(|| UrlError::NotHttp(text.to_owned()))?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err(UrlError::NotHttp(text.to_owned())),
        };
        let rest = rest.split('#').next().unwrap_or(rest);
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => {
                (host, port.parse().map_err(|_| UrlError::NotAPort(port.to_owned()))?)
            }
            _ => (authority, scheme.port()),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() || host.contains(['@', ' ']) {
            return Err(UrlError::NotHttp(text.to_owned()));
        }
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        if path.contains([' ', '\r', '\n']) {
            return Err(UrlError::NotHttp(text.to_owned()));
        }
        Ok(Self { scheme, host: host.to_owned(), port, path })
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scheme, path, .. } = self;
        write!(f, "{}://{}{path}", scheme.as_str(), self.authority())
    }
}

impl Scheme {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_a_host_a_port_and_a_path() {
        for (text, host, port, path) in [
            ("http://localhost:3000/mcp", "localhost", 3000, "/mcp"),
            ("http://[::1]:8080", "::1", 8080, "/"),
            ("HTTP://example.com?a=b#c", "example.com", 80, "/?a=b"),
            ("https://example.com/mcp", "example.com", 443, "/mcp"),
        ] {
            let url: Url = text.parse().unwrap();
            assert_eq!((url.host.as_str(), url.port, url.path.as_str()), (host, port, path));
        }
    }

    #[test]
    fn what_is_no_http_url_is_refused() {
        for text in
            ["localhost:3000", "ftp://a/b", "http://", "http://a:b/", "http://u@h/", "http://a/b c"]
        {
            assert!(text.parse::<Url>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_reference_leads_to_another_path_of_the_same_host_only() {
        let url: Url = "http://a:1/sse".parse().unwrap();
        assert_eq!(url.join("/messages?s=1").unwrap().path, "/messages?s=1");
        assert_eq!(url.join("messages").unwrap().path, "/messages");
        assert_eq!(url.join("http://a:1/x").unwrap().path, "/x");
        assert_eq!(url.join("http://b:1/x"), None);
        assert_eq!(url.join("https://a:1/x"), None);
    }

    #[test]
    fn the_usual_port_is_not_named() {
        for text in ["https://example.com/mcp", "http://[::1]/", "http://a:443/"] {
            assert_eq!(text.parse::<Url>().unwrap().to_string(), text);
        }
    }
}
