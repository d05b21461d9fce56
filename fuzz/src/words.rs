//! The operands of a script's line.

pub(crate) struct Words<'a>(std::str::SplitAsciiWhitespace<'a>);

impl<'a> Words<'a> {
    pub(crate) fn of(line: &'a [u8]) -> Self {
        Self(std::str::from_utf8(line).unwrap_or_default().split_ascii_whitespace())
    }

    pub(crate) fn text(&mut self) -> &'a str {
        self.0.next().unwrap_or_default()
    }

    /// Zero where there is no number.
    pub(crate) fn number(&mut self) -> usize {
        self.text().parse::<u32>().map_or(0, |number| number as usize)
    }
}
