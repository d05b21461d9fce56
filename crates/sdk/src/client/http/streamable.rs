//! The driver of a conversation over Streamable HTTP.

use std::{collections::VecDeque, future::pending, pin::pin, sync::Arc, time::Duration};

use bytes::Bytes;
use http::Method;
use proofmark_core::{
    jsonrpc::Id,
    revision::{Era, Revision},
    session::client::{Failure, Input, Preference},
};
use tokio::{
    sync::oneshot,
    time::{Instant, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    exchange::Posted,
    exchanges::Exchanges,
    get_stream::{self, StreamEnd},
    message::{Post, PostKind},
    wire::Wire,
};
use crate::{
    BoxFuture,
    client::{
        Lost,
        engine::{Engine, Generation, Job},
        server_requests::ServerRequests,
    },
    clock::Alarm,
};

/// How a conversation over Streamable HTTP ends.
pub(super) enum End {
    Lost(Lost),
    /// The server may know only the older transport.
    TryOlder(Failure),
}

pub(super) async fn run(
    engine: &Arc<Engine>,
    wire: &Arc<Wire>,
    closing: &CancellationToken,
) -> End {
    let generation = engine.begin(|_| {});
    let mut driver = Driver {
        engine,
        wire,
        generation,
        exchanges: Exchanges::new(engine.clone(), wire.clone()),
        server_requests: ServerRequests::new(engine.clone()),
        get_stream: None,
        to_hear: None,
        hold: Hold::Free,
        held: VecDeque::new(),
        refused: Vec::new(),
        begun: Instant::now(),
    };
    let end = driver.run(closing).await;
    let generation = driver.generation;
    // Streams end before their session does.
    drop(driver);
    if let End::Lost(lost) = &end {
        if matches!(lost, Lost::Closed) {
            engine.lose(Lost::Closed);
        }
        end_session(engine, wire, generation).await;
    }
    end
}

struct Driver<'a> {
    engine: &'a Arc<Engine>,
    wire: &'a Arc<Wire>,
    generation: Generation,
    exchanges: Exchanges,
    server_requests: ServerRequests,
    get_stream: Option<BoxFuture<'static, StreamEnd>>,
    /// What is spoken on the GET stream that is to be opened.
    to_hear: Option<Revision>,
    hold: Hold,
    /// What waits for that.
    held: VecDeque<Post>,
    /// Requests that a forgotten session was refused, to be asked again in the next.
    refused: Vec<(Generation, Id<'static>)>,
    /// When the current session was begun.
    begun: Instant,
}

/// Nothing may overtake `notifications/initialized`, though each message has a connection of its own.
enum Hold {
    Free,
    Until(BoxFuture<'static, Posted>),
}

impl Driver<'_> {
    async fn run(&mut self, closing: &CancellationToken) -> End {
        // These wait from one turn to the next, because to begin to wait costs more than a turn.
        let mut alarm = Alarm::default();
        let mut closed = pin!(closing.cancelled());
        let engine = self.engine;
        let mut more_work = pin!(engine.work.notified());
        loop {
            for job in self.engine.take_jobs() {
                if let Some(end) = self.work(job) {
                    return end;
                }
            }
            let wake = self.engine.next_deadline();
            let get_stream = async {
                match &mut self.get_stream {
                    Some(get_stream) => get_stream.await,
                    None => pending().await,
                }
            };
            let hold = async {
                match &mut self.hold {
                    Hold::Until(post) => post.await,
                    Hold::Free => pending().await,
                }
            };
            let posted = tokio::select! {
                biased;
                posted = hold => {
                    self.release();
                    Some(posted)
                }
                posted = self.exchanges.next(), if !self.exchanges.is_idle() => posted,
                () = self.server_requests.next(), if !self.server_requests.is_idle() => None,
                () = more_work.as_mut() => {
                    more_work.set(engine.work.notified());
                    None
                }
                end = get_stream => {
                    self.get_stream = None;
                    // Not again and again: a call will find out if there is one.
                    let generation = self.generation;
                    (end == StreamEnd::SessionGone && self.begun.elapsed() > SETTLED)
                        .then_some(Posted::SessionGone { generation, request: None })
                }
                () = closed.as_mut() => return End::Lost(Lost::Closed),
                () = alarm.wait(wake) => {
                    self.engine.time_passed();
                    None
                }
            };
            match posted {
                None | Some(Posted::Done) => {}
                Some(Posted::SessionGone { generation, request }) => {
                    self.session_gone(generation, request);
                }
                Some(Posted::Unauthorized(why)) => return End::Lost(Lost::Unauthorized(why)),
                Some(Posted::Unreachable(why)) => {
                    let url = self.wire.endpoint.to_string();
                    return End::Lost(Lost::Unreachable { url, why });
                }
            }
        }
    }

    fn work(&mut self, job: Job) -> Option<End> {
        match job {
            Job::Abandon { generation, request } => self.exchanges.abandon(generation, request),
            Job::Ask { generation, ask, what } => self.server_requests.start(generation, ask, what),
            Job::Withdrawn { generation, ask } => self.server_requests.withdraw(generation, ask),
            Job::Connected(generation) if generation == self.generation => self.connected(),
            Job::Failed { generation, why, detail } if generation == self.generation => {
                if why.suggests_http_sse() {
                    return Some(End::TryOlder(why));
                }
                return Some(End::Lost(match detail {
                    Some(detail) => Lost::HandshakeOverHttp { why, detail },
                    None => Lost::Handshake(why),
                }));
            }
            Job::Connected(_) | Job::Failed { .. } => {}
            Job::Send { generation, transmit, mirrored } => {
                let post = Post::new(self.wire, generation, &transmit, mirrored);
                match (&self.hold, &post.kind) {
                    (_, PostKind::Initialized) => {
                        let (engine, wire) = (self.engine.clone(), self.wire.clone());
                        let first = super::exchange::post(engine, wire, post);
                        self.hold = Hold::Until(Box::pin(first));
                    }
                    (Hold::Until(_), _) => self.held.push_back(post),
                    (Hold::Free, _) => self.exchanges.start(post),
                }
            }
        }
        None
    }

    /// The server knows that the handshake is over. Before anything is asked of it, the GET stream is opened, because what a server
    /// wants to know while it works may come there, and some drop what is not heard. A server that is slow to open it is not waited for.
    fn release(&mut self) {
        if let Some(revision) = self.to_hear.take() {
            let (engine, wire) = (self.engine.clone(), self.wire.clone());
            let (opened, open) = oneshot::channel();
            let listen = get_stream::listen(engine, wire, self.generation, revision, opened);
            self.get_stream = Some(Box::pin(listen));
            self.hold = Hold::Until(Box::pin(async {
                let _either_way = timeout(OPENING, open).await;
                Posted::Done
            }));
            return;
        }
        self.hold = Hold::Free;
        for post in std::mem::take(&mut self.held) {
            self.exchanges.start(post);
        }
    }

    fn connected(&mut self) {
        let Some(server) = self.engine.server() else { return };
        let rules = server.revision.rules();
        self.to_hear = rules.http.get_stream.then_some(server.revision);
        for (generation, request) in std::mem::take(&mut self.refused) {
            if !self.engine.repeat(generation, &request) {
                self.give_up(generation, request);
            }
        }
    }

    /// The server has forgotten the session: begin another, and ask again for what was refused for that reason.
    fn session_gone(&mut self, generation: Generation, request: Option<Id<'static>>) {
        if generation != self.generation {
            // Another message found out first.
            if let Some(request) = request {
                if self.engine.server().is_none() {
                    self.refused.push((generation, request));
                } else if !self.engine.repeat(generation, &request) {
                    self.give_up(generation, request);
                }
            }
            return;
        }
        if let Some(request) = request.as_ref().filter(|it| !self.engine.may_repeat(generation, it))
        {
            // A server that forgets the new session as well is not worth a third.
            self.give_up(generation, request.clone());
            return;
        }
        tracing::debug!("the server has forgotten the session; another is begun");
        let revision = self.engine.server().map(|server| server.revision);
        let watched = self.engine.watched();
        self.wire.forget_session(generation);
        self.get_stream = None;
        self.begun = Instant::now();
        self.refused.extend(request.map(|request| (generation, request)));
        self.generation = self.engine.begin(|profile| {
            if let Some(revision) = revision.filter(|revision| revision.era() == Era::Legacy) {
                profile.preference = Preference::Legacy(revision);
            }
        });
        self.engine.watch_again(watched);
    }

    fn give_up(&self, generation: Generation, request: Id<'static>) {
        let why: Arc<str> = "the server does not know its own session".into();
        let rejected = Input::Rejected { request, status: 404 };
        self.engine.feed_because(generation, rejected, Some(&why));
    }
}

/// Tells the server that the session is not needed any more. It may not want to know.
async fn end_session(engine: &Engine, wire: &Wire, generation: Generation) {
    if wire.session(generation).is_none() {
        return;
    }
    let revision: Option<Revision> = engine.last_revision();
    let headers = wire.headers(generation, revision);
    let sent = wire.send(Method::DELETE, &wire.endpoint, headers, Bytes::new());
    let limit = wire.settings.post_timeout.min(LAST);
    if let Ok(Err(error)) = timeout(limit, sent).await {
        tracing::debug!(%error, "the session could not be ended");
    }
}

/// A session that was begun longer ago than this was good for something.
const SETTLED: Duration = Duration::from_secs(30);
const OPENING: Duration = Duration::from_millis(500);
const LAST: Duration = Duration::from_secs(2);
