//! The token in a request's headers, if there is one.

use http::HeaderMap;
use http::header::AUTHORIZATION;

/// What a request says about who sends it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Presented<'a> {
    /// No credentials, or some of another scheme, which are not looked at.
    Nothing,
    Token(&'a str),
}

/// Why the header cannot be read; the client sent something that no scheme allows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BadHeader {
    Malformed,
    Repeated,
    TooLong,
}

impl BadHeader {
    pub(super) const fn reason(&self) -> &'static str {
        match self {
            Self::Malformed => "the Authorization header is malformed",
            Self::Repeated => "there is more than one Authorization header",
            Self::TooLong => "the access token is too long",
        }
    }
}

pub(super) fn token(headers: &HeaderMap) -> Result<Presented<'_>, BadHeader> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(Presented::Nothing) };
    if values.next().is_some() {
        return Err(BadHeader::Repeated);
    }
    let value = value.to_str().map_err(|_| BadHeader::Malformed)?.trim_matches(' ');
    let (scheme, credentials) = value.split_once(' ').unwrap_or((value, ""));
    if scheme.is_empty() || !scheme.bytes().all(is_token) {
        return Err(BadHeader::Malformed);
    }
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Ok(Presented::Nothing);
    }
    let token = credentials.trim_start_matches(' ');
    if token.len() > MAX_TOKEN {
        return Err(BadHeader::TooLong);
    }
    let body = token.trim_end_matches('=');
    if body.is_empty() || !body.bytes().all(is_token68) {
        return Err(BadHeader::Malformed);
    }
    Ok(Presented::Token(token))
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn is_token68(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte)
}

/// In bytes.
const MAX_TOKEN: usize = 16_384;

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[track_caller]
    fn says(values: &[&'static str], expected: &Result<Presented<'_>, BadHeader>) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_static(value));
        }
        assert_eq!(token(&headers), *expected, "{values:?}");
    }

    #[test]
    fn the_scheme_is_bearer_in_any_case() {
        for value in
            ["Bearer a.b-c_d~e+f/g==", "bearer  a.b-c_d~e+f/g==", "BEARER a.b-c_d~e+f/g== "]
        {
            says(&[value], &Ok(Presented::Token("a.b-c_d~e+f/g==")));
        }
    }

    #[test]
    fn another_scheme_is_no_token() {
        says(&[], &Ok(Presented::Nothing));
        says(&["Basic dXNlcjpwYXNz"], &Ok(Presented::Nothing));
        says(&["DPoP abc"], &Ok(Presented::Nothing));
        says(&["Digest username=\"x\", realm=\"y\""], &Ok(Presented::Nothing));
    }

    #[test]
    fn two_headers_are_refused_even_if_equal() {
        says(&["Bearer a", "Bearer a"], &Err(BadHeader::Repeated));
        says(&["Basic a", "Bearer a"], &Err(BadHeader::Repeated));
    }

    #[test]
    fn what_is_not_one_token_is_refused() {
        for value in [
            "Bearer",
            "Bearer ",
            "",
            "Bearer a b",
            "Bearer a,b",
            "Bearer ==",
            "Bearer a=b",
            "Bearer:a",
            "Bearer\ta",
            "Bea(rer a",
            "Bearer \"a\"",
        ] {
            says(&[value], &Err(BadHeader::Malformed));
        }
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_bytes(b"Bearer \xff").unwrap());
        assert_eq!(token(&headers), Err(BadHeader::Malformed));
    }

    #[test]
    fn a_token_has_a_longest_length() {
        let mut headers = HeaderMap::new();
        let long = format!("Bearer {}", "a".repeat(MAX_TOKEN + 1));
        headers.insert(AUTHORIZATION, HeaderValue::from_str(&long).unwrap());
        assert_eq!(token(&headers), Err(BadHeader::TooLong));
        headers.insert(AUTHORIZATION, HeaderValue::from_str(&long[..long.len() - 1]).unwrap());
        assert!(matches!(token(&headers), Ok(Presented::Token(_))));
    }
}
