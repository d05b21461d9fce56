//! Which revision a server is held to if none was asked for.

use proofmark_core::revision::{Era, Revision};

use super::{probe_settings, token_access};
use crate::{
    options::Options,
    progress::Step,
    run::{Unreachable, all::candidates},
};
use proofmark_converse::{
    peer::Peer,
    scenario::{Framing, Probe, ProbeSettings},
};
use proofmark_record::{
    event::{Event, EventKind},
    topic::Topic,
    transport::Transport,
    wire::MemoryBudget,
};
use tokio::time::Instant;

/// The newest modern revision that the server speaks, otherwise the newest to offer in a handshake, and how it takes messages. What is
/// said to find out is not judged. A server that was silent for as long as it may take to start is not waited for a second time.
pub(super) async fn newest_spoken(
    peer: &Peer,
    settings: &ProbeSettings,
    options: &Options,
) -> Result<(Revision, Framing), Unreachable> {
    let legacy = Revision::newest(Era::Legacy);
    if options.transport == Transport::Sse {
        // It is of the legacy era.
        return Ok((legacy, settings.framing));
    }
    options.progress.tell(Step::Planned(1));
    options.progress.tell(Step::Began(TITLE));
    let revision = Revision::newest(Era::Modern);
    let mut settings =
        ProbeSettings { revision, room: MemoryBudget::default(), ..settings.clone() };
    let began = Instant::now();
    let (mut found, framing, events) = ask(peer, &settings).await;
    let is_heard = |event: &Event| matches!(event.kind, EventKind::Received { .. });
    let waited = !matches!(peer, Peer::Url(_)) && began.elapsed() >= settings.start_timeout;
    if waited && !events.iter().any(is_heard) {
        options.progress.tell(Step::Ended(TITLE));
        let why = "neither server/discover nor initialize was answered with a result";
        return Err(Unreachable::new(peer, why, &events));
    }
    if found.is_none()
        && let Some(tokens) = token_access(peer, &settings, options, &events).await
    {
        settings.headers.push(("authorization".to_owned(), format!("Bearer {}", tokens.token)));
        (found, _, _) = ask(peer, &settings).await;
    }
    options.progress.tell(Step::Ended(TITLE));
    Ok((found.unwrap_or(legacy), framing))
}

/// Every revision that the server speaks, the newest first. What is said to find out is not judged.
pub(in crate::run) async fn spoken_by(peer: &Peer, options: &Options) -> Vec<Revision> {
    let (mut settings, mut spoken) = (probe_settings(options), Vec::new());
    let mut has_token = false;
    options.progress.tell(Step::Planned(1));
    options.progress.tell(Step::Began(TITLE));
    for revision in candidates(options) {
        settings = ProbeSettings { revision, room: MemoryBudget::default(), ..settings };
        let (mut speaks, events) = try_one(peer, &settings).await;
        if !speaks
            && !has_token
            && let Some(tokens) = token_access(peer, &settings, options, &events).await
        {
            has_token = true;
            settings.headers.push(("authorization".to_owned(), format!("Bearer {}", tokens.token)));
            (speaks, _) = try_one(peer, &settings).await;
        }
        if speaks {
            spoken.push(revision);
        }
    }
    options.progress.tell(Step::Ended(TITLE));
    spoken
}

/// Whether the server agrees to the revision of the settings.
async fn try_one(peer: &Peer, settings: &ProbeSettings) -> (bool, Vec<Event>) {
    let asked = settings.revision;
    if asked.era() == Era::Modern {
        let (found, _, events) = ask(peer, settings).await;
        return (found == Some(asked), events);
    }
    let Ok(mut probe) = Probe::open(peer, settings.clone()).await else {
        return (false, Vec::new());
    };
    let result = probe.initialize(Topic::Initialize, asked.as_str()).await;
    let agreed = result.is_some_and(|it| it["protocolVersion"] == asked.as_str());
    (agreed, probe.finish().await)
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
