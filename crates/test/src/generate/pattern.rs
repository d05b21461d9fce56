//! Text that a regular expression matches.

use regex_syntax::{
    ParserBuilder,
    hir::{Class, Hir, HirKind},
};

/// Texts of different lengths that the pattern matches, as far as it is understood; the shortest first.
pub(super) fn samples(pattern: &str) -> Vec<String> {
    let parsed = ParserBuilder::new().nest_limit(64).build().parse(pattern);
    let Ok(hir) = parsed else { return Vec::new() };
    let mut all: Vec<String> = Vec::new();
    for more in [0, 1, 2, 3, 5, 8, 12, 20, 40] {
        let mut text = String::new();
        if write(&hir, more, &mut text).is_some() && text.len() <= MOST && !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// `more` is how often something is repeated beyond what it has to be, and which alternative is taken.
fn write(hir: &Hir, more: u32, text: &mut String) -> Option<()> {
    if text.len() > MOST {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => text.push(one_of(class)?),
        HirKind::Repetition(repetition) => {
            let times = repetition.min.saturating_add(more).min(repetition.max.unwrap_or(u32::MAX));
            for _ in 0..times {
                write(&repetition.sub, more, text)?;
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, more, text)?,
        HirKind::Concat(parts) => {
            for part in parts {
                write(part, more, text)?;
            }
        }
        HirKind::Alternation(parts) => {
            let chosen = usize::try_from(more).unwrap_or_default() % parts.len().max(1);
            write(parts.get(chosen)?, more, text)?;
        }
    }
    Some(())
}

/// A letter that people can read, if there is one.
fn one_of(class: &Class) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => {
            class.ranges().iter().map(|range| (range.start(), range.end())).collect()
        }
        Class::Bytes(class) => class
            .ranges()
            .iter()
            .map(|range| (char::from(range.start()), char::from(range.end())))
            .collect(),
    };
    let inside =
        |wanted: char| ranges.iter().any(|(first, last)| (*first..=*last).contains(&wanted));
    let readable = ('a'..='z').chain('0'..='9').chain('A'..='Z').chain("_-. /:@".chars());
    readable.into_iter().find(|it| inside(*it)).or_else(|| {
        let printable = ranges.iter().find(|(first, _)| *first > ' ');
        printable.or_else(|| ranges.first()).map(|(first, _)| *first)
    })
}

const MOST: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_match_their_patterns() {
        for pattern in [
            "^a+$",
            "^[A-Z]{2}-\\d{4}$",
            "^(foo|bar)?baz$",
            "^\\w+@\\w+\\.com$",
            "^[^\\s]+$",
            "x",
            "",
            "^$",
            "^\\p{Lu}\\p{Ll}*$",
            "^https?://",
            "^(a(b(c)?)?)?$",
            "\\bword\\b",
            "^.{3,5}$",
            "^[0-9a-f]{8}(-[0-9a-f]{4}){3}$",
        ] {
            let regex = regex::Regex::new(pattern).unwrap();
            let samples = samples(pattern);
            assert!(samples.iter().any(|it| regex.is_match(it)), "{pattern}: {samples:?}");
        }
    }

    #[test]
    fn what_is_not_understood_or_explodes_has_no_samples() {
        assert!(samples("(?=a)b").is_empty());
        assert!(samples("(").is_empty());
        assert!(samples("((a{1000}){1000}){1000}").is_empty());
    }
}
