//! One MCP endpoint as a `tower` service.

use std::{
    convert::Infallible,
    net::IpAddr,
    pin::Pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Request, request::Parts};
use http_body::Body;
use proofmark_core::{
    revision::Revision,
    session::server::{Link, Memory, Offer, ServerSession},
    streamable_http::{self, Head, Policy, SessionFact, Verb, admit_head, names},
    types::CacheScope,
};
use tokio::time::{Duration, timeout};
use tower_service::Service;

use super::{
    HttpBody, HttpSettings,
    background::Background,
    holders::Running,
    large::Turns,
    load::Load,
    post::Sender,
    relay::{Announcements, Outbox, first_question},
    response::{self, HttpResponse},
    sessions::{Session, Sessions},
};
use crate::{
    caller::{Caller, Principal},
    server::Server,
    store::SessionId,
    transport::queue::{MessageQueue, Overflow},
};

/// One MCP endpoint. Cheap to clone; clones serve the same sessions.
#[derive(Clone)]
pub struct McpService {
    pub(super) endpoint: Arc<Endpoint>,
    /// Where the requests come from that this clone answers.
    pub(super) address: Option<IpAddr>,
}

/// What all requests to an endpoint share.
pub(super) struct Endpoint {
    pub(super) server: Server,
    /// The server's offer, as it is told over HTTP.
    pub(super) offer: Arc<Offer>,
    pub(super) settings: HttpSettings,
    pub(super) policy: Policy,
    pub(super) sessions: Sessions,
    pub(super) background: Background,
    /// Requests that wait, by who asked.
    pub(super) running: Running,
    /// Bodies that are being read and parsed.
    pub(super) load: Load,
    /// Bodies whose handlers have not finished.
    pub(super) waiting: Load,
    /// Answers that are being written.
    pub(super) answers: Load,
    pub(super) turns: Turns,
    /// Letters of other servers are being read.
    pub(super) reads: OnceLock<()>,
    /// Changes that other servers were told of, and messages to clients of shared sessions.
    news: Arc<AtomicU64>,
}

impl McpService {
    pub fn new(server: Server, settings: HttpSettings) -> Self {
        let policy = Policy {
            hosts: settings.hosts.clone(),
            origins: settings.origins.clone(),
            revisions: server.offer().revisions().to_vec().into(),
            sessions: settings.sessions,
            body_limit: settings.limits.bytes as u64,
            ..Policy::default()
        };
        let mut offer = Offer::clone(server.offer());
        offer.link = Link::Http;
        if settings.sessions == streamable_http::Sessions::Off {
            offer.memory = if settings.demands_tokens() { Memory::Caller } else { Memory::Nothing };
        }
        if settings.demands_tokens() && server.cache_of_discovery().scope.is_none() {
            offer.discover_scope = CacheScope::Private;
        }
        let endpoint = Endpoint {
            server,
            offer: Arc::new(offer),
            settings,
            policy,
            sessions: Sessions::new(),
            background: Background::default(),
            running: Running::default(),
            load: Load::default(),
            waiting: Load::default(),
            answers: Load::default(),
            turns: Turns::default(),
            reads: OnceLock::new(),
            news: Arc::default(),
        };
        let endpoint = Arc::new(endpoint);
        if endpoint.settings.bus.is_some() {
            endpoint.announce_by(Announcements { endpoint: Arc::downgrade(&endpoint) });
        }
        Self { endpoint, address: None }
    }

    /// A clone for requests from this address. Clients that do not say who they are share what there is by their addresses; behind a
    /// proxy, give the address that the proxy vouches for.
    pub fn with_address(&self, address: IpAddr) -> Self {
        Self { endpoint: Arc::clone(&self.endpoint), address: Some(address) }
    }

    /// Sessions that are alive.
    pub fn sessions(&self) -> usize {
        self.endpoint.sessions.live(&self.endpoint.settings)
    }

    /// Requests that outlived their connection and still run.
    pub fn detached(&self) -> usize {
        self.endpoint.background.len()
    }

    /// Ends standalone streams, lets running requests finish as long as the settings say, and stops the rest, the server's tasks included.
    pub async fn shut_down(&self) {
        let endpoint = &self.endpoint;
        endpoint.background.closing.cancel();
        endpoint.server.end_subscriptions();
        let _ = timeout(endpoint.settings.drain, endpoint.background.drained()).await;
        // Before the requests, so that a client that waits for a task hears how it ended. Neither a store nor a client that does not answer
        // is waited for.
        let _ = timeout(LAST_STEPS, endpoint.server.stop_tasks()).await;
        endpoint.background.stopped.cancel();
        let _ = timeout(LAST_STEPS, endpoint.background.drained()).await;
        let sessions = endpoint.sessions.all();
        for session in &sessions {
            endpoint.sessions.remove(&session.id);
        }
        let _ = timeout(LAST_STEPS, endpoint.leave(sessions)).await;
    }
}

