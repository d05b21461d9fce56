//! The answer to a request that may not be served.

use http::{HeaderValue, StatusCode};

use super::Scopes;

/// The answer to send instead of serving the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// 401, 403 or 400; 503 if tokens cannot be verified at the moment, which is not the caller's fault.
    pub status: StatusCode,
    /// The value of `WWW-Authenticate`; absent with 503, where another token would not help.
    pub www_authenticate: Option<HeaderValue>,
    /// Why, in words that are fit for the caller and for a log.
    pub reason: &'static str,
}

/// What every challenge of a server says.
#[derive(Clone, Debug)]
pub(super) struct Challenger {
    pub(super) realm: Option<String>,
    pub(super) metadata_url: String,
}

/// What is wrong with a request, in the words of RFC 6750.
#[derive(Clone, Copy, Debug)]
pub(super) enum Problem {
    InsufficientScope,
    InvalidRequest(&'static str),
    InvalidToken,
    NoToken,
}

impl Challenge {
    pub(super) const fn unavailable() -> Self {
        Self {
            status: StatusCode::SERVICE_UNAVAILABLE,
            www_authenticate: None,
            reason: "tokens cannot be verified at the moment",
        }
    }
}

impl Challenger {
    pub(super) fn challenge(&self, problem: Problem, scopes: &Scopes) -> Challenge {
        let (status, error, reason) = match problem {
            Problem::InsufficientScope => (
                StatusCode::FORBIDDEN,
                Some("insufficient_scope"),
                "the access token lacks a scope that is needed",
            ),
            Problem::InvalidRequest(reason) => {
                (StatusCode::BAD_REQUEST, Some("invalid_request"), reason)
            }
            Problem::InvalidToken => (
                StatusCode::UNAUTHORIZED,
                Some("invalid_token"),
                "the access token is expired, revoked, or not meant for this server",
            ),
            Problem::NoToken => (StatusCode::UNAUTHORIZED, None, "an access token is needed"),
        };
        let scopes = scopes.of_the_resource().to_string();
        let parameters = [
            ("realm", self.realm.as_deref()),
            ("error", error),
            ("error_description", error.map(|_| reason)),
            ("scope", Some(&*scopes).filter(|scopes| !scopes.is_empty())),
            ("resource_metadata", Some(&*self.metadata_url)),
        ];
        let mut value = String::from("Bearer");
        let mut separator = ' ';
        for (name, text) in parameters {
            let Some(text) = text else { continue };
            value.push(separator);
            if separator == ',' {
                value.push(' ');
            }
            separator = ',';
            value.push_str(name);
            value.push('=');
            push_quoted(&mut value, text);
        }
        Challenge { status, www_authenticate: HeaderValue::from_str(&value).ok(), reason }
    }
}

/// Writes a quoted string from which nothing can escape; what no header may carry becomes a space.
fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            _ => out.push(' '),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_realm_cannot_leave_its_quotes_or_its_line() {
        let realm = "a\", error=\"x\\\r\nSet-Cookie: b\u{e9}";
        let challenger =
            Challenger { realm: Some(realm.to_owned()), metadata_url: "https://h/m".to_owned() };
        let challenge = challenger.challenge(Problem::NoToken, &Scopes::default());
        assert_eq!(
            challenge.www_authenticate.unwrap(),
            "Bearer realm=\"a\\\", error=\\\"x\\\\  Set-Cookie: b \", resource_metadata=\"https://h/m\""
        );
    }
}
