//! Answers for those who do not want to click: what is said to every question of a kind.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Given, Question, QuestionKind};

/// What becomes of the questions of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct Rules {
    pub(crate) form: Rule,
    pub(crate) sampling: Rule,
    pub(crate) url: Rule,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Rule {
    /// With defaults, and with the simplest values where there are none.
    Accept,
    #[default]
    Ask,
    Decline,
}

impl Rules {
    /// `None` if the person is to be asked.
    pub(super) fn answer(self, question: &Question) -> Option<Given> {
        let rule = match question.kind {
            QuestionKind::Form => self.form,
            QuestionKind::Sampling => self.sampling,
            QuestionKind::Url => self.url,
        };
        Some(match (rule, question.kind) {
            (Rule::Ask, _) => return None,
            (Rule::Decline, QuestionKind::Sampling) => Given::Refusal,
            (Rule::Decline, _) => Given::Answer(json!({"action": "decline"})),
            (Rule::Accept, QuestionKind::Form) => {
                let content = simplest(&question.params["requestedSchema"]);
                Given::Answer(json!({"action": "accept", "content": content}))
            }
            (Rule::Accept, QuestionKind::Url) => Given::Answer(json!({"action": "accept"})),
            (Rule::Accept, QuestionKind::Sampling) => Given::Answer(json!({
                "role": "assistant", "model": "a rule", "stopReason": "endTurn",
                "content": {"type": "text", "text": "This is an answer by rule."},
            })),
        })
    }
}

/// What a form has before a person fills it in, with all that is required.
fn simplest(schema: &Value) -> Value {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let fields = schema["properties"].as_object().into_iter().flatten();
    let filled = fields.filter_map(|(name, field)| {
        if let Some(default) = field.get("default") {
            return Some((name.clone(), default.clone()));
        }
        required.contains(&json!(name)).then(|| (name.clone(), value(field)))
    });
    Value::Object(filled.collect::<Map<_, _>>())
}

fn value(field: &Value) -> Value {
    let first = ["/enum/0", "/oneOf/0/const", "/anyOf/0/const"];
    if let Some(found) = first.iter().find_map(|path| field.pointer(path)) {
        return found.clone();
    }
    let least = |key: &str| field.get(key).cloned();
    match field["type"].as_str() {
        Some("boolean") => json!(false),
        Some("integer" | "number") => {
            least("minimum").or_else(|| least("maximum")).unwrap_or_else(|| json!(0))
        }
        Some("array") => {
            let count = field["minItems"].as_u64().unwrap_or(0).min(MOST);
            let choices = ["/items/enum", "/items/anyOf", "/items/oneOf"];
            let all = choices.iter().find_map(|path| field.pointer(path)?.as_array());
            let items = all.into_iter().flatten();
            let items = items.map(|it| it.get("const").unwrap_or(it).clone());
            items.take(usize::try_from(count).unwrap_or(0)).collect()
        }
        _ => {
            let text = match field["format"].as_str() {
                Some("email") => "someone@example.com",
                Some("uri") => "https://example.com/",
                Some("date") => "2026-01-01",
                Some("date-time") => "2026-01-01T00:00:00Z",
                _ => "text",
            };
            let missing = field["minLength"].as_u64().unwrap_or(0).min(MOST);
            let missing = usize::try_from(missing).unwrap_or(0).saturating_sub(text.len());
            json!(format!("{text}{}", "x".repeat(missing)))
        }
    }
}

/// Of what a schema may ask for.
const MOST: u64 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_filled_in_as_its_schema_has_it() {
        let schema = json!({"type": "object", "required": ["a", "b", "c", "d", "e", "f"], "properties": {
            "a": {"type": "string", "format": "email"}, "b": {"type": "integer", "minimum": 3},
            "c": {"type": "string", "oneOf": [{"const": "x", "title": "X"}]}, "d": {"type": "boolean"},
            "e": {"type": "array", "minItems": 1, "items": {"type": "string", "enum": ["p", "q"]}},
            "f": {"type": "string", "minLength": 6}, "g": {"type": "number", "default": 7}, "h": {"type": "string"},
        }});
        let filled = simplest(&schema);
        assert_eq!(proofmark_test::schema::violations(&schema, &filled), Vec::<String>::new());
        assert_eq!(filled["g"], 7);
        assert_eq!(filled.get("h"), None);
    }

    #[test]
    fn without_a_rule_the_person_is_asked() {
        let ask = |kind| Question { id: 1, server: 1, kind, params: json!({}), host: None };
        let rules = Rules { form: Rule::Decline, url: Rule::Accept, ..Rules::default() };
        assert!(rules.answer(&ask(QuestionKind::Sampling)).is_none());
        assert!(
            matches!(rules.answer(&ask(QuestionKind::Form)), Some(Given::Answer(it)) if it["action"] == "decline")
        );
        assert!(
            matches!(rules.answer(&ask(QuestionKind::Url)), Some(Given::Answer(it)) if it["action"] == "accept")
        );
    }
}
