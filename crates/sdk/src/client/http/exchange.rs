//! One message to the server and what comes back for it.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use proofmark_core::{
    jsonrpc::{Id, Incoming as Parsed, Message, parse},
    revision::{Resumption, Revision},
    session::client::{HttpFacts, Input},
    streamable_http::names,
};
use tokio::time::{Instant, sleep, timeout};

use super::{
    authorizer::Unauthorized,
    events::{Event, Events, Step, Useful},
    message::{EVENTS, JSON, Post, PostKind},
    observer::Received,
    wire::{Wire, WireError},
};
use crate::{
    body::{NotRead, read_whole},
    client::engine::{Engine, Generation},
};

/// What the driver has to know of how a message fared.
pub(super) enum Posted {
    Done,
    /// The server has forgotten the session; the message was not looked at.
    SessionGone {
        generation: Generation,
        request: Option<Id<'static>>,
    },
    /// The server wants a token that could not be had, before there was a conversation.
    Unauthorized(Unauthorized),
    /// The server was not reached at all, before there was a conversation.
    Unreachable(String),
}

/// Posts a message and sees it through.
pub(super) async fn post(engine: Arc<Engine>, wire: Arc<Wire>, post: Post) -> Posted {
    let Post { generation, kind, headers, body } = post;
    let in_session =
        wire.session(generation).is_some() && headers.contains_key(names::MCP_SESSION_ID);
    let Some(request) = kind.request().cloned() else {
        return one_way(&wire, generation, in_session, headers, body).await;
    };
    let sent = wire.send(Method::POST, &wire.endpoint, headers, body);
    let lost = |why: String| {
        let why: Arc<str> = why.into();
        engine.feed_because(generation, Input::Disconnected(request.clone()), Some(&why));
    };
    let response = match sent.await {
        Ok(response) => response,
        Err(WireError::Connect(why)) if engine.is_connecting() => return Posted::Unreachable(why),
        Err(WireError::Unauthorized(why)) if engine.is_connecting() => {
            return Posted::Unauthorized(why);
        }
        Err(error) => {
            lost(error.to_string());
            return Posted::Done;
        }
    };
    let status = response.status();
    if status == StatusCode::NOT_FOUND && in_session {
        return Posted::SessionGone { generation, request: Some(request) };
    }
    if matches!(kind, PostKind::Initialize(_)) && status.is_success() {
        wire.note_session(generation, response.headers());
    }
    let exchange = Exchange { engine: &engine, wire: &wire, generation, request: &request };
    match content_type(&response) {
        Some(EVENTS) if status.is_success() => exchange.stream(response).await,
        Some(JSON) => exchange.json(response).await,
        _ => exchange.page(response).await,
    }
    Posted::Done
}

async fn one_way(
    wire: &Wire,
    generation: Generation,
    in_session: bool,
    headers: HeaderMap,
    body: Bytes,
) -> Posted {
    let limit = Some(wire.settings.post_timeout);
    match wire.send_within(limit, Method::POST, &wire.endpoint, headers, body).await {
        Ok(response) if response.status() == StatusCode::NOT_FOUND && in_session => {
            return Posted::SessionGone { generation, request: None };
        }
        Ok(response) if response.status().is_success() => drain(response).await,
        Ok(response) => {
            tracing::debug!(status = %response.status(), "the server did not accept a message");
        }
        Err(error) => tracing::debug!(%error, "a message did not reach the server"),
    }
    Posted::Done
}

/// Reads the little that may follow, so that the connection can be used again.
async fn drain(response: Response<Received>) {
    let rest = read_whole(response.into_body(), SMALL, |_| Ok(()));
    let _unread = timeout(DRAIN, rest).await;
}

struct Exchange<'a> {
    engine: &'a Arc<Engine>,
    wire: &'a Wire,
    generation: Generation,
    request: &'a Id<'static>,
}

