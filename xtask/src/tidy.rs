//! Refuses what the compiler and clippy let through but this project does not want.

mod budget;
mod dependencies;
mod detached_tasks;
mod file;
mod lock_files;
mod machine_paths;
mod manifest;
mod mod_files;
mod nameless_notes;
mod revisions;
mod scan;
mod serde_shapes;
mod unread_rules;

use std::fmt::{self, Display};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use file::File;

/// One function per rule. Each looks at one file and decides itself whether that file concerns it.
const RULES: &[fn(&File) -> Vec<Finding>] = &[
    budget::check,
    dependencies::check,
    detached_tasks::check,
    lock_files::check,
    machine_paths::check,
    mod_files::check,
    nameless_notes::check,
    revisions::check,
    serde_shapes::check,
];

/// Checks every file that git tracks or would track; gives a closing sentence, or all findings.
pub(crate) fn run(root: &Path) -> Result<String, String> {
    let mut findings = Vec::new();
    let paths = listed(root)?;
    let mut files = Vec::new();
    for path in &paths {
        let Some(file) = read(root, path)? else { continue };
        let mut in_file: Vec<_> = RULES.iter().flat_map(|rule| rule(&file)).collect();
        in_file.sort_by_key(|finding| finding.line);
        findings.extend(in_file.iter().map(|finding| format!("{path}:{finding}")));
        files.push(file);
    }
    let in_all = unread_rules::check(&files);
    findings.extend(in_all.iter().map(|(path, finding)| format!("{path}:{finding}")));
    if findings.is_empty() {
        return Ok(format!("tidy: nothing to complain about in {} files", paths.len()));
    }
    Err(format!("{}\ntidy: {} to mend", findings.join("\n"), findings.len()))
}

#[derive(Debug)]
struct Finding {
    /// Counted from one.
    line: usize,
    reason: String,
}

impl Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.reason)
    }
}

fn listed(root: &Path) -> Result<Vec<String>, String> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("tidy asks git for the list of files: {error}"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(format!("tidy asks git for the list of files: {}", complaint.trim()));
    }
    let names = String::from_utf8(output.stdout)
        .map_err(|_| "a file's name is not UTF-8; rename it".to_owned())?;
    Ok(names.split_terminator('\0').map(str::to_owned).collect())
}

/// `None` for what has no lines to check: a deleted file, a submodule, a binary file.
fn read(root: &Path, path: &str) -> Result<Option<File>, String> {
    match fs::read(root.join(path)) {
        Ok(bytes) => Ok(String::from_utf8(bytes).ok().map(|text| File::new(path, text))),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::IsADirectory) => {
            Ok(None)
        }
        Err(error) => Err(format!("could not read {path}: {error}")),
    }
}

/// The lines that a rule complains about when `text` stands in the file `path`.
#[cfg(test)]
fn lines(rule: fn(&File) -> Vec<Finding>, path: &str, text: &str) -> Vec<usize> {
    rule(&File::new(path, text.to_owned())).into_iter().map(|finding| finding.line).collect()
}
