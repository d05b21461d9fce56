//! Asking a token endpoint, and reading what it says.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderValue, Method, header};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::{Url, form_urlencoded};

use super::{
    Entropy, Fetch, Fetched, OAuthError, Secret, assertion,
    discovery::DoneOrFetch,
    dpop::{self, DpopKey, Proven},
    registration::Identity,
};
use crate::auth::Scopes;

/// How a client authenticates at the token endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Authentication {
    #[serde(rename = "client_secret_basic")]
    Basic,
    #[serde(rename = "none")]
    None,
    #[serde(rename = "client_secret_post")]
    Post,
    #[serde(rename = "private_key_jwt")]
    PrivateKeyJwt,
}

impl Authentication {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Basic => "client_secret_basic",
            Self::None => "none",
            Self::Post => "client_secret_post",
            Self::PrivateKeyJwt => "private_key_jwt",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Basic, Self::None, Self::Post].into_iter().find(|method| method.name() == name)
    }

    /// The better of the two ways to show a secret that the server takes. One that says nothing takes the header.
    pub(crate) fn with_secret(supported: Option<&[String]>) -> Self {
        let takes = |method: Self| {
            supported.is_some_and(|methods| methods.iter().any(|name| name == method.name()))
        };
        if takes(Self::Post) && !takes(Self::Basic) { Self::Post } else { Self::Basic }
    }

    pub(crate) fn needs_secret(self) -> bool {
        matches!(self, Self::Basic | Self::Post)
    }
}

/// How a token is shown to the server it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TokenKind {
    Bearer,
    #[serde(rename = "DPoP")]
    Dpop,
}

/// What a token endpoint gave.
#[derive(Clone, Debug)]
pub(crate) struct Tokens {
    pub(crate) access: Secret,
    /// As the endpoint writes it.
    pub(crate) kind: String,
    pub(crate) refresh: Option<Secret>,
    /// In seconds since 1970.
    pub(crate) expires_at: Option<u64>,
    pub(crate) issued: Option<String>,
}

/// A request to a token endpoint, made again once if the endpoint wants its nonce in the proof.
#[derive(Clone, Debug)]
pub(crate) struct TokenRequest {
    pub(crate) endpoint: Url,
    pub(crate) issuer: String,
    pub(crate) client: Identity,
    /// Everything but the client's authentication.
    pub(crate) fields: Fields,
    pub(crate) dpop: Option<DpopKey>,
    nonce: Option<String>,
}

