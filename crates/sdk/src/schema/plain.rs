//! The common keywords of JSON Schema, for servers that want to be small.
//!
//! What it knows it judges like the validator of the feature `json-schema`; a schema with anything else is refused when it is compiled.

mod all;

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::{
    Plan, SchemaError, SchemaLimits,
    admission::Draft,
    violation::{Cause, Violation, kind_of, names, quote, shorten},
};

pub(super) struct Validator {
    document: Value,
    draft: Draft,
}

impl Validator {
    pub(super) fn build(
        document: &Value,
        plan: &Plan,
        _: &SchemaLimits,
    ) -> Result<Self, SchemaError> {
        known(document, "")?;
        Ok(Self { document: document.clone(), draft: plan.draft })
    }

    pub(super) fn is_valid(&self, instance: &Value) -> bool {
        self.check(&self.document, instance, "").is_ok()
    }

    /// What is wrong with a value that is not valid.
    pub(super) fn explain(&self, instance: &Value) -> Violation {
        self.check(&self.document, instance, "").err().unwrap_or_else(Violation::unexplained)
    }

    fn check(&self, schema: &Value, instance: &Value, path: &str) -> Result<(), Violation> {
        let keywords = match schema {
            Value::Object(keywords) => keywords,
            Value::Bool(false) => {
                return refuse(path, "false", "expected no value here".to_owned());
            }
            _ => return Ok(()),
        };
        for (keyword, value) in keywords {
            self.apply(keyword, value, instance, path)?;
        }
        match instance {
            Value::Object(members) => self.check_members(keywords, members, path),
            Value::Array(items) => {
                let Some(schema) = keywords.get("items") else { return Ok(()) };
                items
                    .iter()
                    .enumerate()
                    .try_for_each(|(at, item)| self.check(schema, item, &format!("{path}/{at}")))
            }
            _ => Ok(()),
        }
    }

    fn check_members(
        &self,
        keywords: &Map<String, Value>,
        members: &Map<String, Value>,
        path: &str,
    ) -> Result<(), Violation> {
        let properties = keywords.get("properties").and_then(Value::as_object);
        let further = keywords.get("additionalProperties");
        let mut unexpected = Vec::new();
        for (name, member) in members {
            let named = properties.and_then(|properties| properties.get(name));
            match named.or(further) {
                Some(Value::Bool(false)) if named.is_none() => unexpected.push(name.clone()),
                Some(schema) => self.check(schema, member, &below(path, name))?,
                None => {}
            }
        }
        if unexpected.is_empty() {
            return Ok(());
        }
        let message = format!("expected no further property, got {}", names(&unexpected));
        refuse(path, "additionalProperties", message)
    }

    /// The keywords that look at a value as a whole.
    fn apply(
        &self,
        keyword: &str,
        value: &Value,
        instance: &Value,
        path: &str,
    ) -> Result<(), Violation> {
        let fits = |schema: &&Value| self.check(schema, instance, path).is_ok();
        let message = match (keyword, value, instance) {
            ("type", Value::String(kind), _) if !self.is(instance, kind) => {
                format!("expected {kind}, got {}", kind_of(instance))
            }
            ("type", Value::Array(kinds), _)
                if !kinds.iter().filter_map(Value::as_str).any(|kind| self.is(instance, kind)) =>
            {
                let mut kinds: Vec<_> = kinds.iter().filter_map(Value::as_str).collect();
                kinds.sort_unstable();
                format!("expected {}, got {}", kinds.join(" or "), kind_of(instance))
            }
            ("enum", Value::Array(options), _) if !options.iter().any(|it| same(it, instance)) => {
                format!("expected one of {}, got {}", quote(value), quote(instance))
            }
            ("const", _, _) if !same(value, instance) => {
                format!("expected {}, got {}", quote(value), quote(instance))
            }
            ("required", Value::Array(required), Value::Object(members)) => {
                let absent =
                    |name: &&Value| name.as_str().is_some_and(|name| !members.contains_key(name));
                match required.iter().find(absent) {
                    Some(name) => format!("expected a property {}", quote(name)),
                    None => return Ok(()),
                }
            }
            (_, Value::Number(limit), _) => match out_of_range(keyword, limit, instance) {
                Some(message) => message,
                None => return Ok(()),
            },
            ("allOf", Value::Array(all), _) => {
                return all.iter().try_for_each(|schema| self.check(schema, instance, path));
            }
            ("anyOf", Value::Array(any), _) if !any.iter().any(|schema| fits(&schema)) => {
                format!("expected a match with one of several schemas, got {}", quote(instance))
            }
            ("oneOf", Value::Array(one), _) => match one.iter().filter(fits).count() {
                1 => return Ok(()),
                0 => format!(
                    "expected a match with exactly one of several schemas, got {}",
                    quote(instance)
                ),
                _ => "expected a match with exactly one of several schemas, got several".to_owned(),
            },
            ("$ref", Value::String(reference), _) => {
                let target = reference.strip_prefix('#').and_then(|at| self.document.pointer(at));
                // It was resolved when the schema was compiled.
                return target.map_or(Ok(()), |schema| self.check(schema, instance, path));
            }
            _ => return Ok(()),
        };
        refuse(path, keyword, message)
    }

