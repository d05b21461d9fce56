//! Entries of block mappings as ranges of lines.

use std::ops::Range;

use saphyr::MarkedYaml;

use super::render;
use crate::Value;

/// The place of a scalar, or of what stands between brackets. Markers count characters, and their ends are not exact.
pub(super) fn bytes(text: &str, node: &MarkedYaml<'_>) -> Option<Range<usize>> {
    let mut starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let start = starts.nth(node.span.start.index())?;
    let rest = &text[start..];
    let length = match rest.chars().next()? {
        quote @ ('"' | '\'') => quoted(rest, quote)?,
        '{' | '[' => bracketed(rest)?,
        '|' | '>' | '&' | '*' | '!' => return None,
        _ => {
            let line = rest.split('\n').next().unwrap_or_default();
            line.find(" #").map_or(line, |at| &line[..at]).trim_end().len()
        }
    };
    Some(start..start + length)
}

/// The length of a string between quotes.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' if quote == '"' => _ = characters.next(),
            '\'' if quote == '\'' && characters.next_if(|(_, next)| *next == '\'').is_some() => {}
            _ if character == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The length of what stands between brackets, strings and comments left out of the count.
fn bracketed(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        match character {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            '"' | '\'' if !text[..at].ends_with(char::is_alphanumeric) => {
                at += quoted(&text[at..], character)?;
                continue;
            }
            '#' if text[..at].ends_with([' ', '\n', '\t']) => {
                at += text[at..].find('\n')?;
                continue;
            }
            _ => {}
        }
        at += character.len_utf8();
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Whether it is written between brackets.
pub(super) fn is_flow(text: &str, node: &MarkedYaml<'_>) -> bool {
    bytes(text, node).is_some_and(|range| text[range].starts_with(['{', '[']))
}

/// How far levels are apart in this text: the least indentation of a line.
pub(super) fn step(text: &str) -> usize {
    let indents =
        text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    indents.map(indent).filter(|it| *it > 0).min().filter(|it| *it <= 8).unwrap_or(2)
}

/// The number of the line behind the entry that begins with this key. Comments behind it that are indented like its inside belong to it.
pub(super) fn end_of_entry(text: &str, key: &MarkedYaml<'_>) -> usize {
    let lines: Vec<&str> = text.split('\n').collect();
    let (first, column) = (key.span.start.line() - 1, key.span.start.col());
    let mut end = first + 1;
    for (number, line) in lines.iter().enumerate().skip(first + 1) {
        let inside = indent(line) > column
            || (indent(line) == column && line.trim_start().starts_with("- "));
        if line.trim().is_empty() {
            continue;
        }
        if !inside {
            break;
        }
        end = number + 1;
    }
    end
}

/// Puts an entry between lines.
pub(super) fn insert(text: &str, line: usize, new: &Value, column: usize) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (before, after) = lines.split_at(line.min(lines.len()));
    let before = before.concat();
    let end = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    format!("{before}{end}{}{}", render::block(new, column, step(text)), after.concat())
}

/// Puts an entry at the end.
pub(super) fn append(text: &str, new: &Value, column: usize) -> String {
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}{}", render::block(new, column, step(text)))
}

/// The text without the entry of a key, or with another in its place.
pub(super) fn replace_entry(
    text: &str,
    key: &MarkedYaml<'_>,
    new: Option<&Value>,
    column: usize,
    step: usize,
) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let first = key.span.start.line() - 1;
    // Something before the key, such as the dash of a list, would be lost.
    if lines.get(first)?.chars().take(column).any(|it| it != ' ') {
        return None;
    }
    let end = end_of_entry(text, key).min(lines.len());
    let new = new.map(|value| render::block(value, column, step)).unwrap_or_default();
    Some(format!("{}{new}{}", lines[..first].concat(), lines[end..].concat()))
}

/// Writes `{}` behind the key above a line whose last member is gone: nothing would be null.
pub(super) fn empty_parent(text: &str, line: usize, column: usize) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let above = lines[..(line - 1).min(lines.len())].iter().rposition(|it| {
        !it.trim().is_empty() && !it.trim_start().starts_with('#') && indent(it) < column
    });
    if let Some(at) = above
        && lines[at].trim_end().ends_with(':')
    {
        let parent = format!("{} {{}}", lines[at].trim_end());
        lines[at] = parent;
    }
    lines.join("\n")
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|it| *it == ' ').count()
}
