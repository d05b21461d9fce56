//! One shape of the table beside one node of a schema.

use serde_json::{Value, json};

use super::{Comparison, reference};
use crate::shapes::table::{Format, Object, Shape, Union};

impl Comparison<'_> {
    pub(super) fn compare(&mut self, at: &str, shape: Shape, node: &Value) {
        let mut name = reference(node);
        while let Some(it) = name {
            name = self.definitions.get(&it).and_then(reference);
            self.reached.insert(it);
        }
        let (named, node) = self.resolved(at, node);
        // What has a name of its own is spoken of by that.
        let at = match shape {
            Shape::Object(_) | Shape::Any => named,
            _ => at.to_owned(),
        };
        match shape {
            Shape::Object(object) => return self.object(&at, object, &node),
            Shape::Union(union) => return self.union(&at, union, &node),
            Shape::Either(shapes) => return self.either(&at, shapes, &node),
            Shape::Map(item) => self.map(&at, *item, &node),
            Shape::List(item) | Shape::ShortList(item, _) => {
                self.compare(&format!("{at}/*"), *item, &node["items"]);
            }
            _ => {}
        }
        for (word, wanted) in words(shape) {
            let theirs = node.get(word).cloned().unwrap_or_default();
            let same = match (&theirs, &wanted) {
                (Value::Array(theirs), Value::Array(ours)) => {
                    theirs.len() == ours.len() && theirs.iter().all(|it| ours.contains(it))
                }
                (Value::Number(theirs), Value::Number(ours)) => theirs.as_f64() == ours.as_f64(),
                _ => theirs == wanted,
            };
            if !same {
                self.differs(&at, format!("{word}: the table has {wanted}, the schema {theirs}"));
            }
        }
    }

    fn object(&mut self, at: &str, object: &'static Object, node: &Value) {
        if !self.done.insert((object.name, at.to_owned())) {
            return;
        }
        if node["type"] != "object" {
            self.differs(at, format!("the table has an object, the schema {node}"));
            return;
        }
        if node.get("additionalProperties").is_some_and(|it| it.is_object() && !is_free(it)) {
            self.differs(at, "the schema says what other members are");
        }
        let members: Vec<_> = object.members_in(self.revision).collect();
        self.members(at, &members, node, &[]);
    }

    fn map(&mut self, at: &str, item: Shape, node: &Value) {
        if node.get("properties").and_then(Value::as_object).is_some_and(|it| !it.is_empty()) {
            self.differs(at, "the table has no members, the schema some");
        }
        match node.get("additionalProperties") {
            Some(theirs) if !is_free(theirs) => self.compare(&format!("{at}/*"), item, theirs),
            _ if matches!(item, Shape::Any) => {}
            _ => self.differs(at, "the schema does not say what its members are"),
        }
    }

    fn union(&mut self, at: &str, union: &'static Union, node: &Value) {
        let ours: Vec<&'static Object> =
            union.variants_in(self.revision).map(|it| it.object).collect();
        if let ([object], None) = (ours.as_slice(), node.get("anyOf")) {
            return self.object(at, object, node);
        }
        let theirs: Vec<String> = self.alternatives(node).iter().filter_map(reference).collect();
        for object in &ours {
            if theirs.iter().any(|name| name == object.name) {
                self.named(object);
            } else {
                self.differs(at, format!("the schema does not have {}", object.name));
            }
        }
        for name in theirs {
            if !ours.iter().any(|object| object.name == name) {
                self.differs(at, format!("the table does not have {name}"));
            }
        }
    }

    fn either(&mut self, at: &str, shapes: &'static [Shape], node: &Value) {
        let theirs: Vec<(&'static str, Value)> =
            self.alternatives(node).into_iter().map(|it| (self.kind_of(&it), it)).collect();
        for shape in shapes {
            let same: Vec<Value> = theirs
                .iter()
                .filter(|(kind, _)| *kind == kind_of(*shape))
                .map(|(_, node)| node.clone())
                .collect();
            match same.as_slice() {
                [] => self.differs(at, format!("the schema has no {}", kind_of(*shape))),
                [one] => self.compare(at, *shape, one),
                several => self.compare(at, *shape, &json!({ "anyOf": several })),
            }
        }
        for (kind, _) in theirs {
            if !shapes.iter().any(|shape| kind_of(*shape) == kind) {
                self.differs(at, format!("the table has no {kind}"));
            }
        }
    }

    /// What may stand in a place, unions inside unions and lists of types taken apart.
    fn alternatives(&mut self, node: &Value) -> Vec<Value> {
        if let Some(name) = reference(node) {
            let there = self.definitions.get(&name).cloned().unwrap_or_default();
            if there.get("anyOf").is_some() || there.get("$ref").is_some() {
                self.reached.insert(name);
                return self.alternatives(&there);
            }
        }
        if let Some(all) = node.get("anyOf").and_then(Value::as_array) {
            return all.iter().flat_map(|it| self.alternatives(it)).collect();
        }
        match node.get("type").and_then(Value::as_array) {
            Some(types) => types.iter().map(|it| json!({ "type": it })).collect(),
            None => vec![node.clone()],
        }
    }

    fn kind_of(&self, node: &Value) -> &'static str {
        let (_, node) = self.resolved("", node);
        let kind = node["type"].as_str().unwrap_or_default();
        KINDS.into_iter().find(|it| *it == kind).unwrap_or("number")
    }
}

