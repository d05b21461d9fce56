//! A fact that differs between revisions stands in the table of rules only if code asks for it.
//!
//! The search is one for text: `.field` in code of a crate that is neither a test nor the revisions themselves, in a file that speaks of
//! rules at all. A field that shares its name with another struct's can pass unread; one that is read can never be refused.

use super::file::File;
use super::scan::{is_identifier, line_at, words};
use super::{Finding, Located};

/// The findings of all files together, each with the path of its file.
pub(super) fn check(files: &[File]) -> Vec<Located> {
    let readers: Vec<&File> = files.iter().filter(|file| may_read(file)).collect();
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| is_table(file)) {
        for (field, at) in fields(&file.code) {
            if !READ_INSIDE.contains(&field) && !readers.iter().any(|it| reads(&it.code, field)) {
                let reason = format!(
                    "no code outside the revisions reads `{field}`: read it where the answer matters, or drop it"
                );
                findings
                    .push((file.path.clone(), Finding { line: line_at(&file.code, at), reason }));
            }
        }
    }
    findings
}

/// The tables are here; the files of the revisions fill them in.
fn is_table(file: &File) -> bool {
    file.path.starts_with(HOME) && !file.is_test() && !file.name().starts_with("v20")
}

fn may_read(file: &File) -> bool {
    file.path.starts_with("crates/")
        && file.is_in_folder("src")
        && !file.path.starts_with(HOME)
        && !file.is_test()
        && SUBJECT.iter().any(|subject| file.code.contains(subject))
}

/// The public fields of structs, and where they are declared.
fn fields(code: &str) -> impl Iterator<Item = (&str, usize)> {
    words(code, "pub").filter_map(|at| {
        let rest = code[at..].strip_prefix("pub ")?;
        let end = rest.find(|c| !is_identifier(c))?;
        rest[end..].starts_with(": ").then_some((&rest[..end], at))
    })
}

/// Whether a field of this name is read, and not a method called.
fn reads(code: &str, field: &str) -> bool {
    words(code, field).any(|at| {
        let after = code[at + field.len()..].trim_start();
        code[..at].trim_end().ends_with('.') && !after.starts_with('(')
    })
}

const HOME: &str = "crates/core/src/revision";
/// What a file says that has to do with rules: a value of that name, or a type.
const SUBJECT: [&str; 2] = ["rules", "Rules"];
/// `Revision::as_str` gives it out.
const READ_INSIDE: [&str; 1] = ["name"];

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(reader: &str, text: &str) -> Vec<usize> {
        let table = "pub struct Rules {\n    /// A.\n    pub batches: bool,\n    pub name: u8,\n}";
        let files = [
            ("crates/core/src/revision/rules.rs", table),
            ("crates/core/src/revision/v2025.rs", text),
            (reader, text),
        ]
        .map(|(path, text)| File::new(path, text.to_owned()));
        check(&files).iter().map(|(_, finding)| finding.line).collect()
    }

    #[test]
    fn a_field_that_is_read_is_fine() {
        for text in ["if rules.batches {}", "self.rules()\n    .batches\n    .then_some(1)"] {
            assert!(refused("crates/sdk/src/server.rs", text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_field_that_is_never_read_is_refused() {
        for text in ["// rules.batches", "rules.batches()", "Rules { batches: true }", "it.batches"]
        {
            assert_eq!(refused("crates/sdk/src/server.rs", text), [3], "{text}");
        }
    }

    #[test]
    fn tests_and_revisions_do_not_count() {
        for path in
            ["crates/sdk/src/a/tests.rs", "crates/sdk/tests/a.rs", "crates/core/src/revision/a.rs"]
        {
            assert_eq!(refused(path, "rules.batches"), [3], "{path}");
        }
    }
}
