//! A client that is asked something and does not answer until it is too late.

use std::time::Duration;

use serde_json::{Value, json};

use super::{ClientKind, KnownCalls, Probe, Scenario, Turn};
use proofmark_record::event::EventKind;
use proofmark_record::topic::Topic;

impl Scenario {
    pub const UNANSWERED: Self = Self {
        name: "unanswered",
        title: "a question that is not answered",
        applies: |here| !here.is_modern() && !here.calls.asking.is_empty(),
        client: ClientKind::Mute,
        turn: Turn::Early,
        needs_tour: true,
        talk: |talk| Box::pin(unanswered(&mut talk.probe, talk.calls)),
        ..Self::USUAL
    };
}

/// Calls what is known to ask, lets it wait, cancels the call, and only then answers.
async fn unanswered(probe: &mut Probe, calls: &KnownCalls) {
    let Some(asking) = calls.asking.first() else { return };
    if probe.shake_hands().await.is_none() {
        return;
    }
    let mut params = asking.clone();
    params["_meta"] = json!({ "progressToken": "unanswered" });
    let quiet = probe.settings().quiet;
    probe.ask_and_cancel(Topic::Unanswered, "tools/call", params, PATIENCE, quiet).await;
    let questions: Vec<_> = probe.events().iter().flat_map(|event| question(&event.kind)).collect();
    for question in questions {
        let answer = ClientKind::Able.answer(&question);
        let late = json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer });
        probe.put(Topic::LateAnswer, &late.to_string()).await;
    }
    probe.ask_as(Topic::StillThere, json!("after-late-answer"), "ping", None).await;
}

fn question(what: &EventKind) -> Vec<Value> {
    let EventKind::Received { frame, .. } = what else { return Vec::new() };
    let asked = frame.messages().iter().filter(|message| {
        let method = message.get("method").and_then(Value::as_str);
        message.get("id").is_some() && method.is_some_and(|method| method != "ping")
    });
    asked.cloned().collect()
}

/// How long the peer has to give up by itself.
const PATIENCE: Duration = Duration::from_secs(2);
