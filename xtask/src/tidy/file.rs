//! A file of the repository, as the rules see it.

use super::scan;

pub(super) struct File {
    /// Relative to the root of the repository, with forward slashes.
    pub(super) path: String,
    pub(super) text: String,
    /// The text of a Rust file without comments and without what stands in quotes, line for line.
    /// Empty for other files.
    pub(super) code: String,
    /// The comments of a Rust file and nothing else, line for line. Empty for other files.
    pub(super) comments: String,
}

impl File {
    pub(super) fn new(path: &str, text: String) -> Self {
        let (code, comments) = if is_rust(path) { scan::split(&text) } else { Default::default() };
        Self { path: path.to_owned(), text, code, comments }
    }

    pub(super) fn is_rust(&self) -> bool {
        is_rust(&self.path)
    }

    /// The last part of the path.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub(super) fn is_test(&self) -> bool {
        self.name() == "tests.rs" || self.is_in_folder("tests")
    }

    pub(super) fn is_in_folder(&self, folder: &str) -> bool {
        let mut parts = self.path.split('/');
        parts.next_back();
        parts.any(|part| part == folder)
    }
}

#[expect(clippy::case_sensitive_file_extension_comparisons, reason = "cargo's own spelling")]
fn is_rust(path: &str) -> bool {
    path.ends_with(".rs")
}
