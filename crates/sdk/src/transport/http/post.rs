//! POST: a message from a client.

use std::{net::IpAddr, sync::Arc};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body::Body;
use proofmark_core::{
    jsonrpc::{ErrorCode, ErrorObject, Id, Incoming, Message, parse},
    revision::Revision,
    session::server::{Input, ServerSession},
    streamable_http::{
        Admission, Conversation as Belongs, Head, Rejection, Reply, SessionFact, Sessions,
        admit_post, names,
    },
};

use super::{
    holders::{Asking, Limits},
    large::Turn,
    load::Share,
    responder::{Exchange, Form, Responder},
    response::{self, HttpResponse},
    service::Endpoint,
    service::principal_of,
    sessions::{Full, InUse, Session},
};
use crate::{
    body::{NoRoom, NotRead, read_whole},
    caller::{Caller, Principal},
    server::{
        conversation::{Conversation, MessageSink},
        handoff::{HandOff, HandlerFuture, Handlers},
    },
    store::SessionId,
    transport::queue::{self, MessageQueue},
};

impl Endpoint {
    pub(super) async fn post<B>(
        &self,
        head: &Head<'_>,
        body: B,
        sender: Sender,
        fact: SessionFact,
        session: Option<Arc<Session>>,
    ) -> HttpResponse
    where
        B: Body<Data = Bytes> + Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (bytes, share) = match self.read(body).await {
            Ok(read) => read,
            Err(refused) => return refused,
        };
        let turn = self.turns.take(bytes.len()).await;
        let parsed = parse(&bytes, &self.settings.limits);
        let Admission { conversation: belongs, reply } =
            match admit_post(head, parsed.as_ref(), fact, &self.policy) {
                Ok(admission) => admission,
                Err(rejected) => return response::rejection(&rejected),
            };
        // What is no message was refused above.
        let Ok(incoming) = parsed else { return response::internal() };
        if let Err(challenge) = self.settings.permit(sender.caller.as_ref(), &incoming) {
            return challenge;
        }
        let revision = match belongs {
            Belongs::Initialize => {
                return self.initialize(incoming, &sender).await;
            }
            Belongs::Legacy { revision }
            | Belongs::Modern { revision }
            | Belongs::Sessionless { revision } => revision,
        };
        let posted = Posted {
            headers: head.headers,
            revision,
            incoming,
            json: &bytes,
            reply,
            sender,
            share,
            turn,
        };
        match belongs {
            Belongs::Legacy { .. } | Belongs::Initialize => match session {
                Some(session) => self.in_session(&session, posted).await,
                None => response::internal(),
            },
            Belongs::Sessionless { .. } => {
                let session = ServerSession::agreed(Arc::clone(&self.offer), revision);
                self.alone(session, posted).await
            }
            Belongs::Modern { .. } => {
                let session = ServerSession::new(Arc::clone(&self.offer));
                self.alone(session, posted).await
            }
        }
    }

    /// The whole body, and what it takes of the room that there is for all.
    pub(super) async fn read<B>(&self, body: B) -> Result<(Bytes, Share), HttpResponse>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (limit, mut share) = (self.settings.body_bytes, self.load.share());
        let whole =
            read_whole(body, self.settings.limits.bytes, |bytes| share.grow_to(bytes, limit));
        match tokio::time::timeout(self.settings.body_timeout, whole).await {
            Ok(Ok(body)) => Ok((body, share)),
            Ok(Err(NotRead::NoRoom)) => Err(response::overloaded("too much is being sent at once")),
            Ok(Err(NotRead::TooLarge)) => {
                let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, "the body is too large");
                Err(response::rejection(&Rejection::new(StatusCode::PAYLOAD_TOO_LARGE, error)))
            }
            Ok(Err(NotRead::Broken(_))) => Err(response::empty(StatusCode::BAD_REQUEST)),
            Err(_) => Err(response::empty(StatusCode::REQUEST_TIMEOUT)),
        }
    }

    /// Begins a session.
    async fn initialize(&self, incoming: Incoming<'_>, sender: &Sender) -> HttpResponse {
        let principal = sender.principal();
        let Ok(id) = SessionId::random() else { return response::internal() };
        let standalone = self.new_queue();
        let session = self.numbered(ServerSession::new(Arc::clone(&self.offer)));
        let owner = owner_in(&id, &principal);
        let outbox = self.outbox(&id, &principal);
        let said: Arc<dyn MessageSink> =
            outbox.clone().map_or_else(|| standalone.clone() as _, |outbox| outbox as _);
        let conversation = Conversation::new(self.server.clone(), session, owner, said);
        let queue = self.new_queue();
        let sink: Arc<dyn MessageSink> = queue.clone();
        let _ = conversation.feed(Input::Received(incoming), Some(&sink));
        let Some(message) = queue.take_only_answer() else { return response::internal() };
        let agreed = conversation.with_session(|session| session.negotiated().is_some());
        if !agreed || self.settings.sessions == Sessions::Off {
            return response::message(message);
        }
        let session =
            Session::new(id, principal, sender.address, Arc::clone(&conversation), standalone)
                .saying(outbox);
        let session = Arc::new(session);
        let Ok(value) = HeaderValue::from_str(session.id.as_str()) else {
            return response::internal();
        };
        if let Err(refused) = self.share(&session).await {
            return refused;
        }
        if self.insert(&session).await.is_err() {
            let _ = self.unshare(&session).await;
            return response::overloaded("too many sessions");
        }
        self.server.register(&conversation);
        let mut response = response::message(message);
        response.headers_mut().insert(names::MCP_SESSION_ID, value);
        response
    }

    /// Puts a session where it can be found, and lets go of the one that makes room for it.
    pub(super) async fn insert(&self, session: &Arc<Session>) -> Result<Arc<Session>, Full> {
        let inserted = self.sessions.insert(Arc::clone(session), &self.settings)?;
        if let Some(displaced) = inserted.displaced {
            tracing::debug!("the room for sessions is full: one that was not used gives way");
            self.leave(vec![displaced]).await;
        }
        Ok(inserted.session)
    }

    async fn in_session(&self, session: &Arc<Session>, posted: Posted<'_>) -> HttpResponse {
        if let Reply::Accepted(status) = posted.reply {
            match self.hand_on(session, &posted.incoming, posted.json).await {
                Ok(true) => {}
                Ok(false) => return response::empty(status),
                Err(refused) => return refused,
            }
            let sink: Arc<dyn MessageSink> = session.sink();
            let mut waiting = Vec::new();
            let handoff = HandOff {
                conversation: &session.conversation,
                sink: &sink,
                caller: posted.sender.caller.as_ref(),
                headers: None,
            };
            let received =
                handoff.receive(Input::Received(posted.incoming), |handler| waiting.push(handler));
            if received.initialized {
                session.set_initialized();
            }
            self.finish_later(session, &posted.sender, waiting, None);
            return match self.keep(session).await {
                Ok(()) => response::empty(status),
                Err(refused) => refused,
            };
        }
        let queue = self.new_queue();
        let answer = self.run(&session.conversation, queue, posted, Some(session)).await;
        match self.keep(session).await {
            Ok(()) => answer,
            Err(refused) => refused,
        }
    }

    /// A request that no session remembers.
    async fn alone(&self, session: ServerSession, posted: Posted<'_>) -> HttpResponse {
        if let Reply::Accepted(status) = posted.reply {
            return response::empty(status);
        }
        let queue = self.new_queue();
        let owner = posted.sender.principal();
        let conversation = Conversation::new(self.server.clone(), session, owner, queue.clone());
        self.run(&conversation, queue, posted, None).await
    }

    async fn run(
        &self,
        conversation: &Arc<Conversation>,
        queue: Arc<MessageQueue>,
        posted: Posted<'_>,
        session: Option<&Arc<Session>>,
    ) -> HttpResponse {
        let Posted { headers, revision, incoming, sender, share, turn, .. } = posted;
        if !self.may_run(&sender, session) {
            return response::overloaded("too many requests");
        }
        if !self.may_wait(&share) {
            return response::overloaded("too much waits to be carried out");
        }
        let sink: Arc<dyn MessageSink> = queue.clone();
        let requests = request_ids(&incoming);
        let (mut waiting, mut unanswered) = (Vec::new(), Vec::new());
        let handoff = HandOff {
            conversation,
            sink: &sink,
            caller: sender.caller.as_ref(),
            headers: Some(headers),
        };
        let received = handoff.receive(Input::Received(incoming), |handler| {
            if handler.answers() { waiting.push(handler) } else { unanswered.push(handler) }
        });
        drop(turn);
        if let Some(session) = session {
            self.finish_later(session, &sender, unanswered, None);
        }
        if let Some(session) = session.filter(|_| received.initialized) {
            session.set_initialized();
        }
        // A handler that did not have to wait has been answered already.
        if waiting.is_empty()
            && let Some(message) = queue.take_only_answer()
        {
            return self.body(message);
        }
        // A handler that goes on has its own copy of what it needs; a subscription has none.
        let share = if waiting.is_empty() { None } else { self.waits(share) };
        if conversation
            .with_session(|session| requests.iter().any(|id| session.is_subscription(id)))
        {
            self.server.register(conversation);
        }
        let charge = self.running.charge(&sender.asking(session));
        let conversation = Arc::clone(conversation);
        let handlers = waiting.into_iter().collect();
        let exchange = Exchange {
            conversation,
            queue,
            handlers,
            revision,
            requests,
            _share: share,
            _charge: charge,
        };
        match Responder::new(exchange, session, self).begin().await {
            Some(Form::Body(message)) => self.body(message),
            Some(Form::Events(responder)) => response::events(revision, responder.into_stream()),
            None if self.background.stopped.is_cancelled() => {
                response::overloaded("the server goes down")
            }
            // Cancelled: no answer is waited for, and none may be given.
            None => response::events(revision, futures_util::stream::empty()),
        }
    }

    /// Whether another request of this client may run.
    pub(super) fn may_run(&self, sender: &Sender, session: Option<&Arc<Session>>) -> bool {
        let limits = Limits {
            all: self.settings.max_requests,
            share: self.settings.max_requests_per_client,
        };
        let all = self.background.running();
        // So that an answer at once costs no look at who asks.
        all < limits.all.min(limits.share)
            || self.running.has_room(&sender.asking(session), all, limits)
    }

    /// Whether handlers may wait with what they were sent. They always may with little.
    pub(super) fn may_wait(&self, share: &Share) -> bool {
        let (bytes, limit) = (share.bytes(), self.settings.waiting_bytes);
        bytes <= SMALL || self.waiting.has_room_for(bytes, limit)
    }

    /// What was sent to handlers that wait.
    pub(super) fn waits(&self, share: Share) -> Option<Share> {
        (share.bytes() > SMALL).then(|| share.moved_to(&self.waiting))
    }

    /// The answer as one body. A large one is counted until the client has read it.
    fn body(&self, message: queue::Message) -> HttpResponse {
        if message.json.len() < LARGE {
            return response::message(message);
        }
        match self.answers.counted(message.json, self.settings.answer_bytes) {
            Ok(json) => response::message(queue::Message { json, ..message }),
            Err(NoRoom) => response::overloaded("too many answers wait to be read"),
        }
    }

    /// Lets handlers finish whose answers, if there are any, come on the stream of their session. What they were sent is held until then.
    pub(super) fn finish_later(
        &self,
        session: &Arc<Session>,
        sender: &Sender,
        handlers: Vec<HandlerFuture>,
        share: Option<Share>,
    ) {
        if handlers.is_empty() {
            return;
        }
        let (busy, in_use) = (self.background.busy(), InUse::new(session));
        let charge = self.running.charge(&sender.asking(Some(session)));
        let (handlers, session) = (Handlers::from_iter(handlers), Arc::clone(session));
        self.background.keep_running(async move {
            handlers.finish(&session.conversation).await;
            drop((busy, in_use, share, charge));
        });
    }
}

