//! Stages: what a server lacks for one, and whether it slips.

use crate::{
    inventory::{Fleet, StageGates},
    outcome::Verdict,
    store::{Store, StoreError},
};

/// How a server stands in the pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub stage: Option<String>,
    /// Gates of its stage, and of those before, that do not hold: it slips.
    pub lacks: Vec<String>,
    /// The stage after its own, if there is one, and what it lacks for that.
    pub next: Option<(String, Vec<String>)>,
}

impl Standing {
    pub fn slips(&self) -> bool {
        !self.lacks.is_empty()
    }
}

/// How a server of the fleet stands.
pub fn standing(store: &Store, fleet: &Fleet, server: &str) -> Result<Standing, StoreError> {
    let stage = fleet.members.get(server).and_then(|it| it.stage.clone());
    let reached = stage.as_deref().map(|it| fleet.stages_until(it)).unwrap_or_default();
    let lacks = lacks(store, server, reached.iter().map(|it| &it.gates))?;
    let next = match fleet.stages.get(reached.len()) {
        Some(next) => {
            let until = &fleet.stages[..=reached.len()];
            let lacks = self::lacks(store, server, until.iter().map(|it| &it.gates))?;
            Some((next.name.clone(), lacks))
        }
        None => None,
    };
    Ok(Standing { stage, lacks, next })
}

/// Writes down which of these servers slip, so that pages need not find out.
pub fn note_slipping<'n>(
    store: &mut Store,
    fleet: &Fleet,
    servers: impl Iterator<Item = &'n str>,
) -> Result<(), StoreError> {
    for server in servers {
        let standing = standing(store, fleet, server)?;
        store.note_slipping(server, standing.lacks.first().map(String::as_str))?;
    }
    Ok(())
}

/// What a server lacks for some gates, in words.
pub fn lacks<'g>(
    store: &Store,
    server: &str,
    gates: impl Iterator<Item = &'g StageGates>,
) -> Result<Vec<String>, StoreError> {
    let gates = strictest(gates);
    if gates == StageGates::default() {
        return Ok(Vec::new());
    }
    let row = store.server(server)?;
    let results = match &row {
        Some(row) => store.latest_of_server(row.id)?,
        None => Vec::new(),
    };
    if results.is_empty() {
        return Ok(vec!["it was not checked yet".to_owned()]);
    }
    let mut lacks = Vec::new();
    for result in &results {
        let way = format!("{} over {}", result.wanted, result.transport);
        if gates.conformant && result.verdict != Verdict::Conformant {
            lacks.push(format!("{way} is {}", result.verdict.as_str()));
        }
        if let Some(least) = gates.min_score {
            match result.score {
                Some(score) if score >= least => {}
                Some(score) => {
                    lacks.push(format!("{way} has the score {score}, and needs {least}"))
                }
                None => lacks.push(format!("{way} has no score, and needs {least}")),
            }
        }
        if let Some(steady) = gates.steady {
            let course = store.course(result.way, steady)?;
            let good = course.iter().take_while(|it| it.verdict == Verdict::Conformant).count();
            if good < usize::try_from(steady).unwrap_or(usize::MAX) {
                lacks.push(format!(
                    "{way} was conformant {good} times in a row, and needs {steady}"
                ));
            }
        }
    }
    if gates.tests {
        let passed: u32 = results.iter().map(|it| it.tests.passed).sum();
        let failed: u32 = results.iter().map(|it| it.tests.failed).sum();
        if failed > 0 {
            lacks.push(format!("{failed} of its tests failed"));
        } else if passed == 0 {
            lacks.push("it has no tests that passed".to_owned());
        }
    }
    Ok(lacks)
}

/// All gates as one.
fn strictest<'g>(gates: impl Iterator<Item = &'g StageGates>) -> StageGates {
    gates.fold(StageGates::default(), |all, one| StageGates {
        conformant: all.conformant || one.conformant,
        min_score: all.min_score.max(one.min_score),
        tests: all.tests || one.tests,
        steady: all.steady.max(one.steady),
    })
}
