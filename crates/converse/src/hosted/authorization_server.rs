//! The authorization server of a hosted server: it gives a token to every client that asks, and sends every browser back at once.
//!
//! It is no judge: what a client forgets to say is written down, and answered all the same.

mod metadata;

use std::collections::HashMap;

use serde_json::{Value, json};

use self::metadata::{OAUTH, OPEN_ID, RESOURCE};
use crate::{
    authorization_variant::{
        AuthorizationVariant, IssParameter, Registration, StepUp, TokenLifetime,
    },
    http_request::HttpRequest,
};
use proofmark_record::form::Form;
use proofmark_record::{event::Headers, topic::Topic};

/// One authorization server, and the resource that trusts it.
#[derive(Debug)]
pub(super) struct AuthorizationServer {
    pub(super) variant: &'static AuthorizationVariant,
    /// The path of the issuer, which may become another.
    issuer_path: &'static str,
    /// Without a slash at its end.
    origin: String,
    given: u32,
    /// Whether the first token has expired.
    expired: bool,
    /// Codes and refresh tokens that were not redeemed, with their scopes.
    codes: HashMap<String, String>,
    /// Access tokens that are good, with their scopes.
    tokens: HashMap<String, String>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct HttpResponse {
    pub(super) status: u16,
    pub(super) headers: Headers,
    /// JSON, or nothing.
    pub(super) body: String,
}

impl HttpResponse {
    fn empty(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    fn json(status: u16, body: &Value) -> Self {
        Self { status, headers: Vec::new(), body: body.to_string() }
    }

    fn with(mut self, name: &str, value: String) -> Self {
        self.headers.push((name.to_owned(), value));
        self
    }
}

impl AuthorizationServer {
    pub(super) fn new(variant: &'static AuthorizationVariant, origin: String) -> Self {
        let issuer_path = variant.issuer;
        let (codes, tokens) = (HashMap::new(), HashMap::new());
        Self { variant, issuer_path, origin, given: 0, expired: false, codes, tokens }
    }

