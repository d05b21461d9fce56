//! `proofmark fleet history`.

use proofmark_fleet::report::{json, markdown, pretty};

use crate::{
    arguments::{Fleet, FleetFormat, FleetHistory},
    exit, say,
};

pub(super) fn run(arguments: &Fleet, options: &FleetHistory) -> anyhow::Result<u8> {
    let store = match super::history(arguments) {
        Ok(store) => store,
        Err(code) => return Ok(code),
    };
    let Some(name) = &options.server else {
        let runs = store.runs(options.last)?;
        say::report(
            match options.format {
                FleetFormat::Json => json::runs(&runs),
                FleetFormat::Markdown => markdown::runs(&runs),
                FleetFormat::Pretty => pretty::runs(&runs),
            }
            .trim_end(),
        );
        return Ok(exit::SUCCESS);
    };
    let Some(server) = store.server(name)? else {
        say::error(format!("the history has no server {name}"));
        return Ok(exit::USAGE);
    };
    let (mut courses, mut open, mut changes) = (Vec::new(), Vec::new(), Vec::new());
    for latest in store.latest_of_server(server.id)? {
        courses.push(store.course(latest.way, options.last)?);
        open.extend(store.open_findings(latest.way)?);
        changes.extend(store.interface_changes(latest.way, 0, latest.id)?);
    }
    say::report(
        match options.format {
            FleetFormat::Json => json::history(&courses, &open),
            FleetFormat::Markdown => markdown::history(&courses, &open),
            FleetFormat::Pretty => pretty::history(&courses, &open) + &pretty::interfaces(&changes),
        }
        .trim_end(),
    );
    Ok(exit::SUCCESS)
}
