//! An MCP server, an authorization server and a person, as far as a flow can tell.

use std::{collections::BTreeMap, sync::Arc};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use proofmark_core::revision::Revision;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use url::{Url, form_urlencoded};

use super::super::{Action, Event, Flow, FlowInput};
use crate::{
    auth::Scopes,
    client::oauth::{
        AddressPolicy, Challenge, Fetch, Fetched, Grant, OAuth, OAuthError, Registration, Zone,
        discovery::DiscoveryInput, dpop::DpopKey,
    },
};

pub(super) const SERVER: &str = "https://mcp.example/mcp";
pub(super) const AS: &str = "https://as.example";
pub(super) const RESOURCE_METADATA: &str =
    "https://mcp.example/.well-known/oauth-protected-resource/mcp";
pub(super) const SERVER_METADATA: &str =
    "https://as.example/.well-known/oauth-authorization-server";
pub(super) const REDIRECT: &str = "http://127.0.0.1:4000/callback";
pub(super) const NOW: u64 = 1_800_000_000;

/// Everything is as it should be; tests change what they are about.
pub(super) struct World {
    pub(super) oauth: OAuth,
    pub(super) challenge: Challenge,
    pub(super) before: Scopes,
    pub(super) revision: Option<Revision>,
    pub(super) known: Vec<String>,
    pub(super) dpop: Option<DpopKey>,
    /// What GETs find.
    pub(super) documents: BTreeMap<String, Value>,
    pub(super) redirects: BTreeMap<String, Url>,
    /// What GETs find elsewhere.
    pub(super) page: Option<&'static str>,
    /// What POSTs are answered with, by path, in turn; the last one stays.
    pub(super) answers: BTreeMap<&'static str, Vec<(u16, Value)>>,
    /// Sent with every answer of the token endpoint.
    pub(super) nonce: Option<&'static str>,
    /// What is kept about the client.
    pub(super) kept: BTreeMap<String, Registration>,
    pub(super) redirect: Url,
    /// Changes what the person comes back with.
    pub(super) answer: Answer,
    pub(super) fetches: Vec<Fetch>,
    pub(super) actions: Vec<String>,
    pub(super) visits: usize,
    pub(super) visited: BTreeMap<String, String>,
    pub(super) dice: u8,
}

pub(super) type Answer = fn(&mut BTreeMap<String, String>);

impl Default for World {
    fn default() -> Self {
        let resource = json!({"resource": SERVER, "authorization_servers": [AS]});
        let server = json!({
            "issuer": AS,
            "authorization_endpoint": format!("{AS}/authorize"),
            "token_endpoint": format!("{AS}/token"),
            "registration_endpoint": format!("{AS}/register"),
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
            "authorization_response_iss_parameter_supported": true,
        });
        let token = json!({
            "access_token": "access-1",
            "token_type": "bearer",
            "refresh_token": "refresh-1",
            "expires_in": 3600,
        });
        Self {
            oauth: OAuth::browser().name("Test"),
            challenge: Challenge::default(),
            before: Scopes::default(),
            revision: None,
            known: Vec::new(),
            dpop: None,
            documents: BTreeMap::from([
                (RESOURCE_METADATA.into(), resource),
                (SERVER_METADATA.into(), server),
            ]),
            redirects: BTreeMap::new(),
            page: None,
            answers: BTreeMap::from([
                ("/register", vec![(201, json!({"client_id": "dynamic"}))]),
                ("/token", vec![(200, token)]),
            ]),
            nonce: None,
            kept: BTreeMap::new(),
            redirect: Url::parse(REDIRECT).unwrap(),
            answer: |_| {},
            fetches: Vec::new(),
            actions: Vec::new(),
            visits: 0,
            visited: BTreeMap::new(),
            dice: 0,
        }
    }
}

impl World {
    pub(super) fn resource_metadata(&mut self) -> &mut Value {
        self.documents.get_mut(RESOURCE_METADATA).unwrap()
    }

    pub(super) fn server_metadata(&mut self) -> &mut Value {
        self.documents.get_mut(SERVER_METADATA).unwrap()
    }

