//! A form, field by field, in a terminal.

use std::fmt::Write;

use proofmark_check::record::text::Untrusted;
use proofmark_sdk::core::types::{ElicitContent, ElicitFormParams, ElicitResult, ElicitValue};
use serde_json::Value;

/// Asks for every field until it fits. An empty line takes the default, or leaves out what may be left out; `!` declines.
pub(super) fn fill(
    form: &ElicitFormParams,
    ask: &mut dyn FnMut(&str) -> Option<String>,
) -> ElicitResult {
    let schema = &form.requested_schema;
    let mut content = ElicitContent::new();
    let mut head = format!(
        "The server asks: {}\n(an empty line leaves a field as it is, ! declines)\n",
        Untrusted(&form.message)
    );
    for (name, field) in schema.properties.iter() {
        let described = serde_json::to_value(field).unwrap_or_default();
        let choices = choices(&described);
        loop {
            let question = format!("{head}{}", question(name, &described, &choices));
            let Some(line) = ask(&question) else { return ElicitResult::cancel() };
            head.clear();
            if line.trim() == "!" {
                return ElicitResult::decline();
            }
            let mut tried = content.clone();
            if !line.is_empty() {
                match value(&line, &described, &choices) {
                    Ok(value) => drop(tried.insert(name.to_owned(), value)),
                    Err(why) => {
                        head = format!("  {why}\n");
                        continue;
                    }
                }
            }
            let mut filled = tried.clone();
            schema.fill_defaults(&mut filled);
            let breaches = schema.breaches(&filled);
            let Some(breach) = breaches.iter().find(|breach| breach.property == name) else {
                content = tried;
                break;
            };
            head = format!("  {}\n", Untrusted(&breach.fault.to_string()));
        }
    }
    schema.fill_defaults(&mut content);
    ElicitResult::accept(content)
}

/// A value to choose, and how it is shown.
struct Choice {
    value: String,
    title: Option<String>,
}

fn choices(field: &Value) -> Vec<Choice> {
    let field = field.get("items").unwrap_or(field);
    let titled = field.get("oneOf").or_else(|| field.get("anyOf")).and_then(Value::as_array);
    if let Some(titled) = titled {
        let choice = |it: &Value| {
            let title = it["title"].as_str().map(str::to_owned);
            Some(Choice { value: it["const"].as_str()?.to_owned(), title })
        };
        return titled.iter().filter_map(choice).collect();
    }
    let values = field["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let title = |at: usize| field["enumNames"][at].as_str().map(str::to_owned);
    let choice = |(at, value): (usize, &str)| Choice { value: value.to_owned(), title: title(at) };
    values.enumerate().map(choice).collect()
}

fn question(name: &str, field: &Value, choices: &[Choice]) -> String {
    let title = field["title"].as_str().unwrap_or(name);
    let mut text = format!("{}", Untrusted(title));
    if let Some(description) = field["description"].as_str() {
        let _ = write!(text, " ({})", Untrusted(description));
    }
    for (number, Choice { value, title }) in choices.iter().enumerate() {
        let title = title.as_deref().unwrap_or(value);
        let _ = write!(text, "\n  {} {}", number + 1, Untrusted(title));
    }
    if !choices.is_empty() {
        text.push('\n');
    }
    let hint = match field["type"].as_str() {
        Some("boolean") => " [y/n]",
        Some("array") => " [several, with commas]",
        Some("integer") => " [a whole number]",
        Some("number") => " [a number]",
        _ => "",
    };
    text.push_str(hint);
    if let Some(default) = field.get("default") {
        let shown = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
        let _ = write!(text, " [{}]", Untrusted(&shown));
    }
    text.push_str(": ");
    text
}

/// What was typed, as the field's type has it.
fn value(line: &str, field: &Value, choices: &[Choice]) -> Result<ElicitValue, String> {
    let chosen = |text: &str| {
        let number: Option<usize> = text.parse().ok();
        let by_number = number.and_then(|it| choices.get(it.checked_sub(1)?));
        let by_value =
            choices.iter().find(|it| it.value == text || it.title.as_deref() == Some(text));
        by_value.or(by_number).map_or_else(|| text.to_owned(), |it| it.value.clone())
    };
    Ok(match field["type"].as_str() {
        Some("array") => {
            let items = line.split(',').map(str::trim).filter(|it| !it.is_empty());
            ElicitValue::Strings(items.map(chosen).collect())
        }
        Some("boolean") => match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" | "true" => ElicitValue::Boolean(true),
            "n" | "no" | "false" => ElicitValue::Boolean(false),
            _ => return Err("y or n is wanted".to_owned()),
        },
        Some("integer" | "number") => {
            ElicitValue::Number(line.trim().parse().map_err(|_| "a number is wanted".to_owned())?)
        }
        _ if !choices.is_empty() => ElicitValue::String(chosen(line.trim())),
        _ => ElicitValue::String(line.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use proofmark_sdk::core::types::ElicitAction;
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_asked_until_they_fit() {
        let (result, asked) = filled(&["", "Ada", "old", "200", "36", "y", "2", "1, green", ""]);
        assert_eq!(result.action, ElicitAction::Accept);
        let content = serde_json::to_value(result.content).unwrap();
        let expected = json!({
            "name": "Ada", "age": 36, "sure": true, "size": "m", "colours": ["red", "green"], "note": "none",
        });
        assert_eq!(content, expected);
        assert!(asked.contains("a number is wanted"), "{asked}");
        assert!(asked.contains("  2 Medium"), "{asked}");
    }

    #[test]
    fn a_person_may_decline_and_go_away() {
        assert_eq!(filled(&["Ada", "!"]).0.action, ElicitAction::Decline);
        assert_eq!(filled(&["Ada"]).0.action, ElicitAction::Cancel);
    }

    /// What comes of these lines, and all that was asked.
    fn filled(lines: &[&str]) -> (ElicitResult, String) {
        // As text, because the order of the fields matters.
        let form = r#"{ "message": "Who?\u001b[31m", "requestedSchema": {
            "type": "object",
            "properties": {
                "name": { "type": "string", "minLength": 2 },
                "age": { "type": "integer", "maximum": 150 },
                "sure": { "type": "boolean" },
                "size": { "type": "string", "oneOf": [{ "const": "s", "title": "Small" }, { "const": "m", "title": "Medium" }] },
                "colours": { "type": "array", "items": { "type": "string", "enum": ["red", "green"] } },
                "note": { "type": "string", "default": "none" }
            },
            "required": ["name", "age", "sure", "size"]
        } }"#;
        let form: ElicitFormParams = serde_json::from_str(form).unwrap();
        let (mut lines, mut asked) = (lines.iter(), String::new());
        let result = fill(&form, &mut |question| {
            asked.push_str(question);
            lines.next().map(|line| (*line).to_owned())
        });
        assert!(!asked.contains('\u{1b}'), "{asked}");
        (result, asked)
    }
}
