//! A client without any capability, which nobody may ask anything.

use serde_json::{Value, json};

use super::{Probe, Topic};

/// Calls what is known to ask its client something.
pub async fn bare(probe: &mut Probe, asking: &[Value]) {
    if probe.shake_hands().await.is_none() {
        return;
    }
    probe.ask_as(Topic::Ping, json!("bare-ping"), "ping", None).await;
    for call in asking.iter().take(MOST_CALLS) {
        probe.ask(Topic::BareCall, "tools/call", Some(call.clone())).await;
    }
    probe.ask(Topic::StillThere, "ping", None).await;
}

const MOST_CALLS: usize = 8;
