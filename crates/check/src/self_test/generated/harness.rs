//! Runs peers, unspoiled and varied, each only as far as it takes to see the difference.

use std::{collections::HashMap, io, sync::Arc};

use proofmark_converse::{
    mutation::{Mutation, Proxy, change_lines},
    peer::Peer,
};
use proofmark_judge::outcome::Status;
use proofmark_record::{evidence::Evidence, side::Side, transport::Transport};
use tokio::io::{duplex, split};

use super::variation::{AtWork, Variation};
use crate::{
    report::Report,
    run::{check, check_again, hold_again},
    self_test::{BUFFER, Patience, Reference, Served, TrialError, judged, setting::Setting},
};

/// The unspoiled peer in one setting.
pub(super) struct Clean {
    pub(super) setting: Setting,
    pub(super) evidence: Evidence,
    pub(super) statuses: HashMap<&'static str, Status>,
}

impl Clean {
    pub(super) async fn of(reference: &Reference, setting: Setting) -> Result<Self, String> {
        let judge = |patience| judged(reference, Mutation::Nothing, setting, patience);
        let report = match judge(Patience::Usual).await {
            Ok(report) if report.findings().next().is_none() => report,
            _ => judge(Patience::Much).await.map_err(|error| format!("{setting}: {error}"))?,
        };
        let statuses = statuses(&report);
        Ok(Self { setting, evidence: report.evidence, statuses })
    }
}

/// What became of a variation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trial {
    /// The requirements that are broken, though they were not before.
    Blamed(Vec<String>),
    /// Nothing that was not there before.
    Unseen,
    /// The peer could not be checked.
    Unreachable(String),
    /// There was nothing to change this time.
    Idle,
}

/// What is blamed about a varied peer.
pub(super) async fn tried(
    reference: &Reference,
    clean: &Clean,
    variation: &Arc<Variation>,
    patience: Patience,
) -> Trial {
    let change = Arc::new(AtWork::new(variation));
    let report = match varied(reference, clean, variation, &change, patience).await {
        Ok(report) => report,
        Err(error) => return Trial::Unreachable(error.to_string()),
    };
    if !change.is_done() {
        return Trial::Idle;
    }
    let blamed: Vec<String> = report
        .findings()
        .filter(|(entry, _)| {
            let before = clean.statuses.get(entry.requirement.id);
            let is_bad = |it: Status| matches!(it, Status::Fail | Status::Warn);
            is_bad(entry.status) && !before.copied().is_some_and(is_bad)
        })
        .map(|(entry, finding)| {
            format!(
                "{} (expected {}, got {})",
                entry.requirement.id, finding.expected, finding.actual
            )
        })
        .collect();
    if blamed.is_empty() { Trial::Unseen } else { Trial::Blamed(blamed) }
}

async fn varied(
    reference: &Reference,
    clean: &Clean,
    variation: &Variation,
    change: &Arc<AtWork>,
    patience: Patience,
) -> Result<Report, TrialError> {
    let setting = clean.setting;
    let options = reference.options(setting, patience);
    let change = Arc::clone(change) as Arc<dyn proofmark_converse::mutation::Change>;
    if setting.side == Side::Client {
        let Some(scenario) = &variation.scenario else {
            return Err(TrialError::Proxy(io::Error::other("a client is varied in one scenario")));
        };
        let peer = reference.client();
        return Ok(hold_again(&peer, &options, change, &clean.evidence, scenario).await?);
    }
    let again = async |peer: &Peer| match &variation.scenario {
        Some(name) => check_again(peer, &options, &clean.evidence.conversations, name).await,
        None => check(peer, &options).await,
    };
    if setting.transport == Transport::Stdio {
        let serve = Arc::clone(&reference.serve);
        let peer = Peer::Memory(Arc::new(move || {
            let (near, far) = duplex(BUFFER);
            let (reader, writer) = split(near);
            let (wire, carry) = change_lines(Arc::clone(&change), reader, writer);
            let serving = serve(far);
            let both = async move {
                tokio::join!(serving, carry);
            };
            (wire, Box::pin(both))
        }));
        return Ok(again(&peer).await?);
    }
    let Served { http, sse, serving } = (reference.listen)(setting.variant).await?;
    let upstream = if setting.transport == Transport::Sse { sse } else { http };
    let proxy = Proxy::bind(upstream, Mutation::Nothing).await?.with_change(change);
    let peer = Peer::Url(proxy.url()?);
    tokio::select! {
        () = proxy.run() => Err(TrialError::Proxy(io::Error::other("it ended"))),
        () = serving => Err(TrialError::Proxy(io::Error::other("the server behind it ended"))),
        report = again(&peer) => Ok(report?),
    }
}

fn statuses(report: &Report) -> HashMap<&'static str, Status> {
    report.entries.iter().map(|entry| (entry.requirement.id, entry.status)).collect()
}
