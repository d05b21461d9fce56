//! Answers of the authorization server, from their parts.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode, header};
use serde::Serialize;
use serde_json::json;

use super::refusal::Refusal;

pub(super) type Reply = Response<Bytes>;

/// What only the one who asked may keep.
pub(super) fn private(status: StatusCode, body: &impl Serialize) -> Reply {
    let mut reply = public(body);
    *reply.status_mut() = status;
    set(&mut reply, header::CACHE_CONTROL, "no-store");
    set(&mut reply, header::PRAGMA, "no-cache");
    reply
}

pub(super) fn public(body: &impl Serialize) -> Reply {
    let Ok(json) = serde_json::to_vec(body) else {
        return empty(StatusCode::INTERNAL_SERVER_ERROR);
    };
    let mut reply = Response::new(json.into());
    set(&mut reply, header::CONTENT_TYPE, "application/json");
    reply
}

pub(super) fn refusal(refusal: &Refusal) -> Reply {
    let body = json!({ "error": refusal.error, "error_description": refusal.why });
    let mut reply = private(refusal.status, &body);
    if refusal.status == StatusCode::UNAUTHORIZED {
        set(&mut reply, header::WWW_AUTHENTICATE, "Basic realm=\"clients\"");
    }
    reply
}

pub(super) fn empty(status: StatusCode) -> Reply {
    let mut reply = Response::new(Bytes::new());
    *reply.status_mut() = status;
    reply
}

pub(super) fn not_allowed(allow: &'static str) -> Reply {
    let mut reply = empty(StatusCode::METHOD_NOT_ALLOWED);
    set(&mut reply, header::ALLOW, allow);
    reply
}

/// Sends the browser back to the client.
pub(super) fn redirect(location: &str) -> Reply {
    let Ok(location) = HeaderValue::from_str(location) else {
        return page(StatusCode::BAD_REQUEST, "the redirect URI cannot be written in a header");
    };
    let mut reply = page(StatusCode::FOUND, "Approved by nobody: here everyone is let in.");
    reply.headers_mut().insert(header::LOCATION, location);
    reply
}

/// A few words to the person at the browser. They are ours: nothing that was sent is shown.
pub(super) fn page(status: StatusCode, words: &'static str) -> Reply {
    let text = format!("{LABEL}\n\n{words}\n");
    let mut reply = Response::new(text.into());
    *reply.status_mut() = status;
    set(&mut reply, header::CONTENT_TYPE, "text/plain; charset=utf-8");
    set(&mut reply, header::CACHE_CONTROL, "no-store");
    set(&mut reply, header::REFERRER_POLICY, "no-referrer");
    set(&mut reply, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    reply
}

fn set(reply: &mut Reply, name: HeaderName, value: &'static str) {
    reply.headers_mut().insert(name, HeaderValue::from_static(value));
}

const LABEL: &str = "An authorization server for tests and demos. Not for production.";
