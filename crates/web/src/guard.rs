//! Whose requests are looked at: those of the program's own pages, in the browser of the person who started it.
//!
//! Inspectors that start commands have been made to start any command for any web page. So every request, for static files too, must name the
//! address that was bound, as a literal (a name can be made to lead here), come from a page of that address or from none, and say so in
//! each of the ways that browsers have. What changes something has a header besides that a form, an image or a script of another page cannot send.

use std::net::SocketAddr;

use http::{HeaderMap, HeaderName, Method, header};

/// What must be on every request that changes something; its value is not looked at.
pub const CHANGE_HEADER: &str = "x-proofmark";

/// Which names the site answers to.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    /// As in `Host`.
    hosts: Vec<String>,
    origins: Vec<String>,
}

/// Why a request is not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("what changes something needs the header {CHANGE_HEADER}")]
    ChangeHeader,
    #[error("this page is not shown inside of another")]
    Framed,
    #[error("this server is not called that: use the address that it printed")]
    Host,
    #[error("pages of other origins may not use this server")]
    Origin,
    #[error("other sites may not use this server")]
    Site,
    #[error("there are no web sockets here")]
    Upgrade,
}

/// What is known about the sender besides the headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bearer {
    /// It has a cookie at most, which browsers send without being asked.
    Ambient,
    /// It has shown a token that browsers send for none but the program's own code.
    Shown,
}

impl Guard {
    /// Answers to the literal of the address, and to the names that were allowed.
    pub(crate) fn new(address: SocketAddr, names: &[String]) -> Self {
        let mut hosts = vec![address.to_string()];
        if address.port() == 80 {
            hosts.push(match address {
                SocketAddr::V4(address) => address.ip().to_string(),
                SocketAddr::V6(address) => format!("[{}]", address.ip()),
            });
        }
        let mut origins: Vec<_> = hosts.iter().map(|host| format!("http://{host}")).collect();
        for name in names {
            hosts.push(name.clone());
            origins.extend([format!("http://{name}"), format!("https://{name}")]);
        }
        Self { hosts, origins }
    }

    /// Whether a request may be looked at.
    pub(crate) fn admit(
        &self,
        method: &Method,
        headers: &HeaderMap,
        bearer: Bearer,
    ) -> Result<(), Refused> {
        let reads = matches!(*method, Method::GET | Method::HEAD);
        let host = only(headers, &header::HOST).filter(|host| self.is_host(host));
        if host.is_none() {
            return Err(Refused::Host);
        }
        if headers.contains_key(header::UPGRADE) {
            return Err(Refused::Upgrade);
        }
        let origin = headers.get(header::ORIGIN);
        let own = only(headers, &header::ORIGIN).is_some_and(|origin| self.is_origin(origin));
        let must_have = !reads && bearer == Bearer::Ambient;
        if (origin.is_some() || must_have) && !own {
            return Err(Refused::Origin);
        }
        match only(headers, &FETCH_SITE) {
            Some("same-origin") => {}
            Some("none") if reads => {}
            None if !headers.contains_key(&FETCH_SITE) => {}
            _ => return Err(Refused::Site),
        }
        if matches!(
            only(headers, &FETCH_DEST),
            Some("iframe" | "frame" | "embed" | "object" | "fencedframe")
        ) {
            return Err(Refused::Framed);
        }
        if !reads && !headers.contains_key(CHANGE_HEADER) {
            return Err(Refused::ChangeHeader);
        }
        Ok(())
    }

    fn is_host(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }

    fn is_origin(&self, origin: &str) -> bool {
        self.origins.iter().any(|own| own.eq_ignore_ascii_case(origin))
    }
}

/// The value of a header that is there once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    if values.next().is_some() {
        return None;
    }
    first.to_str().ok()
}

