//! A subscription to some changes while others happen, too.

use serde_json::json;

use super::{KnownCalls, Probe, Scenario};
use proofmark_record::topic::Topic;

impl Scenario {
    pub const LISTENING: Self = Self {
        name: "listening",
        title: "a subscription to some changes",
        applies: |here| here.is_modern(),
        announces: |here| !here.calls.announcing.is_empty(),
        needs_tour: true,
        talk: |talk| Box::pin(listening(&mut talk.probe, talk.calls)),
        ..Self::USUAL
    };
}

/// Calls what is known to announce changes, and listens for changes of prompts only.
async fn listening(probe: &mut Probe, calls: &KnownCalls) {
    let announcing = &calls.announcing_soon();
    // A server that was just started may take its time.
    if probe.shake_hands().await.is_none() {
        return;
    }
    let filter = json!({ "promptsListChanged": true });
    probe.subscribe(json!("listen-some"), &filter).await;
    for call in announcing {
        probe.ask(Topic::Announcing, "tools/call", Some(call.clone())).await;
    }
    probe.listen(probe.settings().quiet).await;
    probe.unsubscribe(&json!("listen-some")).await;
    // What was told of before is told of no more once the client has unsubscribed.
    let mut filter = json!({ "toolsListChanged": true, "promptsListChanged": true,
        "resourcesListChanged": true });
    if !calls.updated.is_empty() {
        filter["resourceSubscriptions"] = json!(calls.updated);
    }
    let listening = json!(NUMBER);
    probe.subscribe(listening.clone(), &filter).await;
    probe.unsubscribe(&listening).await;
    // The cancellation may take its way through the server.
    probe.listen(probe.settings().quiet).await;
    for call in announcing {
        probe.ask(Topic::AfterUnsubscribe, "tools/call", Some(call.clone())).await;
    }
    probe.listen(probe.settings().quiet).await;
}

/// A subscription is known by a number as well as by a string.
const NUMBER: u32 = 2_000_000;
