//! Runs peers, unspoiled and varied, each only as far as it takes to see the difference.

use std::{io, sync::Arc};

use proofmark_converse::{
    mutation::{Change, Mutation, Proxy, change_lines},
    peer::{IssuerPeer, Peer},
};
use proofmark_record::{event::Conversation, side::Side, transport::Transport};
use tokio::io::{duplex, split};

use super::{
    judging::{Judging, Popularity},
    variation::{AtWork, Variation, Verdict},
};
use crate::{
    run::{check, check_authorization, hold_scenario, host_again},
    self_test::{BUFFER, Patience, Reference, Served, TrialError, judged, setting::Setting},
};

/// The unspoiled peer in one setting.
pub(super) struct Clean {
    pub(super) setting: Setting,
    pub(super) judging: Judging,
}

impl Clean {
    pub(super) async fn of(reference: &Reference, setting: Setting) -> Result<Self, String> {
        let judge = |patience| judged(reference, Mutation::Nothing, setting, patience);
        if let Ok(report) = judge(Patience::Usual).await {
            let judging = Judging::new(report.evidence);
            if judging.unclean().is_empty() {
                return Ok(Self { setting, judging });
            }
        }
        let report = judge(Patience::Much).await.map_err(|error| format!("{setting}: {error}"))?;
        Ok(Self { setting, judging: Judging::new(report.evidence) })
    }
}

/// What became of a variation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trial {
    /// The requirements that are broken, though they were not before; of an illegal variation one of them.
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
    popularity: &Popularity,
    patience: Patience,
) -> Trial {
    let at_work = async |extent: Extent| {
        let change = Arc::new(AtWork::new(variation));
        let held = varied(reference, clean, (variation, extent), &change, patience).await;
        held.map(|held| (held, change.is_done()))
    };
    let mut held = at_work(Extent::One).await;
    if held.is_err() && clean.setting.side == Side::Server {
        // A peer with which the tour cannot be finished may be told more by a whole run.
        held = at_work(Extent::Whole).await;
    }
    let held = match held {
        Ok((_, false)) => return Trial::Idle,
        Ok((held, true)) => held,
        Err(error) => return Trial::Unreachable(error.to_string()),
    };
    let blamed = match (&variation.verdict, held) {
        (Verdict::Illegal { requirement, .. }, Held::Some(held)) => {
            clean.judging.first_blamed(held, *requirement, popularity).into_iter().collect()
        }
        (Verdict::Legal, Held::Some(held)) => clean.judging.all_blamed(held),
        (_, Held::All(conversations)) => clean.judging.blamed_of(conversations),
    };
    if blamed.is_empty() { Trial::Unseen } else { Trial::Blamed(blamed) }
}

/// How much of a run is held.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// The scenario that shows the variation.
    One,
    Whole,
}

/// The conversations with a varied peer.
enum Held {
    /// Those of one scenario; the others are as with the unspoiled peer.
    Some(Vec<Conversation>),
    All(Vec<Conversation>),
}

async fn varied(
    reference: &Reference,
    clean: &Clean,
    (variation, extent): (&Variation, Extent),
    change: &Arc<AtWork>,
    patience: Patience,
) -> Result<Held, TrialError> {
    let setting = clean.setting;
    let options = reference.options(setting, patience);
    let change = Arc::clone(change) as Arc<dyn Change>;
    if setting.side == Side::Client {
        let Some(scenario) = &variation.scenario else {
            return Err(TrialError::Proxy(io::Error::other("a client is varied in one scenario")));
        };
        let peer = reference.client();
        return Ok(Held::Some(host_again(&peer, &options, change, scenario).await?));
    }
    if setting.side == Side::Authorization {
        let Served { http, serving, .. } = (reference.issue)(setting.variant).await?;
        let proxy = Proxy::bind(http, Mutation::Nothing).await?.with_change(change);
        let peer = IssuerPeer::new(proxy.url()?);
        let report = tokio::select! {
            () = proxy.run() => return Err(TrialError::Proxy(io::Error::other("it ended"))),
            () = serving => {
                return Err(TrialError::Proxy(io::Error::other("the server behind it ended")));
            }
            report = check_authorization(&peer, &options) => report?,
        };
        return Ok(Held::All(report.evidence.conversations));
    }
    let again = async |peer: &Peer| match &variation.scenario {
        Some(name) if extent == Extent::One => {
            hold_scenario(peer, &options, clean.judging.tour(), name).await.map(Held::Some)
        }
        _ => check(peer, &options).await.map(|it| Held::All(it.evidence.conversations)),
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
        held = again(&peer) => Ok(held?),
    }
}
