//! A schema with its references followed and its combinations taken apart: one shape for each way in which a value can fit.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::matcher::{is_kind, same};

/// What a value has to be like, in one of the ways that a schema allows. Schemas of parts are kept as they are, so that recursion ends where
/// values do.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    /// Types that are allowed; empty if no value fits.
    pub(super) kinds: BTreeSet<&'static str>,
    /// The only values, and the keyword that says so.
    pub(super) values: Option<(&'static str, Vec<Value>)>,
    /// `default` and `examples`.
    pub(super) hints: Vec<Value>,
    pub(super) lower: Option<Bound>,
    pub(super) upper: Option<Bound>,
    pub(super) multiples: Vec<f64>,
    pub(super) length: (u64, Option<u64>),
    pub(super) patterns: Vec<String>,
    pub(super) format: Option<String>,
    pub(super) prefix: Vec<Value>,
    pub(super) items: Option<Value>,
    pub(super) count: (u64, Option<u64>),
    pub(super) unique: bool,
    pub(super) contains: Option<Value>,
    pub(super) properties: BTreeMap<String, Value>,
    pub(super) required: BTreeSet<String>,
    /// What members of other names have to be, and the keyword that says so; `None` for anything.
    pub(super) additional: Option<(&'static str, Value)>,
    pub(super) pattern_properties: Vec<(String, Value)>,
    pub(super) property_names: Option<Value>,
    pub(super) members: (u64, Option<u64>),
    pub(super) dependent: Vec<(String, Vec<String>)>,
    /// The keywords that chose this way among several, by which a validator may name a fault inside of it.
    pub(super) via: BTreeSet<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bound {
    pub(super) at: f64,
    pub(super) keyword: &'static str,
}

/// A schema and where its references point to.
pub(super) struct Shapes<'s> {
    pub(super) root: &'s Value,
    /// In draft 7 and before, what stands beside a `$ref` is not looked at.
    old: bool,
}

impl<'s> Shapes<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        let dialect = root.get("$schema").and_then(Value::as_str).unwrap_or_default();
        Self {
            root,
            old: ["draft-03", "draft-04", "draft-06", "draft-07"]
                .iter()
                .any(|it| dialect.contains(it)),
        }
    }

    /// All ways in which a value can fit, up to a limit.
    pub(super) fn of(&self, schema: &Value) -> Vec<Shape> {
        self.ways(schema, &mut Vec::new())
    }

    /// `seen` are the references that lead here without a step into the value; one that comes again has no meaning.
    fn ways(&self, schema: &Value, seen: &mut Vec<String>) -> Vec<Shape> {
        let members = match schema {
            Value::Bool(true) => return vec![Shape::any()],
            Value::Object(members) => members,
            _ => return Vec::new(),
        };
        let referred =
            members.get("$ref").or_else(|| members.get("$dynamicRef")).and_then(Value::as_str);
        let mut ways = match referred {
            Some(reference) => match self.resolve(reference) {
                Some(target)
                    if !seen.iter().any(|it| it == reference) && seen.len() < MAX_DEPTH =>
                {
                    seen.push(reference.to_owned());
                    let ways = self.ways(target, seen);
                    seen.pop();
                    ways
                }
                _ => Vec::new(),
            },
            None => vec![Shape::any()],
        };
        if referred.is_some() && self.old {
            return ways;
        }
        let own = own(members);
        ways = ways.into_iter().filter_map(|way| way.and(&own)).collect();
        for part in members.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            ways = product(&ways, &self.ways(part, seen));
        }
        for keyword in ["anyOf", "oneOf"] {
            let Some(parts) = members.get(keyword).and_then(Value::as_array) else { continue };
            let mut branches = Vec::new();
            for part in parts {
                for mut way in self.ways(part, seen) {
                    way.via.insert(keyword);
                    branches.push(way);
                }
            }
            ways = product(&ways, &branches);
        }
        if let Some(condition) = members.get("if") {
            let mut branches = Vec::new();
            let yes = members.get("then").cloned().unwrap_or(Value::Bool(true));
            branches.extend(product(&self.ways(condition, seen), &self.ways(&yes, seen)));
            let no = members.get("else").cloned().unwrap_or(Value::Bool(true));
            branches.extend(self.ways(&no, seen));
            for way in &mut branches {
                way.via.insert("if");
            }
            ways = product(&ways, &branches);
        }
        ways.truncate(MOST_WAYS);
        ways
    }

    /// Only within the document: nothing is ever fetched.
    fn resolve(&self, reference: &str) -> Option<&'s Value> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = if base.is_empty() { self.root } else { named(self.root, base, 0)? };
        if fragment.is_empty() || fragment.starts_with('/') {
            return resource.pointer(&percent_decoded(fragment));
        }
        find_anchor(resource, fragment, 0).or_else(|| find_anchor(self.root, fragment, 0))
    }
}

