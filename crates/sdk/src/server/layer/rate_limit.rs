//! So many requests in so much time, for each caller.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::{Layer, LayerRequest, LayerResponse, Next};
use crate::{BoxFuture, server::Error};

/// Lets each caller make so many requests at once, and again as many in each `period`, spread over it.
///
/// Callers are told apart by who they proved to be, else by their session or pipe; anonymous clients without a session share one allowance. A
/// request that is made again with the answers to what it asked is not counted again.
///
/// ```
/// use std::time::Duration;
/// use proofmark_sdk::server::{Server, layers};
///
/// let server = Server::builder("s", "1")
///     .tool("search", "Searches", async || "")
///     .tool_layer(layers::rate_limit(60, Duration::from_secs(60)))
///     .build();
/// # assert!(server.is_ok());
/// ```
pub fn rate_limit(requests: u32, period: Duration) -> RateLimit {
    RateLimit { requests, period, callers: Arc::default() }
}

/// A layer that refuses callers who ask too often; see [`rate_limit`].
#[derive(Clone, Debug)]
pub struct RateLimit {
    requests: u32,
    period: Duration,
    callers: Arc<Mutex<HashMap<String, Allowance>>>,
}

/// What a caller had left, and when that was.
#[derive(Clone, Copy, Debug)]
struct Allowance {
    left: f64,
    at: Instant,
}

impl RateLimit {
    /// Takes one request off a caller's allowance; or says how long to wait.
    fn take(&self, caller: String, now: Instant) -> Result<(), Duration> {
        let most = f64::from(self.requests);
        let each = self.period.as_secs_f64() / most.max(1.0);
        let grown = |allowance: &Allowance| {
            let since = now.saturating_duration_since(allowance.at).as_secs_f64();
            (allowance.left + since / each).min(most)
        };
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() >= CALLERS && !callers.contains_key(&caller) {
            // Who has all of it back is as good as unknown.
            callers.retain(|_, allowance| grown(allowance) < most);
            if callers.len() >= CALLERS {
                return Err(self.period);
            }
        }
        let allowance = callers.entry(caller).or_insert(Allowance { left: most, at: now });
        let left = grown(allowance);
        *allowance = Allowance { left, at: now };
        if left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - left) * each));
        }
        allowance.left -= 1.0;
        Ok(())
    }
}

impl Layer for RateLimit {
    fn handle(&self, request: LayerRequest, next: Next) -> BoxFuture<'static, LayerResponse> {
        if !request.is_rerun()
            && let Err(wait) = self.take(request.key(), Instant::now())
        {
            let seconds = wait.as_secs_f64().ceil().max(1.0);
            let error = Error::text(format!("too many requests: try again in {seconds} s"));
            return Box::pin(std::future::ready(request.refuse(error)));
        }
        next.run(request)
    }
}

/// Callers that are kept in mind.
const CALLERS: usize = 100_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_allowance_comes_back_with_time_and_never_exceeds_itself() {
        let limit = rate_limit(2, Duration::from_secs(10));
        let begin = Instant::now();
        let take = |caller: &str, after| {
            limit.take(caller.to_owned(), begin + Duration::from_secs(after)).is_ok()
        };
        assert_eq!([take("a", 0), take("a", 0), take("a", 0)], [true, true, false]);
        assert!(take("b", 0), "each caller has one of its own");
        assert_eq!([take("a", 5), take("a", 5)], [true, false]);
        assert_eq!([take("a", 500), take("a", 500), take("a", 500)], [true, true, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_refusal_says_how_long_to_wait() {
        let limit = rate_limit(1, Duration::from_secs(60));
        let now = Instant::now();
        assert_eq!(limit.take(String::new(), now), Ok(()));
        let wait = limit.take(String::new(), now + Duration::from_secs(15)).unwrap_err();
        assert_eq!(wait.as_secs(), 45);
    }
}
