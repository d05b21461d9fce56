//! `proofmark replay`: recorded conversations, judged by today's catalogue.

use std::{
    fs::{self, File},
    io::BufReader,
    path::{Path, PathBuf},
};

use anyhow::Context;
use proofmark_check::{
    Options, overheard,
    record::transcript::Reader,
    report::{Report, Strictness, diff, selection},
};

use crate::{arguments::Replay, check, exit, say};

/// The exit code.
pub(crate) fn run(arguments: &Replay) -> anyhow::Result<u8> {
    let reports = match check::sensible(judged(arguments)) {
        Ok(reports) => reports,
        Err(code) => return Ok(code),
    };
    let strictness = arguments.selection.strictness();
    if let Some(path) = &arguments.diff {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let earlier = diff::Earlier::parse(&text)
            .with_context(|| format!("{} is no report in JSON", path.display()))?;
        for report in reports.iter().filter(|report| earlier.is_about(report)) {
            say::on_stdout(earlier.changes(report).trim_end());
        }
    } else {
        publish(arguments, &reports, strictness)?;
    }
    let kept = reports.iter().all(|report| report.is_conformant(strictness));
    Ok(if kept { exit::SUCCESS } else { exit::BROKEN })
}

fn judged(arguments: &Replay) -> anyhow::Result<Vec<Report>> {
    let options = Options {
        only: arguments.selection.only.clone(),
        skip: arguments.selection.skip.clone(),
        ..Options::default()
    };
    selection::verify(&options)?;
    check::verify_reports(&arguments.reports)?;
    let mut reports = Vec::new();
    for path in &arguments.files {
        let name = path.display();
        let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
        let mut reader = Reader::new(BufReader::new(file));
        reader.read().with_context(|| name.to_string())?;
        if reader.is_cut() {
            say::on_stderr(format_args!("{name}: the last line is not whole and is left out"));
        }
        anyhow::ensure!(!reader.recordings.is_empty(), "{name} has no transcript");
        for recording in &reader.recordings {
            reports.extend(overheard::reports(recording, &options));
        }
    }
    if let Some(side) = arguments.side {
        reports.retain(|report| report.side == side.into());
    }
    anyhow::ensure!(!reports.is_empty(), "there is no conversation to judge");
    anyhow::ensure!(
        reports.iter().any(|report| !report.entries.is_empty()),
        "nothing of what is selected binds the peers of these transcripts"
    );
    Ok(reports)
}

fn publish(arguments: &Replay, reports: &[Report], strictness: Strictness) -> anyhow::Result<()> {
    for (format, path) in &arguments.reports.0 {
        for (number, report) in reports.iter().enumerate() {
            let path = path.as_deref().map(|path| numbered(path, number));
            let text = check::render(*format, report, strictness, path.as_deref())?;
            match path {
                Some(path) => check::write(&path, &text)?,
                None => say::on_stdout(text.trim_end()),
            }
        }
    }
    Ok(())
}

/// `report.html`, `report-2.html` and so on.
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 0 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let end = path.extension().map(|end| format!(".{}", end.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{}{end}", number + 1))
}
