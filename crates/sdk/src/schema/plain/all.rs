//! Every violation of a value, by the common keywords.

use serde_json::Value;

use super::{Validator, below, refuse};
use crate::schema::{
    explain::nearest,
    violation::{Violation, names, quote},
};

impl Validator {
    /// All that is wrong with a value.
    pub(in crate::schema) fn explain_all(&self, instance: &Value) -> Vec<Violation> {
        let mut found = Vec::new();
        self.collect(&self.document, instance, "", &mut found);
        found
    }

    fn collect(&self, schema: &Value, instance: &Value, path: &str, found: &mut Vec<Violation>) {
        let Value::Object(keywords) = schema else {
            return found.extend(self.check(schema, instance, path).err());
        };
        for (keyword, value) in keywords {
            match (keyword.as_str(), value, instance) {
                ("required", Value::Array(required), Value::Object(members)) => {
                    let names = required.iter().filter_map(Value::as_str);
                    for name in names.filter(|name| !members.contains_key(*name)) {
                        let message = format!("expected a property {}", quote(&name.into()));
                        found.extend(refuse(path, "required", message).err());
                    }
                }
                ("allOf", Value::Array(all), _) => {
                    all.iter().for_each(|schema| self.collect(schema, instance, path, found));
                }
                ("anyOf" | "oneOf", Value::Array(branches), _) => {
                    let Err(whole) = self.apply(keyword, value, instance, path) else { continue };
                    let branches = branches.iter().map(|schema| {
                        let mut found = Vec::new();
                        self.collect(schema, instance, path, &mut found);
                        found
                    });
                    let branches: Vec<_> = branches.collect();
                    // Several fit, which is none too few.
                    if branches.iter().any(Vec::is_empty) {
                        found.push(whole);
                        continue;
                    }
                    let near = nearest(path, branches);
                    found.extend(if near.is_empty() { vec![whole] } else { near });
                }
                ("$ref", Value::String(reference), _) => {
                    let at = reference.strip_prefix('#');
                    if let Some(schema) = at.and_then(|at| self.document.pointer(at)) {
                        self.collect(schema, instance, path, found);
                    }
                }
                _ => found.extend(self.apply(keyword, value, instance, path).err()),
            }
        }
        match instance {
            Value::Object(members) => {
                let properties = keywords.get("properties").and_then(Value::as_object);
                let further = keywords.get("additionalProperties");
                let mut unexpected = Vec::new();
                for (name, member) in members {
                    let named = properties.and_then(|properties| properties.get(name));
                    match named.or(further) {
                        Some(Value::Bool(false)) if named.is_none() => {
                            unexpected.push(name.clone());
                        }
                        Some(schema) => self.collect(schema, member, &below(path, name), found),
                        None => {}
                    }
                }
                if !unexpected.is_empty() {
                    let further = names(&unexpected);
                    let message = format!("expected no further property, got {further}");
                    found.extend(refuse(path, "additionalProperties", message).err());
                }
            }
            Value::Array(items) => {
                let Some(schema) = keywords.get("items") else { return };
                for (at, item) in items.iter().enumerate() {
                    self.collect(schema, item, &format!("{path}/{at}"), found);
                }
            }
            _ => {}
        }
    }
}