impl Exchange<'_> {
    /// The answer is one JSON body.
    async fn json(&self, response: Response<Received>) {
        let status = response.status().as_u16();
        let scopes = scopes_needed(&response);
        let limit = if response.status().is_success() {
            self.engine.settings.messages.bytes
        } else {
            self.wire.settings.error_page.max(SMALL)
        };
        let body = match read_whole(response.into_body(), limit, |_| Ok(())).await {
            Ok(body) => body,
            Err(error) => {
                self.lost(match error {
                    NotRead::Broken(error) => format!("the response broke off: {error}"),
                    NotRead::NoRoom | NotRead::TooLarge => {
                        format!("the server sent a body of more than {limit} bytes")
                    }
                });
                return;
            }
        };
        match parse(&body, &self.engine.settings.messages) {
            Ok(incoming) => {
                self.engine.incoming(self.generation, incoming, Some(self.facts(status)));
                self.lost("the body held no answer to it".into());
            }
            Err(_) if status >= 400 => self.rejected(status, scopes, &body),
            Err(refused) => {
                let why = format!("the body is no message: {refused}");
                self.engine.refused(self.generation, refused);
                self.lost(why);
            }
        }
    }

    /// Something else came, such as the page of a proxy.
    async fn page(&self, response: Response<Received>) {
        let status = response.status();
        let scopes = scopes_needed(&response);
        let kind = content_type(&response).map(str::to_owned);
        let limit = self.wire.settings.error_page;
        let body = read_whole(response.into_body(), limit, |_| Ok(()));
        let body = match timeout(self.wire.settings.post_timeout, body).await {
            Ok(Ok(body)) => body,
            Ok(Err(_)) | Err(_) => Bytes::new(),
        };
        if status.is_success() {
            let kind = kind.unwrap_or_else(|| "no content type".to_owned());
            self.lost(format!("status {} with {kind} is no answer", status.as_u16()));
            return;
        }
        // Some servers forget to say that their error is JSON.
        if let Ok(incoming) = parse(&body, &self.engine.settings.messages) {
            self.engine.incoming(self.generation, incoming, Some(self.facts(status.as_u16())));
        }
        self.rejected(status.as_u16(), scopes, &body);
    }

    /// The answer comes as an event stream, perhaps over several connections.
    async fn stream(&self, response: Response<Received>) {
        let mut events = Events::new(self.engine.settings.messages.bytes);
        let mut response = response;
        let mut since = Instant::now();
        let mut failures = 0;
        loop {
            let mut answered = Step::More;
            let facts = self.facts(response.status().as_u16());
            let body = response.body_mut();
            let (useful, end) = events
                .read(body, |event| {
                    answered = self.take(&event, &facts);
                    answered
                })
                .await;
            if answered == Step::Done {
                // What follows the answer is the end of the stream; after that the connection can be used again.
                let rest = read_whole(response.into_body(), SMALL, |_| Ok(()));
                let _unread = timeout(DRAIN, rest).await;
                self.lost("the event that was to be its answer was too large".into());
                return;
            }
            if useful == Useful::Yes {
                since = Instant::now();
                failures = 0;
            }
            response = loop {
                let why = match &end {
                    Ok(()) => "the stream ended".to_owned(),
                    Err(error) => format!("the stream broke off: {error}"),
                };
                let Some(cursor) = self.resumable(&events) else { return self.lost(why) };
                let pause = pause(&self.wire.settings, events.retry(), failures);
                if since.elapsed() + pause > self.wire.settings.give_up {
                    return self.lost(format!("{why}, and could not be resumed"));
                }
                sleep(pause).await;
                failures += 1;
                match resume(self.wire, self.generation, self.revision(), Some(cursor)).await {
                    Ok(response) if is_stream(&response) => break response,
                    Ok(response) => {
                        let status = response.status();
                        if !status.is_server_error() {
                            return self
                                .lost(format!("{why}; resuming it was answered with {status}"));
                        }
                    }
                    Err(error) => tracing::debug!(%error, "a stream could not be resumed yet"),
                }
            };
        }
    }

    fn take(&self, event: &Event<'_>, facts: &HttpFacts) -> Step {
        match event {
            Event::Message(data) => match parse(data, &self.engine.settings.messages) {
                Ok(incoming) => {
                    let answers = self.answers(&incoming);
                    self.engine.incoming(self.generation, incoming, Some(facts.clone()));
                    answers
                }
                Err(refused) => {
                    self.engine.refused(self.generation, refused);
                    Step::More
                }
            },
            Event::Oversized(limit) => {
                let why = format!("the server sent an event of more than {limit} bytes");
                self.lost(why);
                Step::Done
            }
            Event::Endpoint(_) => Step::More,
        }
    }

    fn answers(&self, incoming: &Parsed<'_>) -> Step {
        let is_answer = |message: &Message<'_>| match message {
            Message::Response(response) => response.id == *self.request,
            // Without an id it can only be meant for this request.
            Message::Error(error) => error.id.as_ref().is_none_or(|id| id == self.request),
            Message::Notification(_) | Message::Request(_) => false,
        };
        let answered = match incoming {
            Parsed::Message(message) => is_answer(message),
            Parsed::Batch(members) => members.iter().flatten().any(is_answer),
        };
        if answered { Step::Done } else { Step::More }
    }

    /// Where to resume, if the revision can.
    fn resumable<'e>(&self, events: &'e Events) -> Option<&'e str> {
        let revision = self.revision();
        let gone = revision.is_some_and(|it| it.rules().http.resumption == Resumption::Gone);
        events.cursor().filter(|_| !gone)
    }

    fn revision(&self) -> Option<Revision> {
        self.engine.server().map(|server| server.revision)
    }

    fn facts(&self, status: u16) -> HttpFacts {
        HttpFacts { status, request: Some(self.request.clone()) }
    }

    /// Nothing more will come. No news if the answer came before.
    fn lost(&self, why: String) {
        let why: Arc<str> = why.into();
        let lost = Input::Disconnected(self.request.clone());
        self.engine.feed_because(self.generation, lost, Some(&why));
    }

    fn rejected(&self, status: u16, scopes: Option<String>, page: &[u8]) {
        let why: Arc<str> = match scopes {
            Some(scopes) => format!("{SCOPES_NEEDED}{scopes}").into(),
            None => quote(page).into(),
        };
        let rejected = Input::Rejected { request: self.request.clone(), status };
        self.engine.feed_because(
            self.generation,
            rejected,
            Some(&why).filter(|why| !why.is_empty()),
        );
    }
}

