//! Server-sent events that are pulled from a source as fast as the browser takes them.

use std::{convert::Infallible, time::Duration};

use axum::{body::Body, response::IntoResponse};
use bytes::Bytes;
use futures_util::stream;
use http::{Response, header};
use serde_json::Value;

/// What is told to one browser.
pub trait Source: Send + 'static {
    /// Waits for news, and gives its name and what it is. `None` ends the stream.
    ///
    /// Nothing is asked while the browser is busy with what came before: what happens meanwhile has to stand where the next question finds it,
    /// within bounds. The question may be dropped and asked again, and nothing may be lost by that.
    fn next(&mut self) -> impl Future<Output = Option<(&'static str, Value)>> + Send;
}

/// A response that lasts as long as the browser reads it.
pub fn stream(source: impl Source) -> Response<Body> {
    let events = stream::unfold(source, |mut source| async move {
        let text = match tokio::time::timeout(HEARTBEAT, source.next()).await {
            Ok(Some((name, value))) => format!("event: {name}\ndata: {value}\n\n"),
            Ok(None) => return None,
            Err(_) => ": still here\n\n".to_owned(),
        };
        Some((Ok::<_, Infallible>(Bytes::from(text)), source))
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(events)).into_response()
}

/// So that a connection that is gone is noticed.
const HEARTBEAT: Duration = Duration::from_secs(15);
