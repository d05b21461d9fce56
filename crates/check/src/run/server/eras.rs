//! Which revision a server is held to if none was asked for.

use proofmark_core::revision::{Era, Revision};

use super::token_access;
use crate::{options::Options, progress::Step};
use proofmark_converse::{
    peer::Peer,
    scenario::{Framing, Probe, ProbeSettings},
};
use proofmark_record::{event::Event, transport::Transport, wire::MemoryBudget};

/// The newest modern revision that the server speaks, otherwise the newest to offer in a handshake, and how it takes messages. What is
/// said to find out is not judged.
pub(super) async fn newest_spoken(
    peer: &Peer,
    settings: &ProbeSettings,
    options: &Options,
) -> (Revision, Framing) {
    let legacy = Revision::newest(Era::Legacy);
    if options.transport == Transport::Sse {
        // It is of the legacy era.
        return (legacy, settings.framing);
    }
    options.progress.tell(Step::Began(TITLE));
    let revision = Revision::newest(Era::Modern);
    let mut settings =
        ProbeSettings { revision, room: MemoryBudget::default(), ..settings.clone() };
    let (mut found, framing, events) = ask(peer, &settings).await;
    if found.is_none()
        && let Some(tokens) = token_access(peer, &settings, options, &events).await
    {
        settings.headers.push(("authorization".to_owned(), format!("Bearer {}", tokens.token)));
        (found, _, _) = ask(peer, &settings).await;
    }
    options.progress.tell(Step::Ended(TITLE));
    (found.unwrap_or(legacy), framing)
}

async fn ask(peer: &Peer, settings: &ProbeSettings) -> (Option<Revision>, Framing, Vec<Event>) {
    // Why a server cannot be reached is told by the tour.
    let Ok(mut probe) = Probe::open(peer, settings.clone()).await else {
        return (None, settings.framing, Vec::new());
    };
    let found = probe.modern_revision().await;
    (found, probe.framing(), probe.finish().await)
}

const TITLE: &str = "finding out which revisions it speaks";
