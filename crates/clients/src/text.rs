//! What a text file has besides its text: a byte order mark, and how its lines end.

/// A file's text with `\n` at the end of lines, and how to get back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) plain: String,
    mark: bool,
    lines: Lines,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lines {
    /// All end in `\r\n`.
    Crlf,
    /// All end in `\n`, or both kinds are there and none is touched.
    AsTheyAre,
}

impl Text {
    pub(crate) fn read(whole: &str) -> Self {
        let (mark, text) = match whole.strip_prefix(MARK) {
            Some(text) => (true, text),
            None => (false, whole),
        };
        let ends = text.matches('\n').count();
        let all_crlf =
            ends > 0 && text.matches("\r\n").count() == ends && text.matches('\r').count() == ends;
        let lines = if all_crlf { Lines::Crlf } else { Lines::AsTheyAre };
        let plain = if all_crlf { text.replace("\r\n", "\n") } else { text.to_owned() };
        Self { plain, mark, lines }
    }

    /// Another text in the same form.
    pub(crate) fn write(&self, plain: &str) -> String {
        let text = match self.lines {
            Lines::Crlf => plain.replace('\n', "\r\n"),
            Lines::AsTheyAre => plain.to_owned(),
        };
        if self.mark { format!("{MARK}{text}") } else { text }
    }
}

const MARK: char = '\u{feff}';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_and_writing_changes_nothing() {
        for text in ["", "a", "a\n", "a\r\nb\r\n", "\u{feff}a\r\n", "a\r\nb\n", "a\rb\r\n"] {
            let read = Text::read(text);
            assert_eq!(read.write(&read.plain), text, "{text:?}");
        }
    }

    #[test]
    fn new_lines_end_as_the_others() {
        assert_eq!(Text::read("\u{feff}a\r\n").write("a\nb\n"), "\u{feff}a\r\nb\r\n");
        assert_eq!(Text::read("a\n").write("a\nb\n"), "a\nb\n");
    }
}
