//! Handshakes with one version each.

use super::{NONSENSE_VERSION, Probe};
use proofmark_record::topic::Topic;

/// Offers one version and hangs up.
pub async fn versions(probe: &mut Probe, version: &'static str) {
    let topic =
        if version == NONSENSE_VERSION { Topic::UnknownVersion } else { Topic::KnownVersion };
    probe.initialize(topic, version).await;
}