impl<B> Service<Request<B>> for McpService
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = http::Response<HttpBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (endpoint, address) = (Arc::clone(&self.endpoint), self.address);
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let response = endpoint.answer(&parts, body, address).await;
            Ok(response::noted(&parts.method, response))
        })
    }
}

impl Endpoint {
    async fn answer<B>(
        self: Arc<Self>,
        parts: &Parts,
        body: B,
        address: Option<IpAddr>,
    ) -> HttpResponse
    where
        B: Body<Data = Bytes> + Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let head = Head { method: &parts.method, uri: &parts.uri, headers: &parts.headers };
        let verb = match admit_head(&head, &self.policy) {
            Ok(verb) => verb,
            Err(rejected) => return response::rejection(&rejected),
        };
        let caller = match self.settings.caller_of(parts).await {
            Ok(caller) => caller,
            Err(challenge) => return challenge,
        };
        self.read_letters();
        self.end_expired().await;
        let (fact, session) = match self.session(&head, &principal_of(caller.as_ref())).await {
            Ok(found) => found,
            Err(refused) => return refused,
        };
        match verb {
            Verb::Post => self.post(&head, body, Sender { caller, address }, fact, session).await,
            Verb::Get => self.get(&head, fact, session).await,
            Verb::Delete => self.delete(&head, fact, session).await,
        }
    }

    /// Lets go of the sessions that are not used any more, now and then.
    pub(super) async fn end_expired(&self) {
        let expired = self.sessions.take_expired(&self.settings);
        if !expired.is_empty() {
            self.leave(expired).await;
        }
    }

    /// The session that a request names.
    async fn session(
        &self,
        head: &Head<'_>,
        principal: &Principal,
    ) -> Result<(SessionFact, Option<Arc<Session>>), HttpResponse> {
        let Some(named) = head.session_id() else { return Ok((SessionFact::Absent, None)) };
        let session = match named.ok().and_then(|id| SessionId::parse(id.as_str()).ok()) {
            // For a client that speaks without sessions and names one all the same, no store is asked.
            Some(id) if is_sessionless(head) => self.sessions.get(&id, principal, &self.settings),
            Some(id) => self.find(&id, principal).await?,
            None => None,
        };
        Ok(match session {
            Some(session) => (SessionFact::Live { revision: revision_of(&session) }, Some(session)),
            None => (SessionFact::Unknown, None),
        })
    }

    /// Has changes that are announced here told elsewhere.
    fn announce_by(&self, announcements: Announcements) {
        self.server.announce_through(Arc::new(announcements));
    }

    /// The number of the next change that other servers are told of.
    pub(super) fn next_news(&self) -> u64 {
        self.news.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// A session whose questions no other server can have asked.
    pub(super) fn numbered(&self, session: ServerSession) -> ServerSession {
        match &self.settings.bus {
            Some(bus) => session.asking_from(first_question(bus.server())),
            None => session,
        }
    }

    /// Where the client of a shared session is told what belongs to no request.
    pub(super) fn outbox(&self, session: &SessionId, owner: &Principal) -> Option<Arc<Outbox>> {
        let bus = Arc::clone(self.settings.bus.as_ref()?);
        let (offer, background) = (Arc::clone(&self.offer), self.background.clone());
        let (session, owner, settings) = (session.clone(), owner.clone(), &self.settings);
        let numbers = Arc::clone(&self.news);
        let outbox = Outbox::new(offer, bus, session, owner, background, settings, numbers);
        Some(Arc::new(outbox))
    }

    /// A queue for messages to one response, or to one standalone stream.
    pub(super) fn new_queue(&self) -> Arc<MessageQueue> {
        Arc::new(self.queue())
    }

    /// A queue for all messages of a session whose only stream carries the answers too.
    pub(super) fn new_session_queue(&self) -> Arc<MessageQueue> {
        Arc::new(self.queue().given_up_beyond(self.settings.unread_bytes))
    }

    fn queue(&self) -> MessageQueue {
        let HttpSettings { queue_messages, queue_bytes, .. } = self.settings;
        let offer = Arc::clone(&self.offer);
        MessageQueue::new(offer, queue_messages, queue_bytes, Overflow::EndsStream)
    }
}

/// The revision that a session negotiated.
fn revision_of(session: &Session) -> Revision {
    let negotiated = session.conversation.with_session(ServerSession::negotiated);
    negotiated.unwrap_or(Revision::ASSUMED_OVER_HTTP)
}

/// Whether the headers name a revision that has no sessions.
fn is_sessionless(head: &Head<'_>) -> bool {
    let version = head.headers.get(names::MCP_PROTOCOL_VERSION);
    let revision = version.and_then(|version| version.to_str().ok()?.parse::<Revision>().ok());
    revision.is_some_and(|revision| !revision.rules().http.sessions)
}

/// Whom a session belongs to that this caller begins.
pub(super) fn principal_of(caller: Option<&Caller>) -> Principal {
    caller.map_or(Principal::Anonymous, |caller| caller.principal().clone())
}

const LAST_STEPS: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests;
