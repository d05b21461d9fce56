//! How quick a peer has shown itself to be, so that its silence need not be waited for as long as that of an unknown one.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::Value;

/// What all conversations of a run know of it.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Of the slowest answer to a request that takes no work, in microseconds; zero while there was none. `None` where it is not to matter.
    slowest: Option<Arc<AtomicU64>>,
}

impl Default for Pace {
    fn default() -> Self {
        Self { slowest: Some(Arc::default()) }
    }
}

impl Pace {
    /// Every silence is waited for to its end.
    pub fn patient() -> Self {
        Self { slowest: None }
    }

    pub(super) fn note(&self, message: &Value, took: Duration) {
        if let Some(slowest) = &self.slowest
            && !takes_work(message)
        {
            let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX).max(1);
            slowest.fetch_max(took, Ordering::Relaxed);
        }
    }

    /// How long to wait for the answer to a message where `most` is the limit. Who waits for less tries again with all of it before the
    /// silence is held against the peer.
    pub(super) fn patience(&self, message: &Value, most: Duration) -> Duration {
        let slowest = self.slowest.as_ref().map_or(0, |it| it.load(Ordering::Relaxed));
        let slowest = Duration::from_micros(slowest);
        if slowest.is_zero() || takes_work(message) {
            return most;
        }
        (slowest * TIMES).max(LEAST).min(most)
    }
}

/// Whether the answer is the outcome of work that may take any time, or whether the message is none.
fn takes_work(message: &Value) -> bool {
    let method = message.get("method").and_then(Value::as_str);
    method.is_none_or(|method| WORK.contains(&method))
}

const WORK: [&str; 5] =
    ["initialize", "prompts/get", "resources/read", "tasks/result", "tools/call"];
/// A peer may be this much slower than it was ever before.
const TIMES: u32 = 20;
const LEAST: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_quick_peer_is_not_waited_for_as_long_unless_it_works() {
        let (ping, call) = (json!({ "method": "ping" }), json!({ "method": "tools/call" }));
        let most = Duration::from_secs(5);
        let pace = Pace::default();
        assert_eq!(pace.patience(&ping, most), most);
        pace.note(&call, Duration::from_secs(3));
        pace.note(&ping, Duration::from_millis(2));
        assert_eq!(pace.patience(&ping, most), LEAST);
        assert_eq!(pace.patience(&call, most), most);
        pace.note(&ping, Duration::from_millis(100));
        assert_eq!(pace.patience(&ping, most), Duration::from_secs(2));
        pace.note(&ping, Duration::from_secs(1));
        assert_eq!(pace.patience(&ping, most), most);
        let patient = Pace::patient();
        patient.note(&ping, Duration::from_millis(2));
        assert_eq!(patient.patience(&ping, most), most);
    }
}