/// The fields of a form. `Debug` shows none of them.
#[derive(Clone)]
pub(crate) struct Fields(Vec<(&'static str, String)>);

impl Fields {
    pub(crate) fn grant(kind: &str) -> Self {
        Self(vec![("grant_type", kind.to_owned())])
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.0.push((name, value.into()));
        self
    }

    pub(crate) fn with_some(self, name: &'static str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub(crate) fn with_scopes(self, scopes: &Scopes) -> Self {
        if scopes.is_empty() { self } else { self.with("scope", scopes.to_string()) }
    }
}

impl std::fmt::Debug for Fields {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fields(..)")
    }
}

impl TokenRequest {
    pub(crate) fn new(
        endpoint: Url,
        issuer: String,
        client: Identity,
        fields: Fields,
        dpop: Option<DpopKey>,
    ) -> Self {
        Self { endpoint, issuer, client, fields, dpop, nonce: None }
    }

    pub(crate) fn fetch(&self, now: u64, entropy: &mut dyn Entropy) -> Fetch {
        let registration = &self.client.registration;
        let mut fields = self.fields.clone();
        let mut authorization = None;
        let secret = registration.secret.as_ref().map(Secret::expose).unwrap_or_default();
        match registration.authentication {
            Authentication::Basic => authorization = Some(basic(&registration.client_id, secret)),
            Authentication::None => {
                fields = fields.with("client_id", registration.client_id.clone());
            }
            Authentication::Post => {
                fields = fields
                    .with("client_id", registration.client_id.clone())
                    .with("client_secret", secret);
            }
            Authentication::PrivateKeyJwt => {
                if let Some(key) = &self.client.key {
                    let client = &registration.client_id;
                    let jwt = assertion::client_assertion(key, client, &self.issuer, now, entropy);
                    fields = fields
                        .with("client_id", client.clone())
                        .with("client_assertion_type", JWT_BEARER_ASSERTION)
                        .with("client_assertion", jwt);
                }
            }
        }
        let mut fetch = Fetch::post_form(self.endpoint.clone(), &fields.0);
        if let Some(value) = authorization {
            fetch.headers.insert(header::AUTHORIZATION, value);
        }
        if let Some(key) = &self.dpop {
            let request = Proven {
                method: &Method::POST,
                url: &self.endpoint,
                token: None,
                nonce: self.nonce.as_deref(),
                now,
            };
            fetch.headers.insert(dpop::DPOP, key.proof(&request, entropy));
        }
        fetch
    }

    pub(crate) fn handle(
        &mut self,
        fetched: &Fetched,
        now: u64,
        entropy: &mut dyn Entropy,
    ) -> Result<DoneOrFetch<Tokens>, OAuthError> {
        if fetched.status.is_success() {
            return self.tokens(fetched, now).map(DoneOrFetch::Done);
        }
        let refusal =
            serde_json::from_slice::<Refusal>(&fetched.body).unwrap_or_else(|_| Refusal {
                error: format!("status {}", fetched.status.as_u16()),
                error_description: None,
            });
        let nonce =
            dpop::nonce(&fetched.headers).filter(|nonce| self.nonce.as_ref() != Some(nonce));
        let retry = self.dpop.is_some() && self.nonce.is_none() && refusal.error == dpop::USE_NONCE;
        if let Some(nonce) = nonce.filter(|_| retry) {
            self.nonce = Some(nonce);
            return Ok(DoneOrFetch::Fetch(Box::new(self.fetch(now, entropy))));
        }
        Err(OAuthError::TokenRefused {
            issuer: self.issuer.clone(),
            error: refusal.error,
            description: refusal.error_description,
        })
    }

    fn tokens(&self, fetched: &Fetched, now: u64) -> Result<Tokens, OAuthError> {
        #[derive(Deserialize)]
        struct TokenResponse {
            access_token: Secret,
            token_type: String,
            refresh_token: Option<Secret>,
            expires_in: Option<Value>,
            issued_token_type: Option<String>,
        }
        let unusable = |why: String| OAuthError::TokenUnusable { issuer: self.issuer.clone(), why };
        let answer: TokenResponse = serde_json::from_slice(&fetched.body)
            // The parser may quote what it read, and what it read is a secret.
            .map_err(|why| unusable(format!("not a token response (line {})", why.line())))?;
        if HeaderValue::from_str(answer.access_token.expose()).is_err() {
            return Err(unusable("a token that no header can carry".into()));
        }
        let lifetime = answer.expires_in.as_ref().and_then(seconds);
        Ok(Tokens {
            access: answer.access_token,
            kind: answer.token_type,
            refresh: answer.refresh_token,
            expires_at: lifetime.map(|lifetime| now.saturating_add(lifetime)),
            issued: answer.issued_token_type,
        })
    }
}

impl Tokens {
    /// How the token is to be shown. One that is bound to a key is only of use to a client that has it.
    pub(crate) fn usable(
        &self,
        issuer: &str,
        dpop: Option<&DpopKey>,
    ) -> Result<TokenKind, OAuthError> {
        if self.kind.eq_ignore_ascii_case("bearer") {
            return Ok(TokenKind::Bearer);
        }
        if self.kind.eq_ignore_ascii_case("dpop") && dpop.is_some() {
            return Ok(TokenKind::Dpop);
        }
        let why = format!("its tokens are of the kind {:?}", self.kind);
        Err(OAuthError::TokenUnusable { issuer: issuer.to_owned(), why })
    }
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
    error_description: Option<String>,
}

/// Some endpoints write numbers as text.
fn seconds(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => {
            number.as_u64().or_else(|| number.to_string().split('.').next()?.parse().ok())
        }
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// Both halves are form-encoded first (RFC 6749, 2.3.1).
fn basic(id: &str, secret: &str) -> HeaderValue {
    let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let pair = STANDARD.encode(format!("{}:{}", encode(id), encode(secret)));
    let mut value = HeaderValue::try_from(format!("Basic {pair}")).expect("base64 is plain text");
    value.set_sensitive(true);
    value
}

const JWT_BEARER_ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
