//! `proofmark fleet why`: everything that is known about one finding of one server.

use proofmark_fleet::{
    report::{json, pretty},
    store::{ResultRow, Store},
};
use serde_json::Value;

use crate::{
    arguments::{Fleet, FleetFormat, FleetWhy},
    exit, say,
};

pub(super) fn run(arguments: &Fleet, options: &FleetWhy) -> anyhow::Result<u8> {
    let store = match super::history(arguments) {
        Ok(store) => store,
        Err(code) => return Ok(code),
    };
    let Some(server) = store.server(&options.server)? else {
        say::error(format!("the history has no server {}", options.server));
        return Ok(exit::USAGE);
    };
    let (mut occurrences, mut entries) = (Vec::new(), Vec::new());
    for latest in store.latest_of_server(server.id)? {
        occurrences.extend(store.occurrences(latest.way, &options.requirement)?);
        if let Some(entry) = entry(&store, &latest, &options.requirement)? {
            entries.push((latest, entry));
        }
    }
    if occurrences.is_empty() && entries.is_empty() {
        let (server, id) = (&options.server, &options.requirement);
        say::error(format!("nothing is known about {id} of {server}"));
        return Ok(exit::USAGE);
    }
    say::report(
        match options.format {
            FleetFormat::Json => json::why(&occurrences, &entries),
            FleetFormat::Markdown | FleetFormat::Pretty => pretty::why(&occurrences, &entries),
        }
        .trim_end(),
    );
    Ok(exit::SUCCESS)
}

/// What the last report that is kept says about it.
fn entry(store: &Store, latest: &ResultRow, subject: &str) -> anyhow::Result<Option<Value>> {
    for result in store.course(latest.way, LOOKED_AT)? {
        let Some(report) = store.report(result.id)? else { continue };
        return Ok(find(&serde_json::from_str(&report)?, subject));
    }
    Ok(None)
}

fn find(report: &Value, subject: &str) -> Option<Value> {
    let requirements = report["check"]["requirements"].as_array().into_iter().flatten();
    let is_meant =
        |it: &&Value| it["id"].as_str().is_some_and(|id| id.eq_ignore_ascii_case(subject));
    if let Some(found) = requirements.into_iter().find(is_meant) {
        return Some(found.clone());
    }
    for tests in report["tests"].as_array().into_iter().flatten() {
        let file = tests["file"].as_str().unwrap_or_default();
        for test in tests["report"]["tests"].as_array().into_iter().flatten() {
            let name = test["name"].as_str().unwrap_or_default();
            if name == subject || format!("{file} › {name}") == subject {
                return Some(test.clone());
            }
        }
    }
    None
}

/// Results, newest first, until one has its report.
const LOOKED_AT: u32 = 50;
