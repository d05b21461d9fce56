//! The link that was printed becomes a cookie, once.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use http::{HeaderMap, HeaderValue, header};

use crate::random::{same, secret};

/// The one-time codes of a site. Clones share them.
#[derive(Clone)]
pub struct Codes(Arc<Inner>);

struct Inner {
    /// Of the cookie: cookies know no ports, and two programs may run at once.
    name: String,
    /// Lives as long as the process does.
    cookie: String,
    code: Mutex<Option<Code>>,
}

struct Code {
    text: String,
    until: Instant,
}

impl Codes {
    pub(crate) fn new(port: u16) -> Self {
        let name = format!("proofmark-{port}");
        Self(Arc::new(Inner { name, cookie: secret(), code: Mutex::new(None) }))
    }

    /// A code that opens the site once; an older one is good no more.
    pub fn issue(&self) -> String {
        let text = secret();
        let code = Code { text: text.clone(), until: Instant::now() + LIFETIME };
        *self.0.code.lock().unwrap_or_else(PoisonError::into_inner) = Some(code);
        text
    }

    /// The cookie for a code, which is spent by that.
    pub(crate) fn redeem(&self, code: &str) -> Option<HeaderValue> {
        let mut current = self.0.code.lock().unwrap_or_else(PoisonError::into_inner);
        let fits =
            current.as_ref().is_some_and(|it| same(&it.text, code) && Instant::now() < it.until);
        if !fits {
            return None;
        }
        *current = None;
        Some(self.cookie())
    }

    pub(crate) fn cookie(&self) -> HeaderValue {
        let Inner { name, cookie, .. } = &*self.0;
        format!("{name}={cookie}; Path=/; HttpOnly; SameSite=Strict")
            .parse()
            .expect("digits and names are a header")
    }

    /// Whether a request has the cookie of this process.
    pub(crate) fn knows(&self, headers: &HeaderMap) -> bool {
        headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(name, value)| name == self.0.name && same(value, &self.0.cookie))
    }
}

/// Long enough to copy a link from a terminal on another machine.
const LIFETIME: Duration = Duration::from_secs(15 * 60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_good_once() {
        let codes = Codes::new(1);
        let code = codes.issue();
        assert!(codes.redeem("").is_none());
        assert!(codes.redeem(&code[1..]).is_none());
        assert!(codes.redeem(&code).is_some());
        assert!(codes.redeem(&code).is_none());
    }

    #[test]
    fn a_newer_code_replaces_an_older_one() {
        let codes = Codes::new(1);
        let older = codes.issue();
        let newer = codes.issue();
        assert!(codes.redeem(&older).is_none());
        assert!(codes.redeem(&newer).is_some());
    }

    #[test]
    fn the_cookie_of_another_process_is_not_known() {
        let (codes, others) = (Codes::new(1), Codes::new(1));
        let shown = |codes: &Codes| {
            let cookie = codes.cookie();
            let pair = cookie.to_str().unwrap().split(';').next().unwrap().to_owned();
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, format!("a=b; {pair}").parse().unwrap());
            headers
        };
        assert!(codes.knows(&shown(&codes)));
        assert!(!codes.knows(&shown(&others)));
        assert!(!codes.knows(&HeaderMap::new()));
    }
}
