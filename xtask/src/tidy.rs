//! Refuses what the compiler and clippy let through but this project does not want.

mod budget;
mod dependencies;
mod detached_tasks;
mod file;
mod layers;
mod links;
mod lock_files;
mod machine_paths;
mod manifest;
mod mod_files;
mod module_cycles;
mod nameless_notes;
mod revisions;
mod scan;
mod serde_shapes;
mod shown_code;
mod unexplained_inlining;
mod unread_rules;
mod vague_people;

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
    layers::check,
    lock_files::check,
    machine_paths::check,
    mod_files::check,
    nameless_notes::check,
    revisions::check,
    serde_shapes::check,
    unexplained_inlining::check,
    vague_people::check,
];

/// Rules that compare files with each other.
const TREE_RULES: &[TreeRule] =
    &[links::check, module_cycles::check, shown_code::check, unread_rules::check];

/// Checks every file that git tracks or would track; gives a closing sentence, or all findings.
pub(crate) fn run(root: &Path) -> Result<String, String> {
    let mut files = Vec::new();
    for path in listed(root)? {
        files.extend(read(root, &path)?);
    }
    let mut findings: Vec<Located> = Vec::new();
    for file in &files {
        let in_file = RULES.iter().flat_map(|rule| rule(file));
        findings.extend(in_file.map(|finding| (file.path.clone(), finding)));
    }
    findings.extend(TREE_RULES.iter().flat_map(|rule| rule(&files)));
    findings.sort_by(|(a, at), (b, other)| (a, at.line).cmp(&(b, other.line)));
    if findings.is_empty() {
        return Ok(format!("tidy: nothing to complain about in {} files", files.len()));
    }
    let lines: Vec<_> =
        findings.iter().map(|(path, finding)| format!("{path}:{finding}")).collect();
    Err(format!("{}\ntidy: {} to mend", lines.join("\n"), lines.len()))
}

#[derive(Debug)]
struct Finding {
    /// Counted from one.
    line: usize,
    reason: String,
}

type TreeRule = fn(&[File]) -> Vec<Located>;

/// A finding and the path of its file.
type Located = (String, Finding);

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

/// `None` for what has no lines to check: a deleted file, a submodule, a binary file. A picture is a file without lines.
fn read(root: &Path, path: &str) -> Result<Option<File>, String> {
    match fs::read(root.join(path)) {
        // Pages may show it.
        Ok(_) if path.rsplit('.').next() == Some("png") => Ok(Some(File::new(path, String::new()))),
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

/// What a rule says about a tree of files, each a path and its text.
#[cfg(test)]
fn complaints(rule: TreeRule, tree: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<_> =
        tree.iter().map(|(path, text)| File::new(path, (*text).to_owned())).collect();
    rule(&files).into_iter().map(|(path, finding)| format!("{path}:{finding}")).collect()
}
