//! Requests to one server, on connections that are used again.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use proofmark_core::{
    revision::{Revision, VersionHeader},
    streamable_http::{SessionId, names},
};
use tokio::time::timeout;

use super::{
    authorizer::{Attempt, Unauthorized, Verdict},
    connector::{Connector, connector},
    endpoint::Endpoint,
    observer::{HttpEnding, Received},
};
use crate::client::{
    engine::{Engine, Generation},
    settings::HttpClientSettings,
};

/// The way to one server.
pub(super) struct Wire {
    pub(super) settings: HttpClientSettings,
    pub(super) endpoint: Endpoint,
    engine: Arc<Engine>,
    client: Client<Connector, Full<Bytes>>,
    /// The sessions that the server has given out and not ended, with what they speak.
    sessions: Mutex<Vec<Session>>,
}

#[derive(Clone)]
struct Session {
    generation: Generation,
    id: String,
}

/// Why a request has no response.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum WireError {
    #[error("no connection: {0}")]
    Connect(String),
    #[error("{0}")]
    Exchange(String),
    #[error("redirected to {location}, which is not followed: {why}")]
    Redirect { location: String, why: String },
    #[error("the server does not accept it in time")]
    TimedOut,
    #[error("{0}")]
    Unauthorized(Unauthorized),
}

impl Wire {
    pub(super) fn new(engine: Arc<Engine>, endpoint: Endpoint) -> Self {
        let settings = engine.settings.http.clone();
        let mut tcp = HttpConnector::new();
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(settings.connect_timeout));
        let client =
            Client::builder(TokioExecutor::new()).pool_idle_timeout(IDLE).build(connector(tcp));
        Self { settings, endpoint, engine, client, sessions: Mutex::default() }
    }

    /// Sends a request and waits for the head of the response. Redirects within the origin are followed, others are not.
    ///
    /// Every request of the client goes through here. If the server wants a token, it is got, and the request is made again; the client's
    /// time does not run meanwhile, because a person may have to be asked.
    pub(super) async fn send(
        &self,
        method: Method,
        endpoint: &Endpoint,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<Received>, WireError> {
        self.send_within(None, method, endpoint, headers, body).await
    }

    /// As [`Self::send`], with a limit on how long the server may take; what it takes to get a token does not count.
    pub(super) async fn send_within(
        &self,
        limit: Option<Duration>,
        method: Method,
        endpoint: &Endpoint,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<Received>, WireError> {
        let mut endpoint = endpoint.clone();
        let mut redirects = 0;
        let mut attempt = Attempt::default();
        loop {
            let mut request = Request::new(Full::new(body.clone()));
            *request.method_mut() = method.clone();
            *request.uri_mut() = endpoint.uri().clone();
            *request.headers_mut() = headers.clone();
            for (name, value) in &self.settings.headers {
                request.headers_mut().insert(name.clone(), value.clone());
            }
            let mut shown = None;
            if let Some(authorizer) = self.engine.authorizer.clone() {
                let _pause = self.engine.pause();
                let signed = authorizer.sign(&method, endpoint.uri(), request.headers_mut());
                shown = signed.await.map_err(WireError::Unauthorized)?;
            }
            let mut observed = self.settings.observer.as_ref().map(|observer| {
                let (head, _) = request.clone().into_parts();
                observer.request(&head, &body)
            });
            let exchange = self.client.request(request);
            let response = match limit {
                Some(limit) => timeout(limit, exchange).await.map_err(|_| WireError::TimedOut)?,
                None => exchange.await,
            };
            let response = response.map_err(|error| {
                if let Some(observed) = &mut observed {
                    observed.end(HttpEnding::Broken(&causes(&error)));
                }
                if error.is_connect() {
                    WireError::Connect(causes(&error))
                } else {
                    WireError::Exchange(causes(&error))
                }
            })?;
            let response = Received::new(response, observed);
            // The user is not asked for permission to end a session.
            let authorizer = self.engine.authorizer.clone().filter(|_| method != Method::DELETE);
            if let Some(authorizer) = authorizer {
                let _pause = self.engine.pause();
                let (status, revision) = (response.status(), self.engine.agreed_revision());
                let judged = authorizer.judge(
                    &mut attempt,
                    shown.as_ref(),
                    status,
                    response.headers(),
                    revision,
                );
                match judged.await.map_err(WireError::Unauthorized)? {
                    Verdict::Again => continue,
                    Verdict::Final => {}
                }
            }
            let followed = matches!(
                response.status(),
                StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
            );
            if !followed {
                return Ok(response);
            }
            let location = response.headers().get(header::LOCATION);
            let location = location.and_then(|value| value.to_str().ok()).unwrap_or_default();
            endpoint = endpoint.join(location).map_err(|why| WireError::Redirect {
                location: location.chars().take(LONGEST_QUOTE).collect(),
                why: why.to_string(),
            })?;
            redirects += 1;
            if redirects > REDIRECTS {
                let why = format!("more than {REDIRECTS} redirects");
                return Err(WireError::Redirect { location: endpoint.to_string(), why });
            }
        }
    }

    /// The headers that every request of a session has.
    pub(super) fn headers(&self, generation: Generation, revision: Option<Revision>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let session = self.session(generation);
        if let Some(id) = session.and_then(|id| id.parse().ok()) {
            headers.insert(names::MCP_SESSION_ID, id);
        }
        let versioned = |revision: &Revision| {
            matches!(revision.rules().http.version_header, VersionHeader::AfterInitialize { .. })
        };
        if let Some(revision) = revision.filter(versioned) {
            let value = http::HeaderValue::from_static(revision.as_str());
            headers.insert(names::MCP_PROTOCOL_VERSION, value);
        }
        headers
    }

    pub(super) fn session(&self, generation: Generation) -> Option<String> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let session = sessions.iter().find(|session| session.generation == generation);
        session.map(|session| session.id.clone())
    }

    /// Takes note of a session that a response begins.
    pub(super) fn note_session(&self, generation: Generation, headers: &HeaderMap) {
        let Some(value) = headers.get(names::MCP_SESSION_ID) else { return };
        let id = value.to_str().ok().filter(|id| SessionId::new(id).is_ok());
        let Some(id) = id else {
            tracing::warn!("the server gave a session id that cannot be one");
            return;
        };
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|session| session.generation != generation);
        sessions.push(Session { generation, id: id.to_owned() });
    }

    /// The server does not know the session any more.
    pub(super) fn forget_session(&self, generation: Generation) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|session| session.generation != generation);
    }
}

/// An error and what is behind it.
fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

const REDIRECTS: usize = 3;
const LONGEST_QUOTE: usize = 200;
/// Below the times after which servers close what is idle, of which those on Node.js have the shortest, five seconds. A request on a
/// connection that is being closed fails, and it is not known whether it was heard.
const IDLE: Duration = Duration::from_secs(4);