    fn is(&self, instance: &Value, kind: &str) -> bool {
        match (kind, instance) {
            ("number", Value::Number(_)) => true,
            ("integer", Value::Number(number)) if self.draft != Draft::Draft4 => {
                number.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            _ => kind == kind_of(instance),
        }
    }
}

/// Refuses a schema that says something which is not known here.
fn known(schema: &Value, place: &str) -> Result<(), SchemaError> {
    let keywords = match schema {
        Value::Object(keywords) => keywords,
        Value::Bool(_) => return Ok(()),
        _ => return Err(invalid(place, "expected a schema")),
    };
    for (keyword, value) in keywords {
        let place = below(place, keyword);
        let right = match (keyword.as_str(), value) {
            ("properties" | "$defs" | "definitions", Value::Object(schemas)) => {
                schemas.iter().try_for_each(|(name, it)| known(it, &below(&place, name)))?;
                true
            }
            ("items" | "additionalProperties", Value::Object(_) | Value::Bool(_)) => {
                known(value, &place)?;
                true
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                let numbered = schemas.iter().enumerate();
                numbered
                    .into_iter()
                    .try_for_each(|(at, it)| known(it, &format!("{place}/{at}")))?;
                !schemas.is_empty()
            }
            ("type", Value::String(kind)) => KINDS.contains(&kind.as_str()),
            ("type", Value::Array(kinds)) => {
                let is_kind =
                    |kind: &Value| kind.as_str().is_some_and(|kind| KINDS.contains(&kind));
                !kinds.is_empty() && kinds.iter().all(is_kind)
            }
            ("required", Value::Array(names)) => names.iter().all(Value::is_string),
            ("enum", Value::Array(_)) | ("const" | "default" | "examples" | "format", _) => true,
            ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", value) => {
                value.is_number()
            }
            (
                "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
                | "maxProperties",
                value,
            ) => value.is_u64(),
            ("$ref", Value::String(reference)) => {
                if !reference.starts_with('#') || reference.contains('%') {
                    return Err(SchemaError::Unsupported(shorten(reference)));
                }
                true
            }
            ("$schema" | "$comment" | "title" | "description", value) => value.is_string(),
            ("deprecated" | "readOnly" | "writeOnly", value) => value.is_boolean(),
            ("properties" | "items" | "additionalProperties" | "type" | "required" | "enum", _) => {
                false
            }
            // Every other keyword that begins like this is for tools to add.
            (other, _) if other.starts_with("x-") => true,
            (other, _) => return Err(SchemaError::Unsupported(shorten(other))),
        };
        if !right {
            return Err(invalid(&place, "not a value that the keyword can have"));
        }
    }
    Ok(())
}

fn out_of_range(keyword: &str, limit: &Number, instance: &Value) -> Option<String> {
    let size = match instance {
        Value::Number(number) => {
            let order = number.as_f64()?.partial_cmp(&limit.as_f64()?)?;
            let (wrong, expected) = match keyword {
                "minimum" => (order == Ordering::Less, "at least"),
                "maximum" => (order == Ordering::Greater, "at most"),
                "exclusiveMinimum" => (order != Ordering::Greater, "more than"),
                "exclusiveMaximum" => (order != Ordering::Less, "less than"),
                _ => return None,
            };
            return wrong.then(|| format!("expected {expected} {limit}, got {}", quote(instance)));
        }
        Value::String(text) => (text.chars().count(), "Length", "characters"),
        Value::Array(items) => (items.len(), "Items", "items"),
        Value::Object(members) => (members.len(), "Properties", "properties"),
        Value::Null | Value::Bool(_) => return None,
    };
    let (size, suffix, what) = size;
    let size = u64::try_from(size).ok()?;
    match keyword.strip_suffix(suffix)? {
        "min" if size < limit.as_u64()? => Some(format!("expected at least {limit} {what}")),
        "max" if size > limit.as_u64()? => Some(format!("expected at most {limit} {what}")),
        _ => None,
    }
}

