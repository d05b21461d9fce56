//! The lists on a second connection, while the first one is there and before anything else may change them.

use super::{ClientKind, Probe, Scenario, tour::LISTS};
use proofmark_record::topic::Topic;

impl Scenario {
    /// Right after the tour, whose last lists it is compared with.
    pub(super) const LISTS: Self = Self {
        name: "lists",
        title: "the lists on another connection",
        applies: |here| here.is_modern(),
        client: ClientKind::Bare,
        needs_tour: true,
        talk: |talk| Box::pin(lists(&mut talk.probe)),
        ..Self::USUAL
    };
}

async fn lists(probe: &mut Probe) {
    if probe.shake_hands().await.is_none() {
        return;
    }
    for (_, method) in LISTS {
        probe.ask(Topic::ListAgain, method, None).await;
    }
}
