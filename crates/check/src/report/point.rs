//! Where in a message the reason for a finding is.

use std::{borrow::Cow, collections::BTreeMap, ops::Range};

use proofmark_judge::outcome::Finding;
use proofmark_record::text::plain;
use serde_json::value::RawValue;

/// A part of a line of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// The line's number, from 0.
    pub line: usize,
    /// In characters of the line.
    pub from: usize,
    pub to: usize,
    /// The part's JSON Pointer, if the finding names one.
    pub pointer: Option<String>,
}

/// A line that is short enough, with the reason for the finding in it, and where that is in characters.
pub(super) fn shown(
    arrow: &str,
    bytes: &[u8],
    longest: usize,
    finding: Option<&Finding>,
) -> (String, Option<Point>) {
    let text = String::from_utf8_lossy(bytes);
    let pointer = finding.and_then(pointer_of);
    let reason = match (pointer, finding) {
        (Some(pointer), _) => span_at(&text, pointer),
        (None, Some(finding)) => span_said(&text, &finding.actual),
        (None, None) => None,
    };
    let characters = text.chars().count();
    let before = reason.as_ref().map_or(0, |it| text[..it.start].chars().count());
    // What is long is cut around the reason.
    let skipped = if characters > longest { before.saturating_sub(longest / 4) } else { 0 };
    let mut part: String = text.chars().skip(skipped).take(longest).collect();
    if skipped + longest < characters {
        part.push('…');
    }
    let cut = if skipped > 0 { "…" } else { "" };
    let line = format!("{arrow} {cut}{}", plain(&part));
    let point = reason.map(|it| {
        let width = |text: String| plain(&text).chars().count();
        let length = text[it].chars().count();
        let from =
            width(format!("{arrow} {cut}")) + width(part.chars().take(before - skipped).collect());
        let reach = width(part.chars().skip(before - skipped).take(length).collect());
        Point { line: 0, from, to: from + reach.max(1), pointer: pointer.map(str::to_owned) }
    });
    (line, point)
}

/// What a finding about a member says of its place.
fn pointer_of(finding: &Finding) -> Option<&str> {
    let named = |text: &'_ str| text.rsplit_once(" at /").map(|(before, _)| before.len() + 4);
    [finding.expected.as_str(), finding.actual.as_str()].into_iter().find_map(|text| {
        let pointer = &text[named(text)?..];
        pointer.split(char::is_whitespace).next()
    })
}

/// The member that a JSON Pointer names, or the innermost around it that is there.
fn span_at(text: &str, pointer: &str) -> Option<Range<usize>> {
    let mut inner: &str = serde_json::from_str::<&RawValue>(text).ok()?.get();
    for name in pointer.split('/').skip(1) {
        let name = name.replace("~1", "/").replace("~0", "~");
        let Some(member) = member(inner, &name) else { break };
        inner = member;
    }
    let from = inner.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    (inner.len() < text.trim().len()).then_some(from..from + inner.len())
}

fn member<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    if text.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
        return items.get(name.parse::<usize>().ok()?).map(|it| it.get());
    }
    let members: BTreeMap<Key<'t>, &RawValue> = serde_json::from_str(text).ok()?;
    members.get(&Key(Cow::Borrowed(name))).map(|it| it.get())
}

/// A name of a member, with escapes or without.
#[derive(serde::Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'k>(#[serde(borrow)] Cow<'k, str>);

/// Where the finding's own words, or something that it quotes, stand in the text.
fn span_said(text: &str, actual: &str) -> Option<Range<usize>> {
    let is_json = actual.starts_with(['{', '[']);
    let quoted = actual.split('"').skip(1).step_by(2);
    let quoted = quoted.filter(|it| !is_json && it.len() >= SHORTEST).map(|it| format!("\"{it}\""));
    let whole = Some(actual.to_owned()).filter(|it| it.len() >= SHORTEST);
    let said = whole.into_iter().chain(quoted).find_map(|said| {
        let at = text.find(&said)?;
        Some(at..at + said.len())
    })?;
    // A line that is wrong as a whole needs no mark.
    (said.len() < text.trim().len()).then_some(said)
}

/// What is shorter stands in a message by chance.
const SHORTEST: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_found_by_its_pointer_and_a_missing_one_by_what_is_around_it() {
        let text = r#"{"result": {"a/b": [{"type": "text"}, 7]}}"#;
        let at = |pointer| span_at(text, pointer).map(|it| &text[it]);
        assert_eq!(at("/result/a~1b/1"), Some("7"));
        assert_eq!(at("/result/a~1b/0/text"), Some(r#"{"type": "text"}"#));
        assert_eq!(at("/nothing"), None);
        assert_eq!(span_at("no JSON", "/a"), None);
    }

    #[test]
    fn a_long_line_is_cut_around_the_reason() {
        let text = format!(r#"{{"a": "{}", "b": {{"c": 7}}}}"#, "x".repeat(500));
        let finding = Finding::new("a string at /b/c", "7", None);
        let (line, point) = shown("←", text.as_bytes(), 100, Some(&finding));
        let point = point.unwrap();
        let marked: String = line.chars().skip(point.from).take(point.to - point.from).collect();
        assert_eq!(marked, "7", "{line}");
        assert!(line.starts_with("← …x"), "{line}");
        assert_eq!(point.pointer.as_deref(), Some("/b/c"));
    }

    #[test]
    fn escapes_move_the_mark_along() {
        let text = "{\"a\u{1b}\": \"grüße\", \"b\": \"wrong\"}";
        let finding = Finding::new("a number", "the string \"wrong\"", None);
        let (line, point) = shown("→", text.as_bytes(), 100, Some(&finding));
        let point = point.unwrap();
        let marked: String = line.chars().skip(point.from).take(point.to - point.from).collect();
        assert_eq!(marked, "\"wrong\"", "{line}");
    }

    #[test]
    fn what_is_wrong_as_a_whole_or_not_said_has_no_mark() {
        for actual in ["{\"a\":1}", "{\"abc\":1}", "no answer", ""] {
            let finding = Finding::new("an object", actual, None);
            assert_eq!(shown("←", b"{\"a\":1}", 100, Some(&finding)).1, None, "{actual}");
        }
    }
}