/// The part of a document that has this name. Names are compared by their ends: a wrong guess only makes candidates that are discarded.
fn named<'s>(schema: &'s Value, name: &str, depth: usize) -> Option<&'s Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    let last = |text: &str| text.trim_end_matches('/').rsplit('/').next().map(str::to_owned);
    match schema {
        Value::Object(members) => {
            let its = members.get("$id").and_then(Value::as_str);
            if its.is_some_and(|its| its == name || last(its) == last(name)) {
                return Some(schema);
            }
            members.values().find_map(|part| named(part, name, depth + 1))
        }
        Value::Array(items) => items.iter().find_map(|item| named(item, name, depth + 1)),
        _ => None,
    }
}

impl Shape {
    fn any() -> Self {
        Self { kinds: KINDS.into_iter().collect(), ..Self::default() }
    }

    pub(super) fn allows(&self, kind: &str) -> bool {
        self.kinds.contains(kind) || (kind == "integer" && self.kinds.contains("number"))
    }

    /// Both at once; `None` if no value can be that.
    fn and(&self, other: &Self) -> Option<Self> {
        let mut kinds: BTreeSet<&'static str> =
            self.kinds.intersection(&other.kinds).copied().collect();
        let number = |it: &Self| it.kinds.contains("number");
        let integer = |it: &Self| it.kinds.contains("integer");
        if (number(self) && integer(other)) || (integer(self) && number(other)) {
            kinds.insert("integer");
        }
        let values = match (&self.values, &other.values) {
            (Some((keyword, one)), Some((_, other))) => {
                let both = one.iter().filter(|value| other.iter().any(|it| same(it, value)));
                Some((*keyword, both.cloned().collect()))
            }
            (one, other) => one.clone().or_else(|| other.clone()),
        };
        let mut properties = self.properties.clone();
        for (name, schema) in &other.properties {
            properties
                .entry(name.clone())
                .and_modify(|it| *it = both(it, schema))
                .or_insert_with(|| schema.clone());
        }
        let shape = Self {
            kinds,
            values,
            hints: self.hints.iter().chain(&other.hints).cloned().collect(),
            lower: tighter(self.lower, other.lower, |one, other| one > other),
            upper: tighter(self.upper, other.upper, |one, other| one < other),
            multiples: self.multiples.iter().chain(&other.multiples).copied().collect(),
            length: narrower(self.length, other.length),
            patterns: self.patterns.iter().chain(&other.patterns).cloned().collect(),
            format: self.format.clone().or_else(|| other.format.clone()),
            prefix: if self.prefix.is_empty() { other.prefix.clone() } else { self.prefix.clone() },
            items: merged(self.items.as_ref(), other.items.as_ref()),
            count: narrower(self.count, other.count),
            unique: self.unique || other.unique,
            contains: self.contains.clone().or_else(|| other.contains.clone()),
            properties,
            required: self.required.union(&other.required).cloned().collect(),
            additional: self.additional.clone().or_else(|| other.additional.clone()),
            pattern_properties: self
                .pattern_properties
                .iter()
                .chain(&other.pattern_properties)
                .cloned()
                .collect(),
            property_names: merged(self.property_names.as_ref(), other.property_names.as_ref()),
            members: narrower(self.members, other.members),
            dependent: self.dependent.iter().chain(&other.dependent).cloned().collect(),
            via: self.via.union(&other.via).copied().collect(),
        };
        let possible = !shape.kinds.is_empty()
            && shape.values.as_ref().is_none_or(|(_, values)| !values.is_empty());
        possible.then_some(shape)
    }
}

