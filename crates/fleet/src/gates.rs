//! Gates: what makes a run fail.

use crate::{
    inventory::Fleet,
    outcome::Verdict,
    stages,
    store::{FindingState, ResultRow, Store, StoreError},
};

/// What is asked of a run. Without any wish, each server has to be conformant and to reach the score that the file wants of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gates {
    /// Every score is at least this.
    pub min_score: Option<u32>,
    /// No finding that the result before did not have.
    pub no_new_findings: bool,
    /// No server is below the gates of its stage.
    pub stage: bool,
}

/// A gate that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    pub server: String,
    pub owner: Option<String>,
    pub what: String,
    /// Whether all that is known is that the peer failed.
    pub unreachable: bool,
}

/// The gates that do not hold in a run.
pub fn judge(
    store: &Store,
    fleet: &Fleet,
    run: i64,
    gates: Gates,
) -> Result<Vec<Breach>, StoreError> {
    let results = store.results_of_run(run)?;
    let mut breaches = Vec::new();
    let way = |it: &ResultRow| format!("{} over {}", it.wanted, it.transport);
    let breach = |it: &ResultRow, what: String| Breach {
        server: it.server.clone(),
        owner: it.owner.clone(),
        what,
        unreachable: false,
    };
    let usual = gates == Gates::default();
    for result in &results {
        if result.verdict.is_failure() {
            let why = result.why.as_deref().unwrap_or_default();
            let what = format!("{} is {}: {why}", way(result), result.verdict.as_str());
            breaches.push(Breach { unreachable: true, ..breach(result, what) });
            continue;
        }
        if usual && result.verdict == Verdict::Broken {
            breaches.push(breach(result, format!("{} is broken", way(result))));
        }
        let own = fleet.members.get(&result.server).and_then(|it| it.held_to.min_score);
        let least = gates.min_score.or_else(|| own.filter(|_| usual));
        if let (Some(least), Some(score)) = (least, result.score)
            && score < least
        {
            let what = format!("{} has the score {score}, and {least} is wanted", way(result));
            breaches.push(breach(result, what));
        }
    }
    if gates.no_new_findings {
        for new in store.findings_between(None, run, FindingState::New, 10_000)? {
            breaches.push(Breach {
                what: format!(
                    "{} over {} has a new finding: {} {}",
                    new.wanted,
                    new.transport,
                    new.severity.as_str(),
                    new.subject.id
                ),
                server: new.server,
                owner: new.owner,
                unreachable: false,
            });
        }
    }
    if gates.stage {
        let mut seen: Vec<&str> = Vec::new();
        for result in &results {
            if seen.contains(&result.server.as_str()) {
                continue;
            }
            seen.push(&result.server);
            let standing = stages::standing(store, fleet, &result.server)?;
            for lack in &standing.lacks {
                let stage = standing.stage.as_deref().unwrap_or_default();
                breaches.push(breach(result, format!("it slips below {stage}: {lack}")));
            }
        }
    }
    Ok(breaches)
}
