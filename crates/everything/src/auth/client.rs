//! Who asks for tokens.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, header};
use url::form_urlencoded;

use super::KnownClient;
use super::form::Form;
use super::redirect::RedirectUri;
use super::refusal::Refusal;
use super::secret::Digest;

#[derive(Clone)]
pub(super) struct Client {
    pub(super) id: String,
    pub(super) authentication: Authentication,
    pub(super) redirect_uris: Vec<RedirectUri>,
    pub(super) grants: Grants,
}

/// How a client shows that it is itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Authentication {
    /// It cannot: its id is all there is.
    Public,
    Secret {
        digest: Digest,
        by: By,
    },
}

/// Where a client has said that it will put its secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Basic,
    Post,
    Either,
}

/// What a client may do to get tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grants {
    pub(super) code: bool,
    pub(super) credentials: bool,
    pub(super) refresh: bool,
}

impl Client {
    pub(super) fn known(known: &KnownClient) -> Result<Self, Refusal> {
        let secret = known.secret.as_deref().map(Digest::of);
        let authentication = secret.map_or(Authentication::Public, |digest| {
            Authentication::Secret { digest, by: By::Either }
        });
        let uris = known.redirect_uris.iter().map(|uri| RedirectUri::parse(uri));
        Ok(Self {
            id: known.id.clone(),
            authentication,
            redirect_uris: uris.collect::<Result<_, _>>()?,
            grants: Grants {
                code: !known.redirect_uris.is_empty(),
                credentials: secret.is_some(),
                refresh: true,
            },
        })
    }

    /// Where to send the browser: to what the request names, if it was registered, or to the only place there is.
    pub(super) fn redirect<'a>(&'a self, asked: Option<&'a str>) -> Result<&'a str, &'static str> {
        match (asked, &*self.redirect_uris) {
            (Some(asked), registered) if registered.iter().any(|uri| uri.allows(asked)) => {
                Ok(asked)
            }
            (Some(_), _) => Err("The redirect URI is not one that the client has registered."),
            (None, [only]) => Ok(only.as_str()),
            (None, _) => Err("The request does not say which redirect URI it means."),
        }
    }

    pub(super) fn check(&self, presented: &Credentials) -> Result<(), Refusal> {
        let Authentication::Secret { digest, by } = self.authentication else {
            return match presented.secret {
                None => Ok(()),
                Some(_) => Err(Refusal::invalid_client("this client has no secret")),
            };
        };
        let Some((secret, place)) = &presented.secret else {
            return Err(Refusal::invalid_client("this client has to show its secret"));
        };
        if by != By::Either && by != *place {
            return Err(Refusal::invalid_client(
                "the secret is not where this client registered it",
            ));
        }
        if Digest::of(secret) != digest {
            return Err(Refusal::invalid_client("the secret is wrong"));
        }
        Ok(())
    }
}

/// What a request to the token endpoint says about who sends it.
pub(super) struct Credentials {
    pub(super) id: String,
    /// Never shown.
    secret: Option<(String, By)>,
}

impl Credentials {
    pub(super) fn read(headers: &HeaderMap, form: &Form) -> Result<Self, Refusal> {
        let (id, secret) = (form.one("client_id")?, form.one("client_secret")?);
        let mut presented = headers.get_all(header::AUTHORIZATION).iter();
        let basic = match (presented.next(), presented.next()) {
            (None, _) => None,
            (Some(value), None) => Some(
                basic(value.as_bytes())
                    .ok_or(Refusal::invalid_client("the Authorization header cannot be read"))?,
            ),
            _ => return Err(Refusal::invalid_request("there are several Authorization headers")),
        };
        match (basic, id, secret) {
            (Some(_), _, Some(_)) => {
                Err(Refusal::invalid_request("the client authenticates in two ways at once"))
            }
            (Some((in_header, _)), Some(id), _) if in_header != id => {
                Err(Refusal::invalid_request("the header and the body name different clients"))
            }
            (Some((id, secret)), _, None) => Ok(Self { id, secret: Some((secret, By::Basic)) }),
            (None, Some(id), secret) => {
                let secret = secret.map(|secret| (secret.to_owned(), By::Post));
                Ok(Self { id: id.to_owned(), secret })
            }
            (None, None, _) => Err(Refusal::invalid_client("the request does not name a client")),
        }
    }
}

/// The id and the secret, each form-encoded within the header.
fn basic(value: &[u8]) -> Option<(String, String)> {
    let value = std::str::from_utf8(value).ok()?;
    let (scheme, encoded) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (id, secret) = decoded.split_once(':')?;
    Some((form_decoded(id), form_decoded(secret)))
}

fn form_decoded(text: &str) -> String {
    // As a value of a form; one that holds a separator would be cut off there, so these are kept from it.
    let text = text.replace('&', "%26");
    let pair = format!("v={text}");
    form_urlencoded::parse(pair.as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn the_parts_of_a_basic_header_are_form_encoded() {
        let header = |text: &str| format!("Basic {}", STANDARD.encode(text));
        let read = basic(header("https%3A%2F%2Fa%2Fb:s%26%2B+t").as_bytes()).unwrap();
        assert_eq!(read, ("https://a/b".to_owned(), "s&+ t".to_owned()));
        assert_eq!(basic(header("id:a&b").as_bytes()).unwrap().1, "a&b");
        for bad in ["Bearer abc", "Basic ???", "Basic", &*header("no-colon")] {
            assert_eq!(basic(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn a_client_that_authenticates_twice_is_refused() {
        let form = Form::parse(b"client_id=a&client_secret=b").unwrap();
        let mut headers = HeaderMap::new();
        let value = format!("Basic {}", STANDARD.encode("a:b"));
        headers.insert(header::AUTHORIZATION, HeaderValue::try_from(value).unwrap());
        let refused = Credentials::read(&headers, &form).err().unwrap();
        assert_eq!(refused.error, "invalid_request");
    }
}
