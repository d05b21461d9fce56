//! Clients that introduce themselves (RFC 7591).

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::client::{Authentication, By, Client, Grants};
use super::redirect::RedirectUri;
use super::refusal::Refusal;
use super::secret::{Digest, random};
use super::server::Inner;

/// What a client says about itself, here or in a document of its own. What is not named here is not looked at.
#[derive(Debug, Deserialize)]
pub(super) struct Metadata {
    pub(super) client_id: Option<String>,
    #[serde(default)]
    redirect_uris: Vec<String>,
    pub(super) token_endpoint_auth_method: Option<String>,
    grant_types: Option<Vec<String>>,
    response_types: Option<Vec<String>>,
    pub(super) client_name: Option<String>,
    pub(super) client_secret: Option<serde::de::IgnoredAny>,
}

/// What the client has to know from now on.
#[derive(Serialize)]
pub(super) struct Registration {
    client_id: String,
    client_id_issued_at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
    /// Never.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret_expires_at: Option<u64>,
    redirect_uris: Vec<String>,
    token_endpoint_auth_method: String,
    grant_types: Vec<String>,
    response_types: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_name: Option<String>,
}

pub(super) fn register(server: &Inner, body: &[u8]) -> Result<Registration, Refusal> {
    if body.len() > MAX_BYTES {
        return Err(Refusal::invalid_client_metadata("the metadata are too long"));
    }
    let mut metadata: Metadata = serde_json::from_slice(body).map_err(|_| {
        Refusal::invalid_client_metadata("the body is not a JSON object of metadata")
    })?;
    let method = metadata.token_endpoint_auth_method.take();
    let method = method.unwrap_or_else(|| "client_secret_basic".into());
    let by = match &*method {
        "none" => None,
        "client_secret_basic" => Some(By::Basic),
        "client_secret_post" => Some(By::Post),
        _ => {
            return Err(Refusal::invalid_client_metadata(
                "the token endpoint does not know this way to authenticate",
            ));
        }
    };
    let (redirect_uris, grants) = metadata.checked()?;
    if grants.credentials && by.is_none() {
        return Err(Refusal::invalid_client_metadata(
            "client_credentials is for clients with a secret",
        ));
    }
    let secret = by.map(|_| random()).transpose()?;
    let authentication = match (&secret, by) {
        (Some(secret), Some(by)) => Authentication::Secret { digest: Digest::of(secret), by },
        _ => Authentication::Public,
    };
    let id = random()?;
    let client = Client { id: id.clone(), authentication, redirect_uris, grants };
    server.store().registered.put(id.clone(), client, Instant::now());
    Ok(Registration {
        client_id: id,
        client_id_issued_at: seconds(SystemTime::now()),
        client_secret_expires_at: secret.as_ref().map(|_| 0),
        client_secret: secret,
        redirect_uris: metadata.redirect_uris,
        token_endpoint_auth_method: method,
        grant_types: metadata.grant_types.unwrap_or_else(|| vec!["authorization_code".into()]),
        response_types: metadata.response_types.unwrap_or_else(|| vec!["code".into()]),
        client_name: metadata.client_name,
    })
}

impl Metadata {
    /// What holds for every client, however it is known.
    pub(super) fn checked(&self) -> Result<(Vec<RedirectUri>, Grants), Refusal> {
        let has = |name: &str| match &self.grant_types {
            Some(types) => types.iter().any(|grant| grant == name),
            None => name == "authorization_code",
        };
        let grants = Grants {
            code: has("authorization_code"),
            credentials: has("client_credentials"),
            refresh: has("refresh_token"),
        };
        let types = self.grant_types.iter().flatten();
        if types.into_iter().any(|grant| !GRANT_TYPES.contains(&&**grant)) {
            return Err(Refusal::invalid_client_metadata("a grant type is not supported"));
        }
        if self.response_types.iter().flatten().any(|kind| kind != "code") {
            return Err(Refusal::invalid_client_metadata("the only response type is code"));
        }
        if self.redirect_uris.len() > MAX_REDIRECT_URIS {
            return Err(Refusal::invalid_redirect_uri("there are too many redirect URIs"));
        }
        if grants.code && self.redirect_uris.is_empty() {
            return Err(Refusal::invalid_redirect_uri("there is no redirect URI"));
        }
        let uris = self.redirect_uris.iter().map(|uri| RedirectUri::parse(uri));
        Ok((uris.collect::<Result<_, _>>()?, grants))
    }
}

pub(super) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

pub(super) const MAX_BYTES: usize = 32 * 1024;
const MAX_REDIRECT_URIS: usize = 16;
const GRANT_TYPES: [&str; 3] = ["authorization_code", "client_credentials", "refresh_token"];
