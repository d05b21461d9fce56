//! Responses, from their parts.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::Stream;
use http::{HeaderValue, Method, Response, StatusCode, header};
use http_body::{Body, Frame, SizeHint};
use proofmark_core::{
    jsonrpc::{ErrorCode, ErrorObject, write},
    revision::Revision,
    streamable_http::Rejection,
};

use crate::transport::queue::Message;

pub(super) type HttpResponse = Response<HttpBody>;

/// The body of a response: all at once, or as it comes.
pub struct HttpBody(Content);

pub(super) fn empty(status: StatusCode) -> HttpResponse {
    let mut response = Response::new(HttpBody::full(Bytes::new()));
    *response.status_mut() = status;
    response
}

/// Leaves a trace of a request that no handler will see.
pub(super) fn noted(method: &Method, response: HttpResponse) -> HttpResponse {
    if response.status().is_client_error() {
        tracing::info!(%method, status = response.status().as_u16(), "an HTTP request is refused");
    }
    response
}

pub(super) fn json(status: StatusCode, body: impl Into<Bytes>) -> HttpResponse {
    let mut response = Response::new(HttpBody::full(body));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The answer to a request, as one body.
pub(super) fn message(message: Message) -> HttpResponse {
    json(StatusCode::from_u16(message.status).unwrap_or(StatusCode::OK), message.json)
}

pub(super) fn rejection(rejection: &Rejection) -> HttpResponse {
    let body = rejection.body();
    let mut response =
        if body.is_empty() { empty(rejection.status) } else { json(rejection.status, body) };
    for (name, value) in &rejection.headers {
        response.headers_mut().append(name, value.clone());
    }
    response
}

pub(super) fn events(
    revision: Revision,
    stream: impl Stream<Item = Bytes> + Send + 'static,
) -> HttpResponse {
    let mut response = Response::new(HttpBody::stream(stream));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if revision.rules().http.unbuffered {
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    }
    response
}

/// Too much of something; the client may come back.
pub(super) fn overloaded(message: &'static str) -> HttpResponse {
    let mut body = Vec::new();
    write::error(&mut body, None, &ErrorObject::new(ErrorCode::INTERNAL_ERROR, message));
    let mut response = json(StatusCode::SERVICE_UNAVAILABLE, body);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    response
}

pub(super) fn internal() -> HttpResponse {
    empty(StatusCode::INTERNAL_SERVER_ERROR)
}

enum Content {
    Full(Option<Bytes>),
    Stream(Pin<Box<dyn Stream<Item = Bytes> + Send>>),
}

impl HttpBody {
    pub(super) fn full(bytes: impl Into<Bytes>) -> Self {
        Self(Content::Full(Some(bytes.into()).filter(|bytes| !bytes.is_empty())))
    }

    pub(super) fn stream(stream: impl Stream<Item = Bytes> + Send + 'static) -> Self {
        Self(Content::Stream(Box::pin(stream)))
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Content::Full(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Content::Stream(stream) => stream
                .as_mut()
                .poll_next(context)
                .map(|item| item.map(|bytes| Ok(Frame::data(bytes)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.0, Content::Full(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Full(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Content::Stream(_) => SizeHint::default(),
        }
    }
}
