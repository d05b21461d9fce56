//! Whose requests are passed on: a page of a stranger must not reach a server through a browser on this machine.
//!
//! The server cannot judge that by itself, because the tap tells it the server's own name in `Host`.

use std::net::IpAddr;

use crate::{event::Headers, text::Untrusted};

/// Names that are allowed besides those of this machine.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// As in `Host`, with a port or for all ports.
    pub hosts: Vec<String>,
    /// As in `Origin`.
    pub origins: Vec<String>,
}

impl Allowed {
    /// Why a request to this port is not passed on, if it is not.
    pub(super) fn refusal(&self, port: u16, start: &str, headers: &Headers) -> Option<String> {
        let named = |wanted: &'static str| {
            headers.iter().filter(move |(name, _)| name == wanted).map(|(_, value)| value.as_str())
        };
        let target = start.split(' ').nth(1).unwrap_or_default();
        let within = target.split_once("://").map(|(_, rest)| authority(rest));
        let host = named("host").chain(within).find(|host| !self.is_own(host, port));
        if let Some(host) = host {
            return Some(format!("this server is not called {}", Untrusted(host)));
        }
        let origin = named("origin").find(|origin| !self.is_origin(origin));
        origin.map(|origin| format!("pages of {} may not use this server", Untrusted(origin)))
    }

    fn is_own(&self, host: &str, port: u16) -> bool {
        let host = host.trim();
        let allowed = |it: &String| {
            let named = if has_port(it) { host } else { split(host).0 };
            named.eq_ignore_ascii_case(it)
        };
        let (name, given) = split(host);
        let at_port = given.map_or(port == 80, |given| given == port.to_string());
        (is_loopback(name) && at_port) || self.hosts.iter().any(allowed)
    }

    fn is_origin(&self, origin: &str) -> bool {
        let origin = origin.trim();
        let local = origin.split_once("://").is_some_and(|(scheme, rest)| {
            let (name, port) = split(rest);
            let is_port = |port: &str| !port.starts_with('+') && port.parse::<u16>().is_ok();
            matches!(scheme, "http" | "https") && is_loopback(name) && port.is_none_or(is_port)
        });
        local || self.origins.iter().any(|it| it.eq_ignore_ascii_case(origin))
    }
}

/// `localhost`, or an address that never leaves the machine, in the one spelling that browsers send.
fn is_loopback(name: &str) -> bool {
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let address: Option<IpAddr> = match bare {
        Some(bare) => bare.parse().ok().filter(IpAddr::is_ipv6),
        None => name.parse().ok().filter(IpAddr::is_ipv4),
    };
    name.eq_ignore_ascii_case("localhost") || address.is_some_and(|it| it.is_loopback())
}

/// The name, and what stands behind the colon.
fn split(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    }
}

fn has_port(host: &str) -> bool {
    split(host).1.is_some()
}

fn authority(rest: &str) -> &str {
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_may_be_asked_under_its_own_names() {
        let allowed = Allowed::default();
        for host in
            ["127.0.0.1:4000", "localhost:4000", "LOCALHOST:4000", "[::1]:4000", "127.8.9.1:4000"]
        {
            assert_eq!(asked(&allowed, host, None), None, "{host}");
        }
        assert_eq!(allowed.refusal(80, "GET /mcp HTTP/1.1", &headers("localhost", None)), None);
        assert_eq!(allowed.refusal(4000, "GET /mcp HTTP/1.1", &Vec::new()), None);
    }

    #[test]
    fn other_names_are_refused() {
        let allowed = Allowed::default();
        for host in [
            "evil.test",
            "evil.test:4000",
            "127.0.0.1",
            "127.0.0.1:4001",
            "localhost:+4000",
            "localhost.evil.test:4000",
            "127.0.0.1.evil.test:4000",
            "[::1]",
            "::1:4000",
            "0.0.0.0:4000",
            "user@localhost:4000",
            "",
            "localhost:4000:4000",
            "[127.0.0.1]:4000",
            "localhost:4000, evil.test",
            "0x7f.1:4000",
        ] {
            assert!(asked(&allowed, host, None).is_some(), "{host}");
        }
        let target = "GET http://evil.test/mcp HTTP/1.1";
        assert!(allowed.refusal(4000, target, &headers("localhost:4000", None)).is_some());
        let mut twice = headers("localhost:4000", None);
        twice.extend(headers("evil.test", None));
        assert!(allowed.refusal(4000, "GET / HTTP/1.1", &twice).is_some());
    }

    #[test]
    fn pages_of_this_machine_may_ask_and_others_may_not() {
        let allowed = Allowed::default();
        for origin in ["http://localhost:6274", "http://127.0.0.1", "https://[::1]:1"] {
            assert_eq!(asked(&allowed, "localhost:4000", Some(origin)), None, "{origin}");
        }
        for origin in [
            "https://evil.test",
            "null",
            "",
            "http://localhost.evil.test",
            "file://",
            "http://localhost:6274/x",
            "http://localhost:1:2",
        ] {
            assert!(asked(&allowed, "localhost:4000", Some(origin)).is_some(), "{origin}");
        }
    }

    #[test]
    fn more_may_be_allowed() {
        let allowed = Allowed {
            hosts: vec!["box.example".to_owned(), "other.example:9".to_owned()],
            origins: vec!["https://app.example".to_owned()],
        };
        for host in ["box.example", "BOX.example:4000", "other.example:9"] {
            assert_eq!(asked(&allowed, host, Some("https://app.example")), None, "{host}");
        }
        for host in ["other.example", "other.example:4000", "box.example.evil.test"] {
            assert!(asked(&allowed, host, None).is_some(), "{host}");
        }
    }

    fn asked(allowed: &Allowed, host: &str, origin: Option<&str>) -> Option<String> {
        allowed.refusal(4000, "POST /mcp HTTP/1.1", &headers(host, origin))
    }

    fn headers(host: &str, origin: Option<&str>) -> Headers {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        [header("host", host)].into_iter().chain(origin.map(|it| header("origin", it))).collect()
    }
}
