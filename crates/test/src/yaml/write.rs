//! Values as YAML that people like to read: blocks, and no quotes where none are needed.

use std::fmt::Write;

use serde_json::Value;

/// The value as a document, with a line break at the end.
pub fn write(value: &Value) -> String {
    let mut text = String::new();
    match value {
        Value::Object(members) if !members.is_empty() => block(&mut text, value, 0),
        Value::Array(items) if !items.is_empty() => block(&mut text, value, 0),
        _ => {
            inline(&mut text, value, 0);
            text.push('\n');
        }
    }
    text
}

fn block(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let _ = write!(text, "{:indent$}{}:", "", key(name));
                after_key(text, value, indent);
            }
        }
        Value::Array(items) => {
            for item in items {
                let _ = write!(text, "{:indent$}-", "");
                after_dash(text, item, indent);
            }
        }
        other => inline(text, other, indent),
    }
}

fn after_key(text: &mut String, value: &Value, indent: usize) {
    match value {
        _ if is_short(value) => {
            text.push(' ');
            flow(text, value);
            text.push('\n');
        }
        Value::Object(members) if !members.is_empty() => {
            text.push('\n');
            block(text, value, indent + 2);
        }
        Value::Array(items) if !items.is_empty() => {
            text.push('\n');
            block(text, value, indent + 2);
        }
        other => {
            text.push(' ');
            inline(text, other, indent + 2);
            text.push('\n');
        }
    }
}

/// The first member of a mapping stands beside the dash.
fn after_dash(text: &mut String, value: &Value, indent: usize) {
    match value {
        _ if is_short(value) => {
            text.push(' ');
            flow(text, value);
            text.push('\n');
        }
        Value::Object(members) if !members.is_empty() => {
            for (number, (name, value)) in members.iter().enumerate() {
                let width = if number == 0 { 1 } else { indent + 2 };
                let _ = write!(text, "{:width$}{}:", "", key(name));
                after_key(text, value, indent + 2);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            text.push('\n');
            block(text, value, indent + 2);
        }
        other => {
            text.push(' ');
            inline(text, other, indent + 2);
            text.push('\n');
        }
    }
}

/// Lists and mappings of a few plain values fit on a line.
fn is_short(value: &Value) -> bool {
    let plain = |value: &Value| match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::String(text) => text.len() <= 40 && !text.contains('\n'),
        _ => true,
    };
    let fits = match value {
        Value::Array(items) => !items.is_empty() && items.iter().all(plain),
        _ => false,
    };
    if !fits {
        return false;
    }
    let mut line = String::new();
    flow(&mut line, value);
    line.len() <= 80
}

fn flow(text: &mut String, value: &Value) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (number, item) in items.iter().enumerate() {
                if number > 0 {
                    text.push_str(", ");
                }
                flow(text, item);
            }
            text.push(']');
        }
        Value::String(content) => text.push_str(&scalar(content, Context::Flow)),
        other => inline(text, other, 0),
    }
}

fn inline(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::String(content) if fits_a_block(content) && indent > 0 => {
            text.push_str(if content.ends_with('\n') { "|" } else { "|-" });
            for line in content.strip_suffix('\n').unwrap_or(content).split('\n') {
                text.push('\n');
                if !line.is_empty() {
                    let _ = write!(text, "{:indent$}{line}", "");
                }
            }
        }
        Value::String(content) => text.push_str(&scalar(content, Context::Block)),
        Value::Array(items) if items.is_empty() => text.push_str("[]"),
        Value::Object(members) if members.is_empty() => text.push_str("{}"),
        other => text.push_str(&other.to_string()),
    }
}

/// Whether a text of several lines reads better as it is, and comes back the same.
fn fits_a_block(text: &str) -> bool {
    let lines = || text.strip_suffix('\n').unwrap_or(text).split('\n');
    text.contains('\n')
        && lines().count() > 1
        && !text.ends_with("\n\n")
        && !text.starts_with([' ', '\t', '\n'])
        && lines().all(|line| !line.ends_with([' ', '\t']))
        && !text.chars().any(|it| is_special(it) && it != '\n')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Block,
    Flow,
}