const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "127.0.0.1:8123";

    #[test]
    fn a_page_of_its_own_is_let_in() {
        let headers =
            [("host", OWN), ("origin", "http://127.0.0.1:8123"), ("sec-fetch-site", "same-origin")];
        assert_eq!(admit(&Method::GET, &headers), Ok(()));
        assert_eq!(admit(&Method::POST, &[&headers[..], &[("x-proofmark", "1")]].concat()), Ok(()));
        assert_eq!(admit(&Method::GET, &[("host", OWN), ("sec-fetch-site", "none")]), Ok(()));
    }

    #[test]
    fn a_name_that_was_made_to_lead_here_is_refused() {
        for host in [
            "evil.example:8123",
            "localhost:8123",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.1:8123",
            "[::1]:8123",
            "0.0.0.0:8123",
            "",
        ] {
            assert_eq!(admit(&Method::GET, &[("host", host)]), Err(Refused::Host), "{host}");
        }
        assert_eq!(admit(&Method::GET, &[]), Err(Refused::Host));
        assert_eq!(admit(&Method::GET, &[("host", OWN), ("host", OWN)]), Err(Refused::Host));
    }

    #[test]
    fn a_page_of_another_origin_is_refused() {
        for origin in [
            "http://evil.example",
            "null",
            "http://127.0.0.1:8124",
            "https://127.0.0.1:8123",
            "http://localhost:8123",
            "",
        ] {
            for method in [Method::GET, Method::POST] {
                let headers = [("host", OWN), ("origin", origin), ("x-proofmark", "1")];
                assert_eq!(admit(&method, &headers), Err(Refused::Origin), "{origin}");
            }
        }
    }

    #[test]
    fn what_changes_something_names_its_origin_and_has_the_header() {
        assert_eq!(
            admit(&Method::POST, &[("host", OWN), ("x-proofmark", "1")]),
            Err(Refused::Origin)
        );
        let form = [("host", OWN), ("origin", "http://127.0.0.1:8123")];
        for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS] {
            assert_eq!(admit(&method, &form), Err(Refused::ChangeHeader));
        }
    }

    #[test]
    fn other_sites_frames_and_sockets_are_refused() {
        for site in ["cross-site", "same-site", "odd"] {
            assert_eq!(
                admit(&Method::GET, &[("host", OWN), ("sec-fetch-site", site)]),
                Err(Refused::Site)
            );
        }
        let typed = [
            ("host", OWN),
            ("origin", "http://127.0.0.1:8123"),
            ("sec-fetch-site", "none"),
            ("x-proofmark", "1"),
        ];
        assert_eq!(admit(&Method::POST, &typed), Err(Refused::Site));
        let framed = [("host", OWN), ("sec-fetch-dest", "iframe")];
        assert_eq!(admit(&Method::GET, &framed), Err(Refused::Framed));
        let socket = [("host", OWN), ("upgrade", "websocket")];
        assert_eq!(admit(&Method::GET, &socket), Err(Refused::Upgrade));
    }

    #[test]
    fn a_program_with_a_token_needs_no_origin_but_the_right_host() {
        let guard = Guard::new("10.0.0.1:80".parse().unwrap(), &["fleet.example".to_owned()]);
        let admit = |headers: &[(&'static str, &'static str)]| {
            guard.admit(&Method::POST, &map(headers), Bearer::Shown)
        };
        assert_eq!(admit(&[("host", "fleet.example"), ("x-proofmark", "1")]), Ok(()));
        assert_eq!(admit(&[("host", "10.0.0.1"), ("x-proofmark", "1")]), Ok(()));
        assert_eq!(admit(&[("host", "other.example"), ("x-proofmark", "1")]), Err(Refused::Host));
    }

    fn admit(method: &Method, headers: &[(&'static str, &'static str)]) -> Result<(), Refused> {
        let guard = Guard::new(OWN.parse().unwrap(), &[]);
        guard.admit(method, &map(headers), Bearer::Ambient)
    }

    fn map(headers: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        map
    }
}
