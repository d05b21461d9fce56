//! `proofmark fleet diff`.

use proofmark_fleet::{
    compare::{Comparison, ResultChange},
    report::{json, markdown, pretty},
    store::StoreError,
};

use crate::{
    arguments::{Fleet, FleetDiff, FleetFormat},
    exit, say,
};

pub(super) fn run(arguments: &Fleet, options: &FleetDiff) -> anyhow::Result<u8> {
    let store = match super::history(arguments) {
        Ok(store) => store,
        Err(code) => return Ok(code),
    };
    let (earlier, later) = match options.runs[..] {
        [earlier, later, ..] => (Some(earlier), later),
        [later] => (None, later),
        [] => {
            let Some(run) = store.runs(1)?.pop() else {
                say::error("there is no run yet");
                return Ok(exit::USAGE);
            };
            (None, run.id)
        }
    };
    let comparison = match Comparison::of(&store, earlier, later) {
        Ok(comparison) => comparison,
        Err(error @ StoreError::NoSuchRun(_)) => {
            say::error(error);
            return Ok(exit::USAGE);
        }
        Err(error) => return Err(error.into()),
    };
    say::report(
        match options.format {
            FleetFormat::Json => json::comparison(&comparison),
            FleetFormat::Markdown => markdown::comparison(&comparison),
            FleetFormat::Pretty => pretty::comparison(&comparison),
        }
        .trim_end(),
    );
    let worse = !comparison.new.is_empty() || comparison.results.iter().any(ResultChange::is_worse);
    Ok(if worse { exit::BROKEN } else { exit::SUCCESS })
}
