//! `proofmark fleet report`.

use std::{fs, path::Path};

use anyhow::Context;
use proofmark_fleet::{
    gates::{self, Gates},
    report::{Summary, badge, csv, html, json, junit, markdown, openmetrics, sarif},
    store::Store,
};

use crate::{
    arguments::{Fleet, FleetReport, FleetReportFormat},
    check, exit, say,
};

pub(super) fn run(arguments: &Fleet, options: &FleetReport) -> anyhow::Result<u8> {
    let store = match super::history(arguments) {
        Ok(store) => store,
        Err(code) => return Ok(code),
    };
    let text = match options.format {
        FleetReportFormat::Badge => {
            let name = options.server.as_deref().unwrap_or_default();
            let Some(server) = store.server(name)? else {
                say::error(format!("the history has no server {name}"));
                return Ok(exit::USAGE);
            };
            badge::write(&store.latest_of_server(server.id)?)
        }
        FleetReportFormat::Openmetrics => openmetrics::write(&store.latest()?),
        _ => {
            let summary = match summary(arguments, options, &store)? {
                Ok(summary) => summary,
                Err(code) => return Ok(code),
            };
            match options.format {
                FleetReportFormat::Csv => csv::write(&summary.results),
                FleetReportFormat::Html => {
                    let folder = options.output.as_deref().context("a folder is needed")?;
                    return pages(&store, &summary, folder);
                }
                FleetReportFormat::Junit => {
                    junit::write(&summary).context("cannot write JUnit's XML")?
                }
                FleetReportFormat::Markdown => markdown::summary(&summary),
                FleetReportFormat::Sarif => {
                    let mut open = Vec::new();
                    for row in &summary.results {
                        open.extend(store.open_findings(row.way)?);
                    }
                    sarif::write(&arguments.file.to_string_lossy(), &open)
                }
                _ => json::summary(&summary),
            }
        }
    };
    match &options.output {
        Some(path) => check::write(path, &text)?,
        None => say::report(text.trim_end()),
    }
    Ok(exit::SUCCESS)
}

fn summary(
    arguments: &Fleet,
    options: &FleetReport,
    store: &Store,
) -> anyhow::Result<Result<Summary, u8>> {
    let run = match options.run {
        Some(id) => match super::opened(store.run(id)) {
            Ok(run) => Some(run),
            Err(code) => return Ok(Err(code)),
        },
        None => store.runs(1)?.pop(),
    };
    let Some(run) = run else {
        say::error("there is no run yet");
        return Ok(Err(exit::USAGE));
    };
    let fleet = match super::load(arguments) {
        Ok(fleet) => fleet,
        Err(code) => return Ok(Err(code)),
    };
    let breaches = gates::judge(store, &fleet, run.id, Gates::default())?;
    Ok(Ok(Summary::of(store, &run, breaches)?))
}

fn pages(store: &Store, summary: &Summary, folder: &Path) -> anyhow::Result<u8> {
    let mut servers: Vec<html::ServerPage> = Vec::new();
    for row in &summary.results {
        if servers.last().is_none_or(|it| it.name != row.server) {
            servers.push(html::ServerPage {
                name: row.server.clone(),
                owner: row.owner.clone(),
                courses: Vec::new(),
                open: Vec::new(),
            });
        }
        let Some(page) = servers.last_mut() else { continue };
        page.courses.push(store.course(row.way, COURSE)?);
        page.open.extend(store.open_findings(row.way)?);
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let files = html::write(summary, &servers);
    for (name, text) in &files {
        check::write(&folder.join(name), text)?;
    }
    say::on_stderr(format_args!("{}: {} pages", folder.display(), files.len()));
    Ok(exit::SUCCESS)
}

/// Results of a way that a page shows.
const COURSE: u32 = 90;
