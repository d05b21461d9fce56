//! Handshakes with one version each.

use super::{NONSENSE_VERSION, Repeats, Scenario, Talk};
use proofmark_record::topic::Topic;

impl Scenario {
    pub const VERSION: Self = Self {
        name: "version",
        title: "a handshake with another version",
        applies: |here| !here.is_modern(),
        repeats: Repeats::ForEachVersion,
        talk: |talk| Box::pin(version(talk)),
        ..Self::USUAL
    };
}

/// Offers one version and hangs up.
async fn version(talk: &mut Talk<'_>) {
    let version = talk.version;
    let topic =
        if version == NONSENSE_VERSION { Topic::UnknownVersion } else { Topic::KnownVersion };
    talk.probe.initialize(topic, version).await;
}
