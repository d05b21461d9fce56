//! Mutants that were not written by hand: operators over everything that the unspoiled peers say.
//!
//! ```text
//! clean run -> specimens -> operators -> oracle: illegal | legal | neither -> trial -> caught, missed, blamed
//! ```
//!
//! The oracle is no judge: it is the table of shapes, and a short list of laws. What it calls illegal must be caught, what it calls legal must
//! not be blamed, and what it says nothing about is left out. Each variation is tried in the one scenario that shows it, and judged
//! together with the rest of the clean run.

mod authorization;
mod batches;
mod envelopes;
mod harmless;
mod harness;
mod http;
mod judging;
mod known;
mod laws;
mod lines;
mod members;
mod oracle;
mod order;
mod report;
mod specimen;
#[cfg(test)]
mod tests;
mod variation;
mod writing;

use std::{collections::BTreeMap, sync::Arc};

use proofmark_judge::mutant::Variant;
use proofmark_record::{side::Side, transport::Transport};
use tokio::task::JoinError;

pub use self::report::Tally;
use self::{
    harness::{Clean, Trial, tried},
    judging::Popularity,
    known::KNOWN,
    oracle::Oracle,
    report::Ending,
    variation::{Class, Variation},
};
use super::{
    Patience, Reference, Selection,
    selection::hash,
    setting::{Setting, everywhere},
    together,
};

/// Runs the variations, and says what came of them.
///
/// `tell` is told now and then how far it has come.
pub async fn run(reference: &Arc<Reference>, selection: &Selection, tell: impl Fn(&str)) -> Tally {
    let mut tally = Tally::new(selection);
    let clean = together(settings(selection), |setting: Setting| {
        let reference = Arc::clone(reference);
        (setting.transport, async move { Clean::of(&reference, setting).await })
    })
    .await;
    let mut trials = Vec::new();
    for clean in clean {
        match clean {
            Ok(Ok(clean)) => {
                for id in clean.judging.unclean() {
                    tally.complain(format!("{}: the unspoiled peer breaks {id}", clean.setting));
                }
                let clean = Arc::new(clean);
                let all = variations(&clean).into_iter().filter(|it| is_named(selection, it));
                trials.extend(all.map(|it| (Arc::clone(&clean), Arc::new(it))));
            }
            Ok(Err(why)) => tally.complain(why),
            Err(error) => tally.complain(error.to_string()),
        }
    }
    trials.sort_by_cached_key(|(_, variation)| variation.label());
    trials.dedup_by_key(|(_, variation)| variation.label());
    let trials = sampled(trials, selection);
    tell(&format!("{} variations", trials.len()));
    let popularity = Arc::new(Popularity::default());
    let mut excusing = vec![false; KNOWN.len()];
    let mut trials = trials.into_iter().peekable();
    while trials.peek().is_some() {
        let some = trials.by_ref().take(TOLD_AT_ONCE).collect();
        for outcome in try_all(reference, some, &popularity).await {
            match outcome {
                Ok((variation, trial)) => {
                    let ending = ending(&variation, trial, &mut excusing);
                    tally.count(&variation, &ending);
                }
                Err(error) => tally.complain(error.to_string()),
            }
        }
        tell(&tally.so_far());
    }
    if selection.is_everything() {
        for (known, _) in KNOWN.iter().zip(excusing).filter(|(_, it)| !it) {
            tally
                .complain(format!("a row of what is known to be missed is stale: {}", known.label));
        }
    }
    tally.finish();
    tally
}

type Trials = Vec<(Arc<Clean>, Arc<Variation>)>;

async fn try_all(
    reference: &Arc<Reference>,
    trials: Trials,
    popularity: &Arc<Popularity>,
) -> Vec<Result<(Arc<Variation>, Trial), JoinError>> {
    together(trials, |(clean, variation): (Arc<Clean>, Arc<Variation>)| {
        let (reference, transport) = (Arc::clone(reference), clean.setting.transport);
        let popularity = Arc::clone(popularity);
        let work = async move {
            let trial = |patience| tried(&reference, &clean, &variation, &popularity, patience);
            let illegal = variation.is_illegal();
            let first = trial(Patience::Usual).await;
            let as_it_should = match &first {
                Trial::Blamed(_) => illegal,
                Trial::Unseen => !illegal,
                Trial::Idle | Trial::Unreachable(_) => false,
            };
            // In a time of its own a peer has been given all the time there is.
            let ended = if as_it_should || transport == Transport::Stdio {
                first
            } else {
                trial(Patience::Much).await
            };
            (variation, ended)
        };
        (transport, work)
    })
    .await
}

