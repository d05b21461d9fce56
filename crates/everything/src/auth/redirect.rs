//! Where a browser may be sent with a code.

use url::{Host, Url};

use super::refusal::Refusal;

/// A redirect URI as it was registered: `https`, or `http` to the machine that the browser runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RedirectUri(String);

impl RedirectUri {
    pub(super) fn parse(text: &str) -> Result<Self, Refusal> {
        if text.len() > MAX_LENGTH {
            return Err(Refusal::invalid_redirect_uri("a redirect URI is too long"));
        }
        let url = Url::parse(text)
            .map_err(|_| Refusal::invalid_redirect_uri("a redirect URI is not an absolute URL"))?;
        if url.fragment().is_some() {
            return Err(Refusal::invalid_redirect_uri("a redirect URI has a fragment"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refusal::invalid_redirect_uri("a redirect URI has a user or password"));
        }
        if url.scheme() != "https" && !(url.scheme() == "http" && is_loopback(&url)) {
            return Err(Refusal::invalid_redirect_uri(
                "a redirect URI is neither https nor http on a loopback address",
            ));
        }
        Ok(Self(text.to_owned()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// The same, character for character. Only where a loopback address was registered without a port may a request
    /// name one: a program on a desktop learns late which port it gets (RFC 8252, section 7.3).
    pub(super) fn allows(&self, asked: &str) -> bool {
        self.0 == asked || self.allows_port_of(asked).unwrap_or(false)
    }

    fn allows_port_of(&self, asked: &str) -> Option<bool> {
        let registered = Url::parse(&self.0).ok()?;
        let mut asked_url = Url::parse(asked).ok()?;
        // Only what a parser leaves as it is can be compared by its parts.
        if registered.as_str() != self.0 || asked_url.as_str() != asked {
            return None;
        }
        if registered.scheme() != "http" || registered.port().is_some() || !is_loopback(&registered)
        {
            return None;
        }
        asked_url.set_port(None).ok()?;
        Some(asked_url == registered)
    }
}

/// The URI with parameters added, for the browser to be sent to.
pub(super) fn with_parameters(uri: &str, parameters: &[(&str, &str)]) -> Option<String> {
    let mut url = Url::parse(uri).ok()?;
    url.query_pairs_mut().extend_pairs(parameters);
    Some(url.into())
}

pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

const MAX_LENGTH: usize = 2_048;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_go_to_this_machine_or_over_https() {
        for good in [
            "https://app.example/cb?x=1",
            "http://127.0.0.1:1/cb",
            "http://[::1]/cb",
            "http://localhost:8080/",
        ] {
            assert!(RedirectUri::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "http://app.example/cb",
            "http://127.0.0.1.app.example/cb",
            "javascript:alert(1)",
            "app://cb",
            "https://app.example/cb#part",
            "https://user@app.example/cb",
            "/cb",
            "",
        ] {
            let refused = RedirectUri::parse(bad).unwrap_err();
            assert_eq!(refused.error, "invalid_redirect_uri", "{bad}");
        }
        let long = format!("https://app.example/{}", "a".repeat(MAX_LENGTH));
        assert!(RedirectUri::parse(&long).is_err());
    }

    #[test]
    fn a_redirect_uri_is_compared_character_for_character() {
        let uri = RedirectUri::parse("http://127.0.0.1:4000/cb").unwrap();
        assert!(uri.allows("http://127.0.0.1:4000/cb"));
        for other in [
            "http://127.0.0.1:4000/cb/",
            "http://127.0.0.1:4000/cb?x",
            "http://127.0.0.1:4001/cb",
            "http://localhost:4000/cb",
            "HTTP://127.0.0.1:4000/cb",
            "http://127.0.0.1:4000/x/../cb",
        ] {
            assert!(!uri.allows(other), "{other}");
        }
    }

    #[test]
    fn a_loopback_address_without_a_port_allows_any_port_and_nothing_else() {
        let uri = RedirectUri::parse("http://127.0.0.1/cb").unwrap();
        assert!(uri.allows("http://127.0.0.1:4711/cb"));
        for other in [
            "http://127.0.0.1:4711/cb2",
            "http://localhost:4711/cb",
            "https://127.0.0.1:4711/cb",
            "http://a@127.0.0.1:4711/cb",
            "http://127.0.0.1:4711/cb?x=1",
            "http://127.0.0.1:4711/x/../cb",
        ] {
            assert!(!uri.allows(other), "{other}");
        }
        let remote = RedirectUri::parse("https://app.example/cb").unwrap();
        assert!(!remote.allows("https://app.example:444/cb"));
    }

    #[test]
    fn parameters_are_added_to_those_that_are_there() {
        let uri = with_parameters("https://app.example/cb?x=1", &[("code", "a b"), ("state", "&")]);
        assert_eq!(uri.unwrap(), "https://app.example/cb?x=1&code=a+b&state=%26");
    }
}
