//! Where a client lets itself be sent: every address that a server names is looked at before anything is fetched from it.
//!
//! A server that can name any address could have its clients knock at doors it cannot reach itself: on the client's machine, in its network,
//! at a cloud's metadata service. So addresses that are not public are reached only from a server that is itself in the same place or a
//! closer one. Names are judged by what they resolve to, in the resolver that the connection is made with, so that a name cannot change its
//! meaning between the look and the connection.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// Why an address is not fetched, and not shown to a browser either.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Blocked {
    #[error("it leads to {0}, which is not for a server out there to name")]
    Address(IpAddr),
    #[error("it has a user or a password in it")]
    Credentials,
    #[error("it leads to this machine, which is not for a server out there to name")]
    Machine,
    #[error("it is not an absolute URL")]
    NotAbsolute,
    #[error("it is not https, and not http on this machine either")]
    NotSecure,
    #[error("it is a redirect to another origin")]
    Redirect,
    #[error("it is one redirect too many")]
    Redirects,
}

/// How far away an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zone {
    /// On this link; clouds keep their secrets there.
    Link,
    Loopback,
    /// Not an address of any one host.
    Nowhere,
    Private,
    Public,
}

impl Zone {
    pub(crate) fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => match inner(address) {
                Some(inner) => of_v4(inner),
                None => of_v6(address),
            },
        }
    }

    /// The zone of the closest of several addresses.
    pub(crate) fn closest(addresses: impl IntoIterator<Item = IpAddr>) -> Self {
        let closeness = |zone: &Self| match zone {
            Self::Nowhere => 0,
            Self::Public => 1,
            Self::Private => 2,
            Self::Link => 3,
            Self::Loopback => 4,
        };
        addresses.into_iter().map(Self::of).max_by_key(closeness).unwrap_or(Self::Public)
    }

    /// Whether a server in this zone may name an address in the other.
    fn may_name(self, other: Self) -> bool {
        match other {
            Self::Public => true,
            Self::Private => matches!(self, Self::Private | Self::Link | Self::Loopback),
            Self::Link => self == Self::Link,
            Self::Loopback => self == Self::Loopback,
            Self::Nowhere => false,
        }
    }
}

/// What one server may have its clients fetch.
#[derive(Clone, Debug)]
pub(crate) struct AddressPolicy {
    server: Url,
    zone: Zone,
    /// Origins that the user has chosen, and that need no more trust than that.
    chosen: Vec<Url>,
}

impl AddressPolicy {
    /// `zone` is where the server itself is.
    pub(crate) fn new(server: Url, zone: Zone) -> Self {
        Self { server, zone, chosen: Vec::new() }
    }

    /// Lets an address through that no server named.
    pub(crate) fn choose(&mut self, url: Url) {
        self.chosen.push(url);
    }

    /// Reads an address that a server named. What its name resolves to is looked at later, by [`Self::admits`].
    pub(crate) fn check(&self, text: &str) -> Result<Url, Blocked> {
        let url = Url::parse(text).map_err(|_| Blocked::NotAbsolute)?;
        self.check_url(&url)?;
        Ok(url)
    }

    pub(crate) fn check_url(&self, url: &Url) -> Result<(), Blocked> {
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Blocked::Credentials);
        }
        let host = url.host().ok_or(Blocked::NotAbsolute)?;
        let literal = match host {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
        };
        let near = match (&host, literal) {
            (_, Some(address)) => Zone::of(address) == Zone::Loopback,
            (Host::Domain(name), None) => is_localhost(name),
            _ => false,
        };
        let ours = url.origin() == self.server.origin() || self.is_chosen(url);
        match url.scheme() {
            "https" => {}
            "http" if near || ours => {}
            _ => return Err(Blocked::NotSecure),
        }
        if ours {
            return Ok(());
        }
        if let Some(address) = literal.filter(|address| !self.zone.may_name(Zone::of(*address))) {
            return Err(Blocked::Address(address));
        }
        if literal.is_none() && near && !self.zone.may_name(Zone::Loopback) {
            return Err(Blocked::Machine);
        }
        Ok(())
    }

    /// Whether a connection may be made to what a host's name resolved to.
    pub(crate) fn admits(&self, host: &str, address: IpAddr) -> bool {
        let named = |url: &Url| url.host_str().is_some_and(|own| own.eq_ignore_ascii_case(host));
        named(&self.server)
            || self.chosen.iter().any(named)
            || self.zone.may_name(Zone::of(address))
    }

    fn is_chosen(&self, url: &Url) -> bool {
        self.chosen.iter().any(|chosen| chosen.origin() == url.origin())
    }
}

/// Whether a name means this machine wherever it is resolved.
pub(crate) fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

fn of_v4(address: Ipv4Addr) -> Zone {
    let [a, b, c, _] = address.octets();
    match (a, b, c) {
        _ if address.is_loopback() => Zone::Loopback,
        _ if address.is_private() => Zone::Private,
        // Shared between a provider and its customers.
        (100, 64..=127, _) => Zone::Private,
        _ if address.is_link_local() => Zone::Link,
        // This network, protocol assignments, benchmarks, the future.
        (0 | 240..=255, ..) | (192, 0, 0) | (198, 18 | 19, _) => Zone::Nowhere,
        _ if address.is_multicast() || address.is_documentation() => Zone::Nowhere,
        _ => Zone::Public,
    }
}

fn of_v6(address: Ipv6Addr) -> Zone {
    match address.segments() {
        _ if address.is_loopback() => Zone::Loopback,
        _ if address.is_unspecified() || address.is_multicast() => Zone::Nowhere,
        [0xfc00..=0xfdff | 0xfec0..=0xfeff, ..] => Zone::Private,
        [0xfe80..=0xfebf, ..] => Zone::Link,
        // Documentation, and the discard prefix.
        [0x2001, 0x0db8, ..] | [0x0100, 0, 0, 0, ..] | [0x3fff, 0..=0x0fff, ..] => Zone::Nowhere,
        _ => Zone::Public,
    }
}

/// The old address inside a new one, where the network would go there.
fn inner(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let of = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        // Mapped, and translated.
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x0064, 0xff9b, 0, 0, 0, 0, high, low]
        // Translated within one network.
        | [0x0064, 0xff9b, 1, _, _, _, high, low]
        // Tunnelled.
        | [0x2002, high, low, ..] => Some(of(high, low)),
        // Compatible, except for the two addresses that are of their own.
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 || low > 1 => Some(of(high, low)),
        [0x2001, 0, _, _, _, _, high, low] => Some(of(!high, !low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