/// What a schema says by its own keywords.
fn own(members: &Map<String, Value>) -> Shape {
    let mut shape = Shape::any();
    let number = |name: &str| members.get(name).and_then(Value::as_f64);
    let count = |name: &str| {
        let value = members.get(name)?;
        value
            .as_u64()
            .or_else(|| value.as_f64().filter(|it| *it >= 0.0 && it.fract() == 0.0).map(whole))
    };
    let list =
        |name: &str| members.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let schemas = |name: &str| {
        let found = members.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
        found.into_iter().collect::<Vec<_>>()
    };
    match members.get("type") {
        Some(Value::String(kind)) => shape.kinds.retain(|it| it == kind),
        Some(Value::Array(kinds)) => shape.kinds.retain(|it| kinds.iter().any(|kind| kind == it)),
        _ => {}
    }
    if let Some(value) = members.get("const") {
        shape.values = Some(("const", vec![value.clone()]));
    } else if members.get("enum").is_some_and(Value::is_array) {
        shape.values = Some(("enum", list("enum")));
    }
    if let Some((_, values)) = &mut shape.values {
        let kinds = shape.kinds.clone();
        values.retain(|value| kinds.iter().any(|kind| is_kind(value, kind)));
    }
    shape.hints = members.get("default").into_iter().cloned().chain(list("examples")).collect();
    let bound = |name: &'static str| number(name).map(|at| Bound { at, keyword: name });
    shape.lower = tighter(bound("minimum"), bound("exclusiveMinimum"), |one, other| one > other);
    shape.upper = tighter(bound("maximum"), bound("exclusiveMaximum"), |one, other| one < other);
    shape.multiples = number("multipleOf").filter(|it| *it > 0.0).into_iter().collect();
    shape.length = (count("minLength").unwrap_or(0), count("maxLength"));
    shape.patterns =
        members.get("pattern").and_then(Value::as_str).map(str::to_owned).into_iter().collect();
    shape.format = members.get("format").and_then(Value::as_str).map(str::to_owned);
    shape.prefix = list("prefixItems");
    shape.items = match members.get("items") {
        // As it was before 2020-12.
        Some(Value::Array(prefix)) => {
            shape.prefix.clone_from(prefix);
            members.get("additionalItems").cloned()
        }
        other => other.or_else(|| members.get("unevaluatedItems")).cloned(),
    };
    shape.count = (count("minItems").unwrap_or(0), count("maxItems"));
    shape.unique = members.get("uniqueItems") == Some(&Value::Bool(true));
    shape.contains = members.get("contains").cloned();
    if shape.contains.is_some() {
        shape.count.0 = shape.count.0.max(count("minContains").unwrap_or(1));
    }
    shape.properties = schemas("properties").into_iter().collect();
    shape.required =
        list("required").iter().filter_map(|it| it.as_str().map(str::to_owned)).collect();
    shape.additional = ["additionalProperties", "unevaluatedProperties"]
        .into_iter()
        .find_map(|name| members.get(name).map(|schema| (name, schema.clone())));
    shape.pattern_properties = schemas("patternProperties");
    shape.property_names = members.get("propertyNames").cloned();
    shape.members = (count("minProperties").unwrap_or(0), count("maxProperties"));
    shape.dependent = schemas("dependentRequired")
        .into_iter()
        .chain(schemas("dependencies"))
        .filter_map(|(name, needs)| {
            let needs =
                needs.as_array()?.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect();
            Some((name, needs))
        })
        .collect();
    shape
}

