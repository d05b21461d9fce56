//! Values that should fit a schema: plain ones, and those at the edges.

use serde_json::{Map, Number, Value, json};

use super::{
    shape::{Bound, Shape, Shapes},
    strings,
};
use crate::matcher::{escaped, is_kind, same};

/// A value, and what is special about it.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) label: String,
    pub(super) value: Value,
    /// Whether a server may refuse it although the schema does not.
    pub(super) doubtful: bool,
}

impl Made {
    fn new(label: impl Into<String>, value: Value) -> Self {
        Self { label: label.into(), value, doubtful: false }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Every member that is known.
    Full,
    /// What is required, and nothing else.
    Least,
}

impl Shapes<'_> {
    /// One value that should fit, or `None` if none is found.
    pub(super) fn plain(&self, schema: &Value, extent: Extent, depth: usize) -> Option<Value> {
        if depth > DEEP {
            return None;
        }
        self.of(schema).iter().find_map(|shape| self.plain_of(shape, extent, depth))
    }

    pub(super) fn plain_of(&self, shape: &Shape, extent: Extent, depth: usize) -> Option<Value> {
        if let Some((_, values)) = &shape.values {
            return values.first().cloned();
        }
        let hint = shape
            .hints
            .iter()
            .find(|hint| !hint.is_null() && shape.kinds.iter().any(|kind| is_kind(hint, kind)));
        if let Some(hint) = hint
            && !hint.is_object()
            && !hint.is_array()
        {
            return Some(hint.clone());
        }
        // A union is best shown by what has most to say.
        let order = ["object", "string", "integer", "number", "boolean", "array", "null"];
        let told = order.into_iter().filter(|kind| shape.kinds.contains(kind));
        let free = shape.kinds.len() == super::shape::KINDS.len();
        let mut kinds: Vec<&str> = told.collect();
        if free {
            kinds.sort_by_key(|kind| match *kind {
                "object" if !shape.properties.is_empty() || !shape.required.is_empty() => 0,
                "array"
                    if shape.items.is_some() || !shape.prefix.is_empty() || shape.count.0 > 0 =>
                {
                    1
                }
                "integer"
                    if shape.lower.is_some()
                        || shape.upper.is_some()
                        || !shape.multiples.is_empty() =>
                {
                    2
                }
                "string" => 3,
                _ => 4,
            });
        }
        kinds.into_iter().find_map(|kind| self.plain_kind(shape, kind, extent, depth))
    }

    fn plain_kind(&self, shape: &Shape, kind: &str, extent: Extent, depth: usize) -> Option<Value> {
        Some(match kind {
            "null" => Value::Null,
            "boolean" => Value::Bool(true),
            "integer" | "number" => numbers(shape, kind).into_iter().next()?.value,
            "string" => Value::String(strings::fitting(shape).into_iter().next()?.1),
            "array" => self.array(
                shape,
                shape.count.0.max(u64::from(extent == Extent::Full && shape.count.1 != Some(0))),
                depth,
            )?,
            _ => self.object(shape, extent, depth)?,
        })
    }

    pub(super) fn array(&self, shape: &Shape, count: u64, depth: usize) -> Option<Value> {
        let count = usize::try_from(count).ok().filter(|it| *it <= MOST_ITEMS)?;
        let mut items: Vec<Value> = Vec::new();
        for at in 0..count {
            let schema = match (shape.prefix.get(at), &shape.contains, &shape.items) {
                (Some(schema), _, _) | (None, None, Some(schema)) => schema.clone(),
                (None, Some(contains), Some(items)) => json!({"allOf": [contains, items]}),
                (None, Some(contains), None) => contains.clone(),
                (None, None, None) => Value::Bool(true),
            };
            let item = if shape.unique {
                self.different(&schema, &items, depth + 1)?
            } else {
                self.plain(&schema, Extent::Full, depth + 1)
                    .or_else(|| self.plain(&schema, Extent::Least, depth + 1))?
            };
            items.push(item);
        }
        Some(Value::Array(items))
    }

