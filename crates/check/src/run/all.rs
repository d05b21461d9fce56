//! Every revision that a peer speaks, one run after another.

use proofmark_core::revision::{Era, Revision};
use serde_json::Value;

use super::{Unreachable, check, check_client, client::speaks, server::spoken_by};
use crate::{options::Options, report::AllRevisions};
use proofmark_converse::{hosted::ClientPeer, peer::Peer};
use proofmark_record::{evidence::is_modern, transport::Transport};

/// Judges a server in every revision that it speaks, the newest first.
///
/// One that speaks none is judged as without a revision, which tells why.
pub async fn check_all(peer: &Peer, options: &Options) -> Result<AllRevisions, Unreachable> {
    let spoken = Box::pin(spoken_by(peer, options)).await;
    let mut all = AllRevisions::new(candidates(options), &spoken);
    if spoken.is_empty() {
        all.reports.push(check(peer, options).await?);
    }
    for revision in spoken {
        match check(peer, &Options { revision: Some(revision), ..options.clone() }).await {
            Ok(report) => all.reports.push(report),
            Err(unreachable) => all.unreachable.push((revision, unreachable)),
        }
    }
    Ok(all)
}

/// Judges a client in every revision that it speaks, the newest first.
pub async fn check_client_all(
    peer: &ClientPeer,
    options: &Options,
) -> Result<AllRevisions, Unreachable> {
    let mut spoken = Vec::new();
    for revision in candidates(options) {
        if speaks(peer, options, revision).await {
            spoken.push(revision);
        }
    }
    let mut all = AllRevisions::new(candidates(options), &spoken);
    if spoken.is_empty() {
        all.reports.push(check_client(peer, options).await?);
    }
    for revision in spoken {
        match check_client(peer, &Options { revision: Some(revision), ..options.clone() }).await {
            Ok(report) => all.reports.push(report),
            Err(unreachable) => all.unreachable.push((revision, unreachable)),
        }
    }
    Ok(all)
}

/// What there is over a transport, the newest first. HTTP+SSE is of the legacy era.
pub(super) fn candidates(options: &Options) -> impl Iterator<Item = Revision> + use<> {
    let older = options.transport == Transport::Sse;
    let all = Revision::ALL.iter().rev().copied();
    all.filter(move |revision| !older || revision.era() == Era::Legacy)
}

/// Whether a client went on in this revision after it had begun.
pub(super) fn goes_on(message: &Value, revision: Revision) -> bool {
    match revision.era() {
        Era::Legacy => message["method"] == "notifications/initialized",
        Era::Modern => is_modern(message) && message["method"] != "server/discover",
    }
}