    /// Runs one flow to its end.
    pub(super) fn authorize(&mut self) -> Result<Grant, OAuthError> {
        self.fetches.clear();
        self.dice += 20;
        let mut dice = self.dice;
        let flow_input = FlowInput {
            settings: Arc::new(self.oauth.settings.clone()),
            discovery_input: DiscoveryInput {
                server: Url::parse(SERVER).unwrap(),
                policy: AddressPolicy::new(Url::parse(SERVER).unwrap(), Zone::Public),
                challenge: self.challenge.clone(),
                revision: self.revision,
                known: self.known.clone(),
            },
            before: self.before.clone(),
            dpop: self.dpop.clone(),
            entropy: Box::new(move || {
                dice += 1;
                [dice; 32]
            }),
        };
        let (mut flow, mut action) = Flow::start(flow_input)?;
        loop {
            self.actions.push(format!("{action:?}"));
            let event = match action {
                Action::Done(grant) => return Ok(*grant),
                Action::Assert { audience } => Event::Asserted(format!("for {audience}").into()),
                Action::Fetch(fetch) => Event::Fetched(self.fetch(fetch)),
                Action::Listen { .. } => Event::Listening(self.redirect.clone()),
                Action::Recall { issuer } => Event::Recalled(self.kept.get(&issuer).cloned()),
                Action::Remember { issuer, registration } => {
                    self.kept.insert(issuer, registration);
                    Event::Remembered
                }
                Action::Visit { url } => Event::Answered(self.visit(&url)),
            };
            action = flow.handle(NOW, event)?;
        }
    }

    /// The requests that were made, in their order.
    pub(super) fn fetched(&self) -> Vec<String> {
        self.fetches.iter().map(|fetch| format!("{} {}", fetch.method, fetch.url)).collect()
    }

    /// The last form that was posted to a path.
    #[track_caller]
    pub(super) fn form(&self, path: &str) -> BTreeMap<String, String> {
        let fetch = self.fetches.iter().rev().find(|fetch| fetch.url.path() == path).unwrap();
        form_urlencoded::parse(&fetch.body).into_owned().collect()
    }

    /// The JSON that was posted to register.
    #[track_caller]
    pub(super) fn registered(&self) -> Value {
        let fetch = self.fetches.iter().find(|fetch| fetch.url.path() == "/register").unwrap();
        serde_json::from_slice(&fetch.body).unwrap()
    }

    /// What the authorization endpoint was asked last.
    pub(super) fn visited(&self) -> BTreeMap<String, String> {
        self.visited.clone()
    }

    fn visit(&mut self, url: &Url) -> String {
        self.visits += 1;
        self.visited = url.query_pairs().into_owned().collect();
        let mut query = BTreeMap::from([
            ("code".to_owned(), "code".to_owned()),
            ("state".to_owned(), self.visited["state"].clone()),
        ]);
        if url.host_str() == Some("as.example") {
            query.insert("iss".to_owned(), AS.to_owned());
        }
        (self.answer)(&mut query);
        let mut back = self.redirect.clone();
        back.query_pairs_mut().extend_pairs(&query);
        back.to_string()
    }

    fn fetch(&mut self, fetch: Fetch) -> Fetched {
        let url = fetch.url.to_string();
        let answer = if fetch.method == http::Method::GET {
            self.get(&url)
        } else {
            let answers = self.answers.get_mut(fetch.url.path()).unwrap();
            let (status, body) =
                if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
            let mut answer = respond(status, &body.to_string());
            if let Some(nonce) = self.nonce {
                answer.headers.insert("dpop-nonce", HeaderValue::from_static(nonce));
            }
            answer
        };
        self.fetches.push(fetch);
        answer
    }

    fn get(&self, url: &str) -> Fetched {
        if let Some(target) = self.redirects.get(url) {
            let mut answer = respond(302, "");
            let location = HeaderValue::from_str(target.as_str()).unwrap();
            answer.headers.insert(header::LOCATION, location);
            return answer;
        }
        match (self.documents.get(url), self.page) {
            (Some(document), _) => respond(200, &document.to_string()),
            (None, Some(page)) => respond(200, page),
            (None, None) => respond(404, "not found"),
        }
    }
}

fn respond(status: u16, body: &str) -> Fetched {
    Fetched {
        status: StatusCode::from_u16(status).unwrap(),
        headers: HeaderMap::new(),
        body: Bytes::copy_from_slice(body.as_bytes()),
    }
}

pub(super) fn s256(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}