    /// A value that is not among those.
    fn different(&self, schema: &Value, others: &[Value], depth: usize) -> Option<Value> {
        let new = |value: &Value| !others.iter().any(|other| same(other, value));
        let made = self.edges(schema, depth);
        if let Some(found) = made.into_iter().map(|it| it.value).find(new) {
            return Some(found);
        }
        let number = others.len();
        for shape in self.of(schema) {
            if shape.values.is_some() {
                continue;
            }
            let candidates = [
                shape.allows("integer").then(|| shift(&shape, number)).flatten(),
                (shape.allows("string") && shape.patterns.is_empty() && shape.format.is_none())
                    .then(|| numbered_text(&shape, number))
                    .flatten(),
                shape
                    .allows("array")
                    .then(|| self.array(&shape, u64::try_from(number).ok()?, depth + 1))
                    .flatten(),
            ];
            if let Some(found) = candidates.into_iter().flatten().find(new) {
                return Some(found);
            }
        }
        None
    }

    pub(super) fn object(&self, shape: &Shape, extent: Extent, depth: usize) -> Option<Value> {
        let mut members = Map::new();
        let mut wanted: Vec<&String> = shape.required.iter().collect();
        if extent == Extent::Full && depth <= FULL_DEEP {
            wanted.extend(shape.properties.keys().filter(|name| !shape.required.contains(*name)));
        }
        for name in wanted {
            let required = shape.required.contains(name);
            let schema = schema_of(shape, name);
            let value = match self.plain(&schema, extent, depth + 1) {
                Some(value) => Some(value),
                None => self.plain(&schema, Extent::Least, depth + 1),
            };
            let room = shape.members.1.is_none_or(|most| (members.len() as u64) < most);
            match value {
                Some(value) if required || room => _ = members.insert(name.clone(), value),
                None if required => return None,
                _ => {}
            }
        }
        for (name, needs) in &shape.dependent {
            if !members.contains_key(name) {
                continue;
            }
            for need in needs {
                if !members.contains_key(need) {
                    let value = self.plain(&schema_of(shape, need), Extent::Least, depth + 1)?;
                    members.insert(need.clone(), value);
                }
            }
        }
        self.fill_up(shape, &mut members, depth)?;
        Some(Value::Object(members))
    }

    /// Adds members until there are as many as there have to be.
    fn fill_up(&self, shape: &Shape, members: &mut Map<String, Value>, depth: usize) -> Option<()> {
        let mut number = 0;
        while (members.len() as u64) < shape.members.0 {
            let known = shape.properties.keys().find(|name| !members.contains_key(*name)).cloned();
            let name = match known {
                Some(name) => name,
                None => self.new_name(shape, number)?,
            };
            number += 1;
            if number > MOST_ITEMS {
                return None;
            }
            let value = self.plain(&schema_of(shape, &name), Extent::Least, depth + 1)?;
            members.insert(name, value);
        }
        Some(())
    }

    /// A name that the schema does not have, and that it allows as far as names are told.
    pub(super) fn new_name(&self, shape: &Shape, number: usize) -> Option<String> {
        if let Some(names) = &shape.property_names {
            let shapes = self.of(names);
            let text = shapes.iter().flat_map(strings::fitting).map(|(_, text)| text).nth(number);
            return text.or_else(|| {
                shapes
                    .first()
                    .and_then(|it| it.values.as_ref()?.1.get(number)?.as_str().map(str::to_owned))
            });
        }
        if let Some((pattern, _)) = shape.pattern_properties.first()
            && shape.additional.as_ref().is_some_and(|(_, schema)| *schema == Value::Bool(false))
        {
            return super::pattern::samples(pattern).into_iter().nth(number);
        }
        Some(format!("extra{number}"))
    }

    /// Values at the edges of what a schema allows, in all of its ways.
    pub(super) fn edges(&self, schema: &Value, depth: usize) -> Vec<Made> {
        let shapes = self.of(schema);
        let several = shapes.len() > 1;
        let mut all = Vec::new();
        for (way, shape) in shapes.iter().enumerate() {
            for mut made in self.edges_of(shape, depth) {
                if several {
                    made.label = format!("way {}: {}", way + 1, made.label);
                }
                all.push(made);
            }
        }
        let mut unique: Vec<Made> = Vec::new();
        for made in all {
            if !unique.iter().any(|it| same(&it.value, &made.value)) {
                unique.push(made);
            }
        }
        unique
    }

