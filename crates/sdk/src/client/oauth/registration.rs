//! Being known to an authorization server: beforehand, by a document about oneself, or by asking.

use serde::{Deserialize, Serialize};
use serde_json::json;
use url::Url;

use super::{
    AuthorizationServer, Fetch, Fetched, OAuthError, Secret, Settings, SigningKey, addresses,
    token::Authentication,
};

/// A client that was registered by hand.
#[derive(Clone, Debug)]
pub struct KnownClient {
    /// The authorization server that knows it, exactly as it names itself. `None`: the one that the MCP server names first, and from then
    /// on no other.
    pub issuer: Option<String>,
    pub id: String,
    pub proof: ClientProof,
}

/// How a client shows that it is the one it says it is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ClientProof {
    /// Not at all: it runs where it could keep no secret.
    None,
    /// By a secret, in a header or in the body, as the authorization server likes it.
    Secret(Secret),
    /// By a signature.
    Key(SigningKey),
}

impl ClientProof {
    pub(crate) fn identity(&self, id: &str, authentication: Authentication) -> Identity {
        let (secret, key) = match self {
            Self::None => (None, None),
            Self::Secret(secret) => (Some(secret.clone()), None),
            Self::Key(key) => (None, Some(key.clone())),
        };
        let registration = Registration {
            client_id: id.to_owned(),
            secret,
            authentication,
            redirect_uri: None,
            secret_expires_at: None,
        };
        Identity { registration, key, source: Source::Known }
    }
}

/// A client as an authorization server has registered it; kept by [`CredentialStore`](super::CredentialStore)s.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    pub client_id: String,
    pub secret: Option<Secret>,
    pub(crate) authentication: Authentication,
    /// Where authorization responses were to be sent.
    pub redirect_uri: Option<String>,
    /// In seconds since 1970.
    pub secret_expires_at: Option<u64>,
}

/// Who asks for a token.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) registration: Registration,
    pub(crate) key: Option<SigningKey>,
    pub(crate) source: Source,
}

/// How a client came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// By a document that the authorization server reads.
    Document,
    /// Registered a moment ago.
    Fresh,
    Known,
    /// Registered some time ago, and perhaps forgotten since.
    Recalled,
}

pub(crate) enum Choice {
    Ready(Identity),
    Register(Fetch),
}

/// How the client will be known to a server, in the order that the specification gives: known beforehand, by document, by asking.
pub(crate) fn choose(
    settings: &Settings,
    server: &AuthorizationServer,
    recalled: Option<Registration>,
    redirect: Option<&Url>,
    now: u64,
) -> Result<Choice, OAuthError> {
    if let Some(known) = known(settings, server) {
        return Ok(Choice::Ready(known));
    }
    let document = settings.document.as_ref().filter(|_| server.metadata_documents);
    if let (Some(document), Some(_)) = (document, redirect) {
        let key = settings.key.clone().filter(|_| {
            let methods = server.authentication.iter().flatten();
            methods.into_iter().any(|method| method == Authentication::PrivateKeyJwt.name())
        });
        return Ok(Choice::Ready(by_document(document, key)));
    }
    let other = settings.clients.first().map(|client| client.issuer.clone().unwrap_or_default());
    let Some((redirect, endpoint)) = redirect.zip(server.registration_endpoint.as_ref()) else {
        let issuer = server.issuer.clone();
        return Err(match other {
            Some(registered) => OAuthError::RegisteredElsewhere { registered, found: issuer },
            None if redirect.is_none() => {
                OAuthError::NotRegistered { issuer, why: "give it a client that is".into() }
            }
            None => OAuthError::NotRegistered {
                issuer,
                why: "it registers nobody by itself; register by hand, and give the client that"
                    .into(),
            },
        });
    };
    let fits = |registration: &Registration| {
        registration.redirect_uri.as_deref() == Some(redirect.as_str())
            && registration.secret_expires_at.is_none_or(|end| end > now)
    };
    if let Some(registration) = recalled.filter(fits) {
        let source = Source::Recalled;
        return Ok(Choice::Ready(Identity { registration, key: None, source }));
    }
    Ok(Choice::Register(request(settings, server, endpoint.clone(), redirect)))
}

