//! A mock over HTTP: Streamable HTTP at `/mcp`, and the older HTTP+SSE at `/sse`.

use std::{
    collections::BTreeMap,
    io,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::{Stream, StreamExt, stream};
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    body::{Bytes, Frame, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::{Value, json};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Semaphore, mpsc},
    task::JoinSet,
};

use super::{Fault, Mock, Reply, lines::GARBAGE, refused};

type Body = UnsyncBoxBody<Bytes, io::Error>;

/// Serves clients until it is dropped.
pub async fn serve_http(mock: Arc<Mock>, listener: TcpListener) -> io::Result<()> {
    let place = Arc::new(Place { mock, sessions: Mutex::default() });
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let Ok(permit) = Arc::clone(&room).try_acquire_owned() else { continue };
                    let place = Arc::clone(&place);
                    connections.spawn(async move {
                        serve_connection(stream, place).await;
                        drop(permit);
                    });
                }
                // Out of descriptors, or a client that left in the queue.
                Err(_) => tokio::time::sleep(BACKOFF).await,
            }
        }
    }
}

struct Place {
    mock: Arc<Mock>,
    /// Of HTTP+SSE: where what a client posts is answered.
    sessions: Mutex<Sessions>,
}

#[derive(Default)]
struct Sessions {
    next: u64,
    open: BTreeMap<u64, mpsc::Sender<Value>>,
}

async fn serve_connection(stream: TcpStream, place: Arc<Place>) {
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADERS);
    let service = service_fn(move |request| {
        let place = Arc::clone(&place);
        async move { place.answer(request).await }
    });
    // An error is a client that left, or a fault that closes the connection.
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

impl Place {
    /// An error closes the connection.
    async fn answer(&self, request: Request<Incoming>) -> io::Result<Response<Body>> {
        if !is_local(&request) {
            return Ok(empty(StatusCode::FORBIDDEN));
        }
        let query = request.uri().query().unwrap_or_default().to_owned();
        Ok(match (request.method().clone(), request.uri().path()) {
            (Method::POST, "/mcp") => match body(request).await {
                Ok(message) => return self.post(message).await,
                Err(refused) => refused,
            },
            (Method::DELETE, "/mcp") => empty(StatusCode::OK),
            (Method::GET, "/sse") => self.open_session(),
            (Method::POST, "/message") => match body(request).await {
                Ok(message) => self.posted(&query, message).await,
                Err(refused) => refused,
            },
            (_, "/mcp" | "/sse" | "/message") => empty(StatusCode::METHOD_NOT_ALLOWED),
            _ => empty(StatusCode::NOT_FOUND),
        })
    }

    async fn post(&self, message: Value) -> io::Result<Response<Body>> {
        if let Value::Array(batch) = &message {
            let replies: Vec<Reply> = batch.iter().map(|one| self.mock.hear(one)).collect();
            let answers: Vec<Value> = replies.into_iter().flat_map(|it| it.messages).collect();
            return Ok(match &answers[..] {
                [] => empty(StatusCode::ACCEPTED),
                _ => json_body(StatusCode::OK, json!(answers).to_string()),
            });
        }
        let reply = self.mock.hear(&message);
        tokio::time::sleep(reply.delay).await;
        match reply.fault {
            Some(Fault::Close) => return Err(io::ErrorKind::ConnectionAborted.into()),
            Some(Fault::Drop) => std::future::pending().await,
            Some(Fault::Garbage) => {
                let text = String::from_utf8_lossy(GARBAGE).into_owned();
                return Ok(json_body(StatusCode::OK, text));
            }
            Some(Fault::Error) | None => {}
        }
        Ok(match &reply.messages[..] {
            [] => empty(StatusCode::ACCEPTED),
            [only] if !reply.stays => json_body(status(&message, only), only.to_string()),
            all => {
                let events: Vec<_> = all.iter().map(event).collect();
                let rest = if reply.stays {
                    stream::pending().left_stream()
                } else {
                    stream::empty().right_stream()
                };
                events_body(stream::iter(events).chain(rest))
            }
        })
    }