    fn edges_of(&self, shape: &Shape, depth: usize) -> Vec<Made> {
        let mut all: Vec<Made> = Vec::new();
        if let Some((_, values)) = &shape.values {
            return values
                .iter()
                .take(MOST_VALUES)
                .map(|value| {
                    Made::new(format!("{} is chosen", crate::matcher::short(value)), value.clone())
                })
                .collect();
        }
        for hint in &shape.hints {
            all.push(Made::new("from the schema's examples", hint.clone()));
        }
        for kind in &shape.kinds {
            match *kind {
                "null" => all.push(Made::new("null", Value::Null)),
                "boolean" => {
                    all.extend([true, false].map(|it| Made::new(it.to_string(), Value::Bool(it))));
                }
                "integer" | "number" => all.extend(numbers(shape, kind)),
                "string" => {
                    all.extend(
                        strings::fitting(shape)
                            .into_iter()
                            .map(|(label, text)| Made::new(label, Value::String(text))),
                    );
                }
                "array" => all.extend(self.array_edges(shape, depth)),
                _ => all.extend(self.object_edges(shape, depth)),
            }
        }
        all
    }

    fn array_edges(&self, shape: &Shape, depth: usize) -> Vec<Made> {
        let (least, most) = shape.count;
        let mut all = Vec::new();
        let mut counts = vec![
            (least, "fewest items"),
            (least.saturating_add(1), "one item more than the fewest"),
        ];
        if let Some(most) = most {
            counts.extend([
                (most, "most items"),
                (most.saturating_sub(1), "one item less than the most"),
            ]);
        }
        counts.retain(|(count, _)| *count >= least && most.is_none_or(|most| *count <= most));
        for (count, label) in counts {
            all.extend(self.array(shape, count, depth).map(|value| Made::new(label, value)));
        }
        // Each edge of an item, by itself.
        if depth < FULL_DEEP
            && let Some(items) = shape.items.as_ref().or_else(|| shape.prefix.first())
        {
            let count = least.max(1);
            for item in self.edges(items, depth + 1).into_iter().take(MOST_EDGES) {
                let Some(Value::Array(mut whole)) = self.array(shape, count, depth) else { break };
                if most == Some(0) {
                    break;
                }
                whole[0] = item.value;
                all.push(Made {
                    label: format!("/0 {}", item.label),
                    value: Value::Array(whole),
                    doubtful: item.doubtful,
                });
            }
        }
        all
    }

    fn object_edges(&self, shape: &Shape, depth: usize) -> Vec<Made> {
        let mut all = Vec::new();
        all.extend(
            self.object(shape, Extent::Least, depth)
                .map(|it| Made::new("only what is required", it)),
        );
        let full = self.object(shape, Extent::Full, depth);
        all.extend(full.clone().map(|it| Made::new("every member", it)));
        let Some(full) = full else { return all };
        if depth >= FULL_DEEP {
            return all;
        }
        for name in shape.properties.keys() {
            for edge in self.edges(&schema_of(shape, name), depth + 1).into_iter().take(MOST_EDGES)
            {
                let mut whole = full.clone();
                whole[name] = edge.value;
                all.push(Made {
                    label: format!("/{} {}", escaped(name), edge.label),
                    value: whole,
                    doubtful: edge.doubtful,
                });
            }
        }
        if shape.additional.is_none() {
            let mut whole = full;
            whole["unknownMember"] = json!("x");
            all.push(Made {
                label: "a member that the schema does not name".to_owned(),
                value: whole,
                doubtful: true,
            });
        }
        all
    }
}

/// Numbers at the edges of a shape, the plainest first.
pub(super) fn numbers(shape: &Shape, kind: &str) -> Vec<Made> {
    let step = step(shape, kind);
    let lowest = shape.lower.map(|bound| first_inside(shape, bound, kind, Side::Lower));
    let highest = shape.upper.map(|bound| first_inside(shape, bound, kind, Side::Upper));
    let plain = match (lowest, highest) {
        (Some(lowest), Some(highest)) if lowest > highest => return Vec::new(),
        (Some(lowest), _) if lowest > 0.0 => lowest,
        (_, Some(highest)) if highest < step => highest,
        _ => step,
    };
    let inside =
        |it: f64| lowest.is_none_or(|low| it >= low) && highest.is_none_or(|high| it <= high);
    let mut all = Vec::new();
    let mut push = |label: &str, number: f64| {
        if inside(number)
            && let Some(value) = number_value(number, kind)
        {
            all.push(Made::new(label, value));
        }
    };
    push("plain", plain);
    if let Some(lowest) = lowest {
        push("smallest", lowest);
        push("one step above the smallest", lowest + step);
    }
    if let Some(highest) = highest {
        push("largest", highest);
        push("one step below the largest", highest - step);
    }
    push("zero", 0.0);
    push("negative", -step);
    if kind == "number" && shape.multiples.is_empty() {
        push("fraction", plain + step / 2.0);
    }
    // Exact in JSON, and beyond what many programs can count to.
    if kind == "integer" && shape.multiples.is_empty() && highest.is_none() {
        let value = json!(9_007_199_254_740_993_i64);
        all.push(Made { label: "more than 2^53".to_owned(), value, doubtful: true });
    }
    all
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Lower,
    Upper,
}