/// Whom a message comes from, as far as that is known.
pub(super) struct Sender {
    pub(super) caller: Option<Caller>,
    pub(super) address: Option<IpAddr>,
}

impl Sender {
    pub(super) fn principal(&self) -> Principal {
        principal_of(self.caller.as_ref())
    }

    fn asking(&self, session: Option<&Arc<Session>>) -> Asking {
        Asking::new(&self.principal(), self.address, session.map(|session| &session.id))
    }
}

/// A message that was let in, and what is known of who sent it.
struct Posted<'a> {
    headers: &'a HeaderMap,
    revision: Revision,
    incoming: Incoming<'a>,
    /// As it came.
    json: &'a Bytes,
    reply: Reply,
    sender: Sender,
    share: Share,
    turn: Turn<'a>,
}

/// Whom the tasks of a session belong to: to its user, or to the session itself where the user is not known.
pub(super) fn owner_in(session: &SessionId, principal: &Principal) -> Principal {
    if principal.is_identified() { principal.clone() } else { Principal::Session(session.clone()) }
}

fn request_ids(incoming: &Incoming<'_>) -> Vec<Id<'static>> {
    let of = |message: &Message<'_>| match message {
        Message::Request(request) => Some(request.id.clone().into_owned()),
        _ => None,
    };
    match incoming {
        Incoming::Message(message) => of(message).into_iter().collect(),
        Incoming::Batch(members) => members.iter().flatten().filter_map(of).collect(),
    }
}

/// Bytes of a body that are not counted while handlers wait: so much for each of them is within any bound.
const SMALL: usize = 8 * 1024;
/// Bytes of an answer that are worth counting.
const LARGE: usize = 64 * 1024;
