//! A path of one machine means nothing on another.

use super::Finding;
use super::file::File;

pub(super) fn check(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, number) in file.text.lines().zip(1..) {
        for folder in FOLDERS.iter().filter(|folder| begins_in(line, folder)) {
            let reason = format!("{folder} is a path of one machine: use a relative one");
            findings.push(Finding { line: number, reason });
        }
    }
    findings
}

/// Whether a path in the line begins with the folder; a folder of that name inside another one, or on a web host, is another.
fn begins_in(line: &str, folder: &str) -> bool {
    line.match_indices(folder)
        .any(|(at, _)| !line[..at].ends_with(|before: char| before.is_alphanumeric()))
}

/// In two halves each, so that this file does not complain about itself.
const FOLDERS: [&str; 3] = [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/wo", "rk/")];

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;

    #[test]
    fn a_path_of_a_machine_is_refused_in_any_file() {
        for folder in FOLDERS {
            assert_eq!(lines(check, "README.md", &format!("a\nsee {folder}ada/notes")), [2]);
            assert_eq!(lines(check, "a.rs", &format!("let a = \"file://{folder}b\";")), [1]);
        }
    }

    #[test]
    fn a_relative_path_is_fine() {
        assert!(lines(check, "README.md", "see work/notes, ./home and /workspace/a").is_empty());
        let on_a_host = format!("http://example.com{}", FOLDERS[0]);
        assert!(lines(check, "README.md", &on_a_host).is_empty());
    }
}
