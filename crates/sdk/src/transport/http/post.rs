//! POST: a message from a client.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::poll;
use http::{HeaderValue, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt, Limited};
use proofmark_core::{
    jsonrpc::{ErrorCode, ErrorObject, Id, Incoming, Message, parse},
    revision::Revision,
    session::server::{Input, ServerSession},
    streamable_http::{
        Admission, Conversation as Belongs, Head, Rejection, Reply, SessionFact, admit_post, names,
    },
};

use super::{
    answer::{self, Answer},
    exchange::Exchange,
    runner::{Begin, Runner, RunnerParts},
    service::Endpoint,
    service::principal_of,
    sessions::Session,
};
use crate::{
    caller::Caller,
    server::{
        conversation::Conversation,
        scope::{Outlet, Work},
    },
    store::{EventLog, Principal, SessionId},
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
        let bytes = match self.read(body).await {
            Ok(bytes) => bytes,
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
        match belongs {
            Belongs::Initialize => self.initialize(incoming, principal_of(caller.as_ref())),
            Belongs::Legacy { revision } => match session {
                Some(session) => self.in_session(&session, revision, incoming, reply, caller).await,
                None => answer::internal(),
            },
            Belongs::Sessionless { revision } => {
                let session = ServerSession::agreed(Arc::clone(self.server.offer()), revision);
                self.alone(session, revision, incoming, reply, caller).await
            }
            Belongs::Modern { revision } => {
                let session = ServerSession::new(Arc::clone(self.server.offer()));
                self.alone(session, revision, incoming, reply, caller).await
            }
        }
    }

    pub(super) async fn read<B>(&self, body: B) -> Result<Bytes, Answer>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let collected = Limited::new(body, self.settings.limits.bytes).collect();
        match tokio::time::timeout(self.settings.body_timeout, collected).await {
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
                let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, "the body is too large");
                Err(answer::rejection(&Rejection::new(StatusCode::PAYLOAD_TOO_LARGE, error)))
            }
            Ok(Err(_)) => Err(answer::empty(StatusCode::BAD_REQUEST)),
            Err(_) => Err(answer::empty(StatusCode::REQUEST_TIMEOUT)),
        }
    }

    /// Begins a session.
    fn initialize(&self, incoming: Incoming<'_>, principal: Principal) -> Answer {
        let Ok(id) = SessionId::random() else { return answer::internal() };
        let standing = Arc::new(Exchange::new(self.settings.queue_messages));
        let session = ServerSession::new(Arc::clone(self.server.offer()));
        let conversation = Conversation::new(self.server.clone(), session, standing.clone());
        let exchange = Arc::new(Exchange::new(self.settings.queue_messages));
        let outlet: Arc<dyn Outlet> = exchange.clone();
        let _ = conversation.feed(Input::Received(incoming), Some(&outlet));
        let Some(transmit) = exchange.take_only_answer() else { return answer::internal() };
        if conversation.with_session(|session| session.negotiated().is_none()) {
            return answer::message(self.server.offer(), transmit);
        }
        let session = Arc::new(Session::new(id, principal, Arc::clone(&conversation), standing));
        let Ok(value) = HeaderValue::from_str(session.id.as_str()) else {
            return answer::internal();
        };
        if self.sessions.insert(session, &self.settings).is_err() {
            return answer::overloaded("too many sessions");
        }
        self.server.register(&conversation);
        let mut response = answer::message(self.server.offer(), transmit);
        response.headers_mut().insert(names::MCP_SESSION_ID, value);
        response
    }

    async fn in_session(
        &self,
        session: &Arc<Session>,
        revision: Revision,
        incoming: Incoming<'_>,
        reply: Reply,
        caller: Option<Caller>,
    ) -> Answer {
        let log = self.settings.event_log.clone();
        let log = log.map(|log| (log, session.id.clone(), session.owner.clone()));
        if let Reply::Accepted(status) = reply {
            if session.conversation.feed(Input::Received(incoming), None).initialized {
                session.set_initialized();
            }
            return answer::empty(status);
        }
        let exchange = Arc::new(Exchange::new(self.settings.queue_messages));
        self.run(&session.conversation, exchange, revision, incoming, (caller, log)).await
    }

    /// A request that no session remembers.
    async fn alone(
        &self,
        session: ServerSession,
        revision: Revision,
        incoming: Incoming<'_>,
        reply: Reply,
        caller: Option<Caller>,
    ) -> Answer {
        if let Reply::Accepted(status) = reply {
            return answer::empty(status);
        }
        let exchange = Arc::new(Exchange::new(self.settings.queue_messages));
        let conversation = Conversation::new(self.server.clone(), session, exchange.clone());
        self.run(&conversation, exchange, revision, incoming, (caller, None)).await
    }

    async fn run(
        &self,
        conversation: &Arc<Conversation>,
        exchange: Arc<Exchange>,
        revision: Revision,
        incoming: Incoming<'_>,
        (caller, log): (Option<Caller>, Option<Kept>),
    ) -> Answer {
        let outlet: Arc<dyn Outlet> = exchange.clone();
        let requests = request_ids(&incoming);
        let mut works = Vec::new();
        for call in conversation.feed(Input::Received(incoming), Some(&outlet)).calls {
            let scope = conversation.begin(&call, Arc::clone(&outlet), caller.clone());
            let mut work = Work::new(Arc::clone(&scope), self.server.run(call, &scope));
            if poll!(&mut work).is_pending() {
                works.push(work);
            }
        }
        // A handler that did not have to wait has been answered already.
        if works.is_empty()
            && let Some(transmit) = exchange.take_only_answer()
        {
            return answer::message(self.server.offer(), transmit);
        }
        if conversation
            .with_session(|session| requests.iter().any(|id| session.is_subscription(id)))
        {
            self.server.register(conversation);
        }
        let runner = Runner::new(RunnerParts {
            conversation: Arc::clone(conversation),
            exchange,
            works: works.into_iter().collect(),
            revision,
            requests,
            log,
            keep_alive: self.settings.keep_alive,
            retry: self.settings.retry,
            tasks: self.tasks.clone(),
        });
        match runner.begin().await {
            Some(Begin::Answer(transmit)) => answer::message(self.server.offer(), transmit),
            Some(Begin::Stream(runner)) => answer::events(revision, runner.into_stream()),
            // Cancelled: nobody waits for an answer, and none may be given.
            None => answer::events(revision, futures_util::stream::empty()),
        }
    }
}

/// Where the streams of a session are kept, and whose they are.
type Kept = (Arc<dyn EventLog>, SessionId, Principal);

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