/// Numbers are the same when their values are, however they are written.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => one == other,
    }
}

/// The JSON pointer of a member.
fn below(path: &str, name: &str) -> String {
    format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[expect(clippy::needless_pass_by_value, reason = "callers make it for this")]
fn refuse(path: &str, keyword: &str, message: String) -> Result<(), Violation> {
    Err(Violation {
        instance_path: shorten(path),
        message: shorten(&message),
        cause: Cause::Keyword(keyword.to_owned()),
    })
}

fn invalid(place: &str, message: &str) -> SchemaError {
    SchemaError::Invalid { place: shorten(place), message: message.to_owned() }
}

const KINDS: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plain(schema: &Value) -> Result<Validator, SchemaError> {
        let plan = Plan { draft: Draft::Draft202012, patterns: 0 };
        Validator::build(schema, &plan, &SchemaLimits::default())
    }

    fn person() -> Value {
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 1, "maxLength": 5},
                "age": {"type": "integer", "minimum": 0, "exclusiveMaximum": 200},
                "kind": {"enum": ["cat", "dog", 1]},
                "next": {"$ref": "#"},
                "home": {"$ref": "#/$defs/home"},
                "tags": {"type": "array", "items": {"type": ["string", "null"]}, "maxItems": 2},
                "size": {"anyOf": [{"type": "null"}, {"const": "big"}]},
                "one": {"oneOf": [{"type": "integer"}, {"type": "number", "maximum": 5}]},
                "rest": {"type": "object", "additionalProperties": {"type": "boolean"}},
                "never": false
            },
            "required": ["name"],
            "additionalProperties": false,
            "$defs": {"home": {"allOf": [{"required": ["city"]}]}}
        })
    }

    #[cfg(feature = "json-schema")]
    #[test]
    fn values_are_judged_and_explained_as_by_the_full_validator() {
        let dialect = Plan { draft: Draft::Draft202012, patterns: 0 };
        let full =
            super::super::full::Validator::build(&person(), &dialect, &SchemaLimits::default());
        let (full, plain) = (full.unwrap(), plain(&person()).unwrap());
        for member in [
            json!({}),
            json!({"age": 3.0}),
            json!({"age": 0.5}),
            json!({"age": -1}),
            json!({"age": 200}),
            json!({"kind": 1.0}),
            json!({"kind": "cow"}),
            json!({"next": {"name": null}}),
            json!({"home": {"city": 1}}),
            json!({"home": {}}),
            json!({"tags": ["a", null]}),
            json!({"tags": ["a", 1]}),
            json!({"tags": [null, null, null]}),
            json!({"size": "big"}),
            json!({"size": "small"}),
            json!({"one": 7}),
            json!({"one": 1}),
            json!({"one": "x"}),
            json!({"rest": {"a/b": true}}),
            json!({"rest": {"a/b": 1}}),
            json!({"never": 1}),
            json!({"b": 1}),
            json!({"name": ""}),
            json!({"name": "ääääää"}),
        ] {
            let mut instance = json!({"name": "Ada"});
            instance.as_object_mut().unwrap().extend(member.as_object().unwrap().clone());
            assert_eq!(plain.is_valid(&instance), full.is_valid(&instance), "{instance}");
            if !plain.is_valid(&instance) {
                let (plain, full) = (plain.explain(&instance), full.explain(&instance));
                assert_eq!(plain.to_string(), full.to_string());
            }
        }
        for instance in [json!([]), json!({})] {
            assert_eq!(plain.explain(&instance), full.explain(&instance));
        }
    }

    #[test]
    fn a_schema_with_another_keyword_is_refused() {
        for keyword in ["pattern", "not", "if", "patternProperties", "uniqueItems"] {
            let refused = plain(&json!({"properties": {"a": {keyword: {}}}})).err();
            assert_eq!(refused, Some(SchemaError::Unsupported(keyword.into())));
        }
        for wrong in [json!({"type": "text"}), json!({"required": [1]}), json!({"minimum": "1"})] {
            assert!(matches!(plain(&wrong), Err(SchemaError::Invalid { .. })), "{wrong}");
        }
    }
}