    /// A stream that names where to post, and then has what is answered.
    fn open_session(&self) -> Response<Body> {
        let (sender, receiver) = mpsc::channel(WAITING);
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.open.retain(|_, sender| !sender.is_closed());
        sessions.next += 1;
        let number = sessions.next;
        sessions.open.insert(number, sender);
        drop(sessions);
        let first = format!("event: endpoint\ndata: /message?sessionId={number}\n\n");
        let mock = Arc::clone(&self.mock);
        let posted = stream::unfold(receiver, |mut receiver| async move {
            receiver.recv().await.map(|message| (message, receiver))
        });
        let replies = posted
            .map(move |message| {
                let mock = Arc::clone(&mock);
                async move {
                    let reply = mock.hear(&message);
                    tokio::time::sleep(reply.delay).await;
                    let cancelled = mock.was_cancelled(&reply);
                    (reply, cancelled)
                }
            })
            .buffer_unordered(WAITING)
            .take_while(|(reply, _)| std::future::ready(reply.fault != Some(Fault::Close)))
            .flat_map(|(reply, cancelled)| {
                let events = match reply.fault {
                    Some(Fault::Drop) => Vec::new(),
                    _ if cancelled => Vec::new(),
                    Some(Fault::Garbage) => vec![Bytes::from_static(b"data: {oops\n\n")],
                    _ => reply.messages.iter().map(event).collect(),
                };
                stream::iter(events)
            });
        events_body(stream::iter([Bytes::from(first)]).chain(replies))
    }

    async fn posted(&self, query: &str, message: Value) -> Response<Body> {
        let number = query.strip_prefix("sessionId=").and_then(|it| it.parse().ok());
        let sessions = || self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = number.and_then(|number: u64| sessions().open.get(&number).cloned());
        match sender {
            Some(sender) if sender.send(message).await.is_ok() => empty(StatusCode::ACCEPTED),
            _ => empty(StatusCode::NOT_FOUND),
        }
    }
}

/// No page of a browser may ask: a name that leads here is one of this machine, and so is an origin.
fn is_local(request: &Request<Incoming>) -> bool {
    let text = |name| request.headers().get(name).map(|it| it.to_str().unwrap_or("?"));
    let named = |authority: &str| {
        let host = host_of(authority);
        host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok()
    };
    let from_here = |origin: &str| {
        let host = host_of(origin.split_once("://").map_or("", |(_, authority)| authority));
        let is_loopback = host.parse::<IpAddr>().is_ok_and(|it| it.is_loopback());
        host.eq_ignore_ascii_case("localhost") || is_loopback
    };
    text(header::HOST).is_some_and(named) && text(header::ORIGIN).is_none_or(from_here)
}

/// Without the port, and without the brackets around an IPv6 address.
fn host_of(authority: &str) -> &str {
    if let Some((host, _)) = authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return host;
    }
    authority.split_once(':').map_or(authority, |(host, _)| host)
}

/// What was posted, or the response that refuses it.
async fn body(request: Request<Incoming>) -> Result<Value, Response<Body>> {
    let collected = Limited::new(request.into_body(), MOST_BODY).collect().await;
    let Ok(collected) = collected else { return Err(empty(StatusCode::PAYLOAD_TOO_LARGE)) };
    serde_json::from_slice(&collected.to_bytes()).map_err(|error| {
        let reply = refused(&Value::Null, -32700, &error.to_string());
        let message = reply.messages.first().map(Value::to_string).unwrap_or_default();
        json_body(StatusCode::BAD_REQUEST, message)
    })
}

/// In the modern era a method that is not known is not found.
fn status(asked: &Value, answer: &Value) -> StatusCode {
    let modern = super::era(asked) == proofmark_core::revision::Era::Modern;
    match answer.pointer("/error/code").and_then(Value::as_i64) {
        Some(-32601) if modern => StatusCode::NOT_FOUND,
        Some(-32022..=-32020) if modern => StatusCode::BAD_REQUEST,
        Some(-32600) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

fn event(message: &Value) -> Bytes {
    Bytes::from(format!("event: message\ndata: {message}\n\n"))
}

fn events_body(events: impl Stream<Item = Bytes> + Send + 'static) -> Response<Body> {
    let frames = events.map(|bytes| Ok(Frame::data(bytes)));
    let mut response = Response::new(StreamBody::new(frames).boxed_unsync());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-cache"));
    response
}

fn json_body(status: StatusCode, text: String) -> Response<Body> {
    let mut response = whole(status, text);
    let kind = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

fn empty(status: StatusCode) -> Response<Body> {
    whole(status, String::new())
}

fn whole(status: StatusCode, text: String) -> Response<Body> {
    let body = Full::new(Bytes::from(text)).map_err(|never| match never {}).boxed_unsync();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

const BACKOFF: Duration = Duration::from_millis(50);
const CONNECTIONS: usize = 256;
const HEADERS: Duration = Duration::from_secs(30);
const MOST_BODY: usize = 16 * 1024 * 1024;
/// Messages of one client that wait to be answered.
const WAITING: usize = 64;
