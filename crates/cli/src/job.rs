//! What a job of GitHub's CI gets without being asked: annotations, and a part of its summary.

use std::{
    env,
    fs::OpenOptions,
    io::{self, Write},
    path::PathBuf,
};

use crate::{arguments::Reports, say};

/// Writes what was not asked for already. Annotations go to standard error, where GitHub looks for them too: standard output may be
/// a document.
pub(crate) fn tell<F: PartialEq>(
    reports: &Reports<F>,
    github: &F,
    annotations: impl FnOnce() -> String,
    summary: impl FnOnce() -> String,
) {
    if env::var_os("GITHUB_ACTIONS").is_none_or(|it| it != "true") {
        return;
    }
    if !reports.wanted.iter().any(|(format, _)| format == github) {
        // Its writer has seen to the peer's strings, and the commands are meant.
        let _ = io::stderr().write_all(annotations().as_bytes());
    }
    let Some(path) = env::var_os("GITHUB_STEP_SUMMARY").map(PathBuf::from) else { return };
    let is_it = |wanted: &Option<PathBuf>| wanted.as_ref() == Some(&path);
    if path.as_os_str().is_empty() || reports.wanted.iter().any(|(_, wanted)| is_it(wanted)) {
        return;
    }
    let opened = OpenOptions::new().append(true).create(true).open(&path);
    if let Err(error) = opened.and_then(|mut file| writeln!(file, "{}", summary().trim_end())) {
        say::on_stderr(format_args!("cannot write the summary {}: {error}", path.display()));
    }
}
