//! The operands of a script's line.

pub(super) struct Words<'a>(std::str::SplitAsciiWhitespace<'a>);

impl<'a> Words<'a> {
    pub(super) fn of(line: &'a [u8]) -> Self {
        Self(std::str::from_utf8(line).unwrap_or_default().split_ascii_whitespace())
    }

    pub(super) fn text(&mut self) -> &'a str {
        self.0.next().unwrap_or_default()
    }

    /// Zero where there is no number.
    pub(super) fn number(&mut self) -> usize {
        self.text().parse::<u32>().map_or(0, |number| number as usize)
    }
}
