//! Records of runs beside the file, so that what failed can be run again by itself.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::outcome::{RunOutcome, Verdict};

/// The record of the last run is in `.proofmark/` beside the file.
pub fn path(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let folder = file.parent().unwrap_or_else(|| Path::new("")).join(FOLDER);
    folder.join(format!("{name}.last-run.json"))
}

/// The ids of tests that failed when they were last run; `None` if there is no record.
pub fn failed(file: &Path) -> Option<BTreeSet<String>> {
    let text = fs::read_to_string(path(file)).ok()?;
    let record: Value = serde_json::from_str(&text).ok()?;
    if record.get("version") != Some(&json!(VERSION)) {
        return None;
    }
    let failed = record.get("failed")?.as_array()?;
    Some(failed.iter().filter_map(|id| id.as_str().map(str::to_owned)).collect())
}

/// Remembers what failed. Tests that were not run stay as they were.
pub fn remember(file: &Path, outcome: &RunOutcome) -> io::Result<()> {
    let mut ids = failed(file).unwrap_or_default();
    for test in &outcome.tests {
        match test.verdict {
            Verdict::Failed(_) => _ = ids.insert(test.id()),
            Verdict::NotRun(_) => {}
            Verdict::Passed | Verdict::Skipped(_) | Verdict::Undecided(_) => {
                _ = ids.remove(&test.id());
            }
        }
    }
    let path = path(file);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
        let ignore = folder.join(".gitignore");
        if !ignore.exists() {
            fs::write(ignore, "*\n")?;
        }
    }
    let record = json!({"version": VERSION, "seed": outcome.seed, "failed": ids});
    fs::write(path, serde_json::to_string_pretty(&record)?)
}

const FOLDER: &str = ".proofmark";
const VERSION: u32 = 1;
