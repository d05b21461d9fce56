//! What a server says it wants, in `WWW-Authenticate`.

use http::{HeaderMap, header};

use crate::auth::Scopes;

/// The challenges of a response that are about OAuth, as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Challenge {
    pub(crate) resource_metadata: Option<String>,
    pub(crate) scopes: Option<Scopes>,
    pub(crate) error: Option<String>,
    /// The server wants tokens that are bound to a key.
    pub(crate) dpop: bool,
}

impl Challenge {
    /// Reads all of the headers; where several challenges say the same thing, the first is heard. What cannot be read is passed over.
    pub(crate) fn read(headers: &HeaderMap) -> Self {
        let mut whole = Self::default();
        for value in headers.get_all(header::WWW_AUTHENTICATE) {
            let mut scheme = String::new();
            for part in Parts(&String::from_utf8_lossy(value.as_bytes())) {
                match part {
                    Part::Scheme(name) => {
                        scheme = name.to_ascii_lowercase();
                        whole.dpop |= scheme == "dpop";
                    }
                    Part::Parameter(name, text) if matches!(&*scheme, "bearer" | "dpop") => {
                        whole.note(&name, text);
                    }
                    Part::Parameter(..) => {}
                }
            }
        }
        whole
    }

    fn note(&mut self, name: &str, text: String) {
        match &*name.to_ascii_lowercase() {
            "resource_metadata" => _ = self.resource_metadata.get_or_insert(text),
            "scope" => {
                let scopes = Scopes::granted(text.split(' '));
                if !scopes.is_empty() {
                    self.scopes.get_or_insert(scopes);
                }
            }
            "error" => _ = self.error.get_or_insert(text),
            _ => {}
        }
    }
}

enum Part {
    Scheme(String),
    Parameter(String, String),
}

/// Schemes and parameters in their order.
struct Parts<'a>(&'a str);

impl Iterator for Parts<'_> {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        loop {
            self.0 = self.0.trim_start_matches([' ', '\t', ',']);
            let end = self.0.find(|c| !is_token(c)).unwrap_or(self.0.len());
            let (token, rest) = self.0.split_at(end);
            if token.is_empty() {
                // Not how a challenge is written: go on after whatever this is.
                self.0 = self.0.get(self.0.chars().next()?.len_utf8()..)?;
                continue;
            }
            let Some(value) = rest.trim_start().strip_prefix('=') else {
                self.0 = rest;
                return Some(Part::Scheme(token.to_owned()));
            };
            let (text, rest) = value_of(value.trim_start());
            self.0 = rest;
            return Some(Part::Parameter(token.to_owned(), text));
        }
    }
}

/// A token or a quoted string, and what follows it.
fn value_of(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', ' ', '\t']).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (value, &quoted[at + 1..]),
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            _ => value.push(c),
        }
    }
    (value, "")
}

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~/".contains(c)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn read(values: &[&str]) -> Challenge {
        let values = values.iter().map(|value| {
            (header::WWW_AUTHENTICATE, HeaderValue::from_bytes(value.as_bytes()).unwrap())
        });
        Challenge::read(&values.collect())
    }

    #[test]
    fn parameters_are_read_quoted_or_not_and_in_any_case() {
        let challenge = read(&[
            r#"bearer ERROR=invalid_token, error_description="a \"b\", c=d", Scope="b a", resource_metadata = "https://h/m""#,
        ]);
        assert_eq!(challenge.error.as_deref(), Some("invalid_token"));
        assert_eq!(challenge.scopes.unwrap().to_string(), "b a");
        assert_eq!(challenge.resource_metadata.as_deref(), Some("https://h/m"));
        assert!(!challenge.dpop);
    }

    #[test]
    fn other_schemes_are_passed_over() {
        let challenge = read(&[
            r#"Negotiate YWJj==, Basic realm="x", scope="wrong", Bearer scope="right""#,
            r#"DPoP algs="ES256", scope="late""#,
        ]);
        assert_eq!(challenge.scopes.unwrap().to_string(), "right");
        assert!(challenge.dpop);
    }

    #[test]
    fn nonsense_is_no_challenge() {
        for nonsense in ["", ",,,", "\"", "Bearer", "Bearer =", "Bearer scope=\"", "\u{e9}\"=,"] {
            assert_eq!(read(&[nonsense]).resource_metadata, None, "{nonsense:?}");
            assert_eq!(read(&[nonsense]).scopes, None, "{nonsense:?}");
        }
    }
}
