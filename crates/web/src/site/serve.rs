//! Accepts connections, a bounded number of them, each within bounds.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::body::Body;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpListener, task::JoinSet};

use super::Shared;

/// Until it is dropped, and with it every connection.
pub(super) async fn run(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            accepted = listener.accept(), if connections.len() < MOST_CONNECTIONS => {
                // No descriptor is free, for example; one will be.
                let Ok((stream, _)) = accepted else {
                    tokio::time::sleep(PAUSE).await;
                    continue;
                };
                let _slower = stream.set_nodelay(true);
                let shared = Arc::clone(&shared);
                connections.spawn(async move {
                    let service = service_fn(move |request: http::Request<hyper::body::Incoming>| {
                        let shared = Arc::clone(&shared);
                        async move { Ok::<_, Infallible>(shared.answer(request.map(Body::new)).await) }
                    });
                    let mut http = http1::Builder::new();
                    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(MOST_HEAD);
                    // A browser that goes away in the middle is no fault.
                    let _gone = http.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        }
    }
}

/// A browser opens six for each tab at most.
const MOST_CONNECTIONS: usize = 256;
const MOST_HEAD: usize = 64 * 1024;
const HEAD_TIME: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(50);
