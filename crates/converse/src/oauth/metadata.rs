//! What an authorization server says about itself, and where.

use serde_json::Value;

use super::HttpClient;
use proofmark_record::{topic::Topic, wire::Url};

/// Which of the places are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    All,
    /// Up to the first that has a document, as a client does.
    First,
}

/// Where the documents of an issuer may lie, in the order in which clients ask: RFC 8414, then the two forms of OpenID Connect. Without a
/// path these are one.
pub(super) fn places(issuer: &Url) -> Vec<Url> {
    let path = issuer.path.split('?').next().unwrap_or_default().trim_end_matches('/');
    let mut paths = vec![format!("{OAUTH}{path}"), format!("{OPEN_ID}{path}")];
    if !path.is_empty() {
        paths.push(format!("{path}{OPEN_ID}"));
    }
    paths.into_iter().map(|path| Url { path, ..issuer.clone() }).collect()
}

/// The first document that is there.
pub async fn discover(http_client: &mut HttpClient, issuer: &Url, which: Lookup) -> Option<Value> {
    let mut found = None;
    for place in places(issuer) {
        let response = http_client.get(Topic::IssuerMetadata, &place, &Vec::new()).await;
        let document =
            response.filter(|response| response.status == 200 && response.json.is_object());
        found = found.or_else(|| document.map(|response| response.json));
        if found.is_some() && which == Lookup::First {
            break;
        }
    }
    found
}

/// Where things are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoints {
    pub authorization: Option<Url>,
    pub token: Option<Url>,
    pub registration: Option<Url>,
    /// Whether a secret is to stand in the body of a request for tokens.
    pub secret_in_body: bool,
}

impl Endpoints {
    pub fn of(document: &Value) -> Self {
        let url = |member| document.get(member).and_then(Value::as_str)?.parse().ok();
        let methods = document.get("token_endpoint_auth_methods_supported");
        let methods = methods.and_then(Value::as_array);
        let has = |name: &str| methods.is_some_and(|it| it.iter().any(|method| method == name));
        Self {
            authorization: url("authorization_endpoint"),
            token: url("token_endpoint"),
            registration: url("registration_endpoint"),
            // Without a word the header is what servers have to understand.
            secret_in_body: has("client_secret_post") && !has("client_secret_basic"),
        }
    }
}

impl Endpoints {
    /// Where everything is if nothing is said, in the revision that has such places.
    pub fn default_of(server: &Url) -> Self {
        let at = |path: &str| Some(Url { path: path.to_owned(), ..server.clone() });
        Self {
            authorization: at("/authorize"),
            token: at("/token"),
            registration: at("/register"),
            secret_in_body: false,
        }
    }

    pub fn all(&self) -> impl Iterator<Item = &Url> {
        let Self { authorization, token, registration, .. } = self;
        [authorization, token, registration].into_iter().flatten()
    }
}

/// Says whether clients may be known by a document.
pub const CLIENT_DOCUMENTS: &str = "client_id_metadata_document_supported";
const OAUTH: &str = "/.well-known/oauth-authorization-server";
const OPEN_ID: &str = "/.well-known/openid-configuration";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_with_a_path_has_three_places_and_one_without_has_two() {
        let of = |issuer: &str| -> Vec<String> {
            places(&issuer.parse().unwrap()).iter().map(|place| place.path.clone()).collect()
        };
        assert_eq!(of("https://as.example"), [OAUTH, OPEN_ID]);
        assert_eq!(of("https://as.example/"), [OAUTH, OPEN_ID]);
        assert_eq!(
            of("https://as.example/t"),
            [format!("{OAUTH}/t"), format!("{OPEN_ID}/t"), format!("/t{OPEN_ID}")]
        );
    }
}
