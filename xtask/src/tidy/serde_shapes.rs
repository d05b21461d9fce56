//! No `untagged`, no `flatten`: they guess, buffer, and lose the reason why nothing fitted.

use super::Finding;
use super::file::File;
use super::scan::{line_at, words};

pub(super) fn check(file: &File) -> Vec<Finding> {
    let code = file.code.as_str();
    let mut findings = Vec::new();
    for at in words(code, "serde") {
        let Some(list) = parenthesised(&code[at + "serde".len()..]) else { continue };
        for shape in REFUSED {
            findings.extend(words(list, shape).map(|inside| Finding {
                line: line_at(code, offset_in(code, list) + inside),
                reason: format!("serde's `{shape}`: decide by method or by a tag instead"),
            }));
        }
    }
    findings
}

/// What stands between the parenthesis that comes next and its partner.
fn parenthesised(text: &str) -> Option<&str> {
    let inside = text.trim_start().strip_prefix('(')?;
    let mut depth = 1;
    for (at, c) in inside.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&inside[..at]);
        }
    }
    Some(inside)
}

/// Where in `whole` its own slice `part` begins.
fn offset_in(whole: &str, part: &str) -> usize {
    part.as_ptr().addr() - whole.as_ptr().addr()
}

const REFUSED: [&str; 2] = ["untagged", "flatten"];

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;

    #[test]
    fn the_two_shapes_are_refused() {
        assert_eq!(found("#[serde(untagged)]\nenum A {}"), [1]);
        assert_eq!(found("struct A {\n    #[serde(flatten)]\n    b: B,\n}"), [2]);
    }

    #[test]
    fn a_shape_among_other_attributes_is_refused_at_its_own_line() {
        assert_eq!(found("#[serde(default(), flatten)]"), [1]);
        assert_eq!(found("#[serde(\n    rename = \")\",\n    untagged,\n)]"), [3]);
        assert_eq!(found("#[cfg_attr(feature = \"a\", derive(B), serde (untagged))]"), [1]);
    }

    #[test]
    fn the_words_elsewhere_are_fine() {
        assert!(found("// never serde(untagged)\nlet a = b.flatten();").is_empty());
        assert!(found("#[serde(rename = \"flatten\", tag = \"untagged\")]").is_empty());
        assert!(found("#[serde(default)]\nfn flatten() {}").is_empty());
    }

    fn found(text: &str) -> Vec<usize> {
        lines(check, "crates/core/src/a.rs", text)
    }
}
