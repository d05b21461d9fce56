//! A comment names the thing it is about: the client, the store, the caller.

use super::Finding;
use super::file::File;
use super::scan::{line_at, words};

pub(super) fn check(file: &File) -> Vec<Finding> {
    if !file.path.starts_with("crates/") || !file.is_in_folder("src") {
        return Vec::new();
    }
    let comments = file.comments.to_lowercase();
    VAGUE
        .iter()
        .flat_map(|vague| words(&comments, vague).map(move |at| (at, vague)))
        .map(|(at, vague)| Finding {
            line: line_at(&comments, at),
            reason: format!(
                "`{vague}` in a comment: name the thing, such as the client or the caller"
            ),
        })
        .collect()
}

const VAGUE: [&str; 6] = ["whoever", "somebody", "nobody", "everybody", "anybody", "anyone"];

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;

    #[test]
    fn every_vague_word_is_refused_in_every_kind_of_comment() {
        for vague in VAGUE {
            let text =
                format!("//! {vague}\n/// a {vague}'s b\n// c {vague}.\nlet a = 1; // {vague}");
            assert_eq!(found(&text), [1, 2, 3, 4]);
        }
    }

    #[test]
    fn a_word_at_the_beginning_of_a_sentence_is_refused() {
        assert_eq!(found("// Nobody listens."), [1]);
    }

    #[test]
    fn code_and_literals_may_say_anything() {
        assert!(found("let nobody = \"// somebody\"; // the caller").is_empty());
    }

    #[test]
    fn only_sources_of_crates_are_read() {
        assert!(lines(check, "crates/core/tests/a.rs", "// nobody").is_empty());
        assert!(lines(check, "xtask/src/a.rs", "// nobody").is_empty());
    }

    fn found(text: &str) -> Vec<usize> {
        lines(check, "crates/core/src/a.rs", text)
    }
}
