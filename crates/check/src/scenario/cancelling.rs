//! A request that is cancelled while it runs.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Probe, Topic};

/// A call that is known to take long enough to be cancelled.
#[derive(Clone, Debug)]
pub struct SlowCall {
    pub params: Value,
    /// How long it took before.
    pub took: Duration,
}

pub async fn cancelling(probe: &mut Probe, slow: SlowCall) {
    if probe.shake_hands().await.is_none() {
        return;
    }
    let mut params = slow.params;
    params["_meta"] = json!({ "progressToken": "cancelled" });
    let (after, until) = (slow.took / 4, slow.took + slow.took / 2);
    probe.ask_and_cancel("tools/call", params, after, until).await;
    probe.ask(Topic::StillThere, "ping", None).await;
}
