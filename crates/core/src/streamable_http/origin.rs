//! Which web pages may talk to an endpoint.

use std::str::FromStr;

use http::header;

use super::{Head, host::Authority};

/// The origins of web pages that are served. Requests without `Origin` come from programs and are not judged by it.
///
/// A page of an allowed origin still needs its browser's consent: the endpoint answers no preflight, and a JSON body needs one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origins {
    /// Pages from loopback hosts on any port, by `http` or `https`, and these.
    LoopbackAnd(Vec<AllowedOrigin>),
    /// These and no others.
    Only(Vec<AllowedOrigin>),
}

impl Default for Origins {
    fn default() -> Self {
        Self::LoopbackAnd(Vec::new())
    }
}

impl Origins {
    fn allow(&self, origin: &str) -> bool {
        let listed = |origins: &[AllowedOrigin]| origins.iter().any(|it| it.covers(origin));
        match self {
            Self::LoopbackAnd(origins) => is_loopback(origin) || listed(origins),
            Self::Only(origins) => listed(origins),
        }
    }
}

/// An origin as browsers write it, such as `https://example.com`; other schemes than those of the web are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedOrigin(String);

impl AllowedOrigin {
    fn covers(&self, origin: &str) -> bool {
        without_default_port(origin).eq_ignore_ascii_case(&self.0)
    }
}

impl FromStr for AllowedOrigin {
    type Err = BadOrigin;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let well_formed = match text.split_once("://") {
            Some(("http" | "https", host)) => Authority::parse(host).is_ok(),
            Some((scheme, rest)) => {
                let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
                !scheme.is_empty() && !rest.is_empty() && plain(text)
            }
            None => false,
        };
        if well_formed {
            Ok(Self(without_default_port(text).to_owned()))
        } else {
            Err(BadOrigin::Malformed)
        }
    }
}

/// Why a page is not served, or a text is not an origin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadOrigin {
    #[error("not an origin")]
    Malformed,
    #[error("the origin is not allowed: {0}")]
    NotAllowed(String),
    #[error("`Origin` occurs twice")]
    Repeated,
}

pub(super) fn check(head: &Head<'_>, origins: &Origins) -> Result<(), BadOrigin> {
    let mut values = head.headers.get_all(header::ORIGIN).iter();
    let Some(value) = values.next() else { return Ok(()) };
    if values.next().is_some() {
        return Err(BadOrigin::Repeated);
    }
    let origin = value.to_str().map_err(|_| BadOrigin::Malformed)?;
    if origins.allow(origin) {
        return Ok(());
    }
    Err(BadOrigin::NotAllowed(origin.chars().take(QUOTED).collect()))
}

fn is_loopback(origin: &str) -> bool {
    match origin.split_once("://") {
        Some(("http" | "https", host)) => {
            Authority::parse(host).is_ok_and(|host| host.is_loopback())
        }
        _ => false,
    }
}

/// `http://a:80` and `http://a` are one origin; browsers write the second.
fn without_default_port(origin: &str) -> &str {
    match origin.split_once("://") {
        Some(("http", _)) => origin.strip_suffix(":80").unwrap_or(origin),
        Some(("https", _)) => origin.strip_suffix(":443").unwrap_or(origin),
        _ => origin,
    }
}

const QUOTED: usize = 80;