fn kind_of(shape: Shape) -> &'static str {
    match shape {
        Shape::Boolean => "boolean",
        Shape::Null => "null",
        Shape::Text(_) | Shape::Exactly(_) | Shape::OneOf(_) => "string",
        Shape::List(_) | Shape::ShortList(..) => "array",
        Shape::Map(_) | Shape::Object(_) | Shape::Union(_) => "object",
        Shape::Any
        | Shape::Either(_)
        | Shape::Integer(_)
        | Shape::Number
        | Shape::NumberBetween(..) => "number",
    }
}

/// What a node has to say about a shape, word by word; null: nothing.
fn words(shape: Shape) -> Vec<(&'static str, Value)> {
    let mut all = vec![("const", Value::Null), ("enum", Value::Null), ("anyOf", Value::Null)];
    let mut says = |word: &'static str, value: Value| {
        all.retain(|(it, _)| *it != word);
        all.push((word, value));
    };
    match shape {
        Shape::Any => says("type", Value::Null),
        Shape::Boolean => says("type", json!("boolean")),
        Shape::Null => says("type", json!("null")),
        Shape::Integer(least) => {
            says("type", json!("integer"));
            says("minimum", json!(least));
        }
        Shape::Number => {
            says("type", json!("number"));
            says("minimum", Value::Null);
            says("maximum", Value::Null);
        }
        Shape::NumberBetween(least, most) => {
            says("type", json!("number"));
            says("minimum", json!(least));
            says("maximum", json!(most));
        }
        Shape::Text(format) => {
            says("type", json!("string"));
            says(
                "format",
                match format {
                    Format::Free => Value::Null,
                    Format::Base64 => json!("byte"),
                    Format::DateTime => json!("date-time"),
                    Format::Uri => json!("uri"),
                    Format::UriTemplate => json!("uri-template"),
                },
            );
        }
        Shape::Exactly(text) => says("const", json!(text)),
        Shape::OneOf(values) => says("enum", json!(values)),
        Shape::List(_) => {
            says("type", json!("array"));
            says("maxItems", Value::Null);
        }
        Shape::ShortList(_, most) => {
            says("type", json!("array"));
            says("maxItems", json!(most));
        }
        Shape::Map(_) => says("type", json!("object")),
        Shape::Object(_) | Shape::Union(_) | Shape::Either(_) => {}
    }
    all
}

/// Whether members may be anything.
fn is_free(node: &Value) -> bool {
    match node {
        Value::Bool(free) => *free,
        Value::Object(node) => {
            let is_empty = |it: &Value| it.as_object().is_some_and(serde_json::Map::is_empty);
            node.iter().all(|(word, value)| match word.as_str() {
                "description" | "title" => true,
                "properties" => is_empty(value),
                _ => false,
            })
        }
        _ => false,
    }
}

const KINDS: [&str; 6] = ["array", "boolean", "null", "number", "object", "string"];
