//! What becomes of a check in all revisions.

use anyhow::Context;
use proofmark_check::{
    Unreachable,
    report::{
        AllRevisions, Strictness, Verdict,
        baseline::Baseline,
        github, html, json, junit, markdown,
        pretty::{self, Colours},
        sarif,
    },
};

use super::{colours, exit, job, record, say, write};
use crate::arguments::{Format, Judging};

/// Writes everything down that was asked for, under another name of the peer if there is one. The exit code is that of the worst.
pub(super) fn conclude(
    outcome: Result<AllRevisions, Unreachable>,
    judging: &Judging,
    baseline: &Baseline,
    name: Option<&str>,
) -> anyhow::Result<u8> {
    let mut all = match outcome {
        Ok(all) => all,
        Err(unreachable) => {
            say::on_stderr(format_args!("error: {unreachable}"));
            return Ok(exit::UNREACHABLE);
        }
    };
    if let Some(name) = name {
        all.reports.iter_mut().for_each(|it| name.clone_into(&mut it.target.description));
    }
    all.reports.retain(|report| !report.entries.is_empty());
    if all.reports.is_empty() && all.unreachable.is_empty() {
        say::on_stderr("error: nothing of what is selected binds this peer in any revision");
        return Ok(exit::USAGE);
    }
    let strictness = judging.selection.strictness();
    all.excuse(baseline);
    if let Some(path) = &judging.record {
        let record = |report| record(path, report);
        all.reports
            .iter()
            .try_for_each(record)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &judging.write_baseline {
        let renew = |renewed: Baseline, report| renewed.renewed(report, strictness);
        let renewed = all.reports.iter().fold(baseline.clone(), renew);
        write(path, &renewed.write())?;
        all.reports.iter_mut().for_each(|report| report.stale.clear());
        all.excuse(&renewed);
    }
    for (format, path) in &judging.reports.wanted {
        let colours = colours(&judging.reports, path.as_deref());
        let text = render(*format, &all, strictness, colours)?;
        match path {
            Some(path) => write(path, &text)?,
            None => say::report(text.trim_end()),
        }
    }
    job::tell(
        &judging.reports,
        &Format::Github,
        || github::write_all(&all),
        || markdown::write_all(&all, strictness),
    );
    for (revision, unreachable) in &all.unreachable {
        say::on_stderr(format_args!("error: in {revision}: {unreachable}"));
    }
    for report in &all.reports {
        if let Some(broken_off) = &report.broken_off {
            say::on_stderr(format_args!("error: in {}: {broken_off}", report.revision));
        }
    }
    let whole = all.unreachable.is_empty() && all.reports.iter().all(|it| it.broken_off.is_none());
    Ok(match all.verdict(strictness) {
        Verdict::Broken => exit::BROKEN,
        _ if whole => exit::SUCCESS,
        _ => exit::UNREACHABLE,
    })
}

fn render(
    format: Format,
    all: &AllRevisions,
    strictness: Strictness,
    colours: Colours,
) -> anyhow::Result<String> {
    Ok(match format {
        Format::Github => github::write_all(all),
        Format::Html => html::write_all(all, strictness),
        Format::Json => json::write_all(all, strictness),
        Format::Junit => junit::write_all(all, strictness).context("cannot write JUnit's XML")?,
        Format::Markdown => markdown::write_all(all, strictness),
        Format::Pretty => pretty::write_all(all, strictness, colours),
        Format::Sarif => sarif::write_all(all),
    })
}
