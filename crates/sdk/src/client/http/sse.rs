//! The driver of a conversation over HTTP+SSE: one stream for all that comes, and an address for all that goes.

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt, stream::FuturesUnordered};
use http::{HeaderMap, HeaderValue, Method, header};
use proofmark_core::{
    revision::Era,
    revision::Revision,
    session::{
        client::{Input, Preference},
        server::Link,
    },
};
use tokio::{sync::oneshot, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{
    endpoint::Endpoint,
    events::{Event, Events, Step},
    exchange::is_stream,
    message::{EVENTS, Post},
    observer::Received,
    wire::{Wire, WireError},
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

pub(super) async fn run(
    engine: &Arc<Engine>,
    wire: &Arc<Wire>,
    closing: &CancellationToken,
) -> Lost {
    tokio::select! {
        () = closing.cancelled() => Lost::Closed,
        lost = converse(engine, wire) => lost,
    }
}

async fn converse(engine: &Arc<Engine>, wire: &Arc<Wire>) -> Lost {
    let url = || wire.endpoint.to_string();
    let unreachable = |why: String| Lost::Unreachable { url: url(), why };
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCEPT, HeaderValue::from_static(EVENTS));
    let limit = Some(wire.settings.post_timeout);
    let opened = wire.send_within(limit, Method::GET, &wire.endpoint, headers, bytes::Bytes::new());
    let response = match opened.await {
        Ok(response) if is_stream(&response) => response,
        Ok(response) => {
            return unreachable(format!("neither transport: GET gave {}", response.status()));
        }
        Err(WireError::TimedOut) => return unreachable("it does not answer".into()),
        Err(WireError::Unauthorized(why)) => return Lost::Unauthorized(why),
        Err(error) => return unreachable(error.to_string()),
    };
    let (told, endpoint) = oneshot::channel();
    let generation = engine.reserve(|profile| {
        profile.link = Link::Pipe;
        // The modern era is never spoken here.
        let revision = profile.revisions().iter().rev().find(|it| it.era() == Era::Legacy);
        let revision = revision.copied().unwrap_or_else(|| Revision::newest(Era::Legacy));
        if !matches!(profile.preference, Preference::Legacy(_)) {
            profile.preference = Preference::Legacy(revision);
        }
    });
    let mut reading = std::pin::pin!(read(engine, wire, generation, response, told));
    let endpoint = tokio::select! {
        lost = &mut reading => return lost,
        endpoint = timeout(wire.settings.post_timeout, endpoint) => match endpoint {
            Ok(Ok(endpoint)) => endpoint,
            Ok(Err(_)) | Err(_) => return unreachable("it names no address for messages".into()),
        },
    };
    engine.feed(generation, Input::Start);
    let mut writer = Writer {
        engine,
        generation,
        wire,
        endpoint,
        server_requests: ServerRequests::new(engine.clone()),
        posts: FuturesUnordered::new(),
    };
    tokio::select! {
        lost = reading => lost,
        lost = writer.run() => lost,
    }
}

/// Takes in what the stream brings, until it ends.
async fn read(
    engine: &Engine,
    wire: &Wire,
    generation: Generation,
    mut response: http::Response<Received>,
    told: oneshot::Sender<Endpoint>,
) -> Lost {
    let mut told = Some(told);
    let mut bad = None;
    let mut events = Events::new(engine.settings.messages.bytes);
    let take = |event: Event<'_>| {
        match event {
            Event::Message(data) => engine.receive(generation, data, None),
            Event::Oversized(limit) => engine.oversized(generation, limit),
            Event::Endpoint(data) => {
                let Some(told) = told.take() else { return Step::More };
                match wire.endpoint.join(&String::from_utf8_lossy(data)) {
                    // The driver may have given up.
                    Ok(endpoint) => drop(told.send(endpoint)),
                    Err(why) => {
                        bad = Some(format!("it names an address for messages, but {why}"));
                        return Step::Done;
                    }
                }
            }
        }
        Step::More
    };
    let (_, end) = events.read(response.body_mut(), take).await;
    match (bad, end) {
        (Some(why), _) => Lost::Unreachable { url: wire.endpoint.to_string(), why },
        (None, Ok(())) => Lost::Ended { stderr: String::new() },
        (None, Err(error)) => Lost::Io(std::io::Error::other(error)),
    }
}

struct Writer<'a> {
    engine: &'a Arc<Engine>,
    generation: Generation,
    wire: &'a Arc<Wire>,
    endpoint: Endpoint,
    server_requests: ServerRequests,
    posts: FuturesUnordered<BoxFuture<'a, ()>>,
}

impl Writer<'_> {
    async fn run(&mut self) -> Lost {
        let mut alarm = Alarm::default();
        loop {
            for job in self.engine.take_jobs() {
                match job {
                    Job::Send { generation, transmit, .. } if generation == self.generation => {
                        let post = Post::new(self.wire, generation, &transmit, Vec::new());
                        if post.kind.request().is_some()
                            || self.posts.len() < self.wire.settings.posts
                        {
                            let endpoint = self.endpoint.clone();
                            self.posts.push(Box::pin(send(self.engine, self.wire, endpoint, post)));
                        }
                    }
                    Job::Ask { generation, ask, what } => {
                        self.server_requests.start(generation, ask, what);
                    }
                    Job::Withdrawn { generation, ask } => {
                        self.server_requests.withdraw(generation, ask);
                    }
                    Job::Failed { generation, why, .. } if generation == self.generation => {
                        return Lost::Handshake(why);
                    }
                    // The stream is one for all; the rest is left of a try over the other transport.
                    Job::Abandon { .. }
                    | Job::Connected(_)
                    | Job::Failed { .. }
                    | Job::Send { .. } => {}
                }
            }
            let wake = self.engine.next_deadline();
            tokio::select! {
                Some(()) = self.posts.next(), if !self.posts.is_empty() => {}
                () = self.server_requests.next(), if !self.server_requests.is_idle() => {}
                () = self.engine.work.notified() => {}
                () = alarm.wait(wake) => self.engine.time_passed(),
            }
        }
    }
}

/// Posts a message; its answer comes on the stream.
async fn send(engine: &Engine, wire: &Wire, endpoint: Endpoint, post: Post) {
    let limit = Some(wire.settings.post_timeout.max(SLOW));
    let sent = wire.send_within(limit, Method::POST, &endpoint, post.headers, post.body);
    let (input, why) = match sent.await {
        Ok(response) if response.status().is_success() => return,
        Ok(response) => {
            let status = response.status().as_u16();
            (post.kind.request().map(|id| Input::Rejected { request: id.clone(), status }), None)
        }
        Err(error) => {
            (post.kind.request().cloned().map(Input::Disconnected), Some(error.to_string()))
        }
    };
    if let Some(input) = input {
        let why = why.map(Arc::<str>::from);
        engine.feed_because(post.generation, input, why.as_ref());
    } else {
        tracing::debug!("the server did not accept a message");
    }
}

const SLOW: Duration = Duration::from_secs(1);
