//! Layers that many servers want.

use std::time::Duration;

use tokio::time;

use super::{Layer, LayerRequest, LayerResponse, Next, observe};
use crate::server::Error;

/// Logs every request when it has ended, with `tracing` at the level *info*: the fields are `method`, `name`, `principal`, `revision`,
/// `rerun`, `outcome` and `milliseconds`. Neither arguments nor results are logged, and of a user only the issuer.
pub fn logging() -> impl Layer {
    observe(|request, outcome, took| {
        tracing::info!(
            method = request.method().as_str(),
            name = request.name(),
            principal = ?request.principal(),
            revision = request.revision().as_str(),
            rerun = request.is_rerun(),
            outcome = outcome.as_str(),
            milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "request"
        );
    })
}

/// Refuses requests whose handlers take longer, and drops the handlers. Time in which a legacy client is asked counts.
pub fn timeout(limit: Duration) -> impl Layer {
    async move |request: LayerRequest, next: Next| -> LayerResponse {
        let late = request.clone();
        match time::timeout(limit, next.run(request)).await {
            Ok(response) => response,
            Err(_) => late.refuse(Error::text(format!("it took longer than {limit:?}"))),
        }
    }
}

/// Refuses requests for which a function gives an error.
///
/// ```
/// use proofmark_sdk::server::{Error, Server, layers};
///
/// let server = Server::builder("s", "1")
///     .tool("read", "Reads", async || "")
///     .tool("write", "Writes", async || "")
///     .tool_layer(layers::authorize(|request| match request.name() {
///         Some("write") if !request.caller().is_some_and(|caller| caller.has_scope("write")) => {
///             Err(Error::text("this takes the scope write"))
///         }
///         _ => Ok(()),
///     }))
///     .build();
/// # assert!(server.is_ok());
/// ```
pub fn authorize<F>(permit: F) -> impl Layer
where
    F: Fn(&LayerRequest) -> Result<(), Error> + Clone + Send + Sync + 'static,
{
    async move |request: LayerRequest, next: Next| -> LayerResponse {
        match permit(&request) {
            Ok(()) => next.run(request).await,
            Err(error) => request.refuse(error),
        }
    }
}
