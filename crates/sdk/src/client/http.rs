//! A conversation over HTTP: Streamable HTTP, or HTTP+SSE where the server knows no better.

mod authorizer;
mod connector;
mod endpoint;
mod events;
mod exchange;
mod exchanges;
mod get_stream;
mod message;
mod observer;
mod sse;
mod streamable;
mod wire;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

pub use self::observer::{HttpEnding, HttpObserver, Observer};
pub(super) use self::{authorizer::Authorizer, exchange::SCOPES_NEEDED};
#[cfg(feature = "oauth")]
pub(super) use self::{
    authorizer::{Attempt, Shown, Step, Unauthorized, Verdict},
    connector::{Connector, connector},
};
use self::{endpoint::Endpoint, wire::Wire};
use super::{Lost, engine::Engine};

/// Which transport to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HttpTransport {
    Sse,
    Streamable,
}

/// Carries the conversation until the client is closed or the server is lost.
pub(super) async fn run(
    engine: &Arc<Engine>,
    url: &str,
    transport: HttpTransport,
    closing: &CancellationToken,
) {
    let endpoint = match Endpoint::parse(url) {
        Ok(endpoint) => endpoint,
        Err(why) => return engine.lose(Lost::Url { url: url.to_owned(), why: why.to_string() }),
    };
    let wire = Arc::new(Wire::new(engine.clone(), endpoint));
    let lost = match transport {
        HttpTransport::Sse => sse::run(engine, &wire, closing).await,
        HttpTransport::Streamable => match streamable::run(engine, &wire, closing).await {
            streamable::End::Lost(lost) => lost,
            streamable::End::TryOlder(failure) => {
                tracing::debug!(%failure, "the older transport is tried");
                sse::run(engine, &wire, closing).await
            }
        },
    };
    engine.lose(lost);
}