    /// What a request elsewhere than at the endpoint is about.
    pub(super) fn topic(request: &HttpRequest) -> Topic {
        let path = path(request);
        if path.starts_with(RESOURCE) || path == metadata::ODD_PLACE {
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
    pub(super) fn answer(&mut self, request: &HttpRequest) -> HttpResponse {
        let path = path(request);
        let is_endpoint = |name: &str| path == self.endpoint(name);
        match Self::topic(request) {
            Topic::ResourceMetadata if self.has_resource_at(path) => {
                HttpResponse::json(200, &self.resource_metadata())
            }
            Topic::IssuerMetadata if self.has_issuer_at(path) => match self.leads_astray(path) {
                Some(location) => HttpResponse::empty(302).with("location", location),
                None => HttpResponse::json(200, &self.issuer_metadata()),
            },
            Topic::Authorize if is_endpoint("authorize") => self.authorize(&request.path),
            Topic::Register if is_endpoint("register") => self.register(&request.body),
            Topic::Token if is_endpoint("token") => self.token(&request.body),
            _ => HttpResponse::empty(404),
        }
    }

    /// What a request at the endpoint is refused with. `None`: it is let in.
    pub(super) fn refuses(&mut self, request: &HttpRequest) -> Option<HttpResponse> {
        let shown = request.header("authorization").and_then(|value| value.split_once(' '));
        let token = shown.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let token = token.map(|(_, token)| token).filter(|token| self.tokens.contains_key(*token));
        let refused =
            |status, challenge| Some(HttpResponse::empty(status).with(CHALLENGE, challenge));
        let Some(token) = token else {
            return refused(401, self.challenge(self.variant.scope, None));
        };
        let calls = serde_json::from_slice(&request.body)
            .is_ok_and(|message: Value| message["method"] == "tools/call");
        if !calls {
            return None;
        }
        if self.variant.lifetime == TokenLifetime::UntilCalled && !self.expired {
            self.expired = true;
            self.tokens.clear();
            if let Some(successor) = self.variant.successor {
                self.issuer_path = successor;
            }
            return refused(401, self.challenge(self.variant.scope, Some("invalid_token")));
        }
        let has = self.tokens[token].split(' ').any(|scope| scope == FOR_CALLS);
        match self.variant.step_up {
            StepUp::No => None,
            StepUp::Once if has => None,
            StepUp::Once | StepUp::Always => {
                refused(403, self.challenge(Some(FOR_CALLS), Some("insufficient_scope")))
            }
        }
    }

    fn authorize(&mut self, path: &str) -> HttpResponse {
        let query = Form::of_query(path);
        let Some(redirect) = query.get("redirect_uri") else {
            return refused("invalid_request");
        };
        let code = self.next("code");
        let mut answer = Form(vec![("code".to_owned(), code.clone())]);
        if let Some(state) = self.variant.state.or_else(|| query.get("state")) {
            answer.set("state", state);
        }
        match self.variant.iss {
            IssParameter::Absent | IssParameter::Forgotten => {}
            IssParameter::Other(issuer) => answer.set("iss", issuer),
            IssParameter::With(end) => answer.set("iss", &format!("{}{end}", self.issuer())),
        }
        self.codes.insert(code, query.get("scope").unwrap_or_default().to_owned());
        let mark = if redirect.contains('?') { '&' } else { '?' };
        let location = format!("{redirect}{mark}{}", answer.encoded());
        HttpResponse::empty(302).with("location", location)
    }

    fn register(&mut self, body: &[u8]) -> HttpResponse {
        if self.variant.registration == Registration::Refused {
            return refused("invalid_redirect_uri");
        }
        let Ok(Value::Object(mut client)) = serde_json::from_slice(body) else {
            return refused("invalid_client_metadata");
        };
        client.insert("client_id".to_owned(), json!(self.next("client")));
        let method = client.get("token_endpoint_auth_method").and_then(Value::as_str);
        if method != Some("none") {
            client.insert("client_secret".to_owned(), json!(self.next("secret")));
            client.insert("client_secret_expires_at".to_owned(), json!(0));
        }
        HttpResponse::json(201, &Value::Object(client))
    }

    fn token(&mut self, body: &[u8]) -> HttpResponse {
        let form = Form::parse(&String::from_utf8_lossy(body));
        let mut redeemed = |name| form.get(name).and_then(|code| self.codes.remove(code));
        let scope = match form.get("grant_type") {
            Some("authorization_code") => redeemed("code"),
            Some("refresh_token") => redeemed("refresh_token"),
            Some("client_credentials") => Some(form.get("scope").unwrap_or_default().to_owned()),
            _ => return refused("unsupported_grant_type"),
        };
        let Some(scope) = scope else { return refused("invalid_grant") };
        let token = self.next("token");
        let mut answer =
            json!({ "access_token": token, "token_type": "Bearer", "expires_in": 3600 });
        if self.variant.can_refresh() {
            let refresh = self.next("refresh");
            answer["refresh_token"] = json!(refresh);
            self.codes.insert(refresh, scope.clone());
        }
        if !scope.is_empty() {
            answer["scope"] = json!(scope);
        }
        self.tokens.insert(token, scope);
        HttpResponse::json(200, &answer).with("cache-control", "no-store".to_owned())
    }

    /// Something that was given to no other client.
    fn next(&mut self, kind: &str) -> String {
        self.given += 1;
        format!("{kind}-{}-{}", self.variant.name, self.given)
    }
}

fn path(request: &HttpRequest) -> &str {
    request.path.split('?').next().unwrap_or_default()
}

fn refused(error: &str) -> HttpResponse {
    HttpResponse::json(400, &json!({ "error": error }))
}

const CHALLENGE: &str = "www-authenticate";
/// The scope that calls may need.
const FOR_CALLS: &str = "hosted:call";

#[cfg(test)]
mod tests {
    use super::*;

    fn get(path: &str) -> HttpRequest {
        HttpRequest { method: "GET".to_owned(), path: path.to_owned(), ..HttpRequest::default() }
    }

    fn post(path: &str, body: &str) -> HttpRequest {
        HttpRequest {
            method: "POST".to_owned(),
            path: path.to_owned(),
            body: body.as_bytes().to_vec(),
            ..HttpRequest::default()
        }
    }

    /// Goes through everything that it takes to get a token.
    fn token(authorization_server: &mut AuthorizationServer, scope: &str) -> String {
        let there = format!("/as/authorize?redirect_uri=http://localhost/&state=1&scope={scope}");
        let back = authorization_server.answer(&get(&there));
        let location = proofmark_record::event::header(&back.headers, "location").unwrap();
        let code = Form::of_query(location).get("code").unwrap().to_owned();
        let form = format!("grant_type=authorization_code&code={code}");
        let response = authorization_server.answer(&post("/as/token", &form));
        let response: Value = serde_json::from_str(&response.body).unwrap();
        response["access_token"].as_str().unwrap().to_owned()
    }

    fn call(token: &str) -> HttpRequest {
        let mut call = post("/mcp", "{\"method\":\"tools/call\"}");
        call.set("authorization", &format!("Bearer {token}"));
        call
    }

    #[test]
    fn only_its_own_tokens_are_accepted() {
        let mut authorization_server =
            AuthorizationServer::new(AuthorizationVariant::USUAL, "http://127.0.0.1:1".to_owned());
        let refused = authorization_server.refuses(&call("made-up")).unwrap();
        assert_eq!(refused.status, 401);
        let challenge = proofmark_record::event::header(&refused.headers, CHALLENGE).unwrap();
        assert!(challenge.contains("/.well-known/oauth-protected-resource/mcp"), "{challenge}");
        let token = token(&mut authorization_server, "hosted:use");
        assert!(authorization_server.refuses(&call(&token)).is_none());
    }

    #[test]
    fn calls_need_one_more_scope_where_that_is_so() {
        let mut authorization_server = AuthorizationServer::new(
            AuthorizationVariant::STEP_UP,
            "http://127.0.0.1:1".to_owned(),
        );
        let narrow = token(&mut authorization_server, "hosted:use");
        assert_eq!(authorization_server.refuses(&call(&narrow)).unwrap().status, 403);
        let wide = token(&mut authorization_server, "hosted:use+hosted:call");
        assert!(authorization_server.refuses(&call(&wide)).is_none());
    }

    #[test]
    fn a_code_is_redeemed_once() {
        let mut authorization_server =
            AuthorizationServer::new(AuthorizationVariant::USUAL, "http://127.0.0.1:1".to_owned());
        token(&mut authorization_server, "hosted:use");
        let again = post("/as/token", "grant_type=authorization_code&code=code-auth-1");
        assert_eq!(authorization_server.answer(&again).status, 400);
    }
}
