//! Requests without a token and with a wrong one, and what the server publishes about where tokens come from.

use proofmark_core::revision::{AuthorizationServerDiscovery, Era, Level};
use serde_json::{Value, json};

use super::{
    Expect, HttpSession, ProbeSettings, Scenario, Talk, probe::request,
    request_metadata::with_metadata,
};
use proofmark_record::topic::Topic;
use proofmark_record::{
    event::{EventKind, header},
    wire::{Recorder, Url, http::Request},
};

impl Scenario {
    pub const AUTHORIZATION: Self = Self {
        name: "authorization",
        title: "requests without a token and with a wrong one",
        applies: |here| here.is_over_http() && here.revision.rules().authorization.is_some(),
        talk: |talk| Box::pin(authorization(talk)),
        ..Self::USUAL
    };
}

/// With access to tokens, some are tried that the server should take, and some that it should not.
async fn authorization(talk: &mut Talk<'_>) {
    let Talk { probe, tokens, .. } = talk;
    let settings = probe.settings().clone();
    let Some((http, recorder)) = probe.http_and_recorder() else { return };
    let mut trial = TokenTrial { http, recorder, settings };
    if trial.try_token(Topic::WithoutToken, "without-token", None).await {
        // A server that demands no token need not look at one.
        return;
    }
    trial.try_token(Topic::WrongToken, "wrong-token", Some(WRONG_TOKEN)).await;
    trial.omit_token().await;
    trial.metadata().await;
    let rules = trial.settings.revision.rules().authorization;
    let mut access = tokens.lock().await;
    let Some(access) = access.as_mut() else { return };
    access.ask_wrongly().await;
    if rules.is_some_and(|it| it.metadata_documents >= Level::Should) {
        access.show_documents().await;
    }
    trial.try_token(Topic::AlteredToken, "altered-token", Some(&access.altered())).await;
    if let Some(token) = access.foreign().await {
        trial.try_token(Topic::ForeignToken, "foreign-token", Some(&token)).await;
    }
    if let Some(token) = access.in_upper_case().await {
        trial.try_token(Topic::UpperCaseToken, "upper-case-token", Some(&token)).await;
    }
    if let Some(token) = access.broad().await {
        trial.try_token(Topic::BroadToken, "broad-token", Some(&token)).await;
    }
    let Some(token) = access.narrow().await else { return };
    for id in ["narrow-token", "narrow-again"] {
        if trial.try_token(Topic::NarrowToken, id, Some(&token)).await {
            return;
        }
    }
    let Some(scope) = trial.challenged("scope").filter(|scope| !scope.trim().is_empty()) else {
        return;
    };
    if let Some(tokens) = access.with_scope(&scope).await {
        trial.try_token(Topic::ChallengedToken, "challenged-token", Some(&tokens.access)).await;
    }
}

/// Requests with tokens of every kind, and without any.
struct TokenTrial<'t> {
    http: &'t mut HttpSession,
    recorder: &'t mut Recorder,
    settings: ProbeSettings,
}

