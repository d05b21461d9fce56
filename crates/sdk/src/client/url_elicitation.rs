//! Pages that a server wants a person to visit: which may be opened, and what to show before.

use http::Uri;

/// The host to show to a person before a page of a server's choice is opened; `None` if it must not be opened at all.
///
/// Only `https`, and `http` on this machine, lead to pages. What looks like a host but is a user name (`https://bank.example@evil.example`)
/// makes an address that is not opened.
pub fn host_to_show(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    let authority = uri.authority()?;
    if authority.as_str().contains('@') {
        return None;
    }
    let host = authority.host();
    let is_allowed = match uri.scheme_str()? {
        "https" => true,
        "http" => is_loopback(host),
        _ => false,
    };
    (is_allowed && !host.is_empty()).then(|| authority.as_str().to_owned())
}

fn is_loopback(host: &str) -> bool {
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || literal.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_shown_by_its_host() {
        for (url, host) in [
            ("https://bank.example/login?next=/", "bank.example"),
            ("https://bank.example:8443/", "bank.example:8443"),
            ("http://127.0.0.1:3000/page", "127.0.0.1:3000"),
            ("http://[::1]:3000/page", "[::1]:3000"),
            ("http://localhost/page", "localhost"),
        ] {
            assert_eq!(host_to_show(url).as_deref(), Some(host));
        }
    }

    #[test]
    fn what_is_no_page_is_not_opened() {
        for url in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "http://bank.example/",
            "http://127.0.0.1.bank.example/",
            "https://bank.example@evil.example/",
            "https://",
            "/login",
            "",
            "https://bank.example/ & calc.exe",
            "https://b\u{430}nk.example/",
        ] {
            assert_eq!(host_to_show(url), None, "{url}");
        }
    }
}
