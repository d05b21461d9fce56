//! HTTP+SSE, the transport of 2024-11-05: one stream for all answers, and another address to post to.

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, StatusCode, Uri, request::Parts};
use http_body::Body;
use proofmark_core::{
    jsonrpc::{ErrorCode, ErrorObject},
    revision::{Era, Revision},
    session::server::ServerSession,
    streamable_http::{Head, Rejection, admit_body, admit_host},
};
use tokio::time::{Instant, sleep_until};

use super::{
    background::Background,
    events::{self, EventSource, Next},
    post::{Sender, owner_in},
    response::{self, HttpResponse},
    service::{Endpoint, McpService, principal_of},
    sessions::Session,
};
use crate::{
    caller::Caller,
    server::{
        conversation::{Conversation, MessageSink},
        handoff::HandOff,
    },
    store::SessionId,
    transport::queue,
};

impl McpService {
    /// GET: opens the stream and says where to post.
    pub(super) async fn sse_stream(&self, parts: &Parts) -> HttpResponse {
        let endpoint = &self.endpoint;
        let caller = match endpoint.sse_head(parts, &Method::GET).await {
            Ok(caller) => caller,
            Err(refused) => return refused,
        };
        let Ok(id) = SessionId::random() else { return response::internal() };
        let standalone = endpoint.new_session_queue();
        let session = ServerSession::new(Arc::clone(endpoint.server.offer()));
        let principal = principal_of(caller.as_ref());
        let owner = owner_in(&id, &principal);
        let conversation =
            Conversation::new(endpoint.server.clone(), session, owner, standalone.clone());
        let conversation_of = Arc::clone(&conversation);
        let session =
            Arc::new(Session::new(id, principal, self.address, conversation_of, standalone));
        // The stream is the session's life: it does not expire while the client listens.
        session.set_initialized();
        endpoint.end_expired().await;
        if endpoint.insert(&session).await.is_err() {
            return response::overloaded("too many sessions");
        }
        endpoint.server.register(&conversation);
        let stream = SessionStream { endpoint: Arc::clone(endpoint), session, announced: false };
        let events = events::write(stream, endpoint.settings.keep_alive);
        response::events(
            Revision::of(Era::Legacy).next().unwrap_or(Revision::ASSUMED_OVER_HTTP),
            events,
        )
    }

    /// POST: a message for the session that the address names.
    pub(super) async fn sse_message<B>(&self, parts: &Parts, body: B) -> HttpResponse
    where
        B: Body<Data = Bytes> + Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let endpoint = &self.endpoint;
        let caller = match endpoint.sse_head(parts, &Method::POST).await {
            Ok(caller) => caller,
            Err(refused) => return refused,
        };
        let id = session_of(&parts.uri).and_then(|id| SessionId::parse(id).ok());
        let sender = Sender { caller, address: self.address };
        let principal = sender.principal();
        endpoint.end_expired().await;
        let Some(session) =
            id.and_then(|id| endpoint.sessions.get(&id, &principal, &endpoint.settings))
        else {
            let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, "no such session");
            return response::rejection(&Rejection::new(StatusCode::NOT_FOUND, error));
        };
        let (bytes, share) = match endpoint.read(body).await {
            Ok(read) => read,
            Err(refused) => return refused,
        };
        // Answers have nowhere else to go, and nothing else stops a client from asking without ever listening.
        if !session.standalone.has_room() {
            return response::overloaded("too many answers wait to be read");
        }
        if !endpoint.may_run(&sender, Some(&session)) {
            return response::overloaded("too many requests");
        }
        if !endpoint.may_wait(&share) {
            return response::overloaded("too much waits to be carried out");
        }
        let sink: Arc<dyn MessageSink> = session.standalone.clone();
        let mut waiting = Vec::new();
        let handoff = HandOff {
            conversation: &session.conversation,
            sink: &sink,
            caller: sender.caller.as_ref(),
            headers: None,
        };
        let turn = endpoint.turns.take(bytes.len()).await;
        handoff.receive_bytes(&bytes, &endpoint.settings.limits, |handler| waiting.push(handler));
        drop(turn);
        let share = if waiting.is_empty() { None } else { endpoint.waits(share) };
        endpoint.finish_later(&session, &sender, waiting, share);
        response::empty(StatusCode::ACCEPTED)
    }
}

impl Endpoint {
    async fn sse_head(&self, parts: &Parts, verb: &Method) -> Result<Option<Caller>, HttpResponse> {
        let head = Head { method: &parts.method, uri: &parts.uri, headers: &parts.headers };
        admit_host(&head, &self.policy).map_err(|rejected| response::rejection(&rejected))?;
        if parts.method != *verb || !self.policy.serves_era(Era::Legacy) {
            return Err(response::empty(StatusCode::METHOD_NOT_ALLOWED));
        }
        if *verb == Method::POST {
            admit_body(&head, &self.policy).map_err(|rejected| response::rejection(&rejected))?;
        }
        self.settings.caller_of(parts).await
    }
}

fn session_of(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("sessionId="))
}

/// The stream of a session. Its end is the end of the session.
struct SessionStream {
    endpoint: Arc<Endpoint>,
    session: Arc<Session>,
    announced: bool,
}

impl EventSource for SessionStream {
    async fn next(&mut self) -> Next {
        let Self { endpoint, session, announced } = self;
        if !*announced {
            *announced = true;
            let address =
                format!("{}?sessionId={}", endpoint.settings.message_path, session.id.as_str());
            return Next::Frame(events::named("endpoint", address.as_bytes()));
        }
        let background = &endpoint.background;
        loop {
            match session.standalone.next() {
                queue::Next::Message(message) => {
                    let limit = endpoint.settings.max_event;
                    let message = events::fitted(message, limit, &session.conversation);
                    session.standalone.advance();
                    if let Some(message) = message {
                        return Next::Frame(events::named("message", &message.json));
                    }
                }
                queue::Next::Closed => return Next::End,
                queue::Next::Paused => {}
                queue::Next::Empty if background.stopped.is_cancelled() => return Next::End,
                // A request that still waits for its answer gets it, as long as the server has time.
                queue::Next::Empty
                    if background.closing.is_cancelled() && session.conversation.running() == 0 =>
                {
                    return Next::End;
                }
                queue::Next::Empty => return Next::Nothing,
            }
        }
    }

    async fn wait(&mut self, until: Instant) {
        let Background { closing, stopped, .. } = &self.endpoint.background;
        self.session.touch();
        tokio::select! {
            () = self.session.standalone.filled() => {}
            () = closing.cancelled(), if !closing.is_cancelled() => {}
            () = stopped.cancelled() => {}
            () = sleep_until(until) => {}
        }
    }
}

impl Drop for SessionStream {
    fn drop(&mut self) {
        let (endpoint, session) = (Arc::clone(&self.endpoint), Arc::clone(&self.session));
        endpoint.sessions.remove(&session.id);
        session.end();
        let background = endpoint.background.clone();
        background.keep_running(async move { endpoint.leave(vec![session]).await });
    }
}
