//! A request that is cancelled while it runs.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{KnownCalls, Probe, Scenario, Turn};
use proofmark_record::{topic::Topic, transport::Transport};

/// A call that is known to take long enough to be cancelled.
#[derive(Clone, Debug)]
pub struct SlowCall {
    pub params: Value,
    /// How long it took before.
    pub took: Duration,
}

impl Scenario {
    pub const CANCELLING: Self = Self {
        name: "cancelling",
        title: "a request that is cancelled",
        // In the modern era it is the connection that is closed over HTTP, and then nothing can be heard any more.
        applies: |here| here.calls.slow.is_some() && !(here.is_modern() && here.is_over_http()),
        turn: Turn::Early,
        needs_tour: true,
        talk: |talk| Box::pin(cancelling(&mut talk.probe, talk.calls)),
        ..Self::USUAL
    };
}

async fn cancelling(probe: &mut Probe, calls: &KnownCalls) {
    let Some(slow) = calls.slow.clone() else { return };
    if probe.shake_hands().await.is_none() {
        return;
    }
    let mut params = slow.params;
    params["_meta"] = json!({ "progressToken": "measured" });
    // What was slow the first time may have been slow to load only.
    let began = Instant::now();
    if probe.is_modern() || probe.settings().transport == Transport::Http {
        probe.ask(Topic::Call, "tools/call", Some(params.clone())).await;
    } else {
        // Where there is one way for all, a server that works still hears.
        let call = (Topic::Call, json!("busy-call"), "tools/call", Some(params.clone()));
        let ping = (Topic::BusyPing, json!("busy-ping"), "ping", None);
        probe.ask_together_about(&[call, ping]).await;
    }
    let took = began.elapsed().min(slow.took);
    if took < LEAST_DURATION {
        return;
    }
    params["_meta"] = json!({ "progressToken": "cancelled" });
    let (after, until) = (took / 4, took + took / 2);
    probe.ask_and_cancel(Topic::Slow, "tools/call", params, after, until).await;
    probe.ask(Topic::StillThere, "ping", None).await;
}

/// A call shorter than this may be over before its cancellation arrives.
pub const LEAST_DURATION: Duration = Duration::from_millis(400);
