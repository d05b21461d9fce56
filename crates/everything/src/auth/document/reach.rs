//! Which addresses a document of a client may come from, so that no client looks around in a network through this server.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use url::{Host, Url};

use super::super::redirect::is_loopback;
use super::super::refusal::Refusal;

/// Reads an id that is a URL: `https` with a path, to a public address; or, since this is for tests, anything on this machine.
pub(super) fn allowed(id: &str) -> Result<Url, Refusal> {
    let bad = Refusal::invalid_client("the client's id is not the URL of a document");
    let url = Url::parse(id).map_err(|_| bad)?;
    let plain = url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
        && url.path() != "/"
        && url.as_str() == id;
    if !plain {
        return Err(bad);
    }
    if matches!(url.scheme(), "http" | "https") && is_loopback(&url) {
        return Ok(url);
    }
    let is_public = match url.host() {
        // Where a name leads is looked at when it is resolved.
        Some(Host::Domain(_)) => true,
        Some(Host::Ipv4(address)) => is_public_v4(address),
        Some(Host::Ipv6(address)) => is_public_v6(address),
        None => false,
    };
    if url.scheme() == "https" && is_public { Ok(url) } else { Err(bad) }
}

/// Resolves names to public addresses only. The address that was looked at is the one that is connected to.
pub(super) struct Public;

impl Resolve for Public {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let is_here = name.as_str() == "localhost";
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let found: Vec<SocketAddr> = found.collect();
            let is_allowed = |address: &SocketAddr| match address.ip() {
                address if is_here => address.is_loopback(),
                IpAddr::V4(address) => is_public_v4(address),
                IpAddr::V6(address) => is_public_v6(address),
            };
            if found.iter().all(is_allowed) {
                return Ok(Box::new(found.into_iter()) as Addrs);
            }
            Err(io::Error::other("the name leads into a private network").into())
        })
    }
}

/// TLS that trusts what the machine trusts; without TLS there is no need to know what that is.
pub(super) fn tls(url: &Url) -> Result<ClientConfig, Refusal> {
    let broken = |_| Refusal::server_error("this machine's trusted certificates cannot be read");
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(broken)?;
    Ok(if url.scheme() == "http" {
        builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth()
    } else {
        builder.with_platform_verifier().map_err(broken)?.with_no_client_auth()
    })
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_shared = a == 100 && b & 0xc0 == 64;
    let is_for_protocols = (a, b, c) == (192, 0, 0);
    let is_for_benchmarks = a == 198 && b & 0xfe == 18;
    !(a == 0
        || a >= 224
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || is_shared
        || is_for_protocols
        || is_for_benchmarks)
}

/// Only what is given out for the open network. Addresses that stand for one of IPv4 are not: they could stand for any.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let is_global = first & 0xe000 == 0x2000;
    let is_translated = first == 0x2002 || (first == 0x2001 && second < 0x0200);
    let is_documentation = (first == 0x2001 && second == 0x0db8) || first == 0x3fff;
    is_global && !is_translated && !is_documentation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_come_from_public_https_or_from_this_machine() {
        for good in [
            "https://app.example/client.json",
            "https://8.8.8.8/client.json",
            "https://[2606:4700::1111]/client.json",
            "http://127.0.0.1:4711/client.json",
            "http://localhost/client.json",
        ] {
            assert!(allowed(good).is_ok(), "{good}");
        }
        for bad in [
            "http://app.example/client.json",
            "https://app.example/",
            "https://app.example",
            "https://app.example/c#d",
            "https://u@app.example/c",
            "https://app.example/a/../c",
            "https://10.0.0.1/c",
            "https://169.254.169.254/c",
            "https://[::ffff:10.0.0.1]/c",
            "https://[64:ff9b::a00:1]/c",
            "https://[fd00::1]/c",
            "https://[fe80::1]/c",
            "https://[2002:a00:1::]/c",
            "https://0x0a000001/c",
            "ftp://127.0.0.1/c",
        ] {
            assert!(allowed(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn addresses_of_private_networks_are_not_public() {
        for private in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "192.0.0.8",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
        ] {
            assert!(!is_public_v4(private.parse().unwrap()), "{private}");
        }
        assert!(is_public_v4("93.184.216.34".parse().unwrap()));
        for private in ["::", "::1", "fc00::1", "fe80::1", "ff02::1", "2001:db8::1", "2001::1"] {
            assert!(!is_public_v6(private.parse().unwrap()), "{private}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_to_this_machine_is_refused_unless_it_says_so() {
        let name: Name = "localhost.".parse().unwrap();
        // Whether the resolver knows the name or not, nothing comes of it.
        assert!(Public.resolve(name).await.is_err());
    }
}