/// The identity that belongs to this issuer without asking it, if there is one.
pub(crate) fn known(settings: &Settings, server: &AuthorizationServer) -> Option<Identity> {
    let of = |issuer: Option<&str>| {
        settings.clients.iter().find(|client| client.issuer.as_deref() == issuer)
    };
    let bound = |client: &&KnownClient| client.issuer.is_some() || settings.may_bind(server);
    let client = of(Some(&server.issuer)).or_else(|| of(None)).filter(bound)?;
    let authentication = match &client.proof {
        ClientProof::None => Authentication::None,
        ClientProof::Secret(_) => Authentication::with_secret(server.authentication.as_deref()),
        ClientProof::Key(_) => Authentication::PrivateKeyJwt,
    };
    Some(client.proof.identity(&client.id, authentication))
}

pub(crate) fn by_document(document: &Url, key: Option<SigningKey>) -> Identity {
    let identity = match key {
        Some(key) => {
            ClientProof::Key(key).identity(document.as_str(), Authentication::PrivateKeyJwt)
        }
        None => ClientProof::None.identity(document.as_str(), Authentication::None),
    };
    Identity { source: Source::Document, ..identity }
}

fn request(
    settings: &Settings,
    server: &AuthorizationServer,
    endpoint: Url,
    redirect: &Url,
) -> Fetch {
    let body = json!({
        "client_name": settings.name,
        "redirect_uris": [redirect.as_str()],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": wanted(server).name(),
        "application_type": application_type(redirect),
    });
    Fetch::post_json(endpoint, &body)
}

/// A client on a user's machine keeps no secret unless it must.
fn wanted(server: &AuthorizationServer) -> Authentication {
    match &server.authentication {
        Some(methods) if !methods.iter().any(|method| method == "none") => {
            Authentication::with_secret(Some(methods))
        }
        _ => Authentication::None,
    }
}

/// `web` is what others than the machine's own user are sent to.
fn application_type(redirect: &Url) -> &'static str {
    let near = redirect.host_str().is_some_and(|host| {
        let literal = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
        addresses::is_localhost(host) || literal.is_ok_and(|address| address.is_loopback())
    });
    if redirect.scheme() == "https" && !near { "web" } else { "native" }
}

/// Reads the answer to a registration.
pub(crate) fn registered(
    fetched: &Fetched,
    server: &AuthorizationServer,
    redirect: &Url,
) -> Result<Identity, OAuthError> {
    #[derive(Deserialize)]
    struct RegistrationResponse {
        client_id: String,
        client_secret: Option<Secret>,
        client_secret_expires_at: Option<u64>,
        token_endpoint_auth_method: Option<String>,
    }
    #[derive(Deserialize)]
    struct Refusal {
        error: String,
        error_description: Option<String>,
    }
    let refused = |why: String| OAuthError::RegistrationRefused { why };
    if !fetched.status.is_success() {
        let refusal = serde_json::from_slice::<Refusal>(&fetched.body).ok();
        return Err(refused(match refusal {
            Some(Refusal { error, error_description: Some(text) }) => format!("{error} ({text})"),
            Some(Refusal { error, .. }) => error,
            None => format!("status {}", fetched.status.as_u16()),
        }));
    }
    let answer: RegistrationResponse = serde_json::from_slice(&fetched.body)
        .map_err(|why| refused(format!("its answer is no registration: {why}")))?;
    let authentication = match answer.token_endpoint_auth_method.as_deref() {
        None => wanted(server),
        Some(name) => Authentication::named(name)
            .ok_or_else(|| refused(format!("it wants authentication by {name:?}")))?,
    };
    if authentication.needs_secret() && answer.client_secret.is_none() {
        return Err(refused("it wants a secret and gave none".into()));
    }
    let registration = Registration {
        client_id: answer.client_id,
        secret: answer.client_secret.filter(|_| authentication.needs_secret()),
        authentication,
        redirect_uri: Some(redirect.to_string()),
        // Zero means never.
        secret_expires_at: answer.client_secret_expires_at.filter(|end| *end != 0),
    };
    Ok(Identity { registration, key: None, source: Source::Fresh })
}
