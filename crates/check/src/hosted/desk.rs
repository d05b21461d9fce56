//! Where a hosted server has its tokens from: an authorization server that gives one to whoever asks, and sends everybody back at once.
//!
//! It is no judge: what a client forgets to say is written down, and answered all the same.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{
    door::Incoming,
    form::Form,
    gate::{Challenge, Documents, Gate, Place, Terms},
    stage::ENDPOINT,
};
use crate::{evidence::Headers, scenario::Topic};

/// One authorization server, and the resource that trusts it.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) gate: Gate,
    terms: Terms,
    /// Without a slash at its end.
    origin: String,
    given: u32,
    /// Codes that were not redeemed, with their scopes.
    codes: HashMap<String, String>,
    /// Access tokens that are good, with their scopes.
    tokens: HashMap<String, String>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Headers,
    /// JSON, or nothing.
    pub(super) body: String,
}

impl Reply {
    fn json(status: u16, body: &Value) -> Self {
        Self { status, headers: Vec::new(), body: body.to_string() }
    }

    fn with(mut self, name: &str, value: String) -> Self {
        self.headers.push((name.to_owned(), value));
        self
    }
}

impl Desk {
    pub(super) fn new(gate: Gate, origin: String) -> Self {
        let terms = Terms::of(gate);
        let (codes, tokens) = (HashMap::new(), HashMap::new());
        Self { gate, terms, origin, given: 0, codes, tokens }
    }

    /// What a request elsewhere than at the endpoint is about.
    pub(super) fn topic(request: &Incoming) -> Topic {
        let path = path(request);
        if path.starts_with(RESOURCE) {
            return Topic::ResourceMetadata;
        }
        if path.starts_with(OAUTH) || path.contains(OPEN_ID) {
            return Topic::IssuerMetadata;
        }
        match path.rsplit('/').next() {
            Some("authorize") => Topic::Authorize,
            Some("register") => Topic::Register,
            Some("token") => Topic::Token,
            _ => Topic::Elsewhere,
        }
    }

    /// The answer to a request elsewhere than at the endpoint.
    pub(super) fn answer(&mut self, request: &Incoming) -> Reply {
        let path = path(request);
        let is_endpoint = |name: &str| path == self.endpoint(name);
        match Self::topic(request) {
            Topic::ResourceMetadata if self.has_resource_at(path) => {
                Reply::json(200, &self.resource_metadata())
            }
            Topic::IssuerMetadata if self.has_issuer_at(path) => {
                Reply::json(200, &self.issuer_metadata())
            }
            Topic::Authorize if is_endpoint("authorize") => self.authorize(&request.path),
            Topic::Register if is_endpoint("register") => self.register(&request.body),
            Topic::Token if is_endpoint("token") => self.token(&request.body),
            _ => Reply { status: 404, ..Reply::default() },
        }
    }

    /// What a request at the endpoint is refused with. `None`: it is let in.
    pub(super) fn refuses(&mut self, request: &Incoming) -> Option<Reply> {
        let shown = request.header("authorization").and_then(|value| value.split_once(' '));
        let token = shown.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let known = token.is_some_and(|(_, token)| self.tokens.contains_key(token));
        (!known)
            .then(|| Reply { status: 401, ..Reply::default() }.with(CHALLENGE, self.challenge()))
    }

    fn challenge(&self) -> String {
        let mut challenge = "Bearer".to_owned();
        let mut parameters = Vec::new();
        if self.terms.challenge == Challenge::Telling {
            let url = format!("{}{RESOURCE}{ENDPOINT}", self.origin);
            parameters.push(format!(" resource_metadata=\"{url}\""));
        }
        if let Some(scope) = self.terms.scope {
            parameters.push(format!(" scope=\"{scope}\""));
        }
        challenge.push_str(&parameters.join(","));
        challenge
    }

    fn has_resource_at(&self, path: &str) -> bool {
        match self.terms.place {
            Place::Nowhere => false,
            Place::OfPath => path == format!("{RESOURCE}{ENDPOINT}"),
        }
    }

