//! A note that something is left to do says who is asked to do it.

use super::Finding;
use super::file::File;
use super::scan::{line_at, words};

pub(super) fn check(file: &File) -> Vec<Finding> {
    if LOCK_FILES.contains(&file.name()) {
        return Vec::new();
    }
    MARKS
        .iter()
        .flat_map(|mark| words(&file.text, mark).map(move |at| (at, mark)))
        .filter(|(at, mark)| !has_name(&file.text[at + mark.len()..]))
        .map(|(at, mark)| Finding {
            line: line_at(&file.text, at),
            reason: format!("{mark} without a name: write {mark}(name)"),
        })
        .collect()
}

fn has_name(after: &str) -> bool {
    let name = after.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    name.is_some_and(|(name, _)| {
        name.starts_with(char::is_alphabetic)
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' '))
    })
}

/// In two halves each, so that this file does not complain about itself.
const MARKS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

/// Their checksums may spell anything.
const LOCK_FILES: [&str; 3] = ["Cargo.lock", "package-lock.json", "npm-shrinkwrap.json"];

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;

    #[test]
    fn a_note_without_a_name_is_refused() {
        for mark in MARKS {
            assert_eq!(found(&format!("a\n// {mark}: later")), [2]);
            assert_eq!(found(&format!("// {mark}() later")), [1]);
            assert_eq!(found(&format!("// {mark}(#12) later")), [1]);
            assert_eq!(found(&format!("// {mark}(ada")), [1]);
        }
    }

    #[test]
    fn a_note_with_a_name_is_fine() {
        for mark in MARKS {
            assert!(found(&format!("// {mark}(ada): later")).is_empty());
        }
    }

    #[test]
    fn the_letters_inside_another_word_are_fine() {
        assert!(found(&format!("let {}_LIST = 1;", MARKS[0])).is_empty());
    }

    #[test]
    fn lock_files_are_not_read() {
        assert!(lines(check, "interop/package-lock.json", MARKS[0]).is_empty());
    }

    fn found(text: &str) -> Vec<usize> {
        lines(check, "interop/peer.ts", text)
    }
}
