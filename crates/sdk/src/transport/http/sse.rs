//! HTTP+SSE, the transport of 2024-11-05: one stream for all answers, and another address to post to.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{
    StreamExt, poll,
    stream::{FuturesUnordered, unfold},
};
use http::{Method, StatusCode, Uri, request::Parts};
use http_body::Body;
use proofmark_core::{
    framing::sse::{self, EventName},
    jsonrpc::{ErrorCode, ErrorObject, parse},
    revision::{Era, Revision},
    session::server::{Input, ServerSession},
    streamable_http::{Head, Rejection, admit_body, admit_host},
};
use tokio::time::{Instant, sleep_until};

use super::{
    answer::{self, Answer},
    exchange::Next,
    fitting::fitted,
    get::sign_of_life,
    post::owner_in,
    service::Endpoint,
    service::principal_of,
    sessions::Session,
};
use crate::{
    caller::Caller,
    clock,
    server::{
        conversation::Conversation,
        scope::{Outlet, Work},
    },
    store::SessionId,
};

impl Endpoint {
    /// GET: opens the stream and says where to post.
    pub(super) async fn sse_stream(self: &Arc<Self>, parts: &Parts) -> Answer {
        let caller = match self.sse_head(parts, &Method::GET).await {
            Ok(caller) => caller,
            Err(refused) => return refused,
        };
        let Ok(id) = SessionId::random() else { return answer::internal() };
        let standing = self.exchange();
        let session = ServerSession::new(Arc::clone(self.server.offer()));
        let principal = principal_of(caller.as_ref());
        let owner = owner_in(&id, &principal);
        let conversation = Conversation::new(self.server.clone(), session, owner, standing.clone());
        let session = Arc::new(Session::new(id, principal, Arc::clone(&conversation), standing));
        // The stream is the session's life: it does not expire while the client listens.
        session.set_initialized();
        self.end_expired().await;
        if self.sessions.insert(Arc::clone(&session), &self.settings).is_err() {
            return answer::overloaded("too many sessions");
        }
        self.server.register(&conversation);
        let stream = Stream { endpoint: Arc::clone(self), session, announced: false };
        let events =
            unfold(stream, |mut stream| async move { Some((stream.next_event().await?, stream)) });
        answer::events(
            Revision::of(Era::Legacy).next().unwrap_or(Revision::ASSUMED_OVER_HTTP),
            events,
        )
    }

    /// POST: a message for the session that the address names.
    pub(super) async fn sse_message<B>(self: &Arc<Self>, parts: &Parts, body: B) -> Answer
    where
        B: Body<Data = Bytes> + Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let caller = match self.sse_head(parts, &Method::POST).await {
            Ok(caller) => caller,
            Err(refused) => return refused,
        };
        let id = session_of(&parts.uri).and_then(|id| SessionId::parse(id).ok());
        let principal = principal_of(caller.as_ref());
        self.end_expired().await;
        let Some(session) = id.and_then(|id| self.sessions.get(&id, &principal, &self.settings))
        else {
            let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, "no such session");
            return answer::rejection(&Rejection::new(StatusCode::NOT_FOUND, error));
        };
        let (bytes, _share) = match self.read(body).await {
            Ok(read) => read,
            Err(refused) => return refused,
        };
        // Answers have nowhere else to go, and nothing else stops a client from asking without ever listening.
        if !session.standing.has_room() {
            return answer::overloaded("too many answers wait to be read");
        }
        if self.tasks.running() >= self.settings.max_requests {
            return answer::overloaded("too many requests");
        }
        let outlet: Arc<dyn Outlet> = session.standing.clone();
        let conversation = &session.conversation;
        let input = match parse(&bytes, &self.settings.limits) {
            Ok(incoming) => Input::Received(incoming),
            Err(refused) => Input::Refused(refused),
        };
        let works = FuturesUnordered::new();
        for call in conversation.feed(input, Some(&outlet)).calls {
            let scope = conversation.begin(&call, Arc::clone(&outlet), caller.clone());
            let mut work = Work::new(Arc::clone(&scope), self.server.run(call, &scope));
            if poll!(&mut work).is_pending() {
                works.push(work);
            }
        }
        if !works.is_empty() {
            let (busy, conversation) = (self.tasks.busy(), Arc::clone(conversation));
            self.tasks.keep_running(async move {
                finish(conversation, works).await;
                drop(busy);
            });
        }
        answer::empty(StatusCode::ACCEPTED)
    }

    async fn sse_head(&self, parts: &Parts, verb: &Method) -> Result<Option<Caller>, Answer> {
        let head = Head { method: &parts.method, uri: &parts.uri, headers: &parts.headers };
        admit_host(&head, &self.policy).map_err(|rejected| answer::rejection(&rejected))?;
        if parts.method != *verb || !self.policy.serves_era(Era::Legacy) {
            return Err(answer::empty(StatusCode::METHOD_NOT_ALLOWED));
        }
        if *verb == Method::POST {
            admit_body(&head, &self.policy).map_err(|rejected| answer::rejection(&rejected))?;
        }
        self.settings.identify(&parts.headers).await
    }
}

/// Lets handlers finish whose answers come on the stream.
async fn finish(conversation: Arc<Conversation>, mut works: FuturesUnordered<Work>) {
    while !works.is_empty() {
        let deadline = conversation.next_deadline().map(clock::instant);
        tokio::select! {
            Some(()) = works.next() => {}
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {
                conversation.feed(Input::TimePassed, None);
            }
        }
    }
}

fn session_of(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("sessionId="))
}

/// The stream of a session. Its end is the end of the session.
struct Stream {
    endpoint: Arc<Endpoint>,
    session: Arc<Session>,
    announced: bool,
}

impl Stream {
    async fn next_event(&mut self) -> Option<Bytes> {
        if !self.announced {
            self.announced = true;
            let address = format!(
                "{}?sessionId={}",
                self.endpoint.settings.message_path,
                self.session.id.as_str()
            );
            return Some(named("endpoint", address.as_bytes()));
        }
        let quiet_until = Instant::now() + self.endpoint.settings.keep_alive;
        let tasks = &self.endpoint.tasks;
        loop {
            match self.session.standing.next() {
                Next::Message(message) => {
                    let (limit, session) = (self.endpoint.settings.max_event, &self.session);
                    let message = fitted(message, limit, &session.conversation);
                    session.standing.advance();
                    if let Some(message) = message {
                        return Some(named("message", &message.json));
                    }
                }
                Next::Closed => return None,
                Next::Paused => {}
                // Whoever still waits for an answer gets it, as long as the server has time.
                Next::Empty if tasks.closing.is_cancelled() && !self.is_busy() => return None,
                Next::Empty if quiet_until <= Instant::now() => return Some(sign_of_life()),
                Next::Empty => {
                    self.session.touch();
                    tokio::select! {
                        () = self.session.standing.filled() => {}
                        () = tasks.closing.cancelled(), if !tasks.closing.is_cancelled() => {}
                        () = tasks.stopped.cancelled() => return None,
                        () = sleep_until(quiet_until) => {}
                    }
                }
            }
        }
    }

    fn is_busy(&self) -> bool {
        self.session.conversation.running() > 0
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.endpoint.sessions.remove(&self.session.id);
        self.session.end();
    }
}

fn named(name: &str, data: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(data.len() + 32);
    sse::Event { id: None, event: EventName::parse(name).ok(), data: Some(data), retry: None }
        .write(&mut out);
    out.into()
}
