//! Tells how each request ended, cancelled ones too.

use std::time::{Duration, Instant};

use super::{Layer, LayerRequest, LayerResponse, Next, RequestOutcome};

/// A layer that tells a function of every request, once, when it has ended: also when it was cancelled, in which case layers are dropped and
/// an ordinary one hears nothing.
///
/// ```
/// use proofmark_sdk::server::{Server, layers};
///
/// let server = Server::builder("s", "1")
///     .tool("echo", "Says nothing", async || "")
///     .layer(layers::observe(|request, outcome, took| {
///         println!("{:?} {} after {took:?}", request.name(), outcome.as_str());
///     }))
///     .build();
/// # assert!(server.is_ok());
/// ```
pub fn observe<F>(told: F) -> impl Layer
where
    F: Fn(&LayerRequest, RequestOutcome, Duration) + Clone + Send + Sync + 'static,
{
    async move |request: LayerRequest, next: Next| -> LayerResponse {
        let mut end = End {
            request: request.clone(),
            begun: Instant::now(),
            outcome: RequestOutcome::Cancelled,
            told,
        };
        let response = next.run(request).await;
        end.outcome = response.outcome();
        response
    }
}

/// Tells when it is dropped, which happens in any case.
struct End<F: Fn(&LayerRequest, RequestOutcome, Duration)> {
    request: LayerRequest,
    begun: Instant,
    outcome: RequestOutcome,
    told: F,
}

impl<F: Fn(&LayerRequest, RequestOutcome, Duration)> Drop for End<F> {
    fn drop(&mut self) {
        (self.told)(&self.request, self.outcome, self.begun.elapsed());
    }
}
