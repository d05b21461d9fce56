//! The handshake and the agreement on a version.

use proofmark_record::evidence::{CheckerRequest, Evidence};

/// Every handshake: the request, the version asked for, the version answered.
pub(crate) fn handshakes(
    evidence: &Evidence,
) -> impl Iterator<Item = (CheckerRequest<'_>, &str, &str)> {
    evidence.asked_by_method("initialize").filter_map(|asked| {
        let wanted = asked.params?.get("protocolVersion")?.as_str()?;
        let answered = asked.answer?.result()?.get("protocolVersion")?.as_str()?;
        Some((asked, wanted, answered))
    })
}

pub(crate) const NO_HANDSHAKE: &str = "no handshake succeeded";
