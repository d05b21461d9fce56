//! The floor under Streamable HTTP: hyper, one JSON body for each POST, a GET that never says anything. `raw-hyper PORT`

use std::{
    convert::Infallible,
    error::Error,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bench_raw::{Floor, Kind};
use bytes::Bytes;
use http_body_util::{BodyExt, Either, Full};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Body, Frame, Incoming},
    header::{CONTENT_TYPE, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, runtime, task::JoinSet};

fn main() -> Result<(), Box<dyn Error>> {
    let port: u16 = std::env::args().nth(1).ok_or("usage: raw-hyper PORT")?.parse()?;
    runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async move {
        let floor = Arc::new(Floor::from_environment());
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let mut connections = JoinSet::new();
        loop {
            let (stream, _) = listener.accept().await?;
            while connections.try_join_next().is_some() {}
            stream.set_nodelay(true)?;
            let floor = Arc::clone(&floor);
            connections.spawn(async move {
                let service = service_fn(move |request| answer(Arc::clone(&floor), request));
                // A connection that breaks is the load's affair.
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    })
}

async fn answer(
    floor: Arc<Floor>,
    request: Request<Incoming>,
) -> Result<Response<Either<Full<Bytes>, Silence>>, hyper::Error> {
    if request.method() == Method::GET {
        let mut response = Response::new(Either::Right(Silence));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        return Ok(response);
    }
    let body = request.into_body().collect().await?.to_bytes();
    let mut out = Vec::with_capacity(body.len() + 128);
    let kind = floor.answer(&body, &mut out);
    let mut response = Response::new(Either::Left(Full::new(Bytes::from(out))));
    if kind == Kind::Notification {
        *response.status_mut() = StatusCode::ACCEPTED;
        return Ok(response);
    }
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if kind == Kind::Initialize {
        response.headers_mut().insert("mcp-session-id", HeaderValue::from_static("raw"));
    }
    Ok(response)
}

/// A stream that stays open.
struct Silence;

impl Body for Silence {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}
