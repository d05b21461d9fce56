//! A Rust file that has grown too long has become two.

use super::Finding;
use super::file::File;

pub(super) fn check(file: &File) -> Vec<Finding> {
    let length = file.text.lines().count();
    if !file.is_rust() || length <= LINES {
        return Vec::new();
    }
    let reason = format!("{length} lines, where {LINES} are the limit: split the file");
    vec![Finding { line: LINES + 1, reason }]
}

const LINES: usize = 600;

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;

    #[test]
    fn a_file_over_its_budget_is_refused_at_the_first_line_too_many() {
        assert_eq!(lines(check, "crates/core/src/a.rs", &"\n".repeat(601)), [601]);
    }

    #[test]
    fn a_file_within_its_budget_is_fine() {
        assert!(lines(check, "crates/core/src/a.rs", &"\n".repeat(600)).is_empty());
    }

    #[test]
    fn only_rust_files_have_a_budget() {
        assert!(lines(check, "CHANGELOG.md", &"\n".repeat(2000)).is_empty());
    }
}
