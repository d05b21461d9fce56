//! What tells the optimiser where code goes says why, so that it can be taken back when the reason is gone.

use super::Finding;
use super::file::File;

pub(super) fn check(file: &File) -> Vec<Finding> {
    let code: Vec<_> = file.code.lines().map(squeezed).collect();
    let comments: Vec<_> = file.comments.lines().map(str::trim).collect();
    let mut findings = Vec::new();
    for (at, line) in code.iter().enumerate() {
        let Some(hint) = HINTS.iter().find(|hint| line.contains(**hint)) else { continue };
        if !is_explained(&code, &comments, at) {
            let reason =
                format!("`{hint}` without a reason: say why in a comment on the line above");
            findings.push(Finding { line: at + 1, reason });
        }
    }
    findings
}

/// Whether a comment that is no documentation stands above, with no more than further hints between.
fn is_explained(code: &[String], comments: &[&str], mut at: usize) -> bool {
    while let Some(above) = at.checked_sub(1) {
        if !HINTS.iter().any(|hint| code[above] == *hint) {
            return is_reason(comments[above]) && code[above].is_empty();
        }
        at = above;
    }
    false
}

fn is_reason(comment: &str) -> bool {
    comment
        .strip_prefix("//")
        .is_some_and(|text| !text.starts_with(['/', '!']) && text.contains(char::is_alphabetic))
}

fn squeezed(line: &str) -> String {
    line.split_whitespace().collect()
}

const HINTS: [&str; 3] = ["#[inline(never)]", "#[inline(always)]", "#[cold]"];

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;

    #[test]
    fn a_hint_without_a_reason_is_refused() {
        for hint in HINTS {
            assert_eq!(found(&format!("{hint}\nfn a() {{}}")), [1]);
            assert_eq!(found(&format!("fn b() {{}}\n\n    {hint}\n    fn a() {{}}")), [3]);
            assert_eq!(found(&format!("// Why.\n\n{hint}\nfn a() {{}}")), [3]);
        }
        assert_eq!(found("#[cold] fn a() {}"), [1]);
        assert_eq!(found("#[inline( never )]\nfn a() {}"), [1]);
    }

    #[test]
    fn documentation_is_no_reason() {
        assert_eq!(found("/// What it does.\n#[cold]\nfn a() {}"), [2]);
        assert_eq!(found("//\n#[cold]\nfn a() {}"), [2]);
        assert_eq!(found("let a = 1; // why\n#[cold]\nfn a() {}"), [2]);
    }

    #[test]
    fn a_hint_with_a_reason_is_fine() {
        assert!(found("/// What.\n// Few calls get here.\n#[cold]\nfn a() {}").is_empty());
    }

    #[test]
    fn one_reason_is_enough_for_hints_that_follow_each_other() {
        assert!(found("// Few calls get here.\n#[cold]\n#[inline(never)]\nfn a() {}").is_empty());
        assert_eq!(found("// Tests.\n#[test]\n#[inline(never)]\nfn a() {}"), [3]);
    }

    #[test]
    fn other_attributes_and_sentences_need_none() {
        assert!(found("#[inline]\nfn a() {} // not #[cold]\nlet b = \"#[cold]\";").is_empty());
    }

    fn found(text: &str) -> Vec<usize> {
        lines(check, "crates/core/src/a.rs", text)
    }
}
