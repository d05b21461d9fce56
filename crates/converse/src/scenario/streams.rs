//! Two streams at once, to see which of them gets what.

use serde_json::json;

use super::{KnownCalls, Probe, Scenario, Turn};
use proofmark_record::topic::Topic;

impl Scenario {
    pub const STREAMS: Self = Self {
        name: "streams",
        title: "two streams of one session",
        applies: |here| !here.is_modern() && here.is_over_http(),
        turn: Turn::Undisturbed,
        needs_tour: true,
        talk: |talk| Box::pin(streams(&mut talk.probe, talk.calls)),
        ..Self::USUAL
    };
}

/// Calls what is known to say something on the stream of GET.
async fn streams(probe: &mut Probe, calls: &KnownCalls) {
    let announcing = &calls.announcing_soon();
    if probe.shake_hands().await.is_none() {
        return;
    }
    for _ in 0..2 {
        let Some((http, recorder)) = probe.http_and_recorder() else { return };
        http.open_stream(recorder).await;
    }
    for call in announcing {
        probe.ask(Topic::Announcing, "tools/call", Some(call.clone())).await;
    }
    probe.listen(probe.settings().quiet).await;
    // What was answered on the stream of a POST does not come again on a new one.
    let Some(call) = calls.progressing.first() else { return };
    let mut params = call.clone();
    params["_meta"] = json!({ "progressToken": "of-a-stream" });
    probe.ask(Topic::Call, "tools/call", Some(params)).await;
    if let Some((http, recorder)) = probe.http_and_recorder() {
        http.stand_down();
        http.open_stream(recorder).await;
    }
    probe.listen(probe.settings().quiet).await;
}
