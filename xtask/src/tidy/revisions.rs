//! Only three places know that revisions differ; the others ask `revision.rules()`.

use super::Finding;
use super::file::File;
use super::scan::{is_identifier, line_at};

pub(super) fn check(file: &File) -> Vec<Finding> {
    if is_home(file) {
        return Vec::new();
    }
    variants(&file.code)
        .map(|at| Finding {
            line: line_at(&file.code, at),
            reason: "a revision by name: ask `revision.rules()` what it demands instead".into(),
        })
        .collect()
}

fn is_home(file: &File) -> bool {
    file.path.starts_with("crates/core/src/revision")
        || file.path.starts_with("crates/judge/src/pages")
        || file.path.starts_with("crates/judge/src/shapes")
        || file.is_test()
        || file.is_in_folder("examples")
}

/// Where names of the form `V2025_…` begin.
fn variants(code: &str) -> impl Iterator<Item = usize> + '_ {
    code.match_indices(PREFIX).map(|(at, _)| at).filter(|&at| {
        let starts_a_word = !code[..at].chars().next_back().is_some_and(is_identifier);
        let year = &code.as_bytes()[at + PREFIX.len()..];
        starts_a_word && matches!(year, [b'0'..=b'9', b'0'..=b'9', b'_', ..])
    })
}

const PREFIX: &str = "V20";

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;

    const ASKS_BY_NAME: &str = "let a = 1;\nif revision >= Revision::V2026_07_28 {}";

    #[test]
    fn a_revision_by_name_is_refused() {
        assert_eq!(lines(check, "crates/sdk/src/server.rs", ASKS_BY_NAME), [2]);
        assert_eq!(lines(check, "crates/core/src/session.rs", ASKS_BY_NAME), [2]);
    }

    #[test]
    fn revisions_tests_and_examples_may_name_one() {
        for path in [
            "crates/core/src/revision.rs",
            "crates/core/src/revision/v2026_07_28.rs",
            "crates/judge/src/pages/basic_lifecycle.rs",
            "crates/sdk/src/server/tests.rs",
            "crates/sdk/tests/stdio.rs",
            "crates/core/examples/revisions.rs",
        ] {
            assert!(lines(check, path, ASKS_BY_NAME).is_empty(), "{path}");
        }
    }

    #[test]
    fn other_names_and_comments_are_fine() {
        let text = "// V2025_06_18\nlet a = \"V2025_06_18\"; let V20 = IPV2025_1 + V20ab_;";
        assert!(lines(check, "crates/sdk/src/server.rs", text).is_empty());
    }
}
