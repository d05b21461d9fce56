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
    report::{
        Report, Strictness,
        diff::{Comparison, Earlier},
        selection,
    },
};

use crate::{
    arguments::{Format, Replay, Reports},
    check, exit, say,
};

/// The exit code.
pub(crate) fn run(arguments: &Replay) -> anyhow::Result<u8> {
    let reports = match check::sensible(judged(arguments)) {
        Ok(reports) => reports,
        Err(code) => return Ok(code),
    };
    let strictness = arguments.selection.strictness();
    if let Some(path) = &arguments.diff {
        return match check::sensible(compared(path, &arguments.reports, &reports)) {
            Ok(comparisons) => say_changes(&arguments.reports, &comparisons),
            Err(code) => Ok(code),
        };
    }
    publish(arguments, &reports, strictness)?;
    let kept = reports.iter().all(|report| report.is_conformant(strictness));
    Ok(if kept { exit::SUCCESS } else { exit::BROKEN })
}

/// Each report that an earlier one can be compared with.
fn compared(path: &Path, places: &Reports, reports: &[Report]) -> anyhow::Result<Vec<Comparison>> {
    let written =
        |format: &Format| matches!(format, Format::Json | Format::Markdown | Format::Pretty);
    anyhow::ensure!(
        places.wanted.iter().all(|(format, _)| written(format)),
        "a comparison is written as pretty, json or markdown"
    );
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let earlier = Earlier::parse(&text)
        .with_context(|| format!("{} is no report in JSON", path.display()))?;
    let alike = reports.iter().filter(|report| earlier.is_about(report));
    let comparisons: Vec<Comparison> = alike.map(|report| earlier.compare(report)).collect();
    anyhow::ensure!(
        !comparisons.is_empty(),
        "{} is about {}, and the transcripts are not",
        path.display(),
        earlier.subject()
    );
    Ok(comparisons)
}

/// The exit code says whether anything changed.
fn say_changes(places: &Reports, comparisons: &[Comparison]) -> anyhow::Result<u8> {
    for (format, path) in &places.wanted {
        for (number, comparison) in comparisons.iter().enumerate() {
            let text = match format {
                Format::Json => comparison.json(),
                Format::Markdown => comparison.markdown(),
                _ => comparison.pretty(),
            };
            say_or_write(path.as_deref(), number, &text)?;
        }
    }
    let same = comparisons.iter().all(|comparison| comparison.changes.is_empty());
    Ok(if same { exit::SUCCESS } else { exit::BROKEN })
}

fn say_or_write(path: Option<&Path>, number: usize, text: &str) -> anyhow::Result<()> {
    let Some(path) = path else {
        say::report(text.trim_end());
        return Ok(());
    };
    check::write(&numbered(path, number), text)
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
    for (format, path) in &arguments.reports.wanted {
        let colours = check::colours(&arguments.reports, path.as_deref());
        for (number, report) in reports.iter().enumerate() {
            let text = check::render(*format, report, strictness, colours)?;
            say_or_write(path.as_deref(), number, &text)?;
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
