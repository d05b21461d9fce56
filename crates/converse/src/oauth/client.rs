//! Being known to an authorization server: beforehand, or by registration.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;

use super::{Endpoints, HttpClient};
use proofmark_record::form;
use proofmark_record::{event::Headers, topic::Topic};

/// A client that was entered at the authorization server by hand.
#[derive(Clone, PartialEq, Eq)]
pub struct KnownClient {
    pub id: String,
    pub secret: Option<String>,
    /// One that is registered for it. Nothing has to listen there.
    pub redirect_uri: String,
}

impl fmt::Debug for KnownClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownClient").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Who the checker is to the authorization server. It has no `Debug`: there may be a secret.
#[derive(Clone)]
pub struct ClientCredentials {
    pub id: String,
    pub secret: Option<String>,
    pub redirect_uri: String,
}

impl ClientCredentials {
    pub fn known(known: &KnownClient) -> Self {
        let KnownClient { id, secret, redirect_uri } = known.clone();
        Self { id, secret, redirect_uri }
    }

    /// A client without a secret.
    pub fn public(id: &str, redirect_uri: &str) -> Self {
        Self { id: id.to_owned(), secret: None, redirect_uri: redirect_uri.to_owned() }
    }

    /// What shows at the token endpoint who asks: headers and fields.
    pub(super) fn authentication(&self, endpoints: &Endpoints) -> (Headers, Vec<(&str, &str)>) {
        match &self.secret {
            None => (Vec::new(), vec![("client_id", &self.id)]),
            Some(secret) if endpoints.secret_in_body => {
                (Vec::new(), vec![("client_id", &self.id), ("client_secret", secret)])
            }
            Some(secret) => {
                let encoded = |text: &str| form::encode([("", text)]).split_off(1);
                let pair = format!("{}:{}", encoded(&self.id), encoded(secret));
                let value = format!("Basic {}", STANDARD.encode(pair));
                (vec![("authorization".to_owned(), value)], Vec::new())
            }
        }
    }
}

/// Registers a client with this redirect URI: one without a secret, or one with a secret where there are no others.
pub async fn register(
    http_client: &mut HttpClient,
    topic: Topic,
    endpoints: &Endpoints,
    redirect_uri: &str,
) -> Option<ClientCredentials> {
    let endpoint = endpoints.registration.as_ref()?;
    let with_secret =
        if endpoints.secret_in_body { "client_secret_post" } else { "client_secret_basic" };
    for method in ["none", with_secret] {
        let metadata = json!({
            "client_name": "proofmark",
            "redirect_uris": [redirect_uri],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": method,
            "application_type": "native",
        });
        let (kind, body) = ("application/json", metadata.to_string());
        let response = http_client.post(topic, endpoint, kind, body, &Vec::new()).await?;
        let id = response.text("client_id").filter(|_| matches!(response.status, 200 | 201));
        if let Some(id) = id {
            let secret = response.text("client_secret").map(str::to_owned);
            // A server that gave out a secret against the wish may want to see it.
            return Some(ClientCredentials {
                id: id.to_owned(),
                secret: secret
                    .filter(|_| response.text("token_endpoint_auth_method") != Some("none")),
                redirect_uri: redirect_uri.to_owned(),
            });
        }
        if response.status >= 500 || topic != Topic::Register {
            return None;
        }
    }
    None
}
