//! A command line that is being typed, cut into words as a shell does.

use std::ffi::OsString;

/// What stands at the cursor while the line is read.
pub(super) const CURSOR: &str = "proofmark-cursor";

/// The words behind the program's name, with the one at the cursor set apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    before: Vec<String>,
    after: Vec<String>,
    /// What is there of the word at the cursor.
    pub(super) typed: String,
}

impl Line {
    pub(super) fn split(before: &str, after: &str) -> Self {
        let (mut before, last) = words(before);
        let (mut after, end) = words(after);
        // What touches the cursor from behind belongs to its word, which is typed anew.
        if !after.is_empty() {
            after.remove(0);
            after.push(end);
        }
        if !before.is_empty() {
            before.remove(0);
        }
        Self { before, after, typed: last }
    }

    /// Command lines with a mark at the cursor: as a word, and as a pair. None where an option is typed.
    pub(super) fn lines(&self) -> Vec<Vec<OsString>> {
        if self.typed.starts_with('-') {
            return Vec::new();
        }
        let lines = [CURSOR.to_owned(), format!("{CURSOR}=x")].map(|mark| {
            let after = self.after.iter().filter(|word| !word.is_empty());
            let words = self.before.iter().chain([&mark]).chain(after);
            words.map(OsString::from).collect()
        });
        lines.into()
    }
}

/// Whole words, and the one that the text ends with, which may be empty.
fn words(text: &str) -> (Vec<String>, String) {
    let (mut words, mut word, mut quote, mut open) = (Vec::new(), String::new(), None, false);
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(end), it) if it == end => quote = None,
            (None, '\'' | '"') => (quote, open) = (Some(character), true),
            (None | Some('"'), '\\') => word.extend(characters.next()),
            (None, it) if it.is_whitespace() => {
                if open || !word.is_empty() || words.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            (_, it) => word.push(it),
        }
    }
    (words, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        let cut = |text| words(text);
        let expected = ["proofmark", "call", "a b", "c\"d", ""].map(str::to_owned).to_vec();
        assert_eq!(cut("proofmark call 'a b' \"c\\\"d\"  '' e\\ f"), (expected, "e f".to_owned()));
    }

    #[test]
    fn the_word_at_the_cursor_is_typed_anew() {
        let line = Line::split("proofmark call te", "xt a=1 -- my-server");
        assert_eq!(line.typed, "te");
        let expected: Vec<OsString> =
            ["call", CURSOR, "a=1", "--", "my-server"].map(Into::into).to_vec();
        assert_eq!(line.lines()[0], expected);
        assert_eq!(Line::split("proofmark call ", "").lines()[0].len(), 2);
    }
}