fn product(one: &[Shape], other: &[Shape]) -> Vec<Shape> {
    let mut all = Vec::new();
    for left in one {
        for right in other {
            if all.len() >= MOST_WAYS {
                return all;
            }
            all.extend(left.and(right));
        }
    }
    all
}

fn both(one: &Value, other: &Value) -> Value {
    if one == other { one.clone() } else { json!({"allOf": [one, other]}) }
}

fn merged(one: Option<&Value>, other: Option<&Value>) -> Option<Value> {
    match (one, other) {
        (Some(one), Some(other)) => Some(both(one, other)),
        (one, other) => one.or(other).cloned(),
    }
}

/// An exclusive bound at the same place is the tighter one.
fn tighter(
    one: Option<Bound>,
    other: Option<Bound>,
    is_tighter: fn(f64, f64) -> bool,
) -> Option<Bound> {
    match (one, other) {
        (Some(one), Some(other)) => {
            let exclusive = one.keyword.starts_with("exclusive");
            Some(
                if is_tighter(one.at, other.at)
                    || (one.at.total_cmp(&other.at).is_eq() && exclusive)
                {
                    one
                } else {
                    other
                },
            )
        }
        (one, other) => one.or(other),
    }
}

fn narrower(one: (u64, Option<u64>), other: (u64, Option<u64>)) -> (u64, Option<u64>) {
    let most = match (one.1, other.1) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    (one.0.max(other.0), most)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the caller has seen that it is whole and not negative; larger ones saturate"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

fn find_anchor<'s>(schema: &'s Value, name: &str, depth: usize) -> Option<&'s Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    match schema {
        Value::Object(members) => {
            let named = ["$anchor", "$dynamicAnchor"]
                .iter()
                .any(|key| members.get(*key).is_some_and(|it| it == name));
            if named {
                return Some(schema);
            }
            members.values().find_map(|value| find_anchor(value, name, depth + 1))
        }
        Value::Array(items) => items.iter().find_map(|item| find_anchor(item, name, depth + 1)),
        _ => None,
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let decoded = match (first, tail) {
            (b'%', [high, low, ..]) => std::str::from_utf8(&[*high, *low])
                .ok()
                .and_then(|it| u8::from_str_radix(it, 16).ok()),
            _ => None,
        };
        bytes.push(decoded.unwrap_or(*first));
        rest = if decoded.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Keywords whose meaning is known here or needs none; others are named in reports.
pub(super) fn unknown_keywords(schema: &Value) -> BTreeSet<String> {
    let mut unknown = BTreeSet::new();
    gather(schema, &mut unknown, 0);
    unknown
}

fn gather(schema: &Value, unknown: &mut BTreeSet<String>, depth: usize) {
    let Value::Object(members) = schema else { return };
    if depth > MAX_DEPTH {
        return;
    }
    for (name, value) in members {
        match name.as_str() {
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
                value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .for_each(|(_, it)| gather(it, unknown, depth + 1));
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                value
                    .as_array()
                    .into_iter()
                    .flatten()
                    .for_each(|it| gather(it, unknown, depth + 1));
            }
            "items"
            | "additionalItems"
            | "contains"
            | "additionalProperties"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "propertyNames"
            | "if"
            | "then"
            | "else"
            | "not" => gather(value, unknown, depth + 1),
            known if KNOWN.contains(&known) || known.starts_with("x-") => {}
            other => _ = unknown.insert(other.to_owned()),
        }
    }
}

const KNOWN: [&str; 37] = [
    "$schema",
    "$id",
    "$ref",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$comment",
    "$vocabulary",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "type",
    "const",
    "enum",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minContains",
    "maxContains",
    "required",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependencies",
];
pub(super) const KINDS: [&str; 7] =
    ["array", "boolean", "integer", "null", "number", "object", "string"];
const MAX_DEPTH: usize = 24;
const MOST_WAYS: usize = 24;
