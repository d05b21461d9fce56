//! Where to listen, as people write it: a host and a port.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr, SocketAddr},
    str::FromStr,
};

use anyhow::{Context, anyhow};
use tokio::net::lookup_host;

/// A host, by name or by number, and a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// Without the brackets around an IPv6 address.
    pub(crate) host: String,
    /// 0 lets the system choose a free one.
    pub(crate) port: u16,
}

impl Address {
    /// Whether only this machine can reach it, as far as the name tells.
    pub(crate) fn is_loopback(&self) -> bool {
        let address: Option<IpAddr> = self.host.parse().ok();
        address.is_some_and(|it| it.is_loopback()) || self.host.eq_ignore_ascii_case("localhost")
    }

    /// One of the numbers behind the name.
    pub(crate) async fn resolve(&self) -> anyhow::Result<SocketAddr> {
        let mut found = lookup_host((self.host.as_str(), self.port))
            .await
            .with_context(|| format!("cannot listen on {self}: no such host"))?;
        found.next().ok_or_else(|| anyhow!("cannot listen on {self}: the host has no address"))
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (host, port) = text
            .rsplit_once(':')
            .ok_or("a host and a port are wanted, for example 127.0.0.1:3000")?;
        let port = port.parse().map_err(|_| format!("{port:?} is no port: 0 to 65535 are"))?;
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        let host = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(number) if number.parse::<Ipv6Addr>().is_ok() => number,
            None if !host.is_empty() && host.bytes().all(is_name) => host,
            _ => return Err(format!("{host:?} is no host: localhost, 127.0.0.1 and [::1] are")),
        };
        Ok(Self { host: host.to_owned(), port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_and_numbers() {
        for (text, host, port) in [
            ("127.0.0.1:3000", "127.0.0.1", 3000),
            ("localhost:0", "localhost", 0),
            ("[::1]:65535", "::1", 65535),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!(address, Address { host: host.to_owned(), port });
            assert_eq!(address.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_address_is_refused_with_what_would_be() {
        for (text, complaint) in [
            ("localhost", "a host and a port are wanted"),
            ("localhost:http", "\"http\" is no port"),
            ("localhost:70000", "\"70000\" is no port"),
            (":3000", "\"\" is no host"),
            ("::1:3000", "\"::1\" is no host"),
            ("[localhost]:3000", "\"[localhost]\" is no host"),
            ("http://localhost:3000", "\"http://localhost\" is no host"),
        ] {
            let error = text.parse::<Address>().unwrap_err();
            assert!(error.starts_with(complaint), "{text}: {error}");
        }
    }
}
