//! A client without any capability, which no server may ask anything.

use serde_json::{Value, json};

use super::{ClientKind, Probe, Scenario};
use proofmark_record::{meta::LOG_LEVEL, topic::Topic};

impl Scenario {
    pub const BARE: Self = Self {
        name: "bare",
        title: "a client that has nothing to offer",
        client: ClientKind::Bare,
        needs_tour: true,
        talk: |talk| Box::pin(bare(&mut talk.probe, &talk.calls.asking, &talk.calls.logging)),
        ..Self::USUAL
    };
}

/// Calls what is known to ask its client something, and, where each call says so for itself, what is known to log.
async fn bare(probe: &mut Probe, asking: &[Value], logging: &[Value]) {
    if probe.shake_hands().await.is_none() {
        return;
    }
    probe.ask_as(Topic::Ping, json!("bare-ping"), "ping", None).await;
    for call in asking.iter().take(MOST_CALLS) {
        probe.ask(Topic::BareCall, "tools/call", Some(call.clone())).await;
    }
    if probe.is_modern() {
        for call in logging.iter().take(MOST_CALLS) {
            let mut call = call.clone();
            call["_meta"] = json!({ LOG_LEVEL: "emergency" });
            probe.ask(Topic::EmergencyCall, "tools/call", Some(call.clone())).await;
            call["_meta"] = json!({});
            probe.ask(Topic::QuietCall, "tools/call", Some(call)).await;
        }
    }
    probe.ask(Topic::StillThere, "ping", None).await;
}

const MOST_CALLS: usize = 8;
