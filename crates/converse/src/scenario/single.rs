//! Clients that have one thing to offer, and may be asked for nothing else.

use proofmark_core::revision::ClientCapability;
use serde_json::Value;

use super::{Circumstances, ClientKind, Probe, Scenario};
use proofmark_record::topic::Topic;

impl Scenario {
    pub const ONLY_ROOTS: Self = Self {
        name: "only roots",
        title: "a client that has nothing but roots",
        applies: |here| asks_for_others(here, ClientCapability::Roots),
        client: ClientKind::Only(ClientCapability::Roots),
        talk: |talk| Box::pin(single(&mut talk.probe, &talk.calls.asking)),
        ..Self::USUAL
    };
    pub const ONLY_SAMPLING: Self = Self {
        name: "only sampling",
        title: "a client that has nothing but a model",
        applies: |here| asks_for_others(here, ClientCapability::Sampling),
        client: ClientKind::Only(ClientCapability::Sampling),
        ..Self::ONLY_ROOTS
    };
    pub const ONLY_ELICITATION: Self = Self {
        name: "only elicitation",
        title: "a client that has nothing but a user",
        applies: |here| asks_for_others(here, ClientCapability::Elicitation),
        client: ClientKind::Only(ClientCapability::Elicitation),
        ..Self::ONLY_ROOTS
    };
}

/// Whether the revision has the capability, and the server was seen to ask something.
fn asks_for_others(here: &Circumstances<'_>, capability: ClientCapability) -> bool {
    let known = here.revision.rules().client_capabilities;
    known.contains(capability) && !here.calls.asking.is_empty()
}

/// Calls what is known to ask its client something.
async fn single(probe: &mut Probe, asking: &[Value]) {
    if probe.shake_hands().await.is_none() {
        return;
    }
    for call in asking.iter().take(MOST_CALLS) {
        probe.ask(Topic::Call, "tools/call", Some(call.clone())).await;
    }
    probe.ask(Topic::StillThere, "ping", None).await;
}

const MOST_CALLS: usize = 4;
