//! POST: a message from a client.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::poll;
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt, Limited};
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
    answer::{self, Answer},
    exchange::Exchange,
    load::{Share, TooMuch},
    runner::{Begin, Runner, RunnerParts},
    service::Endpoint,
    service::principal_of,
    sessions::{InUse, Session},
};
use crate::{
    caller::{Caller, Principal},
    server::{
        conversation::Conversation,
        dispatch::done,
        scope::{Outlet, Work},
    },
    store::SessionId,
};

impl Endpoint {
    pub(super) async fn post<B>(
        &self,
        head: &Head<'_>,
        body: B,
        caller: Option<Caller>,
        fact: SessionFact,
        session: Option<Arc<Session>>,
    ) -> Answer
    where
        B: Body<Data = Bytes> + Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (bytes, share) = match self.read(body).await {
            Ok(read) => read,
            Err(answer) => return answer,
        };
        let parsed = parse(&bytes, &self.settings.limits);
        let Admission { conversation: belongs, reply } =
            match admit_post(head, parsed.as_ref(), fact, &self.policy) {
                Ok(admission) => admission,
                Err(rejected) => return answer::rejection(&rejected),
            };
        // What is no message was refused above.
        let Ok(incoming) = parsed else { return answer::internal() };
        if let Err(challenge) = self.settings.permit(caller.as_ref(), &incoming) {
            return challenge;
        }
        let revision = match belongs {
            Belongs::Initialize => {
                return self.initialize(incoming, principal_of(caller.as_ref())).await;
            }
            Belongs::Legacy { revision }
            | Belongs::Modern { revision }
            | Belongs::Sessionless { revision } => revision,
        };
        let posted = Posted { headers: head.headers, revision, incoming, reply, caller, share };
        match belongs {
            Belongs::Legacy { .. } | Belongs::Initialize => match session {
                Some(session) => self.in_session(&session, posted).await,
                None => answer::internal(),
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
    pub(super) async fn read<B>(&self, body: B) -> Result<(Bytes, Share), Answer>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (body, mut share) = (std::pin::pin!(body), self.load.share());
        let counted = share.count(body, self.settings.body_bytes);
        let collected = Limited::new(counted, self.settings.limits.bytes).collect();
        match tokio::time::timeout(self.settings.body_timeout, collected).await {
            Ok(Ok(body)) => Ok((body.to_bytes(), share)),
            Ok(Err(error)) if error.is::<TooMuch>() => {
                Err(answer::overloaded("too much is being sent at once"))
            }
            Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
                let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, "the body is too large");
                Err(answer::rejection(&Rejection::new(StatusCode::PAYLOAD_TOO_LARGE, error)))
            }
            Ok(Err(_)) => Err(answer::empty(StatusCode::BAD_REQUEST)),
            Err(_) => Err(answer::empty(StatusCode::REQUEST_TIMEOUT)),
        }
    }

    /// Begins a session.
    async fn initialize(&self, incoming: Incoming<'_>, principal: Principal) -> Answer {
        let Ok(id) = SessionId::random() else { return answer::internal() };
        let standing = self.exchange();
        let session = ServerSession::new(Arc::clone(&self.offer));
        let owner = owner_in(&id, &principal);
        let conversation = Conversation::new(self.server.clone(), session, owner, standing.clone());
        let exchange = self.exchange();
        let outlet: Arc<dyn Outlet> = exchange.clone();
        let _ = conversation.feed(Input::Received(incoming), Some(&outlet));
        let Some(message) = exchange.take_only_answer() else { return answer::internal() };
        let agreed = conversation.with_session(|session| session.negotiated().is_some());
        if !agreed || self.settings.sessions == Sessions::Off {
            return answer::message(message);
        }
        let session = Arc::new(Session::new(id, principal, Arc::clone(&conversation), standing));
        let Ok(value) = HeaderValue::from_str(session.id.as_str()) else {
            return answer::internal();
        };
        if let Err(refused) = self.share(&session).await {
            return refused;
        }
        if self.sessions.insert(Arc::clone(&session), &self.settings).is_err() {
            let _ = self.unshare(&session).await;
            return answer::overloaded("too many sessions");
        }
        self.server.register(&conversation);
        let mut response = answer::message(message);
        response.headers_mut().insert(names::MCP_SESSION_ID, value);
        response
    }

    async fn in_session(&self, session: &Arc<Session>, posted: Posted<'_>) -> Answer {
        if let Reply::Accepted(status) = posted.reply {
            if session.conversation.feed(Input::Received(posted.incoming), None).initialized {
                session.set_initialized();
            }
            return match self.keep(session).await {
                Ok(()) => answer::empty(status),
                Err(refused) => refused,
            };
        }
        let exchange = self.exchange();
        let answer = self.run(&session.conversation, exchange, posted, Some(session)).await;
        match self.keep(session).await {
            Ok(()) => answer,
            Err(refused) => refused,
        }
    }

    /// A request that no session remembers.
    async fn alone(&self, session: ServerSession, posted: Posted<'_>) -> Answer {
        if let Reply::Accepted(status) = posted.reply {
            return answer::empty(status);
        }
        let exchange = self.exchange();
        let owner = principal_of(posted.caller.as_ref());
        let conversation = Conversation::new(self.server.clone(), session, owner, exchange.clone());
        self.run(&conversation, exchange, posted, None).await
    }

    async fn run(
        &self,
        conversation: &Arc<Conversation>,
        exchange: Arc<Exchange>,
        posted: Posted<'_>,
        session: Option<&Arc<Session>>,
    ) -> Answer {
        let Posted { headers, revision, incoming, caller, share, .. } = posted;
        if self.tasks.running() >= self.settings.max_requests {
            return answer::overloaded("too many requests");
        }
        let outlet: Arc<dyn Outlet> = exchange.clone();
        let requests = request_ids(&incoming);
        let mut works = Vec::new();
        let received = conversation.feed(Input::Received(incoming), Some(&outlet));
        if let Some(session) = session.filter(|_| received.initialized) {
            session.set_initialized();
        }
        for call in received.calls {
            let scope = conversation.begin(&call, Arc::clone(&outlet), caller.clone());
            let run = match self.server.check_headers(&call, headers) {
                Ok(()) => self.server.run(call, &scope),
                Err(error) => done(Err(error)),
            };
            let mut work = Work::new(scope, run);
            if poll!(&mut work).is_pending() {
                works.push(work);
            }
        }
        // Whatever goes on has its own copy of what it needs.
        drop(share);
        // A handler that did not have to wait has been answered already.
        if works.is_empty()
            && let Some(message) = exchange.take_only_answer()
        {
            return answer::message(message);
        }
        if conversation
            .with_session(|session| requests.iter().any(|id| session.is_subscription(id)))
        {
            self.server.register(conversation);
        }
        let log = self.settings.event_log.clone();
        let log =
            log.zip(session).map(|(log, session)| (log, session.id.clone(), session.owner.clone()));
        let runner = Runner::new(RunnerParts {
            conversation: Arc::clone(conversation),
            exchange,
            works: works.into_iter().collect(),
            revision,
            requests,
            log,
            unkept: self.settings.unkept,
            max_event: self.settings.max_event,
            keep_alive: self.settings.keep_alive,
            retry: self.settings.retry,
            tasks: self.tasks.clone(),
            in_use: session.map(InUse::new),
        });
        match runner.begin().await {
            Some(Begin::Answer(message)) => answer::message(message),
            Some(Begin::Stream(runner)) => answer::events(revision, runner.into_stream()),
            None if self.tasks.stopped.is_cancelled() => answer::overloaded("the server goes down"),
            // Cancelled: nobody waits for an answer, and none may be given.
            None => answer::events(revision, futures_util::stream::empty()),
        }
    }
}

/// A message that was let in, and what is known of who sent it.
struct Posted<'a> {
    headers: &'a HeaderMap,
    revision: Revision,
    incoming: Incoming<'a>,
    reply: Reply,
    caller: Option<Caller>,
    share: Share,
}

/// Whom the tasks of a session belong to: whoever has the session, unless it is known who that is.
pub(super) fn owner_in(session: &SessionId, principal: &Principal) -> Principal {
    if principal.is_somebody() { principal.clone() } else { Principal::Session(session.clone()) }
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
