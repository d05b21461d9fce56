//! A client that is no help to those who ask the user, and whose roots change.

use proofmark_core::revision::ClientCapability;
use serde_json::{Value, json};

use super::{
    ClientKind, FormHandling, KnownCalls, Probe, Scenario, Turn,
    modern::{retried, wants_input},
};
use proofmark_record::topic::Topic;

impl Scenario {
    pub const ANSWERS: Self = Self {
        name: "answers",
        title: "users who are no help",
        applies: |here| !here.calls.asking.is_empty(),
        client: ClientKind::Plain(FormHandling::Dismissing),
        turn: Turn::Early,
        needs_tour: true,
        talk: |talk| Box::pin(answers(&mut talk.probe, talk.calls)),
        ..Self::USUAL
    };
}

async fn answers(probe: &mut Probe, calls: &KnownCalls) {
    if probe.shake_hands().await.is_none() {
        return;
    }
    for call in calls.asking.iter().filter(|it| !calls.eliciting.contains(it)).take(MOST_CALLS) {
        ask(probe, call, Topic::Call, None).await;
    }
    for call in calls.eliciting.iter().take(MOST_CALLS) {
        probe.set_client_kind(ClientKind::Plain(FormHandling::Misfitting));
        ask(probe, call, Topic::Misfit, None).await;
        probe.set_client_kind(ClientKind::Plain(FormHandling::Dismissing));
        ask(probe, call, Topic::Dismissed, Some(json!("dismissed"))).await;
    }
    let known = probe.settings().revision.rules().client_capabilities;
    if let Some(call) = calls.rooting.first()
        && known.contains(ClientCapability::RootsListChanged)
        && !probe.is_modern()
    {
        probe.set_client_kind(ClientKind::Able);
        ask(probe, call, Topic::Call, None).await;
        probe.set_client_kind(ClientKind::Plain(FormHandling::Dismissing));
        probe.tell(Topic::RootsChanged, "notifications/roots/list_changed", None).await;
        let mut call = call.clone();
        call["_meta"] = json!({ "progressToken": "after-roots" });
        ask(probe, &call, Topic::AfterRoots, None).await;
    }
}

/// Where requests need rounds, it is the second one that has the answers.
async fn ask(probe: &mut Probe, call: &Value, topic: Topic, id: Option<Value>) {
    let method = "tools/call";
    if !probe.is_modern() {
        probe.ask(topic, method, Some(call.clone())).await;
        return;
    }
    let first = probe.ask(Topic::Call, method, Some(call.clone())).await;
    let result = first.as_ref().and_then(|message| message.get("result"));
    let Some(result) = result.filter(|result| wants_input(result)) else { return };
    if topic == Topic::Call {
        return;
    }
    let next = Some(retried(call, result, probe.settings().client_kind));
    match id {
        Some(id) => probe.ask_as(topic, id, method, next).await,
        None => probe.ask(topic, method, next).await,
    };
}

const MOST_CALLS: usize = 4;
