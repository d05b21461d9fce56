//! `foo.rs` beside `foo/`, so that no two editor tabs are called the same.

use super::Finding;
use super::file::File;

pub(super) fn check(file: &File) -> Vec<Finding> {
    if file.name() != "mod.rs" {
        return Vec::new();
    }
    vec![Finding { line: 1, reason: "name the file after its module: foo.rs beside foo/".into() }]
}

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;

    #[test]
    fn a_mod_file_is_refused() {
        assert_eq!(lines(check, "crates/core/src/http/mod.rs", ""), [1]);
    }

    #[test]
    fn a_file_named_after_its_module_is_fine() {
        assert!(lines(check, "crates/core/src/http.rs", "").is_empty());
        assert!(lines(check, "crates/core/src/http/nomod.rs", "").is_empty());
    }
}