/// What is counted; a row of what is known to be missed is marked as one that excuses something.
fn ending(variation: &Variation, trial: Trial, excusing: &mut [bool]) -> Ending {
    let label = variation.label();
    let row = KNOWN.iter().position(|it| it.covers(&label));
    match (trial, row) {
        (Trial::Blamed(by), _) => Ending::Blamed(by),
        (Trial::Idle, _) => Ending::Idle,
        (Trial::Unseen | Trial::Unreachable(_), Some(row)) if variation.is_illegal() => {
            excusing[row] = true;
            Ending::Excused(KNOWN[row].reason)
        }
        (Trial::Unseen, _) => Ending::Unblamed(String::new()),
        (Trial::Unreachable(why), _) => Ending::Unblamed(why),
    }
}

fn is_named(selection: &Selection, variation: &Variation) -> bool {
    let label = format!("{} {}", variation.class, variation.label());
    selection.only.iter().all(|it| label.contains(it.as_str()))
}

/// Where peers are varied.
fn settings(selection: &Selection) -> Vec<Setting> {
    let named = |setting: &Setting| {
        let label = setting.to_string();
        selection.only.is_empty() || selection.only.iter().any(|it| label.contains(it.as_str()))
    };
    let all: Vec<Setting> = everywhere()
        .filter(|it| it.variant == Variant::Open || is_about_authorization(*it))
        .collect();
    let some: Vec<Setting> = all.iter().copied().filter(named).collect();
    if some.is_empty() { all } else { some }
}

/// Where only what is published for authorization is varied.
fn is_about_authorization(setting: Setting) -> bool {
    let Setting { side, revision, variant, .. } = setting;
    let guarded = side == Side::Server && variant == Variant::Guarded;
    side == Side::Authorization || (guarded && revision.rules().authorization.is_some())
}

/// Every variation of what a clean run has shown. Over sockets, where time has to pass, a part of those that are the same over a pipe.
fn variations(clean: &Clean) -> Vec<Variation> {
    let (setting, evidence) = (clean.setting, &clean.judging.evidence);
    if is_about_authorization(setting) {
        return authorization::all(evidence, setting);
    }
    let specimens = specimen::all(evidence);
    let kinds = specimen::kinds(&specimens);
    let members = specimen::members(&specimens);
    let oracle = Oracle { revision: setting.revision, sender: setting.side };
    let mut all = members::illegal(&members, setting, &oracle);
    all.extend(harmless::of_members(&members, setting, &oracle));
    all.extend(envelopes::illegal(&specimens, &kinds, setting));
    if setting.side == Side::Client || setting.transport == Transport::Stdio {
        all.extend(envelopes::to_notifications(&specimen::heard(evidence), setting));
    }
    all.extend(harmless::of_kinds(&kinds, setting));
    if setting.transport != Transport::Stdio {
        all.retain(|it| hash(0, &it.label()).is_multiple_of(OVER_SOCKETS));
    }
    all.extend(batches::all(evidence, setting));
    all.extend(order::illegal(&specimens, setting));
    all.extend(http::all(evidence, &kinds, setting));
    if setting.transport == Transport::Stdio {
        all.extend(lines::all(&kinds, setting));
    }
    all
}

/// So many of each class and verdict as are asked for, chosen by the seed; a variation is chosen by its name, whatever else there is.
fn sampled<C>(trials: Vec<(C, Arc<Variation>)>, selection: &Selection) -> Vec<(C, Arc<Variation>)> {
    let Some(sample) = selection.sample else { return trials };
    let mut classes: BTreeMap<(Class, bool), Vec<_>> = BTreeMap::new();
    for trial in trials {
        let class = (trial.1.class, trial.1.is_illegal());
        classes.entry(class).or_default().push(trial);
    }
    let chosen = classes.into_values().flat_map(|mut trials| {
        trials.sort_by_cached_key(|(_, it)| hash(selection.seed, &it.label()));
        trials.truncate(sample);
        trials
    });
    chosen.collect()
}

/// After so many variations it is told how far the run has come.
const TOLD_AT_ONCE: usize = 200;
/// One of so many is run over sockets.
const OVER_SOCKETS: u64 = 8;
