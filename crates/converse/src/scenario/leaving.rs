//! A client that closes the connection of a request while it runs, and listens elsewhere for what becomes of it.

use serde_json::json;
use tokio::time::Instant;

use super::{KnownCalls, LEAST_DURATION, Probe, Scenario, Turn};
use proofmark_record::event::EventKind;
use proofmark_record::topic::Topic;

impl Scenario {
    pub const LEAVING: Self = Self {
        name: "leaving",
        title: "a connection that is closed while a request runs",
        applies: |here| here.is_over_http() && here.calls.lasting.is_some(),
        turn: Turn::Undisturbed,
        needs_tour: true,
        talk: |talk| Box::pin(leaving(&mut talk.probe, talk.calls)),
        ..Self::USUAL
    };
}

/// Calls what is known to announce a change in the end: once to hear it, and once more to leave.
async fn leaving(probe: &mut Probe, calls: &KnownCalls) {
    let Some(lasting) = calls.lasting.clone() else { return };
    if probe.is_modern() {
        let filter = json!({ "toolsListChanged": true, "promptsListChanged": true,
            "resourcesListChanged": true });
        probe.subscribe(json!("listen-left"), &filter).await;
    } else {
        if probe.shake_hands().await.is_none() {
            return;
        }
        if let Some((http, recorder)) = probe.http_and_recorder() {
            http.open_stream(recorder).await;
        }
    }
    let (mut params, quiet) = (lasting.params, probe.settings().quiet);
    params["_meta"] = json!({ "progressToken": "stayed" });
    // What was slow the first time may have been slow to load only.
    let began = Instant::now();
    probe.ask(Topic::Announcing, "tools/call", Some(params.clone())).await;
    let took = began.elapsed().min(lasting.took);
    probe.listen(quiet).await;
    if took < LEAST_DURATION {
        return;
    }
    params["_meta"] = json!({ "progressToken": "left" });
    probe.ask_and_leave(json!("left"), "tools/call", params, took / 4).await;
    // A server that gives up is silent from then on; one that goes on may be slow.
    let times = if probe.is_modern() { 1 } else { MOST_TIMES };
    for _ in 0..times {
        let before = probe.events().len();
        probe.listen(took + took / 2 + quiet).await;
        if probe.events()[before..].iter().any(|it| matches!(it.kind, EventKind::Received { .. })) {
            break;
        }
    }
}

/// How often it is listened for what should come.
const MOST_TIMES: u32 = 4;