/// Opens a stream that a GET brings, anew or from where it broke off.
pub(super) async fn resume(
    wire: &Wire,
    generation: Generation,
    revision: Option<Revision>,
    cursor: Option<&str>,
) -> Result<Response<Received>, WireError> {
    let mut headers: HeaderMap = wire.headers(generation, revision);
    headers.insert(header::ACCEPT, HeaderValue::from_static(EVENTS));
    if let Some(cursor) = cursor.and_then(|cursor| HeaderValue::from_str(cursor).ok()) {
        headers.insert(names::LAST_EVENT_ID, cursor);
    }
    wire.send(Method::GET, &wire.endpoint, headers, Bytes::new()).await
}

/// How long to wait before the next try: as long as the server wants, and longer each time it does not help.
pub(super) fn pause(
    settings: &crate::client::settings::HttpClientSettings,
    retry: Option<Duration>,
    failures: u32,
) -> Duration {
    let first = retry.unwrap_or(settings.retry);
    first
        .saturating_mul(1 << failures.min(DOUBLINGS))
        .min(settings.longest_retry.max(first.min(settings.give_up)))
}

pub(super) fn is_stream(response: &Response<Received>) -> bool {
    response.status().is_success() && content_type(response) == Some(EVENTS)
}

/// The media type without its parameters, if it is one of the two that mean something.
pub(super) fn content_type(response: &Response<Received>) -> Option<&str> {
    let value = response.headers().get(header::CONTENT_TYPE)?.to_str().ok()?;
    let kind = value.split(';').next().unwrap_or_default().trim();
    let known = [JSON, EVENTS].into_iter().find(|known| kind.eq_ignore_ascii_case(known));
    Some(known.unwrap_or(kind))
}

/// The scopes that a server says a request needs, where it refuses for the lack of them.
fn scopes_needed<B>(response: &Response<B>) -> Option<String> {
    if !matches!(response.status(), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        return None;
    }
    let challenges = response.headers().get_all(header::WWW_AUTHENTICATE).into_iter();
    let mut challenges = challenges.filter_map(|value| value.to_str().ok());
    challenges.find_map(|challenge| {
        let at = challenge.to_ascii_lowercase().find("scope=\"")?;
        let own = challenge[..at].ends_with([' ', ',']);
        let (scopes, _) = challenge[at + "scope=\"".len()..].split_once('"')?;
        (own && !scopes.is_empty()).then(|| scopes.chars().take(LONGEST_QUOTE).collect())
    })
}

/// The beginning of a page that explains an error, on one line.
fn quote(page: &[u8]) -> String {
    let text = String::from_utf8_lossy(&page[..page.len().min(LONGEST_QUOTE)]);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Stands before the scopes in what is told of a request that was refused for the lack of them.
pub(in crate::client) const SCOPES_NEEDED: &str = "it takes the scopes ";
const SMALL: usize = 64 * 1024;
const DRAIN: Duration = Duration::from_millis(500);
const LONGEST_QUOTE: usize = 300;
const DOUBLINGS: u32 = 10;
