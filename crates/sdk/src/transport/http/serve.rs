//! A server on a port of its own.

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderValue, Request, StatusCode, header};
use http_body::Body;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    sync::Semaphore,
    task::JoinSet,
    time::MissedTickBehavior,
};
use tower_service::Service;

use super::{
    HttpSettings, McpService,
    pages::Pages,
    response::{self, HttpResponse},
    stall::Stall,
};
use crate::{BoxFuture, server::Server};

/// Why a server cannot be reached.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("cannot listen on {address}: {error}")]
    Bind { address: SocketAddr, error: io::Error },
    #[error("the listener broke: {0}")]
    Listener(io::Error),
}

/// Serves on this address until the process ends.
pub async fn serve_http(
    server: Server,
    address: SocketAddr,
    settings: HttpSettings,
) -> Result<(), ServeError> {
    HttpServer::bind(server, address, settings).await?.run_until(std::future::pending()).await
}

/// A server that has its port and is ready to run.
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    service: McpService,
    pages: Pages,
}

impl HttpServer {
    #[expect(clippy::unused_async, reason = "a listener belongs to the runtime that awaits this")]
    pub async fn bind(
        server: Server,
        address: SocketAddr,
        settings: HttpSettings,
    ) -> Result<Self, ServeError> {
        let bind = |error| ServeError::Bind { address, error };
        let listener = listen(address).map_err(bind)?;
        Self::on(listener, server, settings)
    }

    /// Takes a port that is bound already, for settings that depend on which one it is.
    pub fn on(
        listener: TcpListener,
        server: Server,
        settings: HttpSettings,
    ) -> Result<Self, ServeError> {
        let address = listener.local_addr().map_err(ServeError::Listener)?;
        let service = McpService::new(server, settings);
        Ok(Self { listener, address, service, pages: Pages::default() })
    }

    /// Has requests to all other paths answered by a function: a health check, an authorization server in a test. They
    /// have passed the same checks of `Host` and `Origin`, and their bodies have the same limits, as those to MCP.
    pub fn beside(
        mut self,
        answer: impl Fn(Request<Bytes>) -> BoxFuture<'static, http::Response<Bytes>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.pages = Pages::new(answer);
        self
    }

    /// The address, with the port that the system chose if none was given.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn service(&self) -> &McpService {
        &self.service
    }

    /// Serves until `shutdown` is done, and then as long as running requests need, within the settings.
    pub async fn run_until(self, shutdown: impl Future<Output = ()>) -> Result<(), ServeError> {
        let mut shutdown = std::pin::pin!(shutdown);
        let room = Arc::new(Semaphore::new(self.service.endpoint.settings.max_connections));
        let mut connections = JoinSet::new();
        // Beside the rest: a store that is slow to forget keeps no client from being let in.
        let mut upkeep = std::pin::pin!(end_sessions(&self.service));
        loop {
            tokio::select! {
                biased;
                () = &mut shutdown => break,
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
                () = &mut upkeep => {}
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        let Ok(place) = Arc::clone(&room).try_acquire_owned() else { continue };
                        let service = self.service.with_address(peer.ip());
                        let pages = self.pages.clone();
                        connections.spawn(async move {
                            serve_connection(stream, service, pages).await;
                            drop(place);
                        });
                    }
                    Err(error) if is_passing(&error) => tokio::time::sleep(ACCEPT_BACKOFF).await,
                    Err(error) => return Err(ServeError::Listener(error)),
                }
            }
        }
        drop(self.listener);
        self.service.shut_down().await;
        // What there was to say has been said; a client that does not read it does not hold the process.
        let rest = async { while connections.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(LAST_WORDS, rest).await;
        Ok(())
    }
}

/// A listener whose queue takes all who come at one moment; the system may have a smaller limit of its own.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Elsewhere than on Unix, this would let other programs take the same port.
    if cfg!(unix) {
        socket.set_reuseaddr(true)?;
    }
    socket.bind(address)?;
    socket.listen(LISTEN_BACKLOG)
}

/// Ends the sessions that are not used, also when no request comes.
async fn end_sessions(service: &McpService) {
    let mut ticks = tokio::time::interval(SWEEP_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        service.endpoint.end_expired().await;
    }
}