impl TokenTrial<'_> {
    /// Begins a conversation with this token, or without any. A session that comes of it is ended again.
    async fn try_token(&mut self, topic: Topic, id: &str, token: Option<&str>) -> bool {
        let id = json!(id);
        let message = self.beginning(&id);
        let Self { http, recorder, .. } = self;
        let mut headers = http.headers_for(&message);
        headers.retain(|(name, _)| name != "authorization");
        headers.extend(token.map(|token| ("authorization".to_owned(), format!("Bearer {token}"))));
        let expect = Expect::Answer(id);
        http.post_with(recorder, topic, &message.to_string(), headers, Some(&expect)).await;
        let welcome = is_welcome(recorder);
        if welcome {
            http.take_session(recorder);
            http.end_session(recorder).await;
        }
        welcome
    }

    /// The first message of a conversation.
    fn beginning(&self, id: &Value) -> Value {
        let (revision, client_kind) = (self.settings.revision, self.settings.client_kind);
        if revision.era() == Era::Modern {
            return request(
                id,
                "server/discover",
                Some(with_metadata(None, revision, client_kind)),
            );
        }
        let params = json!({ "protocolVersion": revision.as_str(),
            "capabilities": client_kind.capabilities(revision),
            "clientInfo": { "name": super::CLIENT_NAME, "version": env!("CARGO_PKG_VERSION") } });
        request(id, "initialize", Some(params))
    }

    /// Begins with the token that opens the server, and asks for something more without it.
    async fn omit_token(&mut self) {
        let id = json!("before-slip-in");
        let message = self.beginning(&id);
        let (revision, client_kind) = (self.settings.revision, self.settings.client_kind);
        let next = if revision.era() == Era::Modern {
            let complete = |params| Some(with_metadata(params, revision, client_kind));
            let task = Some(json!({ "taskId": NO_TASK }));
            vec![
                request(&json!("slip-in"), "tools/list", complete(None)),
                request(&json!("slip-in-to-task"), "tasks/get", complete(task)),
            ]
        } else {
            vec![request(&json!("slip-in"), "ping", None)]
        };
        let Self { http, recorder, .. } = self;
        let headers = http.headers_for(&message);
        let expect = Expect::Answer(id);
        http.post_with(recorder, Topic::Handshake, &message.to_string(), headers, Some(&expect))
            .await;
        if !is_welcome(recorder) {
            return;
        }
        http.take_session(recorder);
        for next in next {
            let mut headers = http.headers_for(&next);
            headers.retain(|(name, _)| name != "authorization");
            let expect = Expect::Answer(next["id"].clone());
            let text = next.to_string();
            http.post_with(recorder, Topic::SlipIn, &text, headers, Some(&expect)).await;
        }
        http.end_session(recorder).await;
    }

    /// A parameter of the last challenge.
    fn challenged(&self, name: &str) -> Option<String> {
        let last = self.recorder.events.iter().rev().find_map(|event| match &event.kind {
            EventKind::Responded { headers, .. } => Some(headers),
            _ => None,
        });
        parameter(header(last?, "www-authenticate")?, name)
    }

    /// What is published about the resource, and about the authorization server if that can be reached from here.
    async fn metadata(&mut self) {
        let endpoint = self.http.url.clone();
        let challenged = self.recorder.events.iter().find_map(|event| match &event.kind {
            EventKind::Responded { status: 401, headers, .. } => {
                parameter(header(headers, "www-authenticate")?, "resource_metadata")
            }
            _ => None,
        });
        let path = endpoint.path.split('?').next().unwrap_or_default().trim_end_matches('/');
        let named = challenged.as_deref().and_then(|url| endpoint.join(url)).map(|url| url.path);
        let guesses = [format!("{RESOURCE}{path}"), RESOURCE.to_owned()];
        let mut issuer = None;
        for place in named.into_iter().chain(guesses) {
            let url = Url { path: place, ..endpoint.clone() };
            let Some(document) = self.get(Topic::ResourceMetadata, url).await else { continue };
            let first = document.pointer("/authorization_servers/0").and_then(Value::as_str);
            issuer = first.and_then(|issuer| issuer.parse::<Url>().ok());
            break;
        }
        // In the beginning the server was its own authorization server.
        let known = |url: &Url| url.host == endpoint.host || LOOPBACK.contains(&url.host.as_str());
        let near = issuer
            .filter(known)
            .unwrap_or_else(|| Url { path: "/".to_owned(), ..endpoint.clone() });
        let rules = self.settings.revision.rules().authorization;
        let at_origin =
            rules.is_some_and(|it| it.discovery == AuthorizationServerDiscovery::ServerOrigin);
        let tail = near.path.trim_end_matches('/');
        let mut places: Vec<Url> = ISSUER
            .iter()
            .map(|well_known| Url { path: format!("{well_known}{tail}"), ..near.clone() })
            .collect();
        if at_origin {
            let own = |path: String| Url { path, ..endpoint.clone() };
            places.insert(0, own(ISSUER[0].to_owned()));
            places.push(own(format!("{}{path}", ISSUER[0])));
        }
        places.dedup();
        let mut found = false;
        for place in places {
            if self.get(Topic::IssuerMetadata, place).await.is_some() {
                found = true;
                break;
            }
        }
        if at_origin && !found {
            for path in ["/authorize", "/token"] {
                let url = Url { path: path.to_owned(), ..endpoint.clone() };
                self.get(Topic::DefaultEndpoint, url).await;
            }
        }
        self.http.url = endpoint;
    }

    /// A JSON object, if that is what lies there.
    async fn get(&mut self, topic: Topic, url: Url) -> Option<Value> {
        let Self { http, recorder, .. } = self;
        http.url = url;
        let headers = vec![
            ("host".to_owned(), http.url.authority()),
            ("accept".to_owned(), "application/json".to_owned()),
            ("connection".to_owned(), "close".to_owned()),
        ];
        let request = Request { method: "GET", headers, body: None };
        let status = http.send(recorder, topic, request).await?;
        let document = recorder.events.iter().rev().find_map(|event| match &event.kind {
            EventKind::Received { frame, .. } => frame.json.as_ref().ok(),
            _ => None,
        });
        document.filter(|document| status == 200 && document.is_object()).cloned()
    }
}

fn is_welcome(recorder: &Recorder) -> bool {
    let last = recorder.events.iter().rev().find_map(|event| match &event.kind {
        EventKind::Responded { status, .. } => Some(*status),
        _ => None,
    });
    last.is_some_and(|status| (200..300).contains(&status))
}

/// A parameter of a `WWW-Authenticate` header.
pub fn parameter(challenge: &str, name: &str) -> Option<String> {
    let mut rest = challenge;
    loop {
        let (before, after) = rest.split_once('=')?;
        let known = before.rsplit([',', ' ']).next().unwrap_or_default();
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_at(after.find([',', ' ']).unwrap_or(after.len())),
        };
        if known.eq_ignore_ascii_case(name) {
            return Some(value.to_owned());
        }
        rest = next;
    }
}

/// No server has issued this.
const WRONG_TOKEN: &str = "proofmark-token-that-nobody-issued";
const NO_TASK: &str = "proofmark-no-such-task";
pub(super) const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const ISSUER: [&str; 2] =
    ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];
pub(super) const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "::1"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_of_a_challenge_is_found_with_and_without_quotes() {
        let challenge =
            "Bearer error=\"invalid_token\", resource_metadata=\"http://a/b, c\", scope=x";
        assert_eq!(parameter(challenge, "resource_metadata").as_deref(), Some("http://a/b, c"));
        assert_eq!(parameter(challenge, "scope").as_deref(), Some("x"));
        assert_eq!(parameter(challenge, "realm"), None);
        let words = "Bearer error_description=\"it lacks scope=y\", Scope=\"x\"";
        assert_eq!(parameter(words, "scope").as_deref(), Some("x"));
        assert_eq!(parameter("Bearer scope=\"x", "scope").as_deref(), Some("x"));
    }
}
