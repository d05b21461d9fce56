//! What changed between two runs.

use std::collections::BTreeMap;

use crate::{
    outcome::Verdict,
    store::{
        Changes, FindingRow, FindingState, InterfaceChange, ResultRow, RunRow, Store, StoreError,
    },
};

/// Two runs side by side.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// `None`: the result before of each way, whichever run it belongs to.
    pub earlier: Option<RunRow>,
    pub later: RunRow,
    pub new: Vec<FindingRow>,
    pub gone: Vec<FindingRow>,
    /// How many are in both.
    pub still: u32,
    pub results: Vec<ResultChange>,
    pub interfaces: Vec<(ResultRow, InterfaceChange)>,
    /// Results of ways that were never looked at before.
    pub first: Vec<ResultRow>,
}

/// A way whose verdict or score is another.
#[derive(Clone, Debug)]
pub struct ResultChange {
    pub was: ResultRow,
    pub now: ResultRow,
}

impl ResultChange {
    /// Scores are compared only if revision, transport, requirement set, options and version of the program are the same.
    pub fn scores_are_comparable(&self) -> bool {
        self.was.comparable == self.now.comparable
    }

    /// Whether the server got worse.
    pub fn is_worse(&self) -> bool {
        let rank = |verdict: Verdict| match verdict {
            Verdict::Conformant => 2,
            Verdict::Broken => 1,
            Verdict::Exceeded | Verdict::NotObserved | Verdict::Unreachable => 0,
        };
        let lower = self.scores_are_comparable()
            && matches!((self.was.score, self.now.score), (Some(was), Some(now)) if now < was);
        rank(self.now.verdict) < rank(self.was.verdict) || lower
    }
}

impl Comparison {
    /// Compares a run with an earlier one, or with what was before.
    pub fn of(store: &Store, earlier: Option<i64>, later: i64) -> Result<Self, StoreError> {
        let earlier_run = earlier.map(|id| store.run(id)).transpose()?;
        let later_run = store.run(later)?;
        let before = match earlier {
            Some(id) => store.results_of_run(id)?,
            None => store.results_before_run(later)?,
        };
        let mut before: BTreeMap<i64, ResultRow> =
            before.into_iter().map(|it| (it.way, it)).collect();
        let (mut results, mut first, mut interfaces) = (Vec::new(), Vec::new(), Vec::new());
        for now in store.results_of_run(later)? {
            let Some(was) = before.remove(&now.way) else {
                first.push(now);
                continue;
            };
            for change in store.interface_changes(now.way, was.id, now.id)? {
                interfaces.push((now.clone(), change));
            }
            if was.verdict != now.verdict || was.score != now.score {
                results.push(ResultChange { was, now });
            }
        }
        let mut new = store.findings_between(earlier, later, FindingState::New, MOST)?;
        let mut gone = store.findings_between(earlier, later, FindingState::Gone, MOST)?;
        // What went and came back in between is in both.
        let is_same = |one: &FindingRow, other: &FindingRow| {
            one.way == other.way && one.subject == other.subject && one.severity == other.severity
        };
        let returned: Vec<FindingRow> =
            new.iter().filter(|it| gone.iter().any(|was| is_same(it, was))).cloned().collect();
        new.retain(|it| !returned.iter().any(|same| is_same(it, same)));
        gone.retain(|it| !returned.iter().any(|same| is_same(it, same)));
        let still =
            store.count_still(earlier, later)? + u32::try_from(returned.len()).unwrap_or(u32::MAX);
        Ok(Self {
            earlier: earlier_run,
            later: later_run,
            new,
            gone,
            still,
            results,
            interfaces,
            first,
        })
    }

    /// How much it is.
    pub fn counted(&self) -> Changes {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Changes {
            new: count(self.new.len()),
            gone: count(self.gone.len()),
            worse: count(self.results.iter().filter(|it| it.is_worse()).count()),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.new.is_empty()
            && self.gone.is_empty()
            && self.results.is_empty()
            && self.interfaces.is_empty()
            && self.first.is_empty()
    }
}

/// Findings of a kind that are listed.
const MOST: u32 = 10_000;
