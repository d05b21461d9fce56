//! `proofmark fleet list`.

use proofmark_check::record::text::Untrusted;
use proofmark_fleet::{
    inventory::Member,
    report::{json, markdown, pretty},
};

use crate::{
    arguments::{Fleet, FleetFormat, FleetList},
    exit, say,
};

pub(super) fn run(arguments: &Fleet, options: &FleetList) -> u8 {
    let fleet = match super::load(arguments) {
        Ok(fleet) => fleet,
        Err(code) => return code,
    };
    let members = match super::chosen(&fleet, &options.filter) {
        Ok(members) => members,
        Err(code) => return code,
    };
    match options.format {
        FleetFormat::Json => say::report(json::members(&members).trim_end()),
        FleetFormat::Markdown => say::report(markdown::members(&members).trim_end()),
        FleetFormat::Pretty => say::report(pretty::table(&HEAD, &rows(&members)).trim_end()),
    }
    exit::SUCCESS
}

const HEAD: [&str; 6] = ["server", "owner", "stage", "tags", "transports", "revisions"];

fn rows(members: &[&Member]) -> Vec<Vec<String>> {
    let row = |it: &&Member| {
        let transports: Vec<&str> = it.routes.iter().map(|it| it.transport.as_str()).collect();
        let revisions: Vec<&str> = it.held_to.revisions.iter().map(|it| it.as_str()).collect();
        let text = |text: &str| Untrusted(text).to_string();
        vec![
            text(&it.name),
            text(it.owner.as_deref().unwrap_or("-")),
            text(it.stage.as_deref().unwrap_or("-")),
            text(&it.tags.join(" ")),
            transports.join(" "),
            revisions.join(" "),
        ]
    };
    members.iter().map(row).collect()
}
