//! Which hosts an endpoint answers for: the guard against rebound DNS names.

use std::{
    fmt,
    net::{Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

use http::header;

use super::Head;

/// The hosts that a request may be addressed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hosts {
    /// Whatever the client says. Only for endpoints behind something that has checked the host already.
    Any,
    /// Loopback addresses and `localhost` on any port, and these.
    LoopbackAnd(Vec<AllowedHost>),
    /// These and no others, not even loopback.
    Only(Vec<AllowedHost>),
}

impl Default for Hosts {
    fn default() -> Self {
        Self::LoopbackAnd(Vec::new())
    }
}

impl Hosts {
    fn allow(&self, host: &Authority<'_>) -> bool {
        let listed = |hosts: &[AllowedHost]| hosts.iter().any(|it| it.covers(host));
        match self {
            Self::Any => true,
            Self::LoopbackAnd(hosts) => host.is_loopback() || listed(hosts),
            Self::Only(hosts) => listed(hosts),
        }
    }
}

/// A host, with a port if only that port is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedHost {
    /// Without brackets, in lower case.
    host: String,
    port: Option<u16>,
}

impl AllowedHost {
    fn covers(&self, other: &Authority<'_>) -> bool {
        other.host.eq_ignore_ascii_case(&self.host)
            && self.port.is_none_or(|port| other.port == Some(port))
    }
}

/// Reads `name`, `name:port`, `[address]` or `[address]:port`.
impl FromStr for AllowedHost {
    type Err = BadHost;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Authority { host, port } = Authority::parse(text)?;
        Ok(Self { host: host.to_ascii_lowercase(), port })
    }
}

/// Why a request is not addressed to us, or a text is not a host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadHost {
    #[error("the request target and `Host` name different hosts")]
    Disagreeing,
    #[error("not a host with an optional port: {0:?}")]
    Malformed(String),
    #[error("`Host` is missing")]
    Missing,
    #[error("the host is not allowed: {0}")]
    NotAllowed(String),
    #[error("`Host` occurs twice")]
    Repeated,
}

/// Checks to which host a request is addressed.
///
/// HTTP/2 has no `Host` but an authority in the target; HTTP/1.1 may have both, and then they must be spelled alike.
pub(super) fn check(head: &Head<'_>, hosts: &Hosts) -> Result<(), BadHost> {
    let mut values = head.headers.get_all(header::HOST).iter();
    let header = values.next();
    if values.next().is_some() {
        return Err(BadHost::Repeated);
    }
    let header = match header {
        Some(value) => {
            let text = std::str::from_utf8(value.as_bytes()).map_err(|_| malformed("not UTF-8"))?;
            Some(Authority::parse(text)?)
        }
        None => None,
    };
    let target = head.uri.authority().map(|it| Authority::parse(it.as_str())).transpose()?;
    let host = match (header, target) {
        (None, None) => return Err(BadHost::Missing),
        (Some(header), Some(target)) if header != target => return Err(BadHost::Disagreeing),
        (Some(host), _) | (None, Some(host)) => host,
    };
    if hosts.allow(&host) { Ok(()) } else { Err(BadHost::NotAllowed(host.to_string())) }
}

/// A host and a port in their strictest spelling: no user, no trailing dot, no other notation of an address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Authority<'a> {
    /// Without brackets.
    pub(super) host: &'a str,
    pub(super) port: Option<u16>,
}

impl<'a> Authority<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, BadHost> {
        let (host, rest) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']').ok_or_else(|| malformed(text))?;
                host.parse::<Ipv6Addr>().map_err(|_| malformed(text))?;
                (host, rest)
            }
            None => text.split_at(text.find(':').unwrap_or(text.len())),
        };
        let plain = |byte| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b':');
        if host.is_empty() || host.ends_with('.') || !host.bytes().all(plain) {
            return Err(malformed(text));
        }
        let port = match rest.strip_prefix(':') {
            Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(port.parse().map_err(|_| malformed(text))?)
            }
            None if rest.is_empty() => None,
            _ => return Err(malformed(text)),
        };
        Ok(Self { host, port })
    }

    pub(super) fn is_loopback(&self) -> bool {
        matches!(self.host, "127.0.0.1" | "localhost")
            || self.host.eq_ignore_ascii_case("localhost")
            || self.host.parse::<Ipv4Addr>().is_ok_and(|it| it.is_loopback())
            || self.host.parse::<Ipv6Addr>().is_ok_and(|it| it.is_loopback())
    }
}

impl PartialEq for Authority<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.host.eq_ignore_ascii_case(other.host) && self.port == other.port
    }
}

impl fmt::Display for Authority<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.host),
            None => f.write_str(self.host),
        }
    }
}

/// Quotes what was received, but no more of it than a person would read.
fn malformed(text: &str) -> BadHost {
    BadHost::Malformed(text.chars().take(QUOTED).collect())
}

const QUOTED: usize = 80;