/// How far apart neighbours are.
pub(super) fn step(shape: &Shape, kind: &str) -> f64 {
    if is_dense(shape, kind) {
        let room = match (shape.lower, shape.upper) {
            (Some(lower), Some(upper)) => upper.at - lower.at,
            _ => 4.0,
        };
        return if room > 0.0 { (room / 4.0).min(1.0) } else { 1.0 };
    }
    let whole = if kind == "integer" { 1.0 } else { 0.0 };
    let step = shape.multiples.iter().copied().fold(whole, f64::max);
    // 6 is a step for multiples of 2 and 3.
    let common = (1..=1000).map(|times| step * f64::from(times)).find(|it| {
        *it > 0.0
            && shape.multiples.iter().all(|multiple| is_multiple(*it, *multiple))
            && (kind != "integer" || it.fract() == 0.0)
    });
    common.unwrap_or(1.0)
}

/// Whether there is a number between any two.
pub(super) fn is_dense(shape: &Shape, kind: &str) -> bool {
    kind == "number" && shape.multiples.is_empty()
}

pub(super) fn is_multiple(number: f64, of: f64) -> bool {
    let times = number / of;
    (times - times.round()).abs() < 1e-9
}

/// The first number at or behind a bound that is allowed.
fn first_inside(shape: &Shape, bound: Bound, kind: &str, side: Side) -> f64 {
    let step = step(shape, kind);
    let exclusive = bound.keyword.starts_with("exclusive");
    let inward = if side == Side::Lower { step } else { -step };
    if is_dense(shape, kind) {
        return if exclusive { bound.at + inward } else { bound.at };
    }
    let times = bound.at / step;
    let times = if side == Side::Lower { (times - 1e-9).ceil() } else { (times + 1e-9).floor() };
    let at = times * step;
    let on_bound = (at - bound.at).abs() < step * 1e-9;
    if exclusive && on_bound { at + inward } else { at }
}

pub(super) fn number_value(number: f64, kind: &str) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= EXACT {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "whole, and within what an f64 has exactly"
        )]
        return Some(json!(number as i64));
    }
    if kind == "integer" {
        return None;
    }
    Number::from_f64(number).map(Value::Number)
}

/// The n-th number of a shape.
fn shift(shape: &Shape, number: usize) -> Option<Value> {
    let kind = if shape.kinds.contains("integer") { "integer" } else { "number" };
    let first = numbers(shape, kind).into_iter().next()?.value.as_f64()?;
    let far = f64::from(u32::try_from(number).ok()?) * step(shape, kind);
    let up = first + far;
    let wanted = if shape.upper.is_some_and(|bound| up >= bound.at) { first - far } else { up };
    number_value(wanted, kind)
}

fn numbered_text(shape: &Shape, number: usize) -> Option<Value> {
    let width = usize::try_from(shape.length.0).ok()?.max(1);
    let text = format!("{number:0>width$}");
    let fits = shape.length.1.is_none_or(|most| text.chars().count() as u64 <= most);
    fits.then_some(Value::String(text))
}

const DEEP: usize = 12;
/// Deeper than this, only what is required is made.
const FULL_DEEP: usize = 4;
const MOST_ITEMS: usize = 300;
const MOST_VALUES: usize = 16;
const MOST_EDGES: usize = 24;

/// What a member of this name has to be.
pub(super) fn schema_of(shape: &Shape, name: &str) -> Value {
    let mut all: Vec<Value> = shape.properties.get(name).cloned().into_iter().collect();
    for (pattern, schema) in &shape.pattern_properties {
        if regex::Regex::new(pattern).is_ok_and(|regex| regex.is_match(name)) {
            all.push(schema.clone());
        }
    }
    match (&all[..], &shape.additional) {
        ([], Some((_, schema))) => schema.clone(),
        ([], None) => Value::Bool(true),
        ([one], _) => one.clone(),
        _ => json!({"allOf": all}),
    }
}