fn key(name: &str) -> String {
    scalar(name, Context::Flow)
}

fn scalar(text: &str, context: Context) -> String {
    if is_plain(text, context) { text.to_owned() } else { quoted(text) }
}

/// Whether a text can stand without quotes and is still a text, to YAML 1.1 as well.
fn is_plain(text: &str, context: Context) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let lower = text.to_ascii_lowercase();
    let taken = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let begins = first.is_alphabetic() || matches!(first, '/' | '_');
    let inside = |it: char| {
        it.is_alphanumeric()
            || " _-./@+=()%".contains(it)
            || (context == Context::Block && "{}[],\"'<>;?*&!|$^\\".contains(it))
            || it == ':'
    };
    begins
        && text.chars().all(|it| inside(it) && !is_special(it))
        && !taken.contains(&lower.as_str())
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && (context == Context::Block || !text.contains(':'))
        && !text.starts_with(".inf")
        && !text.contains("{{")
}

/// A JSON string is a YAML string; what cannot be seen is escaped.
fn quoted(text: &str) -> String {
    let json = Value::String(text.to_owned()).to_string();
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if is_special(character) {
            let _ = write!(out, "\\U{:08X}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
}

/// What YAML does not take as it is, and what a person cannot see.
fn is_special(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' | '\u{a0}'
        )
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_reads_well() {
        let value = json!({
            "content": [{"text": "one\ntwo\n", "type": "text"}],
            "empty": {}, "list": [1, "x y", true], "text": "no", "url": "https://example.com/a?b=c",
        });
        let expected = "content:\n  - text: |\n      one\n      two\n    type: text\nempty: {}\nlist: [1, x y, true]\n\
                        text: \"no\"\nurl: https://example.com/a?b=c\n";
        assert_eq!(write(&value), expected);
    }

    #[test]
    fn what_is_written_comes_back() {
        let texts = [
            "",
            " ",
            "a",
            "a\n",
            "a\n\n",
            "\na",
            "a\nb",
            "a\n b\n",
            " a\nb",
            "a \nb",
            "true",
            "1",
            "-1",
            "1.5",
            "~",
            "null",
            "a: b",
            "a #b",
            "#a",
            "- a",
            "[a]",
            "{a}",
            "{{a}}",
            "${a}",
            "'a'",
            "\"a\"",
            "a\tb",
            "a\r\nb",
            "\u{1F600}",
            "\u{2028}",
            "\u{feff}",
            "\u{0}",
            "\u{85}",
            "a:",
            "a:b",
            "2001-01-01",
            "0x10",
            "0o7",
            "1e3",
            ".inf",
            ".nan",
            "=",
            "<<",
            "*a",
            "&a",
            "!a",
            "|",
            ">",
            "%a",
            "@a",
            "`a",
            "a,b",
            "a]b",
            "a}b",
            "---",
            "...",
            "?",
            "? a",
            "\\",
            "\\{{",
            "é",
            "日本",
            "\u{a0}",
            "\u{7f}",
            "a\u{200b}b",
            "one\n\ntwo",
        ];
        for text in texts {
            for value in [
                json!(text),
                json!({text: text}),
                json!([text, [text], {"k": text}]),
                json!({"k": {"l": [[text], {text: [text, {}]}]}}),
                json!([[], {}, [[]], null, 1.5, -3]),
                json!({"a": [{"b": text, "c": {"d": text}}]}),
            ] {
                let written = write(&value);
                let back = super::super::read(&written)
                    .unwrap_or_else(|why| panic!("{why:?} in\n{written}"));
                assert_eq!(back.value(), value, "{written}");
            }
        }
    }
}
