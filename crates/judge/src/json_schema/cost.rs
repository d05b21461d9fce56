//! What it would cost to look at a schema, or to apply it.

use std::collections::HashMap;

use serde_json::Value;

/// Why a schema is not looked at, if it is not.
pub(super) fn excess(schema: &Value) -> Option<&'static str> {
    let mut size = Size::default();
    size.add(schema, 0);
    if size.deepest > DEEPEST {
        return Some("it is nested too deeply");
    }
    (size.values > MOST_VALUES).then_some("it is too large")
}

/// Whether applying the schema takes few steps, however its branches lead back to each other.
///
/// The branches of a subschema are all those that apply to the same value, counted once for each way that leads to them. If each
/// level of the value has that many, the levels multiply.
pub(super) fn is_cheap(schema: &Value, value: &Value) -> bool {
    let mut size = Size::default();
    size.add(value, 0);
    if size.values > MOST_VALUES {
        return false;
    }
    let mut survey = Survey { root: schema, known: HashMap::new(), most: 1 };
    if survey.all(schema).is_none() {
        return false;
    }
    let levels = u32::try_from(size.deepest).unwrap_or(u32::MAX);
    let steps = survey.most.checked_pow(levels.saturating_add(1));
    let values = u64::try_from(size.values).unwrap_or(u64::MAX);
    steps.and_then(|steps| steps.checked_mul(values)).is_some_and(|steps| steps <= MOST_STEPS)
}

#[derive(Default)]
struct Size {
    values: usize,
    deepest: usize,
}

impl Size {
    fn add(&mut self, value: &Value, depth: usize) {
        self.values += 1;
        self.deepest = self.deepest.max(depth);
        if depth > DEEPEST || self.values > MOST_VALUES {
            return;
        }
        match value {
            Value::Array(items) => items.iter().for_each(|it| self.add(it, depth + 1)),
            Value::Object(members) => members.values().for_each(|it| self.add(it, depth + 1)),
            _ => {}
        }
    }
}

struct Survey<'s> {
    root: &'s Value,
    /// By the address of a subschema; `None` while it is being counted.
    known: HashMap<*const Value, Option<u64>>,
    most: u64,
}

impl<'s> Survey<'s> {
    /// Counts the branches of everything that could be a subschema. `None` if there is no end to it.
    fn all(&mut self, value: &'s Value) -> Option<()> {
        match value {
            Value::Array(items) => items.iter().try_for_each(|it| self.all(it)),
            Value::Object(members) => {
                let branches = self.branches(value)?;
                self.most = self.most.max(branches);
                members.values().try_for_each(|it| self.all(it))
            }
            _ => Some(()),
        }
    }

    fn branches(&mut self, schema: &'s Value) -> Option<u64> {
        let Value::Object(members) = schema else { return Some(1) };
        if let Some(known) = self.known.get(&std::ptr::from_ref(schema)) {
            return *known;
        }
        self.known.insert(std::ptr::from_ref(schema), None);
        let mut count: u64 = 1;
        for (keyword, value) in members {
            let below: Vec<&'s Value> = match (keyword.as_str(), value) {
                ("allOf" | "anyOf" | "oneOf", Value::Array(items)) => items.iter().collect(),
                ("dependentSchemas" | "dependencies", Value::Object(schemas)) => {
                    schemas.values().collect()
                }
                ("not" | "if" | "then" | "else", schema) => vec![schema],
                ("$ref", Value::String(reference)) => vec![self.resolve(reference)?],
                ("$dynamicRef" | "$recursiveRef", _) => return None,
                _ => continue,
            };
            for schema in below {
                count = count.checked_add(self.branches(schema)?)?;
            }
        }
        self.known.insert(std::ptr::from_ref(schema), Some(count));
        Some(count)
    }

    /// Only what is named by a pointer into the same document.
    fn resolve(&self, reference: &str) -> Option<&'s Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }
}

const DEEPEST: usize = 48;
const MOST_VALUES: usize = 20_000;
const MOST_STEPS: u64 = 20_000_000;
