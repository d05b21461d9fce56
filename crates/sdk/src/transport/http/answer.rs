//! Responses, from their parts.

use bytes::Bytes;
use futures_util::Stream;
use http::{HeaderValue, Response, StatusCode, header};
use proofmark_core::{
    jsonrpc::{ErrorCode, ErrorObject, write},
    revision::Revision,
    session::server::{Offer, Transmit},
    streamable_http::Rejection,
};

use super::HttpBody;

pub(super) type Answer = Response<HttpBody>;

pub(super) fn empty(status: StatusCode) -> Answer {
    let mut response = Response::new(HttpBody::full(Bytes::new()));
    *response.status_mut() = status;
    response
}

pub(super) fn json(status: StatusCode, body: impl Into<Bytes>) -> Answer {
    let mut response = Response::new(HttpBody::full(body));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The answer to a request, as one body.
pub(super) fn message(offer: &Offer, transmit: Transmit) -> Answer {
    let status = StatusCode::from_u16(transmit.status).unwrap_or(StatusCode::OK);
    let mut body = Vec::with_capacity(transmit.likely_size());
    match transmit.write(offer, &mut body) {
        Ok(()) => json(status, body),
        Err(error) => {
            tracing::error!(%error, "a message could not be encoded");
            internal()
        }
    }
}

pub(super) fn rejection(rejection: &Rejection) -> Answer {
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
) -> Answer {
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
pub(super) fn overloaded(message: &'static str) -> Answer {
    let mut body = Vec::new();
    write::error(&mut body, None, &ErrorObject::new(ErrorCode::INTERNAL_ERROR, message));
    let mut response = json(StatusCode::SERVICE_UNAVAILABLE, body);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    response
}

pub(super) fn internal() -> Answer {
    empty(StatusCode::INTERNAL_SERVER_ERROR)
}
