//! Other ways to write the same JSON.

use std::fmt::Write as _;

use serde_json::Value;

/// With the members of every object in the opposite order.
pub(super) fn reversed(value: &Value) -> String {
    write_value(value, &Style { reversed: true, ..Style::default() })
}

/// With space wherever it is allowed, but no newline.
pub(super) fn spaced(value: &Value) -> String {
    write_value(value, &Style { space: " \t ", ..Style::default() })
}

/// With escapes in place of letters.
pub(super) fn escaped(value: &Value) -> String {
    write_value(value, &Style { escapes: true, ..Style::default() })
}

#[derive(Default)]
struct Style {
    reversed: bool,
    escapes: bool,
    space: &'static str,
}

fn write_value(value: &Value, style: &Style) -> String {
    let space = style.space;
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|it| write_value(it, style)).collect();
            format!("[{space}{}{space}]", items.join(&format!("{space},{space}")))
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members
                .iter()
                .map(|(name, it)| {
                    format!("{}{space}:{space}{}", string(name, style), write_value(it, style))
                })
                .collect();
            if style.reversed {
                members.reverse();
            }
            format!("{{{space}{}{space}}}", members.join(&format!("{space},{space}")))
        }
        Value::String(text) => string(text, style),
        other => other.to_string(),
    }
}

/// Every third letter escaped, so that no word is written as usual.
fn string(text: &str, style: &Style) -> String {
    if !style.escapes {
        return Value::from(text).to_string();
    }
    let mut written = String::from("\"");
    for (index, letter) in text.chars().enumerate() {
        if letter == '/' {
            written.push_str("\\/");
        } else if index % 3 == 0 || letter.is_control() || letter == '"' || letter == '\\' {
            let mut units = [0; 2];
            for unit in letter.encode_utf16(&mut units) {
                let _ = write!(written, "\\u{unit:04x}");
            }
        } else {
            written.push(letter);
        }
    }
    written.push('"');
    written
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whatever_the_way_it_is_written_it_is_the_same_json() {
        let value =
            json!({ "a/b": ["x\"\\\n", 1.5, null, true, {}, []], "ü😀": { "b": "a", "a": -1 } });
        for text in [reversed(&value), spaced(&value), escaped(&value)] {
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value, "{text}");
            assert_ne!(text, value.to_string());
            assert!(!text.contains('\n'));
        }
    }
}