    fn has_issuer_at(&self, path: &str) -> bool {
        match self.terms.documents {
            Documents::Nowhere => false,
            Documents::OAuth => path == format!("{OAUTH}{}", self.terms.issuer),
        }
    }

    fn issuer(&self) -> String {
        format!("{}{}", self.origin, self.terms.issuer)
    }

    /// The path of an endpoint.
    fn endpoint(&self, name: &str) -> String {
        format!("{}{}/{name}", self.terms.issuer, self.terms.endpoints)
    }

    fn resource_metadata(&self) -> Value {
        let mut document = json!({
            "resource": format!("{}{ENDPOINT}", self.origin),
            "authorization_servers": [self.issuer()],
            "bearer_methods_supported": ["header"],
        });
        if let Some(scopes) = self.terms.supported {
            document["scopes_supported"] = json!(scopes);
        }
        document
    }

    fn issuer_metadata(&self) -> Value {
        let url = |name: &str| format!("{}{}", self.origin, self.endpoint(name));
        json!({
            "issuer": self.issuer(),
            "authorization_endpoint": url("authorize"),
            "token_endpoint": url("token"),
            "registration_endpoint": url("register"),
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported":
                ["none", "client_secret_basic", "client_secret_post"],
            "code_challenge_methods_supported": ["S256"],
        })
    }

    fn authorize(&mut self, path: &str) -> Reply {
        let query = Form::of_query(path);
        let Some(redirect) = query.get("redirect_uri") else {
            return refused("invalid_request");
        };
        let code = self.next("code");
        let mut answer = Form(vec![("code".to_owned(), code.clone())]);
        if let Some(state) = query.get("state") {
            answer.set("state", state);
        }
        self.codes.insert(code, query.get("scope").unwrap_or_default().to_owned());
        let mark = if redirect.contains('?') { '&' } else { '?' };
        let location = format!("{redirect}{mark}{}", answer.encoded());
        Reply { status: 302, ..Reply::default() }.with("location", location)
    }

    fn register(&mut self, body: &[u8]) -> Reply {
        let Ok(Value::Object(mut client)) = serde_json::from_slice(body) else {
            return refused("invalid_client_metadata");
        };
        client.insert("client_id".to_owned(), json!(self.next("client")));
        let method = client.get("token_endpoint_auth_method").and_then(Value::as_str);
        if method != Some("none") {
            client.insert("client_secret".to_owned(), json!(self.next("secret")));
            client.insert("client_secret_expires_at".to_owned(), json!(0));
        }
        Reply::json(201, &Value::Object(client))
    }

    fn token(&mut self, body: &[u8]) -> Reply {
        let form = Form::parse(&String::from_utf8_lossy(body));
        let scope = match form.get("grant_type") {
            Some("authorization_code") => form.get("code").and_then(|code| self.codes.remove(code)),
            _ => return refused("unsupported_grant_type"),
        };
        let Some(scope) = scope else { return refused("invalid_grant") };
        let token = self.next("token");
        let mut answer =
            json!({ "access_token": token, "token_type": "Bearer", "expires_in": 3600 });
        if !scope.is_empty() {
            answer["scope"] = json!(scope);
        }
        self.tokens.insert(token, scope);
        Reply::json(200, &answer).with("cache-control", "no-store".to_owned())
    }

    /// Something that nobody else was given.
    fn next(&mut self, kind: &str) -> String {
        self.given += 1;
        format!("{kind}-{}-{}", self.gate.name(), self.given)
    }
}

fn path(request: &Incoming) -> &str {
    request.path.split('?').next().unwrap_or_default()
}

fn refused(error: &str) -> Reply {
    Reply::json(400, &json!({ "error": error }))
}

const CHALLENGE: &str = "www-authenticate";
const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const OAUTH: &str = "/.well-known/oauth-authorization-server";
const OPEN_ID: &str = "/.well-known/openid-configuration";