/// Nothing that says anything about the listener: out of descriptors, or a client that left in the queue.
fn is_passing(error: &io::Error) -> bool {
    !matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::NotConnected)
}

async fn serve_connection(stream: TcpStream, service: McpService, pages: Pages) {
    // Answers are small and waited for.
    let _ = stream.set_nodelay(true);
    let settings = &service.endpoint.settings;
    let io = TokioIo::new(Stall::new(stream, settings.write_stall));
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(settings.header_timeout);
    http.max_buf_size(settings.max_headers.max(READ_AHEAD));
    let closing = service.endpoint.background.closing.clone();
    let route = service.clone();
    let connection = http.serve_connection(
        io,
        service_fn(move |request| {
            let (route, pages) = (route.clone(), pages.clone());
            async move { Ok::<_, Infallible>(answer_path(route, &pages, request).await) }
        }),
    );
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = closing.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended badly");
    }
}

/// The three paths of a server on a port of its own, and what lies beside them.
pub(super) async fn answer_path<B>(
    mut service: McpService,
    pages: &Pages,
    request: Request<B>,
) -> HttpResponse
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let settings = &service.endpoint.settings;
    if size_of_head(&request) > settings.max_headers {
        let mut refused = response::empty(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
        refused.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        return refused;
    }
    let path = request.uri().path();
    if path == settings.path {
        let answered: Result<HttpResponse, Infallible> = service.call(request).await;
        return answered.unwrap_or_else(|never| match never {});
    }
    if path == settings.sse_path {
        let (parts, _) = request.into_parts();
        return response::noted(&parts.method, service.sse_stream(&parts).await);
    }
    if path == settings.message_path {
        let (parts, body) = request.into_parts();
        return response::noted(&parts.method, service.sse_message(&parts, body).await);
    }
    if let Some(body) = service.endpoint.settings.published(path) {
        return match service.endpoint.admit_host(&request) {
            Ok(()) => response::json(StatusCode::OK, body),
            Err(refused) => refused,
        };
    }
    pages.answer(&service.endpoint, request).await
}

/// Bytes of the target and the headers, their separators included.
fn size_of_head<B>(request: &Request<B>) -> usize {
    let headers = request.headers().iter();
    let headers = headers.map(|(name, value)| name.as_str().len() + value.len() + SEPARATORS);
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    target + headers.sum::<usize>()
}

/// Connections that wait to be accepted.
const LISTEN_BACKLOG: u32 = 1024;
const ACCEPT_BACKOFF: Duration = Duration::from_millis(50);
/// How long connections have to write what is left when the server goes down.
const LAST_WORDS: Duration = Duration::from_secs(1);
const SWEEP_EVERY: Duration = Duration::from_secs(1);
/// The colon, the space and the end of the line.
const SEPARATORS: usize = 4;
/// Bytes that are read at once, if they are there: a body should not take many turns.
const READ_AHEAD: usize = 128 * 1024;

#[cfg(test)]
mod tests {
    use http_body_util::Empty;

    use super::*;

    async fn answered(header_bytes: usize) -> StatusCode {
        let server = Server::builder("test", "1").build().unwrap();
        let settings = HttpSettings { max_headers: 1024, ..HttpSettings::default() };
        let request = Request::get("/nowhere")
            .header("x-long", "a".repeat(header_bytes))
            .body(Empty::<Bytes>::new())
            .unwrap();
        let service = McpService::new(server, settings);
        answer_path(service, &Pages::default(), request).await.status()
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn hundreds_of_connections_at_one_moment_wait_to_be_accepted() {
        let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        // What does not fit into the queue is tried again by the system after a second.
        let all = async {
            let mut waiting = Vec::new();
            for _ in 0..500 {
                waiting.push(TcpStream::connect(address).await.unwrap());
            }
            waiting.len()
        };
        let connected = tokio::time::timeout(Duration::from_millis(900), all).await;
        assert_eq!(connected, Ok(500));
    }

    #[tokio::test]
    async fn headers_are_limited() {
        let around = "/nowhere".len() + "x-long".len() + SEPARATORS;
        assert_eq!(answered(1024 - around).await, StatusCode::NOT_FOUND);
        assert_eq!(answered(1025 - around).await, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
    }
}
